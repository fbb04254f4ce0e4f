#!/usr/bin/env bash
# measure_near.sh HOLMBERG [ROUNDS]: what neighbor lists save, as CSV on standard output. A cluster of 16384 stars (Plummer, Kroupa masses
# up to 50, eps 1e-4, t = 1/4) without lists and with them taking turns, ROUNDS (3) times, by SCHEMES ("host-simd:ds host:double bag:ds");
# then SEEDS (30) clusters of 4096. Other load can only add time: the least of a round counts. The last lines, with #, are ratios and
# the rms error of the energy. N=, SMALL= and T= choose other sizes and times.
set -eu
holmberg=$(realpath "$1")
rounds=${2:-3}
n=${N:-16384} small=${SMALL:-4096} t=${T:-0.25}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C TIMEFORMAT='%R %U %S'

cluster() { "$holmberg" ic plummer -n "$1" --masses kroupa --mass-max 50 --seed "$2" -o "$folder/$1-$2.txt" --quiet; }

# number NAME: from the last row; 0 where it has none
number() { tail -n 1 "$folder/rows" | sed -n 's/.*"'"$1"'": \([^,}]*\).*/\1/p' | grep . || echo 0; }

# measure N SEED SCHEME:PRECISION NEIGHBORS EPS
measure() {
  { time "$holmberg" run "$folder/$1-$2.txt" --eps "$5" --t-end "$t" --scheme "${3%:*}" --precision "${3#*:}" --neighbors "$4" \
    --json >"$folder/rows" 2>"$folder/said"; } 2>"$folder/time"
  read -r wall user system <"$folder/time"
  echo "$3,$1,$2,$4,$(number block_steps),$(number full_blocks),$(number particle_steps),$(number far_steps),$(number pairs),$(
    number de_rel),$(awk "BEGIN { print $user + $system }"),$wall"
}

printf '# %s, tools/measure_near.sh holmberg %s; %s, %s cores\n' "$(date -u +%Y-%m-%d)" "$rounds" "$("$holmberg" --version | head -n 1)" \
  "$(nproc)"
echo scheme:precision,n,seed,neighbors,block_steps,full_blocks,particle_steps,far_steps,pairs,de_rel,cpu_s,wall_s
cluster "$n" 3
for scheme in ${SCHEMES-host-simd:ds host:double bag:ds}; do
  for ((round = 0; round < rounds; round++)); do
    for neighbors in 0 auto; do measure "$n" 3 "$scheme" $neighbors 1e-4; done
  done
done | tee "$folder/large"
for ((seed = 1; seed <= ${SEEDS:-30}; seed++)); do
  cluster "$small" "$seed"
  for neighbors in 0 auto; do measure "$small" "$seed" host-simd:ds $neighbors 4e-4; done
done | tee "$folder/small"

awk -F, -v n="$n" -v t="$t" '
  {
    if (!(($1, $4) in cpu) || $11 < cpu[$1, $4]) cpu[$1, $4] = $11
    if (!(($1, $4) in wall) || $12 < wall[$1, $4]) wall[$1, $4] = $12
    if ($4 == "auto") { full[$1] = $6 " of " $5; far[$1] = $8 / n / t; of[$1] = $7 / n / t; de[$1] = $10 }
  }
  END {
    for (s in full)
      printf "# %s: %s blocks are full, %.1f far steps a star and unit of %.1f, dE/E %.1e, cpu %.3f, wall %.3f of that without lists\n",
        s, full[s], far[s], of[s], de[s], cpu[s, "auto"] / cpu[s, "0"], wall[s, "auto"] / wall[s, "0"]
  }' "$folder/large"
awk -F, '
  { sum[$4] += $10 * $10; count[$4]++ }
  END {
    printf "# rms dE/E of %d clusters: %.2e without lists, %.2e with them\n", count["0"], sqrt(sum["0"] / count["0"]),
      sqrt(sum["auto"] / count["auto"])
  }' "$folder/small"
