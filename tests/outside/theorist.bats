#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody with a cluster, who goes through the guides: every command in them does something, in the order in which they stand.
load common

# Where a guide speaks of the reader's own files, they are small.
own_files() {
  holmberg ic king -n 24 --seed 3 -o cluster.h5 --quiet
  holmberg ic plummer -n 16 --seed 4 ${1:+--masses kroupa --length-unit "$1"} -o other.h5 --quiet
}

@test "clusters, as the guide makes them" {
  own_files 2 # pc
  commands src/cli/README.md 'ic king|--field|--tide' >list
  cat list
  [ "$(wc -l <list)" -ge 6 ]
  while read -r command; do
    case $command in
    *'run '*) own_files ;; # instead of the large one that has just been made
    *analyze*) holmberg run cluster.h5 --t-end 1/8 -o end.h5 --quiet ;;
    esac
    case $command in *start.h5\ --field*) holmberg scale cluster.h5 start.h5 --at 100,0,0 --velocity 0,10,0 --quiet ;; esac
    done_as_printed "$command"
  done <list
  for file in encounter.h5 start.h5; do [ -s $file ]; done
  [ "$(tail -n +2 orbit.csv | wc -l)" -ge 10 ]
  [ "$(tail -n +2 tide.csv | wc -l)" -ge 100 ]
}

@test "a run with checkpoints, and the one that resumes it" {
  own_files
  commands src/cli/README.md 'run.ckpt --checkpoint-every' >list
  [ "$(wc -l <list)" -eq 2 ]
  done_as_printed "$(sed -n 1p list)"
  [ "$(find . -name "end_*.h5" | wc -l)" -ge 100 ]
  [ -s end.h5 ] && [ -s run.ckpt ]
  rows=$(grep -vc '^#' rows.txt)
  done_as_printed "$(sed -n 2p list)"
  [ "$(grep -vc '^#' rows.txt)" -ge "$rows" ]
}

@test "mpirun as printed, on a machine of any size" {
  own_files
  command=$(commands src/cli/README.md '^mpirun.*scheme tile' | grep 'scheme tile')
  [[ $command == mpirun\ * ]]
  command=${command/t-end 100/t-end 0.125} # four ranks on a small machine wait for each other
  done_as_printed "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HB_CONTEXT=osmesa $command"
  [ -s end.h5 ]
}

@test "diagnostics and their figures" {
  own_files
  while read -r command; do done_as_printed "$command"; done < <(commands data/FORMATS.md 'holmberg plot')
  [ "$(tail -n +2 cluster.csv | wc -l)" -eq 65 ]
  find . -name '*.png' -o -name '*.svg' | grep -q .
}

@test "an interaction of one's own, and sums over pairs" {
  printed shaders/interactions/README.md '^// phi = sum' >screened.glsl
  printed shaders/interactions/README.md 'holmberg pairs ' | tee lines
  [ "$(grep -c '^holmberg pairs ' lines)" -ge 3 ]
  bash -e lines >got
  printed shaders/interactions/README.md '^#  +[a-z]' >wanted
  diff <(grep '^#' wanted) <(grep '^#' got)
  paste <(grep -v '^#' wanted) <(grep -v '^#' got) | tee both # all but rounding, which is the device's
  awk '{ for (k = 1; k <= NF / 2; k++) { off = $k - $(k + NF / 2); if (off * off > 1e-10 * $k * $k) bad = 1 } }
    NF == 0 || NF % 2 { bad = 1 } END { exit bad || NR < 3 }' both
}
