#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Clusters with many binaries, which with neighbors are groups as long as they are alone, however wide they are.
load common

# cluster N: all of its stars are in pairs, one after the other in the file.
cluster() {
  "$HOLMBERG" ic king --w0 6 -n "$1" --masses kroupa --mass-max 50 --binaries 1 --orbits kroupa1995 --a-max 0.02 \
    --length-unit 1 --seed 3 -o pairs.txt --quiet 2>/dev/null
}

field() { awk -v key="\"$1\":" '{ for (k = 1; k < NF; k++) if ($k == key) value = $(k + 1) } END { gsub("[,}\"]", "", value); print value }'; }

# orbits FILE: a and e of each pair.
orbits() {
  awk '/^#/ { next } { for (k = 1; k < 8; k++) q[k] = $k
    if (++n % 2) { for (k = 1; k < 8; k++) p[k] = q[k]; next }
    M = p[1] + q[1]; r2 = v2 = rv = 0
    for (k = 2; k < 5; k++) { d = q[k] - p[k]; w = q[k + 3] - p[k + 3]; r2 += d * d; v2 += w * w; rv += d * w }
    a = 1 / (2 / sqrt(r2) - v2 / M); h2 = r2 * v2 - rv * rv; e2 = 1 - h2 / (M * a)
    printf "%.17g %.17g\n", a, sqrt(e2 > 0 ? e2 : 0) }' "$1"
}

@test "pairs are groups while they are alone: few steps, and the energy" {
  cluster 2048
  for n in 0 64; do
    accepts run pairs.txt --scheme host-simd --precision ds --eps 0 --t-end 1/32 --neighbors $n --json -o "end$n.txt"
    blocks[n]=$(tail -n 1 <<<"$output" | field block_steps) steps[n]=$(tail -n 1 <<<"$output" | field particle_steps)
    lost[n]=$(tail -n 1 <<<"$output" | field de_rel)
  done
  echo "blocks ${blocks[0]} ${blocks[64]}, steps ${steps[0]} ${steps[64]}, energy ${lost[0]} ${lost[64]}"
  for n in 0 64; do # groups of close pairs alone took more than 1000 blocks
    [ "${blocks[n]}" -lt 700 ]
    awk -v e="${lost[n]}" 'BEGIN { exit !(e < 2e-8 && e > -2e-8) }'
  done
}

# Energy does not see tides that are missing, orbits do. Without neighbors, those of pairs with a > 1e-3 err by 1e-6 and have changed
# by 1e-4 meanwhile.
@test "wide pairs have the orbits that short steps give them" {
  cluster 2048
  for n in 0 64; do
    accepts run pairs.txt --scheme host-simd --precision ds --eps 0 --t-end 1/32 --neighbors $n --quiet -o "end$n.txt"
  done
  paste <(orbits pairs.txt) <(orbits end0.txt) <(orbits end64.txt) >orbits.txt
  awk '$1 > 1e-3 && $3 > 0 && $5 > 0 { print ($6 > $4 ? $6 - $4 : $4 - $6) }' orbits.txt | sort -g >errors.txt
  awk '$1 > 1e-3 && $3 > 0 { print ($4 > $2 ? $4 - $2 : $2 - $4) }' orbits.txt | sort -g >changes.txt
  error=$(awk '{ e[NR] = $1 } END { print e[int((NR + 1) / 2)] }' errors.txt)
  change=$(awk '{ e[NR] = $1 } END { print e[int((NR + 1) / 2)] }' changes.txt)
  echo "$(wc -l <errors.txt) pairs: median error $error, at most 1e-5; median change $change, at least 5e-5"
  awk -v error="$error" -v change="$change" 'BEGIN { exit !(error < 1e-5 && change > 5e-5) }'
}

@test "many binaries: one hash for any threads and rows, and after many resumes" {
  cluster 1024
  options=(--scheme host-simd --precision ds --eps 0 --neighbors 32)
  for how in '1 1' '2 0.013' '4 1/64' '7 1'; do
    OMP_NUM_THREADS=${how% *} "$HOLMBERG" run pairs.txt "${options[@]}" --t-end 0.1 --dt-max 1/32 --diag-every "${how#* }" --json 2>/dev/null |
      tail -n 1 | field state_hash >>hashes
  done
  "$HOLMBERG" run pairs.txt "${options[@]}" --t-end 0.0077 --dt-max 1/32 --diag-every 1 --json --checkpoint run.ckpt >/dev/null 2>&1
  for t in 0.0123 0.0313 0.0411 0.0517 0.0625 0.0713 0.0808 0.0919; do
    accepts run --resume run.ckpt --t-end $t
  done
  accepts run --resume run.ckpt --t-end 0.1
  tail -n 1 <<<"$output" | field state_hash >>hashes
  cat hashes
  [ "$(sort -u hashes | wc -l)" -eq 1 ]
}

# In blocks that are this large teams find hits, lists, joins and splits, and correct what groups do; in smaller ones one thread does.
@test "stars and wide pairs, alone, in a field, and where they touch: one hash for any threads" {
  local ic words one other threads
  while IFS='|' read -r ic words; do
    # shellcheck disable=SC2086 # words
    "$HOLMBERG" ic $ic -n 1500 --masses kroupa --mass-max 50 --length-unit 1 -o stars.txt --quiet 2>/dev/null
    for threads in 1 2 5 16; do
      # shellcheck disable=SC2086 # words
      other=$(OMP_NUM_THREADS=$threads "$HOLMBERG" run stars.txt --eps 0 --t-end 1/16 --neighbors 40 --json $words 2>/dev/null |
        tail -n 1 | field state_hash)
      [ "$threads" -gt 1 ] || one=$other
      echo "$ic $words, threads $threads: $other"
      [ -n "$other" ]
      [ "$other" = "$one" ]
    done
  done <<'LIST'
plummer --seed 11 --binaries 0.5 --orbits kroupa1995 --a-max 0.1|--scheme host-simd --precision ds
king --w0 6 --seed 12 --binaries 1 --orbits kroupa1995 --a-max 0.03|--scheme host --field hill:w=0.3
king --w0 6 --seed 13 --binaries 0.7 --orbits kroupa1995 --a-max 0.02 --radius 2e-4*m^0.8|--scheme host --collisions merge
LIST
}
