#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Random systems of few bodies (tools/measure_few_bodies.py): every run ends within seconds.
load common
BATS_TEST_TIMEOUT=600

# measured KINDS SEEDS OPTION...: measures these systems, each with a limit of 10 s of processor time.
measured() {
  local kinds=$1 seeds=$2
  shift 2
  run python3 "$BATS_TEST_DIRNAME/../../tools/measure_few_bodies.py" "$HOLMBERG" --kinds "$kinds" --seeds "$seeds" --jobs 1 "$@"
  echo "$kinds, seeds $seeds, $*: $output"
  [ "$status" -eq 0 ]
}

# all_below MEDIAN LARGEST: every run of each kind has ended, with errors of the energy below these.
all_below() {
  awk -v most="$1" -v largest="$2" '/finished/ {
      kinds++
      median = $8; gsub(",", "", median); last = $10; sub(";", "", last)
      if ($2 != $4 || !(median + 0 < most + 0) || !(last + 0 < largest + 0)) bad = 1
    } END { exit bad || !kinds }' <<<"$output"
}

@test "pulls that cancel: rings, lattices and mirrored pairs do not make steps collapse" {
  for options in "" "--scheme host-simd --precision ds" "--eps 0.01" "--steps shared --eps 0.01"; do
    # shellcheck disable=SC2086 # several options
    measured rings,lattices,mirrored 301-306 $options
    all_below 1e-5 1e-2
  done
}

@test "three bodies on a line, nearly on a line, in a flat triangle and at rest end exactly" {
  measured line,near,flat,rest 301-312
  all_below 1e-11 1e-8
}

@test "planets whose orbits are so close that they pass each other end as exactly as others" {
  measured passing 301-306
  all_below 1e-12 1e-11
}
