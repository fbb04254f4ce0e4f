#!/usr/bin/env bats
# The page of `make web`, in Chromium on SwiftShader and in Firefox on llvmpipe: tests/web/test.html drives it.
load common

# energy N SCHEME PRECISION OPTION...: what the program has at t = 0.05
energy() {
  "$HOLMBERG" ic plummer -n "$1" --seed 1 -o p.h5 --quiet
  "$HOLMBERG" run p.h5 --scheme "$2" --precision "$3" "${@:4}" --eps 2^-8 --t-end 0.05 --json --quiet |
    tail -n 1 | sed 's/.*"e_total": \([^,]*\),.*/\1/'
}

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  export HB_CONTEXT=osmesa LP_NUM_THREADS=0
  web=$(dirname "$HOLMBERG")/web
  serve=$BATS_TEST_DIRNAME/../web/serve.py
  local n2007=256
  words='seconds=3&patience=10'
  if [ -n "$LONG" ]; then
    n2007=1024
    words='seconds=60&patience=1'
  fi
  words+="&n=1024&n2007=$n2007&cg2007=$(energy $n2007 cg2007 single)&single=$(energy 1024 bag single --no-tune)&ds=$(energy 1024 bag ds --no-tune)"
  export web serve words
}

@test "the page in Chromium" {
  "$serve" "$(dirname "$HOLMBERG")" chromium "$words"
}

@test "the page in Firefox" {
  xvfb-run -a -s '-screen 0 1300x900x24' "$serve" "$(dirname "$HOLMBERG")" firefox "$words"
}

@test "the page is small, and loads nothing from elsewhere" {
  local bytes
  bytes=$(cat "$web"/holmberg.wasm "$web"/holmberg.js "$web"/index.html "$web"/page.css "$web"/page.js | gzip -9 | wc -c)
  echo "$bytes bytes"
  [ "$bytes" -lt 350000 ]
  run ! grep -nE '(src|href|url|import|fetch)[^;]{0,10}(https?:)?//' "$web"/index.html "$web"/page.css "$web"/page.js
}

@test "holmberg.html has everything inside, and opens from a disk" {
  run ! grep -E '<script src|rel="stylesheet"' "$web"/holmberg.html
  chromium --headless --no-sandbox --no-first-run --disable-background-networking --use-angle=swiftshader \
    --enable-unsafe-swiftshader --user-data-dir="$PWD/profile" --virtual-time-budget=10000 --dump-dom \
    "file://$web/holmberg.html#n=16" >dom.html 2>log
  grep -oE 'data-ready="[0-9]+"' dom.html
}
