#!/usr/bin/env bats
# A run without a progress bar says how long it takes once it has a pace.
load ../cli/common

@test "a run that nobody watches tells its pace after ten seconds, once" {
  "$HOLMBERG" ic plummer -n 64 -o p.h5 --quiet
  timeout 25 "$HOLMBERG" run p.h5 --scheme host --t-end 20000 --dt-min 2^-20 --diag-every 20000 >rows 2>said || true
  [ "$(grep -c '^holmberg: this takes about .*; Ctrl-C stops it$' said)" -eq 1 ]
}
