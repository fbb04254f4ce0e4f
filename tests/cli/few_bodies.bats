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

# returns E M M: two bodies of these masses, alone, that start at the apocenter of an orbit with a = 1 and E, are back at the pericenter after
# three and a half periods, less than 1e-11 late.
returns() {
  python3 - "$@" <<'END'
import math, sys
e, m, n = (float(q) for q in sys.argv[1:])
M = m + n
x, v = 1 + e, math.sqrt(M * (1 - e) / (1 + e))
print(m, -n / M * x, 0, 0, 0, -n / M * v, 0, file=open("two.txt", "w"))
print(n, m / M * x, 0, 0, 0, m / M * v, 0, file=open("two.txt", "a"))
print(repr(7 * math.pi / math.sqrt(M)), file=open("end", "w"))
END
  "$HOLMBERG" run two.txt --eps 0 --t-end "$(<end)" -o back.txt --quiet
  python3 - "$@" <<'END'
import math, sys
e, m, n = (float(q) for q in sys.argv[1:])
bodies = [[float(q) for q in line.split()] for line in open("back.txt") if line[0] != "#"]
x, y = (bodies[1][k] - bodies[0][k] for k in (1, 2))
late = y / math.sqrt((m + n) * (1 + e) / (1 - e))
print(f"e {e} masses {m} {n}: {x + 1 - e:.1e} off, {late:.1e} late")
assert abs(x + 1 - e) < 1e-12 and abs(late) < 1e-11
END
}

@test "two bodies alone come back, whatever their masses are" {
  for e in 0 0.5 0.9 0.999; do
    returns $e 1 1e-12
    returns $e 1 0
    returns $e 1 1e-3
    returns $e 0.3 0.7
  done
}

@test "bodies that fall into one place end the run with a sentence and a checkpoint" {
  python3 -c 'import math
for k in range(5): print(0.2, math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k), 0, 0, 0, 0)' >polygon.txt
  run --separate-stderr timeout 60 "$HOLMBERG" run polygon.txt --eps 0 --t-end 4 --diag-every 1/8 --checkpoint polygon.ckpt
  echo "$status $stderr"
  [ "$status" -eq 7 ]
  [[ $stderr == *"collide all at once"* ]]
  [ -s polygon.ckpt ]
}
