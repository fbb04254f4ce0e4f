#!/usr/bin/env bash
# measure_hybrid.sh HOLMBERG software|gpu [ROUNDS]: what hybrid takes against its two sources, as lines of JSON on standard
# output; data/README.md says where they are kept. Its words are measured once for each N, as a run does at its start; then
# host-simd, the source on OpenGL (hybrid that gives it all blocks, with the tuning in those words) and hybrid take turns, ROUNDS (5) times, with whole cycles
# of a block (send, walk, receive). Medians and minima over the rounds, each of 11 cycles' median. Blocks: one sink, n_block =
# 0.20 N^0.81 ([PZ07] eq. 14), that over and times four, and all N where that is not too long. The last line compares runs
# of N = 1024 by hybrid with the 2007 kernel (all/host/host). PRECISIONS="ds single" and SIZES="256 ..." choose less.
set -eu
holmberg=$1
kind=$2
rounds=${3:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '{"date": "%s", "command": "tools/measure_hybrid.sh holmberg %s %s", "version": "%s", "cores": %s}\n' \
  "$(date -u +%Y-%m-%d)" "$kind" "$rounds" "$("$holmberg" --version)" "$(nproc)"
case $kind in # pairs of the largest block, and who takes it on OpenGL
software) most=134217728 gl=bag ;;
gpu) most=4294967296 gl=tile ;;
esac

field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"; }

# cycles SCHEME PRECISION N SIZES [WORDS]: "scheme ni microseconds" for each size of a block
cycles() {
  "$holmberg" bench draws --scheme "$1" --precision "$2" --n "$3" --ni "$4" --repeat 11 --json ${5:+--tuning "$5"} |
    sed -n 's/.*"ni": \([0-9]*\),.*"cycle_us": \([0-9.e+-]*\).*/\1 \2/p' | sed "s/^/$1 /"
}

sizes_of() { # N: a list of block sizes, the largest one last
  awk -v n="$1" -v most="$most" 'BEGIN {
    block = 0.20 * n ^ 0.81; ni[1] = 1; ni[2] = block / 4; ni[3] = block; ni[4] = 4 * block; ni[5] = n
    for (k = 1; k <= 5; k++) {
      size = int(ni[k] + 0.5)
      if (size > last && size <= n && size * n <= most) { list = list (list ? "," : "") size; last = size }
    }
    print list }'
}

# summary PRECISION N WORDS <rows: a line of JSON for each size of a block
summary() {
  sort -k2,2n -k1,1 -k3,3g | awk -v precision="$1" -v n="$2" -v words="$3" -v gl="$gl" '
    function median(key) { return (t[key, int((count[key] + 1) / 2)] + t[key, int((count[key] + 2) / 2)]) / 2 }
    function better(a, b) { return a < b ? a : b }
    { key = $1 " " $2; t[key, ++count[key]] = $3; if (!($2 in seen)) { seen[$2] = 1; order[++sizes] = $2 } }
    END { for (s = 1; s <= sizes; s++) {
      ni = order[s]; h = "host-simd " ni; g = gl " " ni; y = "hybrid " ni
      printf "{\"n\": %d, \"ni\": %d, \"precision\": \"%s\", \"host_us\": %.2f, \"%s_us\": %.2f, \"hybrid_us\": %.2f, " \
        "\"hybrid_to_better\": %.3f, \"minima_to_better\": %.3f, \"words\": \"%s\"}\n", n, ni, precision, median(h), gl, median(g),
        median(y), median(y) / better(median(h), median(g)), t[y, 1] / better(t[h, 1], t[g, 1]), words } }'
}

for precision in ${PRECISIONS:-ds single}; do
  for n in ${SIZES:-256 512 1024 2048 4096 8192 16384 32768 65536}; do
    list=$(sizes_of "$n")
    words=$("$holmberg" bench draws --scheme hybrid --precision "$precision" --n "$n" --ni 1 --repeat 1 --json | field tuning)
    own=$(printf '%s\n' "$words" | tr ' ' '\n' | grep -v '^host_\|^gl=' | tr '\n' ' ' || true)
    for ((round = 0; round < rounds; round++)); do
      cycles host-simd "$precision" "$n" "$list"
      cycles hybrid "$precision" "$n" "$list" "host_below=1 gl=$gl $own" | sed "s/^hybrid/$gl/"
      cycles hybrid "$precision" "$n" "$list" "$words"
    done | summary "$precision" "$n" "$words"
  done
done

# The paper's problem with its parameters, the first sixteenth of a time unit; the wall time of the last row.
"$holmberg" ic plummer -n 1024 --seed 1 --quiet -o "$folder/plummer.txt"
for ((round = 0; round < rounds; round++)); do
  for scheme in cg2007 hybrid; do
    "$holmberg" run "$folder/plummer.txt" --scheme $scheme --t-end 0.0625 --diag-every 0.0625 --json |
      tail -n 1 | field wall_s | sed "s/^/$scheme /"
  done
done | sort -k1,1 -k2,2g | awk '{ t[$1, ++count[$1]] = $2 } END {
  half = int((count["hybrid"] + 1) / 2); a = t["cg2007", half]; b = t["hybrid", half]
  printf "{\"n\": 1024, \"run\": \"t = 0 to 1/16\", \"cg2007_s\": %.4f, \"hybrid_s\": %.4f, \"speed_up\": %.1f}\n", a, b, a / b }'
