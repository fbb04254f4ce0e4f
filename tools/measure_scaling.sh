#!/usr/bin/env bash
# measure_scaling.sh HOLMBERG [SCHEME...]: the cost of a block step of NI (64) particles among N = 16384 ... 262144: sending
# all, forces, receiving (cycle_min_us of `bench draws`). CSV on standard output, and the slope of log(cost) against log(N) by
# least squares, which is 1 if the cost grows as N. HB_CONTEXT chooses the OpenGL context. On a shared machine single steps are
# slowed down: the least of ROUNDS (5) times 101 counts.
set -eu
holmberg=$1
shift
[ $# -gt 0 ] || set -- host-simd bag
ni=${NI:-64}
sizes=16384,32768,65536,131072,262144
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for ((round = 0; round < ${ROUNDS:-5}; round++)); do
  for scheme; do
    "$holmberg" bench draws --scheme "$scheme" --precision single --n $sizes --ni "$ni" --repeat "${REPEAT:-101}" --json
  done
done >"$folder/lines"

echo "# Milliseconds for a block step of $ni particles among n: send, forces, receive; the least of ${ROUNDS:-5} x ${REPEAT:-101}."
echo "# made $(date -u +%Y-%m-%d), $(getconf _NPROCESSORS_ONLN) cores, by: tools/measure_scaling.sh holmberg $*"
sed -n 's/.*"device": "\([^"]*\)".*/# on \1/p' "$folder/lines" | sort -u
echo 'scheme,precision,n,ni,ms'
for scheme; do
  sed -n "s/.*\"scheme\": \"$scheme\".*\"n\": \([0-9]*\),.*\"cycle_min_us\": \([^,]*\),.*/\1 \2/p" "$folder/lines" |
    awk -v scheme="$scheme" -v ni="$ni" '
      !($1 in us) || $2 < us[$1] { us[$1] = $2 }
      END {
        for (n = 16384; n <= 262144; n *= 2) {
          printf "%s,single,%d,%d,%.4f\n", scheme, n, ni, us[n] / 1000
          x = log(n); y = log(us[n]); count++
          sx += x; sy += y; sxx += x * x; sxy += x * y
        }
        printf "# slope of %s: %.3f\n", scheme, (count * sxy - sx * sy) / (count * sxx - sx * sx)
      }'
done
