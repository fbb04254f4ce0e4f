#!/usr/bin/env bats
# Many made-up checkpoints.
load ../cli/common

@test "500 of each kind of run: no crash, no hang, no silence" {
  for kind in $(python3 "$BATS_TEST_DIRNAME/../support/made_up.py"); do
    python3 "$BATS_TEST_DIRNAME/../support/made_up.py" "$HOLMBERG" "$kind" 500 2
  done
}
