#!/bin/sh
# measure_run.sh HOLMBERG software|gpu: the paper's Table 2 job in the modes of its Fig. 5, as JSON lines on standard output:
# in total, and again with the phases timed separately. data/README.md says where they are stored. The first line has the date
# and the version. HB_CONTEXT chooses the OpenGL context; each job runs REPEAT (3) times.
set -eu
holmberg=$1
kind=$2
printf '{"date": "%s", "command": "tools/measure_run.sh holmberg %s", "version": "%s"}\n' \
  "$(date -u +%Y-%m-%d)" "$kind" "$("$holmberg" --version)"
repeat=${REPEAT:-3}
job() { "$holmberg" bench run "$@" --json; }

case $kind in
software)
  job --scheme bag --precision single,ds --n 1024,4096 --repeat "$repeat"
  job --scheme bag --precision single,ds --n 1024,4096 --phases
  job --scheme host,host-simd --n 1024,4096 --repeat "$repeat"
  ;;
gpu) # a run of 65536 has 6 * 10^11 pairs in 6000 block steps
  job --scheme bag,tile --precision single,ds --n 1024,2048,4096,8192,16384 --repeat "$repeat"
  job --scheme bag,tile --precision single,ds --n 32768,65536
  job --scheme bag --precision single,ds --n 1024,4096,16384 --phases
  job --scheme tile --precision single,ds --n 1024,4096,16384,65536 --phases
  job --scheme host-simd --n 1024,4096,16384
  ;;
*)
  echo "measure_run.sh: '$kind' is neither software nor gpu" >&2
  exit 2
  ;;
esac
