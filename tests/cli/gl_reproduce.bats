#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016 # run sets these
# holmberg reproduce: one small reproduction, stopped and taken up again, and what is in its report.
load common

# Up to 64 particles, the smallest N is 16, on one core, and measurements that are over at once: most jobs in a twentieth of a second.
setup_file() {
  quick_clock
  export REPRODUCTION=$BATS_FILE_TMPDIR/reproduction HB_CONTEXT=osmesa LP_NUM_THREADS=0
  export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
  local command=("$HOLMBERG" reproduce --out "$REPRODUCTION" --n-most 64) code=0
  for ((times = 0; times < 5 && code == 0; times++)); do # anew where it was done before the signal found it
    rm -rf "$REPRODUCTION"
    set -m # else a shell without job control has its children ignore SIGINT
    "${command[@]}" >"$BATS_FILE_TMPDIR/first" 2>&1 &
    set +m
    for ((k = 0; k < 2400; k++)); do
      [ "$(find "$REPRODUCTION/jobs" -name 'nu-*.jsonl' 2>/dev/null | wc -l)" -ge 2 ] && break
      sleep 0.05
    done
    kill -INT $! || :
    wait $! || code=$?
  done
  echo "$code" >"$BATS_FILE_TMPDIR/code"
  kept >"$BATS_FILE_TMPDIR/kept"
  code=0
  "${command[@]}" >"$BATS_FILE_TMPDIR/second" 2>&1 || code=$?
  echo "$code" >>"$BATS_FILE_TMPDIR/code"
}

