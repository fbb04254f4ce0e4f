#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Post-Newtonian pairs: run --pn.
load common

@test "a circular pair radiates what Peters 1964 says, and that is booked" {
  "$HOLMBERG" ic twobody -o b.txt --quiet
  accepts run b.txt --eps 0 --scheme host --pn 30 --t-end 20000 --diag-every 10000 --json
  printf '%s\n' "$output" >rows.jsonl
  python3 - <<'END'
import json
rows = [json.loads(line) for line in open("rows.jsonl")]
a = (1 - 4 * 64 / 5 * 0.25 * 20000 / 30 ** 5) ** 0.25
lost, expected = rows[0]["e_total"] - rows[-1]["e_total"], 0.125 * (1 / a - 1)
print("lost", lost, "expected", expected, "dE/E", rows[-1]["de_rel"])
assert abs(lost / expected - 1) < 0.05 and abs(rows[-1]["de_rel"]) < 1e-12
END
}

@test "resumed, and by threads: the same bits; refused where there are no groups" {
  "$HOLMBERG" ic plummer -n 32 --binaries 1 -o c.h5 --quiet
  how=(run c.h5 --eps 0 --scheme host --pn 3000)
  OMP_NUM_THREADS=1 "$HOLMBERG" "${how[@]}" --t-end 0.5 --quiet -o - --format text | grep -v '^#' >expected
  OMP_NUM_THREADS=4 "$HOLMBERG" "${how[@]}" --t-end 0.5 --quiet -o - --format text | grep -v '^#' >other
  cmp expected other
  "$HOLMBERG" "${how[@]}" --t-end 0.217 --quiet --checkpoint run.ckpt
  "$HOLMBERG" run --resume run.ckpt --t-end 0.5 --quiet -o end.txt
  grep -v '^#' end.txt >other
  cmp expected other
  "$HOLMBERG" run c.h5 --eps 0 --scheme host --t-end 0.5 --quiet -o - --format text | grep -v '^#' >other
  ! cmp -s expected other
  fails_with 2 'post-Newtonian terms (light_speed) need encounters groups, so eps 0' run c.h5 --eps 0.01 --pn 300
}
