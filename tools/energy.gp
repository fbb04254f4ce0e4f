# Draws the table of a run: the energy error with exact (double) and with the kernel's own (float) potentials. Run it in the
# folder of table.txt, so that no folder name becomes part of the script.
diagnostics = 'table.txt'
picture = 'energy.png'
stats diagnostics using 3 every ::0::0 name 'first' nooutput # before ranges are set: they would cut
set terminal pngcairo size 800,500 font 'sans,12' background '#0b0e1a'
set output picture
set border lc rgb '#8890a8'
set tics textcolor rgb '#c8cede'
set title 'how well the energy is kept' textcolor rgb '#e8ecf6'
set xlabel 't  [N-body units]' textcolor rgb '#c8cede'
set ylabel '|E(t) - E(0)| / |E(0)|' textcolor rgb '#c8cede'
set key bottom right textcolor rgb '#c8cede'
set yrange [1e-10:1e-5]
set logscale y
set format y '10^{%L}'
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
