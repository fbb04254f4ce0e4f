#!/usr/bin/env bash
# measure_energy.sh BUILD: the energy error of the paper's runs ([PZ07] section 4) over the last quarter time unit, as CSV:
# N = 256 and 1024, five seeds, host and cg2007.
set -eu
program=$1/holmberg
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}" # on a software renderer, threads slow down the short passes of cg2007

device=$("$program" ic figure8 -o - | "$program" run - --t-end 0 --scheme cg2007 --json | sed 's/.*"device": "\([^"]*\)".*/\1/')
cat <<HEADER
# Energy error of Plummer spheres over t = 0.25 ... 0.5: eps 1/256, eta 0.01, dt_max 1/8, dt_min 2^-26.
# de_rel: |E(0.5) - E(0.25)| / |E(0.25)| with energies in double; de_rel_gpu: the same with the potentials of the
# source of forces itself (float for cg2007). The paper's figures: 1.9e-7 (host, GRAPE), 1.7e-6 (8800GTX).
# made $(date -u +%Y-%m-%d) on ${device%% (*}, $(nproc) cores, by: tools/measure_energy.sh build >data/measured/energy_plummer.csv
scheme,n,seed,e_total_0.25,e_total_0.5,de_rel,de_rel_gpu
HEADER
for scheme in host cg2007; do
  for n in 256 1024; do
    for seed in 1 2 3 4 5; do
      "$program" ic plummer -n $n --seed $seed -o "$folder/a.h5" --quiet
      "$program" run "$folder/a.h5" --t-end 0.5 --diag-every 1/4 --eta 0.01 --eps 2^-8 --dt-max 2^-3 --dt-min 2^-26 \
        --scheme $scheme --json | tr -d '{},"' | awk -v key="$scheme,$n,$seed" '
          function magnitude(x) { return x < 0 ? -x : x }
          { e0 = e1; g0 = g1; e1 = $4; g1 = $6 }
          END { printf "%s,%.12f,%.12f,%.2e,%.2e\n", key, e0, e1, magnitude((e1 - e0) / e0), magnitude((g1 - g0) / g0) }'
    done
  done
done | tee "$folder/rows"
for scheme in host cg2007; do
  for n in 256 1024; do
    median() { grep "^$scheme,$n," "$folder/rows" | cut -d, -f"$1" | sort -g | sed -n 3p; }
    echo "# median of $scheme at N = $n: de_rel $(median 6), de_rel_gpu $(median 7)"
  done
done
