#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Near and far forces: --neighbors and --eta-far, as users meet them.
load common

# A cluster with masses, in which auto would have neighbors.
cluster() { "$HOLMBERG" ic plummer -n "${1:-1024}" --masses kroupa --mass-max 50 --seed 21 -o k.txt --quiet; }

option() { sed -n "s/^# options: .* $2=\([^ ]*\).*/\1/p" "$1"; }

@test "what is no number of neighbors is refused in a sentence" {
  cluster 64
  for word in 7 1025 -1 many 16.5 ''; do
    fails_with 2 "option --neighbors: '$word' is out of range (expected auto, 0 for none, or 8 to 1024)" \
      run k.txt --scheme host --t-end 0 --neighbors "$word"
  done
  for word in 0 -1; do
    fails_with 2 "option --eta-far: '$word' is out of range (expected a number > 0)" run k.txt --eta-far "$word"
  done
  fails_with 2 'an eta_far without neighbors (expected neighbors auto, or how many)' \
    run k.txt --scheme host --neighbors 0 --eta-far 0.01
  fails_with 2 '64 neighbors need more particles than a list has' run k.txt --scheme host --neighbors 64
}

@test "what cannot be combined with neighbors is refused, and said" {
  cluster 64
  "$HOLMBERG" ic demo1 -n 64 -o demo.txt --quiet
  while IFS=: read -r words sentence; do
    read -ra words <<<"$words"
    fails_with 2 "neighbors need $sentence" run k.txt --scheme host --t-end 1/8 --neighbors 16 "${words[@]}"
    # negative control: by themselves they are as good as ever
    accepts run k.txt --scheme host --t-end 0 --quiet --neighbors 0 "${words[@]}"
  done <<'LIST'
--steps shared:block steps
--integrator leapfrog --dt 1/16:integrator hermite4
LIST
  while IFS=: read -r words sentence; do
    read -ra words <<<"$words"
    fails_with 2 "neighbors need $sentence" run k.txt --t-end 1/8 --neighbors 16 "${words[@]}"
  done <<'LIST'
--scheme tile --transfer block --predict gpu:transfer all, predict host and correct host*
--scheme tile --transfer block --predict gpu --correct gpu:transfer all, predict host and correct host*
--scheme bag --interaction plain.glsl:gravity, not another interaction
LIST
  run -2 --separate-stderr "$HOLMBERG" bench run --neighbors 64
  [[ $stderr == "holmberg: unknown option '--neighbors'"* ]]
}

@test "the record says how many; auto has none where there cannot be any" {
  cluster
  accepts run k.txt --scheme host --t-end 1/64 --neighbors 32 --eta-far 1/256 -o on.txt --quiet
  [ "$(option on.txt neighbors) $(option on.txt eta-far)" = '32 0.00390625' ]
  [[ $(grep '^# history: ' on.txt | tail -n 1) == *' --neighbors 32 --eta-far 1/256'* ]]
  accepts run k.txt --scheme host --t-end 1/64 --neighbors 0 -o off.txt --quiet
  [ "$(option off.txt neighbors)" = 0 ]
  for words in '--steps shared' '--scheme matrix2004' '--scheme cg2007'; do
    # shellcheck disable=SC2086 # words
    accepts run k.txt --scheme host --t-end 0 $words -o auto.txt --quiet
    echo "$words: $(option auto.txt neighbors)"
    [ "$(option auto.txt neighbors)" = 0 ]
  done
}

@test "a resumed run has the number of its checkpoint, and no other" {
  cluster
  run -75 "$HOLMBERG" run k.txt --scheme host --t-end 1/8 --neighbors 32 --checkpoint a.ckpt --max-hours 1e-9 \
    -o end.txt --quiet
  for words in '--neighbors 64' '--neighbors 0' '--neighbors auto'; do
    # shellcheck disable=SC2086 # words
    fails_with 2 "option --neighbors: '${words#* }' differs from the checkpoint's run (32); leave it out" \
      run --resume a.ckpt $words
  done
  fails_with 2 "option --eta-far: '0.01' differs from the checkpoint's run (none); leave it out" \
    run --resume a.ckpt --eta-far 0.01
  accepts run --resume a.ckpt --neighbors 32 --max-hours 1
  [ "$(option end.txt neighbors)" = 32 ]
}
