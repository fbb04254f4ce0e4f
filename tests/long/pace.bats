#!/usr/bin/env bats
# A run without a progress bar says how long it takes once it has a pace.
load ../cli/common

@test "a run that nobody watches tells its pace after ten seconds, once" {
  "$HOLMBERG" ic plummer -n 64 -o p.h5 --quiet
  timeout 25 "$HOLMBERG" run p.h5 --scheme host --t-end 20000 --dt-min 2^-20 --diag-every 20000 >rows 2>said || true
  [ "$(grep -c '^holmberg: this takes about .*; Ctrl-C stops it$' said)" -eq 1 ]
}

# pictures N SCHEME: pictures and time units a second of ten seconds, as a user sees them
pictures() {
  xvfb-run -a -s '-screen 0 1280x800x24' "$HOLMBERG" view plummer -n "$1" --size 1280x720 --scheme "$2" --no-tune --paused --script - \
    <<<$'key space\nrun 4\nstate\nrun 10\nstate' >states
  sed 's/.*"t": \([^,]*\),.*"pictures": \([^,}]*\).*/\2 \1/' states | tr '\n' ' ' | awk '{ print ($3 - $1) / 10, ($4 - $2) / 10 }'
}

@test "pictures on two cores: at least 5 a second at N = 16384, 30 at 1024, and the clock goes on" {
  for row in '16384 host-simd 5' '16384 bag 5' '1024 host-simd 30' '1024 bag 30'; do
    read -r n scheme least <<<"$row"
    read -r rate speed < <(pictures "$n" "$scheme")
    echo "N = $n, $scheme: $rate pictures, $speed time units a second"
    awk "BEGIN { exit !($rate >= $least && $speed > 0) }"
  done
}
