#!/usr/bin/env bash
# measure_dt_max.sh BUILD [SEEDS]: energy error and steps of Plummer spheres over a quarter time unit against the largest
# step and nu, over SEEDS (40) seeds, as CSV. Six minutes on one core.
set -eu
program=$1/holmberg
seeds=${2:-40}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat <<HEADER
# Plummer spheres of 1024, seeds 1 to $seeds, from t = 0 to 0.25 by host: eps 1/256, dt_min 2^-26.
# least, median, most: of |E(0.25) - E(0)| / |E(0)| with energies in double; good: seeds where it is at most 1e-12;
# block_steps, particle_steps: means.
# made $(date -u +%Y-%m-%d) by: tools/measure_dt_max.sh build >data/measured/dt_max.csv
nu,dt_max,least,median,most,good,block_steps,particle_steps
HEADER

for ((seed = 1; seed <= seeds; seed++)); do "$program" ic plummer -n 1024 --seed $seed -o "$folder/$seed.h5" --quiet; done

# measure K D: nu = 0.1/2^K, dt_max = 2^-D
measure() {
  local nu seed
  nu=$(awk -v k="$1" 'BEGIN { printf "%.10g", 0.1 / 2 ^ k }')
  for ((seed = 1; seed <= seeds; seed++)); do
    "$program" run "$folder/$seed.h5" --t-end 0.25 --diag-every 0.25 --eta "$nu" --dt-max "2^-$2" --scheme host --json \
      2>/dev/null | tail -n 1 | tr -d '{},"' | awk '
        { for (f = 1; f < NF; f++) value[$f] = $(f + 1)
          de = value["de_rel:"]; print de < 0 ? -de : de, value["block_steps:"], value["particle_steps:"] }'
  done | sort -g | awk -v key="$nu,2^-$2" '
    { de[NR] = $1; good += $1 <= 1e-12; blocks += $2; particles += $3 }
    END { median = (de[int((NR + 1) / 2)] + de[int(NR / 2) + 1]) / 2
          printf "%s,%.1e,%.1e,%.1e,%d,%.0f,%.0f\n", key, de[1], median, de[NR], good, blocks / NR, particles / NR }'
}

for k in 7 8 9 10; do measure $k 3; done
for d in 7 8 9 10 11 12; do measure 8 $d; done