# kept: the jobs that are done, each with its file's own number, which a job that was run again would change.
kept() { (cd "$REPRODUCTION/jobs" && stat -c '%n %i %Y' ./*.jsonl | sort); }

# curves FIGURE NAME...: these curves and no others, with at least one point each.
curves() {
  local file=$REPRODUCTION/data/$1.csv
  shift
  diff <(printf '%s\n' "$@" | sort) <(tail -n +2 "$file" | cut -d, -f1 | sort -u)
  [ -s "${file/data/figures}" ] || [ -s "$(sed 's/data/figures/; s/csv$/svg/' <<<"$file")" ]
}

@test "SIGINT ends it with 75, and the same command goes on without doing a job again" {
  cat "$BATS_FILE_TMPDIR/first" "$BATS_FILE_TMPDIR/second"
  [ "$(head -n 1 "$BATS_FILE_TMPDIR/code")" -eq 75 ]
  grep -q 'stopped by SIGINT' "$BATS_FILE_TMPDIR/first"
  [ "$(wc -l <"$BATS_FILE_TMPDIR/kept")" -gt 10 ]
  [ -z "$(comm -23 "$BATS_FILE_TMPDIR/kept" <(kept))" ]
  [ -z "$(find "$REPRODUCTION/jobs" -name '*.part')" ]
  grep -Eq '^[0-9]+ jobs are done, [1-9][0-9]* are to do: about .* on this machine' "$BATS_FILE_TMPDIR/second"
}

@test "without a progress bar, a line for each job" {
  local jobs
  jobs=$(sed -En 's/^[0-9]+ jobs are done, ([0-9]+) are to do.*/\1/p' "$BATS_FILE_TMPDIR/second")
  [ "$(grep -Ec "^job [0-9]+ of $jobs, [0-9.]+ s: .*holmberg " "$BATS_FILE_TMPDIR/second")" -eq "$jobs" ]
  [ "$(grep -c '^job ' "$BATS_FILE_TMPDIR/second")" -eq "$jobs" ]
}

# N = 64 is not in the paper's Table 2, so one sentence, about the same N then and now, has nothing to say.
@test "the report lacks nothing but the N of the paper" {
  [ "$(tail -n 1 "$BATS_FILE_TMPDIR/code")" -eq 1 ]
  grep -q 'is incomplete: see its 1 sentence in red' "$BATS_FILE_TMPDIR/second"
  [ "$(grep -c '<p class="lack">' "$REPRODUCTION/report.html")" -eq 1 ]
  grep -q '<p class="lack">No N of Table 2' "$REPRODUCTION/report.html"
}

@test "every figure has all its curves" {
  local machines=('GRAPE-6Af; 2007' '8800GTX; 2007' 'FX1400; 2007' 'Xeon; 2007') sources=(host grape6 double ds compensated cg2007)
  curves fig1 host host-simd cg2007 bag tile "${machines[@]}"
  curves fig2-32 'cg2007; own' 'tile; '{own,double} 'grape6; double' double
  curves fig2-64 'cg2007; own' 'tile; '{own,double} 'grape6; double' double
  curves energy "${sources[@]}" 'cg2007; own'
  curves steps-nu {double,grape6,ds,compensated,tile}'; N = '{32,64}
  curves implied host grape6 double ds compensated tile cg2007 {GRAPE-6Af,8800GTX,FX1400,Xeon}'; implied'
  curves transfers growing shrinking
  curves rounding-steps 'rounded '{down,'to the nearest',up} 'eq. 17'
  curves rounding-blocks 'rounded '{down,'to the nearest',up} 'eq. 14'
  curves fig3-2007 {GRAPE-6Af,8800GTX,FX1400,Xeon}'; '{model,'Table 2'}
  curves fig3-here {host,cg2007,bag,tile,'ds; blocks sent','ds; stepped on device'}'; '{model,measured}
  curves fig4 {host-simd,cg2007,bag,tile}' / host' {GRAPE-6Af,8800GTX,FX1400}' / Xeon; 2007'
  curves fig5 'here: '{'all sent','blocks sent','stepped on the device'} {Xeon,8800GTX}'; measured' \
    '8800GTX; '{'blocks sent','stepped on card'} 'the same; one cycle a pair'
  curves nhp07-fig5 'not unrolled' 'unrolled '{4,16,32}' times'
  curves nhp07-fig7 'p = '{16,64,128,256}
  curves nhp07-fig6 bag tile '8800GTX; [NHP07]'
  curves nhp07-fig8 '1 thread a body' {2,4,8}' threads a body'
  [ "$(grep -c '<figure>' "$REPRODUCTION/report.html")" -eq 17 ]
  [ "$(find "$REPRODUCTION/figures" -name '*.svg' | wc -l)" -eq 17 ]
}

@test "the tables have their rows, and no number is NaN" {
  local data=$REPRODUCTION/data
  [ "$(find "$data" -name '*.csv' | wc -l)" -eq 25 ]
  run grep -Ewil 'nan|inf' "$data"/*.csv
  [ "$status" -eq 1 ]
  [ "$(grep -c '^[0-9]' "$data/table2.csv")" -eq 16 ]
  grep -q '^1024,0.3327,17.46,20.2,2.584,,,,,$' "$data/table2.csv"
  grep -Eq '^64,,,,(,[0-9.e-]+){5}$' "$data/table2.csv"
  grep -q '^clock; MHz,90,575,350,3400,' "$data/table1.csv"
  grep -q '^8800GTX,382,,0.815,,17600,,5970,,,,,$' "$data/table3.csv"
  [ "$(grep -Ec '^(down|nearest|up),' "$data/rounding.csv")" -eq 3 ]
  grep -q '^2048,2.2e-06,5.4e-07,' "$data/hi07-table2.csv"
  grep -q '^131072,2.548,256,' "$data/hi07-table3.csv"
}

# The page's own policy has the browser refuse every request and say so on the console: silence is no request. The same
# browser on the same page with a picture from somewhere else shows that it would speak.
@test "a browser shows it without a word on its console" {
  local browse=(chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
    --user-data-dir="$BATS_TEST_TMPDIR/profile" --enable-logging=stderr --dump-dom)
  "${browse[@]}" "file://$REPRODUCTION/report.html" >dom 2>said
  grep -q 'The N-body results of 2007' dom
  [ "$(grep -o '<svg' dom | wc -l)" -eq 17 ]
  ! grep CONSOLE said
  sed 's|</body>|<img src="http://localhost:9/x.png"></body>|' "$REPRODUCTION/report.html" >loads.html
  "${browse[@]}" "file://$PWD/loads.html" >dom 2>said
  grep -q CONSOLE said
}

@test "nothing in it is loaded or run" {
  run grep -Eio '<(script|link|img|iframe|object|embed)|(src|href|data)="?(https?:|//)|@import|url\((https?:|//)' "$REPRODUCTION/report.html"
  echo "$output"
  [ "$status" -eq 1 ]
}

@test "every job's command line stands in the report" {
  head -q -n 1 "$REPRODUCTION"/jobs/*.jsonl | sed 's/^{"command": "\([^"]*\)".*/\1/' >commands
  [ "$(wc -l <commands)" -gt 100 ]
  awk 'NR == FNR { text = text $0 "\n"; next } !index(text, $0) { print; bad = 1 } END { exit bad }' "$REPRODUCTION/report.html" commands
}

@test "--only makes a section, of the jobs that are there" {
  run --separate-stderr "$HOLMBERG" reproduce --out "$REPRODUCTION" --n-most 64 --only fig1,rounding
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == *' 0 are to do'* ]]
  [[ ${lines[1]} == *'1 tables, 3 figures'* ]]
}

