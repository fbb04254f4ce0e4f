#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016 # run sets these
# A particle step by step: run --follow, and its figure.
load common

cluster() { "$HOLMBERG" ic plummer -n "$1" --masses kroupa --mass-max 50 --seed 21 -o k.txt --quiet; }

# in_rows FILE PROGRAM: awk over the rows, c["name"] the number of a column
in_rows() { awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next } '"$2" "$1"; }

# last NAME: of the last line of JSON
last() { sed -n '$s/.*"'"$1"'": \([^,}]*\).*/\1/p' rows.jsonl; }

everybody() { seq -s, 0 63; }

@test "all particles: after the first, their rows are the run's particle steps, and those with a far step its far steps" {
  cluster 64
  accepts run k.txt --scheme host --eps 1e-3 --t-end 1/4 --neighbors 16 --follow "$(everybody)" --json
  echo "$output" >rows.jsonl
  rows=$(($(wc -l <follow.csv) - 1 - 64)) far=$(in_rows follow.csv '$1 > 0 { s += $c["far_ends"] } END { print s }')
  echo "$rows rows, $(last particle_steps) particle steps; $far far, $(last far_steps)"
  [ "$rows" -eq "$(last particle_steps)" ]
  [ "$far" -eq "$(last far_steps)" ]
  [ "$far" -lt $((rows / 2)) ]
  in_rows follow.csv '
    function power(x) { while (x < 1) x *= 2; return x == 1 }
    { a = $c["a"]; near = $c["a_near"]; far = $c["a_far"]; step = $c["step"]; slack = 1e-12 * (near + far) }
    $c["far_step"] < step || !power(step) || !power($c["far_step"]) { print "steps", $0; exit 1 }
    a > near + far + slack || a < near - far - slack || a < far - near - slack { print "parts", $0; exit 1 }
    $c["far_ends"] != ($1 / $c["far_step"] == int($1 / $c["far_step"])) { print "end", $0; exit 1 }
    $c["members"] != 1 || $c["nearest"] <= 0 || $c["nearest_id"] == $c["id"] { print "nearest", $0; exit 1 }
    $1 < t { print "order", $0; exit 1 } { t = $1 }'
}

@test "an encounter: the near step follows it, the far step less; the near part rises, the far part does not" {
  cluster 1024
  accepts run k.txt --scheme host --eps 1e-4 --t-end 3/8 --follow 729 --follow-out near.csv --quiet
  run -0 in_rows near.csv 'NR == 2 { s1 = $c["step"]; f1 = $c["far_step"]; low = high = $c["a_far"] }
    NR == 2 || $c["nearest"] < least { least = $c["nearest"]; who = $c["nearest_id"]; pull = $c["a_near"] / $c["a_far"] }
    NR == 2 || $c["step"] < s { s = $c["step"] } NR == 2 || $c["far_step"] < f { f = $c["far_step"] }
    $c["a_far"] < low { low = $c["a_far"] } $c["a_far"] > high { high = $c["a_far"] }
    END { printf "%g %d %g %g %.0f %.2f\n", least, who, s1 / s, f1 / f, pull, high / low }'
  echo "least distance, to whom, how much shorter near and far steps become, near over far pull, range of the far pull: $output"
  read -r least who near far pull range <<<"$output"
  [ "$who" -eq 598 ]
  awk "BEGIN { exit !($least < 0.002 && $near >= 128 && $far <= 16 && $pull > 50 && $range < 1.25) }"
  # the other one sees the same
  accepts run k.txt --scheme host --eps 1e-4 --t-end 3/8 --follow 598 --follow-out other.csv --quiet
  run -0 in_rows other.csv 'NR == 2 || $c["nearest"] < least { least = $c["nearest"]; who = $c["nearest_id"] } END { print least, who }'
  echo "the other one: least distance, to whom: $output"
  [ "${output#* }" = 729 ]
}

@test "without neighbors: no columns of parts, and each particle step a row" {
  cluster 64
  accepts run k.txt --scheme host --eps 1e-3 --t-end 1/4 --follow "$(everybody)" --follow-out f.jsonl --json
  echo "$output" >rows.jsonl
  echo "$(wc -l <f.jsonl) rows, $(last particle_steps) particle steps"
  [ "$(wc -l <f.jsonl)" -eq $((64 + $(last particle_steps))) ]
  head -n 1 f.jsonl | grep -qE '^\{"t": .*"step": .*"nearest_id": [0-9]+\}$'
  accepts plot f.jsonl
  [ -s f.png ]
}

@test "it changes no bit of the run, and threads none of it" {
  cluster 256
  run=(k.txt --scheme host --eps 0 --t-end 1/8 --neighbors 32 --quiet)
  accepts run "${run[@]}" -o without.txt
  OMP_NUM_THREADS=1 accepts run "${run[@]}" -o with.txt --follow 5,17
  cp follow.csv one.csv
  cmp <(grep -v '^#' without.txt) <(grep -v '^#' with.txt)
  OMP_NUM_THREADS=3 accepts run "${run[@]}" --follow 5,17
  cmp one.csv follow.csv
  grep -q ,5,1, one.csv
  grep -q ,17,1, one.csv
}

