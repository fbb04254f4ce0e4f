#!/usr/bin/env bash
# measure_g6.sh BUILD [SCHEME...]: the speed of a GRAPE-6 client's force call by libholmberg-g6 in BUILD, for all particles and
# for a single one among them. CSV on standard output. HB_CONTEXT, HB_DEVICE and HB_G6_PRECISION choose as ever.
set -eu
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- tile bag
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rate=$build/g6_rate
[ -x "$rate" ] || {
  rate=$folder/g6_rate
  ${CC:-cc} -O2 -I"$here/../src/include" "$here/g6_rate.c" -o "$rate" -L"$build" -lholmberg-g6 -lm
}

echo '# A force call of a GRAPE-6 client: set_ti, firsthalf, lasthalf, all particles predicted each time; medians and least'
echo "# made $(date -u +%Y-%m-%d) by: tools/measure_g6.sh BUILD $*"
read -ra sizes <<<"${SIZES:-1024 4096 16384 65536 262144}"
echo 'scheme,n,ni,send_us,call_us,call_min_us,gpairs_per_s'
for scheme; do
  for ni in 0 1; do
    HB_G6_SCHEME=$scheme LD_LIBRARY_PATH=$build:${LD_LIBRARY_PATH:-} "$rate" "$ni" "${sizes[@]}" |
      sed "s/^/$scheme,/"
  done
done
