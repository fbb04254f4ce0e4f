#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# The same bits on every machine: ends of runs against tests/states/known.txt. Other compilers and machines are in tests/long.
load common

# known ARITHMETIC OPTION...: all of its rows, but those that ROWS leaves out
known() {
  run "$BATS_TEST_DIRNAME/../states/states.sh" "$@"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "scheme host: the known end states, whatever vectors and however many threads" {
  known double --scheme host
  HB_SIMD=baseline OMP_NUM_THREADS=1 ROWS='n (1024|65|96) ' known double --scheme host
  HB_SIMD=avx2 OMP_NUM_THREADS=5 ROWS='n (1024|65|96) ' known double --scheme host
}

@test "precision reproducible on the host: the known end states, whatever vectors and however many threads" {
  known reproducible --scheme host --precision reproducible
  HB_SIMD=baseline OMP_NUM_THREADS=1 ROWS='n (1024|65|96) ' known reproducible --scheme host --precision reproducible
  HB_SIMD=avx2 OMP_NUM_THREADS=5 ROWS='n (1024|65|96) ' known reproducible --scheme host --precision reproducible
}

@test "one bit of one particle's start, or another step, is another end" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.txt --quiet
  python3 - <<'END'
import math
lines = [line for line in open("a.txt") if not line.startswith("# crc32:")]
numbers = lines[-1].split()
numbers[2] = repr(math.nextafter(float(numbers[2]), math.inf))  # a speed that grows beyond a power of 2 would lose it
lines[-1] = " ".join(numbers) + "\n"
open("b.txt", "w").writelines(lines)
END
  known=$(sed -n 's/^double : plummer -n 64 --seed 1 : --t-end 0.25 : //p' "$BATS_TEST_DIRNAME/../states/known.txt")
  hash_of() { "$HOLMBERG" run "$@" --scheme host --t-end 0.25 --json | sed -n '$s/.*"state_hash": "\([^"]*\)".*/\1/p'; }
  [ "$(hash_of a.txt)" = "$known" ]
  [[ $(hash_of b.txt) =~ ^[0-9a-f]{16}$ ]]
  [ "$(hash_of b.txt)" != "$known" ]
  [ "$(hash_of a.txt --eta 0.011)" != "$known" ]
}

@test "the comparison itself: a row that differs, no row at all, a run that fails" {
  cp "$BATS_TEST_DIRNAME"/../states/* .
  sed -i '/^double : twobody/s/[0-9a-f]$/x/' known.txt
  run ./states.sh double --scheme host
  [ "$status" -eq 1 ]
  [[ $output == *'DIFFERENT  '*': twobody'*'20 the same, 1 different' ]]
  ROWS=nothing run ./states.sh double --scheme host
  [ "$status" -eq 1 ]
  ROWS=figure8 run ./states.sh double --scheme nobody
  [ "$status" -eq 1 ]
  [[ $output == "DIFFERENT  holmberg: "*"'nobody'"*', not 4036ddb88c032485: figure8 : '* ]]
}