@test "what is left out is named as a reader knows it; the evidence for a rounding is in one place" {
  cp -r "$REPRODUCTION" elsewhere
  rm -f elsewhere/jobs/nu-cg2007-64-0.0015625-1.jsonl # which a slow machine has left out already
  "$HOLMBERG" reproduce --out elsewhere --n-most 64 --longest 0.001s --only fig2,rounding,differs || [ $? -eq 1 ]
  sed -n '/What was left out/,/<\/p>/p' elsewhere/report.html >left_out
  grep -F 'cg2007 at N = 64, &nu; = 0.0015625 (' left_out
  run ! grep 'nu-' left_out
  [ "$(grep -c 'Which one was it' elsewhere/report.html)" -eq 1 ]
  run ! grep 'most likely' elsewhere/report.html
}

@test "what a folder's files say is text in the report and in its figures" {
  cp -r "$REPRODUCTION" elsewhere
  local hostile="<b>x'.system('touch pwned').'\`touch pwned\`"
  sed -i "s/\"device\": \"[^\"]*\"/\"device\": \"$(printf %s "$hostile" | sed 's/[&/\\]/\\&/g')\"/" elsewhere/jobs/*.jsonl
  sed -i 's/"name": "system"/"name": "<script>system"/' elsewhere/machine.jsonl
  "$HOLMBERG" reproduce --out elsewhere --n-most 64 --only fig1,rounding
  grep -qF "&lt;b&gt;x'.system('touch pwned').'" elsewhere/report.html
  grep -qF '&lt;script&gt;system' elsewhere/report.html
  run ! grep -qF '<script' elsewhere/report.html
  files elsewhere
  [ -z "$(find elsewhere -name pwned)" ]
}

@test "a job that is there is used, however long it may take now" {
  run --separate-stderr "$HOLMBERG" reproduce --out "$REPRODUCTION" --n-most 64 --only fig2
  [ "$status" -eq 0 ]
  local jobs=${lines[0]}
  [[ $jobs == *' jobs are done, 0 are to do'* ]]
  run --separate-stderr "$HOLMBERG" reproduce --out "$REPRODUCTION" --n-most 64 --only fig2 --longest 0.001s
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = "$jobs" ]
}

@test "--plan prints what is missing, as a user types it, and runs nothing" {
  cp -r "$REPRODUCTION" elsewhere
  rm elsewhere/jobs/nu-tile-64-0.1-1.jsonl
  run --separate-stderr "$HOLMBERG" reproduce --out elsewhere --n-most 64 --only fig2 --plan
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == *', 1 is to do'* ]]
  [[ ${lines[1]} =~ ^jobs/nu-tile-64-0.1-1.jsonl\ [0-9.]+\ s:\ holmberg\ run\ jobs/plummer-64-1.h5\ .*--scheme\ tile ]]
  [ ! -e elsewhere/jobs/nu-tile-64-0.1-1.jsonl ]
}

@test "--jobs-only leaves the report to another machine or version, which does not go on with the jobs" {
  cp -r "$REPRODUCTION" elsewhere
  rm elsewhere/report.html
  local command=("$HOLMBERG" reproduce --out elsewhere --n-most 64 --only table1)
  "${command[@]}" --jobs-only
  [ ! -e elsewhere/report.html ]
  sed -i 's/"host", "value": "/&ENIAC, /' elsewhere/machine.jsonl
  "${command[@]}"
  grep -q 'ENIAC' elsewhere/report.html
  rm elsewhere/jobs/ceiling.jsonl
  run --separate-stderr "${command[@]}"
  [ "$status" -eq 2 ]
  [[ $stderr == *'elsewhere was started on another machine (ENIAC, '*'); its jobs cannot continue here'* ]]
  # by another version: its own jobs are read, a job that is missing is refused
  cp -r "$REPRODUCTION" old
  sed -i 's/"version": "[^"]*"/"version": "0.0.1"/; s/"Holmberg", "value": "[^,]*/"Holmberg", "value": "0.0.1/' old/machine.jsonl old/jobs/*.jsonl
  command[3]=old
  "${command[@]}" | grep -q ' 0 are to do'
  rm old/jobs/ceiling.jsonl
  run --separate-stderr "${command[@]}"
  [ "$status" -eq 2 ]
  [[ $stderr == *'old was started by another version ('*'); its jobs cannot continue here'* ]]
}