@test "rows are places: at the end of the run, that of the snapshot, also in a frame that moves" {
  cluster 64
  accepts scale k.txt moved.txt --at 100,0,0 --velocity 0,10,0
  for scheme in host host-simd; do
    accepts run moved.txt --scheme $scheme --t-end 1/4 -o end.txt --quiet --follow 7
    there=$(tail -n 1 follow.csv | cut -d, -f 1,4-9 | tr ',' ' ')
    expected=$(grep -v '^#' end.txt | sed -n 8p)
    echo "$there | $expected"
    awk -v there="$there" -v expected="$expected" 'BEGIN { split(there, a, " "); split(expected, b, " ")
      if (a[1] != 0.25) exit 1
      for (k = 2; k <= 7; k++) if ((d = a[k] - b[k]) * d > 1e-20) exit 1 }'
  done
}

@test "a binary has one row, its center of mass, by whichever of its stars it is followed" {
  "$HOLMBERG" ic plummer -n 64 --seed 3 --binaries 0.25 --a-min 0.0005 --a-max 0.002 -o b.txt --quiet
  accepts run b.txt --eps 0 --scheme host --t-end 1/8 --quiet --follow "$(everybody)" --max-energy-error none
  in_rows follow.csv '$c["members"] > 1 { key = $1; for (k = 3; k <= NF; k++) key = key "," $k; times[key]++; n = $c["members"] }
    $c["members"] > 1 { members[key] = n }
    END { for (key in times) { all++; wrong += times[key] != members[key] } print all, "steps of groups,", wrong, "not told by each member"
      exit !(all > 10 && wrong == 0) }'
}

@test "resumed, the rows are those of a run without a break; what is not its own file is left alone" {
  cluster 256
  run=(k.txt --scheme host --eps 1e-3 --t-end 1/4 --neighbors 32 --quiet --follow 3,200)
  accepts run "${run[@]}" --follow-out whole.csv
  run -75 "$HOLMBERG" run "${run[@]}" --follow-out cut.csv --checkpoint c.ckpt --max-hours 1e-9
  [ "$(wc -l <cut.csv)" -lt "$(wc -l <whole.csv)" ]
  cp cut.csv cut_then.csv
  echo 'rows after the checkpoint' >>cut.csv
  accepts run --resume c.ckpt --max-hours 9
  cmp whole.csv cut.csv
  fails_with 2 "option --follow: '4' differs from the checkpoint's run (3,200); leave it out" run --resume c.ckpt~ --follow 4
  rm cut.csv
  fails_with 4 'cut.csv no longer exists; give --follow-out again to start a new one' run --resume c.ckpt~
}

@test "what cannot be followed or written is refused in a sentence" {
  cluster 64
  for list in x 1,,2 -1 1.5 3, "$(seq -s, 0 64)"; do
    fails_with 2 "option --follow: '$list' is no list of up to 64 particles by their numbers, as 3,17" run k.txt --follow "$list"
  done
  fails_with 2 'option --follow: none of the 64 particles has the number 64' run k.txt --follow 5,64
  [ ! -e follow.csv ]
  fails_with 2 'option --follow: integrator leapfrog has one constant step, see --dt' \
    run k.txt --integrator leapfrog --dt 1/64 --follow 5
  fails_with 2 'option --follow-out needs --follow ID' run k.txt --follow-out a.csv
  fails_with 2 "cannot write steps to 'a.txt': its extension is not csv or jsonl" run k.txt --follow 5 --follow-out a.txt
  fails_with 2 'options --events and --follow-out both name a.csv' run k.txt --follow 5 --follow-out a.csv --events a.csv
  fails_with 2 'options --diag and --follow-out both name follow.csv' run k.txt --follow 5 --diag follow.csv
  fails_with 2 'options --checkpoint and --follow-out both name a.csv' \
    run k.txt --follow 5 --follow-out a.csv --checkpoint a.csv
}

@test "plot: steps above, the nearest below; or one of them" {
  cluster 64
  accepts run k.txt --scheme host --t-end 1/8 --neighbors 16 --follow 5,6 --quiet
  accepts plot follow.csv -o both.svg
  for words in 'particle 5: far step' 'particle 5: near step' 'particle 6: far step' 'The nearest particle' 'Particles through their steps'; do
    grep -qF "$words" both.svg
  done
  accepts plot follow.csv --only steps -o one.svg
  run -1 grep -qF 'The nearest particle' one.svg
  fails_with 3 "follow.csv has no column 'blocks_1', which the figure 'blocks' needs" plot follow.csv --only blocks
}
