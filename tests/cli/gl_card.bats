#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# A card: what a device can do, in one row; and rows that were cut, changed or made up.
load common

root=$BATS_TEST_DIRNAME/../..
cards=$root/tools/cards.py

@test "one row on standard output, whole, with nothing about the person; how to send it stands below" {
  HB_CONTEXT=osmesa LP_NUM_THREADS=0 run --separate-stderr "$HOLMBERG" card
  echo "$stderr"
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 1 ]
  echo "$output" >row.json
  run -0 "$cards" check row.json
  [ "$output" = '1 row is whole' ]
  [[ $stderr == *'holmberg: measuring bag in ds'*'To send it, add it to data/cards'* ]]
  for word in "$(hostname)" "$HOME" "$PWD" "$(id -un)@" /tmp/ /home/; do run ! grep -wF -- "$word" row.json; done
  for found in '"scheme": "cg2007", "precision": "single", "compile_ms": ' '"hash": "59e93d9221cb359f"' '"draws": \[{"scheme": ' '"block": {"scheme": '; do
    grep -q "$found" row.json
  done
}

@test "a card is of the built-in shaders, and of a device that exists" {
  cp -r "$root/shaders" shaders
  echo '// mine' >>shaders/common/real.glsl
  HB_SHADER_DIR=$PWD/shaders HB_CONTEXT=osmesa run -2 "$HOLMBERG" card
  [[ $output == *'a card is of the built-in shaders, and these are others'* ]]
  run -5 "$HOLMBERG" card --device 99
  [[ $output == *"no device '99' among "* ]]
}

@test "data/cards: every row is whole, under its own name, with the same end states; the table is of them" {
  cd "$root"
  run -0 "$cards" check data/cards/*.json
  echo "$output"
  for file in data/cards/*.json; do
    [ "$("$cards" name "$file")" = "$(basename "$file")" ]
    run grep -c '"hash": "59e93d9221cb359f"' "$file"
    [ "$output" -eq 1 ]
  done
  diff <("$cards" table data/cards/*.json) data/cards/cards.csv
}

@test "data/cards: a rate that is half or twice of what was predicted is named; without a row the prediction stands alone" {
  cd "$root"
  "$cards" table data/cards/*.json >"$BATS_TEST_TMPDIR/table.csv"
  grep '^AMD RX 7900 XTX,,no row yet,.*,390,330,200,$' "$BATS_TEST_TMPDIR/table.csv"
  cp data/cards/softpipe*.json "$BATS_TEST_TMPDIR/row.json"
  cd "$BATS_TEST_TMPDIR"
  changed '"softpipe", "version"' '"AMD Radeon RX 580 Series (radeonsi, polaris10)", "version"'
  sed 's/"software": true/"software": false/' changed.json >row.json
  changed '"card": 1' '"card": 1'
  run "$cards" table changed.json
  echo "$output"
  [[ $output == *'AMD Radeon RX 580 Series'*',79,66,55,"single '*', ds '*', reproducible '* ]]
}

# changed OLD NEW: row.json with other words, and a sum of its own as if nothing had happened
changed() {
  grep -qF -- "$1" row.json
  python3 - "$cards" "$1" "$2" <<'END'
import importlib.util, sys
spec = importlib.util.spec_from_file_location("cards", sys.argv[1])
cards = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cards)
row = open("row.json").read().split(', "sum"')[0].replace(sys.argv[2], sys.argv[3])
open("changed.json", "w").write(f'{row}, "sum": "{cards.fnv(row.encode())}"}}\n')
END
}

# refused SENTENCE: changed.json is not taken
refused() {
  run "$cards" check "${2:-changed.json}"
  echo "$output"
  [ "$status" -eq 1 ]
  [ "${#lines[@]}" -eq 1 ]
  # shellcheck disable=SC2053
  [[ $output == "${2:-changed.json}: "$1 ]]
}

@test "a row that was cut or changed is refused in a sentence" {
  cp "$root"/data/cards/llvmpipe-osmesa-*.json row.json
  run -0 "$cards" check row.json
  head -c 2000 row.json >cut.json
  refused 'the row is cut: it does not end with its sum' cut.json
  sed 's/"renderer": "llvmpipe/"renderer": "Radeon/' row.json >changed.json
  refused 'the sum is *, but that of these bytes is *: the row was changed after it was measured'
  cat row.json row.json >changed.json
  refused 'expected one row, a line of JSON'
  : >changed.json
  refused 'expected one row, a line of JSON'
}

@test "a row that was made up is refused in a sentence, whatever its sum" {
  cp "$root"/data/cards/llvmpipe-osmesa-*.json row.json
  changed '"card": 1' '"card": 2' && refused 'card is 2, expected 1: *'
  changed '59e93d9221cb359f' '59e93d9221cb3590' && refused 'the end of plummer -n 64 * has hash 59e93d9221cb3590, on every other device 59e93d9221cb359f'
  changed '9.7033252288335038e-08' '9.7033252288335039e-07' && refused '*reproducible: acc_rms is 9.70*e-07, on every other device 9.70*e-08'
  changed '"pairs_per_s": ' '"pairs_per_s": 9' && refused '* pairs a second are not * particles in * ms'
  changed "$(grep -o '"n": [0-9]*, "ms": [^}]*"cycle_ms": [0-9.e+-]*' row.json | sed -n 2p)" \
    '"n": 1024, "ms": 1.047552, "pairs_per_s": 1e9, "walk_ms": 1.047552, "cycle_ms": 1.047552'
  refused 'bag in single: a walk of 1024 is too short for 1e+09 pairs a second: measure it again with this version'
  changed '"limits": {' '"limited": {' && refused 'limits is missing'
  changed '"acc_floor": 1.68' '"acc_floor": 1.69' && refused '*acc_floor is 1.69*'
  changed '"scheme": "cg2007"' '"scheme": "cg2008"' && refused 'there are no rates of cg2007 and bag'
  changed '"ceiling_drawn": ' '"ceiling_drawn": 1e3, "x": ' && refused '* pairs a second are beyond the device*'
  changed '"cases": 64' '"cases": null' && refused 'self-test: cases is null, expected a number*'
}
