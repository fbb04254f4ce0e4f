#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# The whole diagnostics of a run, its choice of energies, and the figures drawn of them.
load common

# cluster N: a small Plummer sphere in cluster.h5.
cluster() { "$HOLMBERG" ic plummer -n "$1" --seed 1 -o cluster.h5 --quiet; }

# column NAME FILE: its values in a .csv file, a line each.
column() {
  awk -F, -v name="$1" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k } NR > 1 { print $c }' "$2"
}

names='t n scheme precision exact_energy e_total e_gpu e_kin e_pot e_cluster e_orbit e_scale de_cluster de_rel virial_ratio
e_kin_inertial e_total_inertial virial_ratio_inertial
momentum_x momentum_y momentum_z angular_momentum_x angular_momentum_y angular_momentum_z
mass_centre_x mass_centre_y mass_centre_z mass_centre_v_x mass_centre_v_y mass_centre_v_z
density_centre_x density_centre_y density_centre_z r_core r_half r_1 r_2 r_5 r_10 r_20 r_50 r_75 r_90
binaries e_binaries a_hardest block_steps particle_steps pairs dt_least predict_s send_s force_s receive_s correct_s wall_s
blocks_1 blocks_2 blocks_4 blocks_8 blocks_16 blocks_32 blocks_64'