# What a probe cannot do is an answer, and is kept; the schemes in this folder of shaders lack compute programs.
@test "a source that this machine does not have is left out, and said to be" {
  mkdir shaders
  cp -r "$BATS_TEST_DIRNAME"/../../shaders/* shaders
  echo 'no GLSL' >shaders/pairs/tile.comp
  cp -r "$REPRODUCTION" without
  rm without/jobs/*tile*
  export HB_SHADER_DIR=shaders
  "$HOLMBERG" reproduce --out without --n-most 64 --only fig1
  grep -q 'Not on this machine: tile (' without/report.html
  ! grep -q tile without/data/fig1.csv
  run "$HOLMBERG" reproduce --out without --n-most 64 --only fig1
  [[ ${lines[0]} == *' 0 are to do'* ]]
}

@test "a job that fails is named in the report, and is the exit code's reason" {
  cp -r "$REPRODUCTION" broken
  rm broken/jobs/run-bag-*.jsonl
  mkdir shaders
  cp -r "$BATS_TEST_DIRNAME"/../../shaders/* shaders
  echo 'no GLSL' >shaders/pairs/bag.frag
  HB_SHADER_DIR=shaders run --separate-stderr "$HOLMBERG" reproduce --out broken --n-most 64 --only fig1
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  [[ $stderr == *'job run-bag-all-host-host-16 failed: exit code'* ]]
  grep -q 'nothing to draw for the curve &ldquo;bag&rdquo;' broken/report.html
}

@test "what cannot be reproduced is refused before any work" {
  fails_with 2 "unknown section 'fig9'; did you mean 'fig1'?" reproduce --only fig9
  fails_with 2 'options --quick and --full exclude each other' reproduce --quick --full
  fails_with 2 "option --n-most: '10' is out of range (expected at least 64)" reproduce --n-most 10
  fails_with 2 "option --device: '0 --out elsewhere' has blanks or quotes" reproduce --device '0 --out elsewhere'
  fails_with 2 "option --context: unknown value *" reproduce --context '"; touch pwned; "'
  echo >file
  fails_with 4 'cannot enter folder file: *' reproduce --out file
  files file
}
