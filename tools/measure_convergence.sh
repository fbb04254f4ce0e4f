#!/usr/bin/env bash
# measure_convergence.sh BUILD: energy error and number of block steps of Plummer spheres over a quarter time unit against
# the accuracy parameter, nu = 0.1, 0.1/2, ..., as in [PZ07] Fig. 2, as CSV.
set -eu
program=$1/holmberg
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}" HB_CONTEXT="${HB_CONTEXT:-osmesa}" # threads slow down short passes

device=$("$program" ic figure8 -o - | "$program" run - --t-end 0 --scheme bag --no-tune --json |
  sed 's/.*"device": "\([^"]*\)".*/\1/')
cat <<HEADER
# Plummer spheres (seed 1) from t = 0 to 0.25: eps 1/256, dt_max 1/8, dt_min 2^-26, nu = eta.
# de_rel: |E(0.25) - E(0)| / |E(0)| with energies in double; block_steps in the same time.
# made $(date -u +%Y-%m-%d) on ${device%% (*}, $(nproc) cores, by: tools/measure_convergence.sh build >data/measured/convergence.csv
scheme,precision,n,nu,de_rel,block_steps
HEADER

# measure N SCHEME PRECISION LAST: nu = 0.1 ... 0.1/2^LAST
measure() {
  local k nu
  for ((k = 0; k <= $4; k++)); do
    nu=$(awk -v k=$k 'BEGIN { printf "%.10g", 0.1 / 2 ^ k }')
    "$program" run "$folder/$1.h5" --t-end 0.25 --diag-every 0.25 --eta "$nu" --scheme "$2" --precision "$3" --no-tune --json \
      2>/dev/null | tail -n 1 | tr -d '{},"' | awk -v key="$2,$3,$1,$nu" '
        { for (f = 1; f < NF; f++) { if ($f == "de_rel:") de = $(f + 1); if ($f == "block_steps:") steps = $(f + 1) } }
        END { printf "%s,%.2e,%d\n", key, de < 0 ? -de : de, steps }'
  done
}

for n in 1024 16384; do "$program" ic plummer -n $n --seed 1 -o "$folder/$n.h5" --quiet; done
measure 1024 host double 15
measure 1024 host-simd ds 8
measure 1024 host-simd single 6 # beyond that minutes each: its steps collapse
measure 1024 bag ds 8
measure 1024 bag double 8
measure 16384 host double 8
measure 16384 host-simd ds 8
