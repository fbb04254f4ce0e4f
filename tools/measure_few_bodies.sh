#!/usr/bin/env bash
# measure_few_bodies.sh BUILD [REBOUND [SDAR]]: binaries, the figure-eight, a hierarchical triple and the Pythagorean problem, by the
# chain of src/chain, by `holmberg run` as it comes, by REBOUND's IAS15 and by SDAR, as CSV. REBOUND and SDAR are folders of their
# sources, where `make -C src OPENGL=0 SERVER=0` and `make -C sample/AR ar.logh` were run.
set -eu
build=$(cd "$1" && pwd)
rebound=${2:+$(cd "$2/src" && pwd)} sdar=${3:+$(cd "$3/sample/AR" && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
others_at=$(for code in "${@:2}"; do printf ' %s at %s' "$(basename "$code")" "$(git -C "$code" rev-parse --short HEAD)"; done)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
others=()
[ -z "$rebound" ] || others=(-DREBOUND -I"$rebound" -L"$rebound" -lrebound "-Wl,-rpath,$rebound")
"${CC:-cc}" -O2 -std=c11 -D_GNU_SOURCE -ffp-contract=off -I"$here/../src" -I"$here/../src/include" "$here/few_bodies.c" \
  "$build"/obj/{chain,core,base}/*.o "${others[@]}" -pthread -lcjson -lm -o "$folder/few"
"${CC:-cc}" -O2 "$here/../tests/long/bodies_quad.c" -lm -o "$folder/quad"
cd "$folder"

# seconds COMMAND...: processor seconds of COMMAND, the least of five times.
seconds() {
  local TIMEFORMAT='%U %S'
  for _ in 1 2 3 4 5; do
    { time "$@" >/dev/null 2>&1; } 2>&1
  done | awk '{ s = $1 + $2; if (NR == 1 || s < least) least = s } END { print least }'
}

# row CODE FORCES SECONDS <places and velocities at the end
row() {
  printf '%s,%s,%s,' "$problem" "$1" "$(./few "$problem" errors exact | tr ' ' ,)"
  awk -v forces="$2" -v s="$3" -v orbits="$orbits" 'BEGIN {
    us = 1e6 * (s > 0 ? s : 0) / orbits
    printf "%s,%s\n", forces == "" ? "" : sprintf("%.0f", forces / orbits), sprintf(us < 100 ? "%.3g" : "%.0f", us) }'
}

by_few() { # what it was compiled with
  ./few "$problem" "$1" >end
  read -r _ forces seconds <end
  row "$1" "$forces" "$seconds" <end
}

by_run() {
  local command=("$build/holmberg" run start.txt --scheme host --eps 0 --diag-every "$T")
  "${command[@]}" --t-end "$T" -o end.txt >/dev/null
  seconds=$(echo "$(seconds "${command[@]}" --t-end "$T") - $(seconds "${command[@]}" --t-end 0)" | bc -l)
  grep -v '^#' end.txt | cut -d ' ' -f 2- | row run '' "$seconds"
}

# by_sdar STEP: the scale of its steps. Eight kicks a step: its sixth order. It ends near T, as the rounding of T allows.
by_sdar() {
  local command=("$sdar/ar.logh" --ds-scale "$1" -S -n 1 --time-error "$(awk -v T="$T" 'BEGIN { print 1e-15 * T }')"
    --n-step-max 100000000 --print-precision 17 --print-width 28)
  "${command[@]}" -t "$T" start.sdar >end.sdar 2>/dev/null
  seconds=$(echo "$(seconds "${command[@]}" -t "$T" start.sdar) - $(seconds "${command[@]}" -h)" | bc -l)
  tail -n 1 end.sdar | awk '{ for (k = 0; k < $17; k++) { for (c = 19; c < 25; c++) printf "%s ", $(c + 9 * k); print "" } }' |
    row "sdar $1" $((8 * $(tail -n 1 end.sdar | awk '{ print $13 }'))) "$seconds"
}

echo "# made $(date -u +%Y-%m-%d) on $(sed -n 's/^model name.*: //p;' /proc/cpuinfo | head -n 1) by: tools/measure_few_bodies.sh build$others_at"
echo 'problem,code,energy_error,error,forces_an_orbit,us_an_orbit'
for problem in e0.9 e0.99 e0.999 eight triple pythagorean; do
  ./few $problem start >start.txt
  read -r _ T orbits <start.txt
  { grep -vc '#' start.txt; sed '/#/d; s/$/ 0/' start.txt; } >start.sdar
  case $problem in
    e0*) steps='1 0.3' ;; # the phase of a pair is known
    eight) ./quad "$T" <start.txt >exact && steps='1 0.3' ;;
    triple) ./quad "$T" 1e-22 <start.txt >exact && steps='1 0.3' ;; # quad leaves no more of 1e-5 at a distance of 1/2
    pythagorean) ./quad "$T" <start.txt >exact && steps='1 0.1 0.01' ;;
  esac
  by_few chain
  by_run
  [ -z "$rebound" ] || by_few ias15
  [ -z "$sdar" ] || for step in $steps; do by_sdar "$step"; done
done
