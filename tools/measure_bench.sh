#!/bin/sh
# measure_bench.sh HOLMBERG software|gpu: the standard measurements of speed and accuracy, as JSON lines on standard output;
# data/README.md says where they are stored. The first line has the date and the version.
set -eu
holmberg=$1
kind=$2
printf '{"date": "%s", "command": "tools/measure_bench.sh holmberg %s", "version": "%s"}\n' \
  "$(date -u +%Y-%m-%d)" "$kind" "$("$holmberg" --version)"
repeat=7
[ "$kind" = gpu ] && repeat=3 # some take up to a second
bench() { "$holmberg" bench "$@" --repeat "$repeat" --json; }

bench ceiling
case $kind in
software)
  bench force --scheme host,host-simd --n 1024,4096,16384 --check
  HB_SIMD=avx2 bench force --scheme host-simd --precision single --n 16384
  bench force --scheme bag,tile --n 1024,4096,16384 --check
  bench force --scheme matrix2004,cg2007 --n 1024,4096 --check
  bench force --scheme bag --interaction gravity,lennard_jones --precision single --n 1024,4096,16384
  LP_NUM_THREADS=0 bench draws --scheme bag --precision single --n 1024,16384 --ni 1,16,256
  bench draws --scheme bag --precision single --n 1024,16384 --ni 1,16,256
  ;;
gpu)
  bench force --scheme bag --n 1024,4096,16384,65536 --check
  bench force --scheme tile --n 1024,4096,16384,65536,262144 --check
  bench force --scheme matrix2004 --n 1024,4096 --check
  bench force --scheme cg2007 --n 1024,4096 --check
  bench force --scheme tile --interaction gravity --precision single --n 1024,2048,4096,16384,65536,262144,1048576
  bench force --scheme bag,tile --interaction lennard_jones --precision single --n 4096,65536
  bench force --scheme bag,tile --precision single --n 65536 --ni 1,16,64,256,1024
  bench draws --scheme bag,tile --precision single,ds --n 1024,16384,65536 --ni 1,16,256
  "$holmberg" bench frames --scheme tile --n 65536 --json
  ;;
esac
# [HI07] Table 2: largest errors with positions that are exact in float, as theirs were.
sizes=2048,4096,8192,16384
[ "$kind" = gpu ] && sizes=$sizes,32768,65536,131072
bench force --scheme bag --precision single,compensated --n $sizes --float-positions --check
