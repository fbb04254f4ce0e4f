# Draws what tools/cluster.sh has measured: run it in the folder of its columns, with the words of clusters and seeds, and equal_t_rh,
# set.
set datafile separator ','
set terminal pngcairo size 1200,900 font 'sans,12'
set output 'clusters.png'
set multiplot layout 2,2
set grid lc rgb '#d8d8d8' lt 1
set border 3
set tics nomirror
array color[6] = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#000000']
file(cluster) = sprintf('cluster_%s.csv', cluster)
stars(cluster) = cluster[1:strstrt(cluster, '_') - 1]
most(cluster) = cluster[strstrt(cluster, '_') + 1:*]

if (words(clusters)) {
  biggest = word(clusters, words(clusters))
  # Before ranges are set: they would cut.
  array m[words(clusters)]
  do for [k=1:words(clusters)] { stats file(word(clusters, k)) every ::1::1 using (m[k] = $3) nooutput }

  set title 'mass within r_J; dashed: to T_{diss} of Baumgardt \& Makino 2003, W_0 = 5'
  set xlabel 't / T_{diss}'
  set ylabel 'M / M(0)'
  set key top right
  set xrange [0:1]
  set yrange [0:1.05]
  t_end(n) = 1.91 * (n / log(0.02 * n)) ** 0.75 * 8.5 # Myr, of n stars, at 8.5 kpc and 220 km/s
  plot for [k=1:words(clusters)] file(word(clusters, k)) using ($1 / t_end(real(stars(word(clusters, k))))):($3 / m[k]) with lines lw 2 \
    lc rgb color[k] title sprintf('N = %s, masses to %s', stars(word(clusters, k)), most(word(clusters, k))), \
    1 - x with lines dt 2 lc rgb '#808080' notitle

  of_biggest = sprintf('N = %s, masses to %s: ', stars(biggest), most(biggest))
  set title of_biggest . 'radii'
  set xlabel 't, Myr'
  set ylabel 'pc'
  set xrange [0:*]
  set yrange [*:*]
  set logscale y
  set key outside right center
  plot file(biggest) using 1:4 with lines lw 2 lc rgb '#808080' title 'r_J', '' using 1:8 with lines title '90 %', \
    '' using 1:7 with lines lw 2 title '50 %', '' using 1:6 with lines title '10 %', \
    sprintf('core_%s.csv', biggest) using 1:3 with lines lc rgb '#000000' title 'core'

  set title of_biggest . 'half-mass radii'
  unset logscale y
  set yrange [0:*]
  set key inside bottom right
  plot file(biggest) using 1:9 with lines lw 2 title 'below 0.5 solar masses', '' using 1:10 with lines lw 2 title '0.5 to 2', \
    '' using 1:11 with lines lw 2 title 'above 2'
}

set title 'equal masses, isolated: core radius, its mean over t_{rh} / 2'
set xlabel 't / t_{rh}'
set ylabel 'N-body units'
set yrange [*:*]
set logscale y
set key bottom left
set object 1 rectangle from 15, graph 0 to 20, graph 1 fc rgb '#eeeeee' fs noborder behind
if (words(seeds)) {
  plot for [k=1:words(seeds)] sprintf('core_equal_%s.csv', word(seeds, k)) using ($1 / equal_t_rh):3 with lines lw 2 \
    lc rgb color[k] title sprintf('seed %s', word(seeds, k))
}
