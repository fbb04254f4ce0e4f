#!/usr/bin/env bats
# Numbers of 2007 and of our reports: every one that is quoted is the one in data/.

setup() {
  root=$BATS_TEST_DIRNAME/../..
  : "${HOLMBERG:=$root/build/holmberg}"
  export HOLMBERG
  cd "$BATS_TEST_TMPDIR" || return 1
}

@test "README.md and data/README.md have the numbers of their files; a changed digit and a new number are seen" {
  python3 "$BATS_TEST_DIRNAME/quoted.py" "$root"
  mkdir -p root/data
  cp -r "$root/README.md" root
  cp -r "$root/data/README.md" "$root/data/measured" "$root/data/notebook" "$root/data/paper" "$root/data/reports" root/data
  sed -i 's/| 0.063 | 0.202 |/| 0.063 | 0.203 |/' root/data/README.md
  run python3 "$BATS_TEST_DIRNAME/quoted.py" root
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *'0.203 is quoted'*' 1 differ' ]]
  cp "$root/data/README.md" root/data
  sed -i 's/^\(The error of .host. falls roughly as nu^\)2.6/\12.7/; s/^`nearest` gives/In 17.5 cases `nearest` gives/' root/data/README.md
  run python3 "$BATS_TEST_DIRNAME/quoted.py" root
  echo "$output"
  [[ $output == *'2.7 is quoted'*'nobody compares the numbers of: In 17.5'*' 2 differ' ]]
}

@test "the table of claims: a verdict of four, a command and one sentence for each, no number of ours typed" {
  python3 - "$root/data/paper/claims.json" <<'P'
import json, re, sys
claims = json.load(open(sys.argv[1]))
print(len(claims), "rows")
assert len(claims) >= 60
for name, row in claims.items():
    assert re.match("(confirmed|confirmed within .+|not confirmed|cannot be known)$", row["verdict"]), name
    assert row["at"][0] == "[" and row["command"] and not re.search("[.] [A-Z]", row["why"]), name
    if "reproduce" in row["command"] and row["verdict"] != "cannot be known":  # what jobs measure is looked up
        assert "{{" in row["find"], name
P
}

# The jobs of the report on the H200 are kept beside it: page and tables are made from them again, by a gnuplot that draws nothing.
@test "the report on the H200 has the numbers of its jobs; a changed one is seen" {
  mkdir -p bin report
  printf '%s\n' '#!/bin/sh' 'cat >/dev/null; echo "<svg></svg>"' >bin/gnuplot
  chmod +x bin/gnuplot
  tar xzf "$root/data/reports/h200/jobs.tar.gz" -C report
  cp "$root/data/reports/h200/machine.jsonl" report
  again() {
    PATH=$PWD/bin:$PATH HB_REPORT_DIR=$root/data/report "$HOLMBERG" reproduce --full --longest 0.0001s --out report >said
  }
  text() { perl -0pe 's/<svg.*?<\/svg>\s*//gs; s/<p class="byline">.*?<\/p>//gs' "$1"; }
  again
  cat said
  diff -r report/data "$root/data/reports/h200/data"
  for page in report repeat; do diff <(text report/$page.html) <(text "$root/data/reports/h200/$page.html"); done
  run grep -n '&ndash;' report/repeat.html # a claim whose number does not exist
  [ "$status" -eq 1 ]
  sed -i 's/"wall_s": 3.48/"wall_s": 4.48/' report/jobs/run-tile-all-host-host-65536.jsonl
  again
  run diff -r report/data "$root/data/reports/h200/data"
  [ "$status" -eq 1 ]
}
