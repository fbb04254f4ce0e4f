# Draws a snapshot in text form and the table of its run: stars projected on x y, and the energy error with exact
# (double) and with the kernel's own (float) potentials. Called with snapshot, diagnostics and picture set.
stats diagnostics using 3 every ::0::0 name 'first' nooutput # before ranges are set: they would cut
set terminal pngcairo size 1200,564 font 'sans,12' background '#0b0e1a'
set output picture
set multiplot layout 1,2 margins 0.055,0.975,0.112,0.925 spacing 0.145
set border lc rgb '#8890a8'
set tics textcolor rgb '#c8cede'
set title textcolor rgb '#e8ecf6'
set xlabel textcolor rgb '#c8cede'
set ylabel textcolor rgb '#c8cede'
set key textcolor rgb '#c8cede'

set title '1024 stars at the end of the run'
set size ratio -1
set xrange [-2.6:2.6]
set yrange [-2.6:2.6]
set xlabel 'x  [N-body units]'
set ylabel 'y' offset 1
set palette defined (0 '#4f7bff', 0.45 '#dfe8ff', 0.7 '#ffd9a0', 1 '#ff9550')
set cblabel 'speed' textcolor rgb '#c8cede'
set cbrange [0:1.4]
set colorbox user origin 0.442,0.112 size 0.011,0.813
# a glow, a disc in the colour of the speed, a bright centre
plot snapshot using 2:3 with points pt 7 ps 1.4 lc rgb '#d85f7fff' notitle, \
     snapshot using 2:3:(sqrt($5**2 + $6**2 + $7**2)) with points pt 7 ps 0.5 lc palette notitle, \
     snapshot using 2:3 with points pt 7 ps 0.12 lc rgb '#ffffff' notitle

set key bottom right
set title 'how well the energy is kept'
set size noratio
set autoscale
set yrange [1e-10:1e-5]
set logscale y
set format y '10^{%L}'
set xlabel 't  [N-body units]'
set ylabel '|E(t) - E(0)| / |E(0)|' offset 1
set grid y lc rgb '#2a3048' lt 1
# [PZ07] section 6, over a quarter time unit
gpu = 1.7e-6
host = 1.9e-7
plot diagnostics using 1:(abs($3 / first_max - 1)) every ::1 with linespoints pt 7 ps 0.7 lw 2 lc rgb '#ffb070' \
     title "by the kernel's float potentials", \
     diagnostics using 1:(abs($4)) every ::1 with linespoints pt 7 ps 0.7 lw 2 lc rgb '#7fd0ff' \
     title 'in double', \
     gpu with lines dt 2 lc rgb '#ffb070' title '2007: GeForce 8800GTX', \
     host with lines dt 2 lc rgb '#7fd0ff' title '2007: host and GRAPE'
unset multiplot