@test "--diag: the documented names in their order, the same in both forms, a row for each of the table" {
  cluster 100
  accepts run cluster.h5 --scheme host --t-end 0.25 --diag a.csv
  [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
  [ "$(wc -l <a.csv)" -eq 4 ]
  # shellcheck disable=SC2086
  [ "$(head -n 1 a.csv)" = "$(echo $names | tr ' ' ,)" ]
  accepts run cluster.h5 --scheme host --t-end 0.25 --diag a.jsonl --quiet
  [ "$(wc -l <a.jsonl)" -eq 3 ]
  # shellcheck disable=SC2086
  [ "$(tail -n 1 a.jsonl | grep -o '"[a-z0-9_]*":' | tr -d '":' | xargs)" = "$(echo $names)" ]
  [ "$(column t a.csv | xargs)" = '0 0.125 0.25' ]
  [ "$(column r_90 a.csv | tail -n 1)" = "$(tail -n 1 a.jsonl | sed 's/.*"r_90": \([^,]*\),.*/\1/')" ]
}

@test "every diagnostic on: the same bytes as with none" {
  cluster 256
  accepts run cluster.h5 --scheme host --t-end 0.25 --quiet -o none.h5 --diag-every 0.25 --exact-energy no
  accepts run cluster.h5 --scheme host --t-end 0.25 -o all.h5 --diag-every 1/64 --diag all.csv --exact-energy yes --json
  cmp none.h5 all.h5
  [ "$(column t all.csv | wc -l)" -eq 17 ]
}

@test "rows hold what they say: block steps by size, work, conserved quantities" {
  cluster 100
  accepts run cluster.h5 --scheme host --t-end 0.5 --diag a.csv --quiet
  # the histogram has each block step once; momentum stays at zero; energies are the table's
  awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { sum = 0; for (size = 1; size <= 64; size *= 2) sum += $at["blocks_" size]
      if (sum != $at["block_steps"] || $at["pairs"] != 99 * $at["particle_steps"]) exit 1
      if ($at["momentum_x"]^2 > 1e-12 || $at["e_total"] != $at["e_kin"] + $at["e_pot"]) exit 1
      if ($at["r_1"] > $at["r_2"] || $at["r_50"] > $at["r_75"] || $at["exact_energy"] != 1) exit 1
      if ($at["force_s"] <= 0 || $at["predict_s"] < 0 || $at["wall_s"] < 0) exit 1 }' a.csv
}

@test "what has no value is nan, or null" {
  printf '%s\n' '0.5 1 0 0 0 0.25 0' '0.5 -1 0 0 0 -0.25 0' >two.txt
  accepts run two.txt --scheme host --t-end 0 --diag a.csv --quiet
  [ "$(column r_core a.csv)" = nan ]
  [ "$(column binaries a.csv)" = 1 ]
  accepts run two.txt --scheme host --t-end 0 --diag a.jsonl --quiet
  [[ $(cat a.jsonl) == *'"density_centre_x": null, '*'"r_core": null, '* ]]
}

@test "--diag-every shapes the file, too; an old one is replaced" {
  cluster 16
  for every in 1/16 1/8; do
    accepts run cluster.h5 --scheme host --t-end 0.25 --diag a.csv --diag-every $every --quiet
  done
  [ "$(column t a.csv | xargs)" = '0 0.125 0.25' ]
}

@test "--exact-energy: no row mixes the two, and the table says whose potentials they are" {
  cluster 64
  accepts run cluster.h5 --scheme host-simd --t-end 0.25 --exact-energy no
  [ "${lines[0]}" = '# no exact energies: E, dE/E and virial use the potentials of host-simd, single' ]
  [ "$(grep -v '^#' <<<"$output" | awk '$2 != $3' | wc -l)" -eq 0 ]
  accepts run cluster.h5 --scheme host-simd --t-end 0.25 --exact-energy no --json
  [ "$(grep -c '"exact_energy": false' <<<"$output")" -eq 3 ]
  accepts run cluster.h5 --scheme host-simd --t-end 0.25 --json
  [ "$(grep -c '"exact_energy": true' <<<"$output")" -eq 3 ]
  # negative control: with energies of their own, the two differ
  [ "$(sed 's/.*"e_total": \([^,]*\), "e_gpu": \([^,]*\),.*/\1 \2/' <<<"$output" | awk '$1 != $2' | wc -l)" -eq 3 ]
  accepts run cluster.h5 --scheme host --t-end 0.125 --exact-energy no --json
  [[ ${lines[1]} == *'"exact_energy": true'* ]] # the host's potentials are the exact ones
}

@test "a file of diagnostics that cannot be written, before the input is read" {
  fails_with 2 "cannot write diagnostics to 'a.txt': its extension is not csv or jsonl" run missing.h5 --diag a.txt
  fails_with 2 "cannot write diagnostics to 'a': its extension is not csv or jsonl" run missing.h5 --diag a
  fails_with 4 'cannot write no/a.csv: folder no/: No such file or directory' run missing.h5 --diag no/a.csv
  mkdir a.csv
  fails_with 4 'cannot write a.csv: it exists and is not a regular file' run missing.h5 --diag a.csv
  fails_with 2 "option --exact-energy: unknown value 'maybe' (expected one of auto, yes, no)" \
    run missing.h5 --exact-energy maybe
}

@test "a file of diagnostics that grows too large for its disk: exit code 4, one sentence" {
  cluster 16
  run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 8
    '$HOLMBERG' run cluster.h5 --scheme host --t-end 10 --diag-every 1/64 --diag a.csv --quiet"
  [ "$status" -eq 4 ]
  [ "$stderr" = 'holmberg: cannot write a.csv: File too large' ]
}

# ---- plot ----

@test "plot: a page of the kind that its name says, from either form, and no other file" {
  cluster 100
  "$HOLMBERG" run cluster.h5 --scheme host-simd --t-end 0.5 --diag a.csv --quiet
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.5 --diag b.jsonl --quiet
  accepts plot a.csv
  [ "$output" = 'wrote a.png: 5 rows' ]
  accepts plot a.csv -o a.pdf --quiet
  [ -z "$output" ]
  accepts plot b.jsonl -o b.svg
  files cluster.h5 a.csv b.jsonl a.png a.pdf b.svg
  [ "$(head -c 4 a.png | tail -c 3)" = PNG ]
  [ "$(head -c 4 a.pdf)" = %PDF ]
  for word in 'Energy error' 'Lagrangian radii' 'Block sizes' 'Phases of a block step' '90 %' 'N = 100'; do
    grep -q "$word" b.svg
  done
}

@test "plot --only: one figure" {
  cluster 100
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --diag a.csv --quiet
  for panel in energy radii blocks phases; do accepts plot a.csv --only $panel -o $panel.svg; done
  grep -q 'Lagrangian radii' radii.svg
  run ! grep -q 'Block sizes' radii.svg
  fails_with 2 "option --only: unknown value 'energie'; did you mean 'energy'[?]" plot a.csv --only energie
}

@test "plot: a single row, rows without a value, and one that is still being written" {
  printf '%s\n' '0.5 1 0 0 0 0.25 0' '0.5 -1 0 0 0 -0.25 0' >two.txt
  "$HOLMBERG" run two.txt --scheme host --t-end 0 --diag a.csv --quiet
  accepts plot a.csv
  "$HOLMBERG" run two.txt --scheme host --t-end 1 --diag b.jsonl --quiet
  printf '{"t": 1.1' >>b.jsonl
  accepts plot b.jsonl
  [ "$output" = 'wrote b.png: 9 rows' ]
}

@test "plot: the rows of run --json have the energies" {
  cluster 16
  "$HOLMBERG" run cluster.h5 --scheme host-simd --t-end 0.25 --json >rows.jsonl
  accepts plot rows.jsonl
  fails_with 3 "rows.jsonl has no column 'r_1', which the figure 'radii' needs" plot rows.jsonl --only radii
}

# same_energies ROWS E_GPU: the figure of the rows is that of an e_total which is off by 1e-7, and this e_gpu.
same_energies() {
  mkdir with without
  printf %b "$1" >with/a.csv
  printf %b "t,e_total,e_gpu\n0,-1,-1\n1,-1.0000001,$2\n" >without/a.csv
  for where in with without; do (cd $where && accepts plot a.csv --only energy -o a.svg); done
  cmp with/a.svg without/a.svg
}

@test "plot: the energy of what has escaped or merged is no error" {
  same_energies 't,e_total,e_gpu,e_lost\n0,-1,-1,0\n1,-0.875,-0.875,-0.1250001\n' -1.0000001
  cut -d, -f1-3 with/a.csv >a.csv # the negative control
  accepts plot a.csv --only energy -o a.svg
  run ! cmp -s a.svg with/a.svg
}

@test "plot: the energy that supernovae have brought is no error; the scheme's own potentials have theirs beside" {
  same_energies 't,e_total,e_gpu,e_scale,de_cluster\n0,-1,-1,1,0\n1,-0.875,-0.8750002,1,-1e-7\n' -1.0000003
}

@test "plot: names of shells that meet do not lie over each other" {
  printf '%s\n' t,r_1,r_2,r_5,r_10,r_20,r_50,r_75,r_90,r_core 0,.1,.1,.2,.3,.3,.3,1,1,.1 \
    1,.1,.1,.1,.3,.3,.3,1,1,.1 2,.1,.1,.1,.1,.31,.32,null,1.02,.1 >a.csv
  accepts plot a.csv --only radii -o a.svg
  # heights of names, from the top of the page: those of the outer shells first
  grep -B 1 '<text>.* %<' a.svg | sed -n 's/.*translate([^,]*,\([0-9.]*\)).*/\1/p' | sort -n >heights
  awk 'NR > 1 { print $1 - last } { last = $1 }' heights | sort -n >apart
  echo "names: $(wc -l <heights), nearest two $(head -n 1 apart), expected 7 and at least 11, the size of the letters"
  [ "$(wc -l <heights)" -eq 7 ]
  awk '{ exit !($1 >= 11) }' apart
}

@test "plot: files that are none of its own" {
  fails_with 2 "cannot read diagnostics from 'a.txt': its extension is not csv or jsonl" plot a.txt
  fails_with 2 "cannot draw 'a.gif': its extension is not png, svg or pdf" plot a.csv -o a.gif
  fails_with 4 'cannot read a.csv: No such file or directory' plot a.csv
  : >a.csv
  fails_with 3 'a.csv: there are no rows' plot a.csv
  printf 't,e_total\n0,1\n1\n' >a.csv
  fails_with 3 'a.csv, line 3: 1 value, expected 2' plot a.csv
  printf 't,e_total\n0,high\n' >a.csv
  fails_with 3 "a.csv, line 2: e_total is 'high', expected a number" plot a.csv
  printf 'x,y\n0,1\n' >a.csv
  fails_with 3 'a.csv has no columns for any figure; was it made by run --diag or --follow[?]' plot a.csv
  printf '{"t": 1, "e_total"\n' >a.jsonl
  fails_with 3 'a.jsonl, line 1: expected "name": value' plot a.jsonl
  printf '[1, 2]\n' >a.jsonl
  fails_with 3 'a.jsonl, line 1: expected an object' plot a.jsonl
  printf 't\n\0\n' >a.csv
  fails_with 3 'a.csv is not a text' plot a.csv
  files a.csv a.jsonl
}

@test "plot without gnuplot: exit code 4, one sentence" {
  printf 't,e_total,e_gpu\n0,1,1\n' >a.csv
  run --separate-stderr env PATH=/nowhere "$HOLMBERG" plot a.csv
  [ "$status" -eq 4 ]
  [ -z "$output" ]
  [ "$stderr" = 'holmberg: cannot draw a.png: gnuplot is not installed' ]
}

# ---- text from outside ----

# Every field and name below would leave a file `pwned` behind if a part of it were run.
# shellcheck disable=SC2016,SC1003
hostile=("x'.system('touch pwned').'" '`touch pwned`$(touch pwned)' '";touch pwned;"\' '|touch pwned' '<touch pwned'
  "x' ; ! touch pwned ; y = 'z" 'END' '-e %s%n@x')

@test "plot: no field of a row is a part of gnuplot's script" {
  local word json
  for word in "${hostile[@]}"; do
    printf 't,scheme,precision,e_total,e_gpu,exact_energy\n0,%s,%s,-1,-1,0\n1,%s,%s,-1.1,-1.2,0\n' \
      "$word" "$word" "$word" "$word" >a.csv
    accepts plot a.csv -o a.svg
    json=${word//\\/\\\\} json=${json//\"/\\\"}
    printf '{"t": %s, "scheme": "%s", "precision": "%s", "e_total": -1, "e_gpu": -1.5, "exact_energy": 1}\n' \
      0 "$json" "$json" 1 "$json" "$json" >b.jsonl
    accepts plot b.jsonl -o b.svg
    files a.csv a.svg b.jsonl b.svg
  done
  printf 't,scheme,e_total,e_gpu\n0,%s,-1,-1\n1,%s,-1,-2\n' "${hostile[0]}" "${hostile[0]}" >a.csv
  accepts plot a.csv -o a.svg
  grep -qF "potentials of x'.system('touch pwned').'" a.svg
}

@test "plot: nor is a file's name" {
  local word name
  for word in "${hostile[@]}"; do
    mkdir here
    cd here
    name=${word//\//_}.csv
    printf 't,scheme,e_total,e_gpu\n0,host,-1,-1\n1,host,-1,-1.1\n' >"./$name"
    accepts plot -- "$name"
    files "$name" "${name%.csv}.png"
    cd ..
    rm -r here
  done
  printf 't,e_total,e_gpu\n0,1,1\n' >$'a\nsystem("touch pwned")\n.csv'
  fails_with 2 'cannot draw *: it contains a control character' plot $'a\nsystem("touch pwned")\n.csv' -o a.png
  files $'a\nsystem("touch pwned")\n.csv'
  printf 't,scheme,e_total,e_gpu\n0,x\033[2J,1,1\n' >b.csv
  fails_with 3 "b.csv, line 2: scheme is 'x[?]\[2J', which contains a control character" plot b.csv
}

@test "plot: what ~/.gnuplot says is not run" {
  printf 't,e_total,e_gpu\n0,1,1\n' >a.csv
  printf 'system("touch pwned")\n' >.gnuplot
  HOME=$PWD accepts plot a.csv -o a.png
  files .gnuplot a.csv a.png
}
