#!/usr/bin/env bats
# The page of `make web` as its user meets it, in Chromium on SwiftShader and in Firefox on llvmpipe: tests/web/page.py.
load common

setup_file() {
  web=$(dirname "$HOLMBERG")/web
  tests=$BATS_TEST_DIRNAME/../web/page.py
  BATS_TEST_TIMEOUT=3600 # a browser draws by the processor, which may have other work
  export web tests BATS_TEST_TIMEOUT
}

@test "the page in Chromium" {
  "$tests" chromium "$web" "$HOLMBERG"
}

@test "the page in Firefox" {
  xvfb-run -a -s '-screen 0 1300x1000x24' "$tests" firefox "$web" "$HOLMBERG"
}

@test "the page is small, names nothing from elsewhere, and has a policy" {
  local bytes
  bytes=$(cat "$web"/holmberg.wasm "$web"/index.html "$web"/*.css "$web"/*.js | gzip -9 | wc -c)
  echo "$bytes bytes"
  [ "$bytes" -lt 500000 ]
  run ! grep -nE '(src|href|url|import|fetch)[^;]{0,10}(https?:)?//' "$web"/index.html "$web"/*.css "$web"/*.js
  run ! grep -E '<script src|rel="stylesheet"' "$web"/holmberg.html
  grep -F "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';" "$web"/index.html
  grep -F "default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-" "$web"/holmberg.html
  run ! grep unsafe-inline "$web"/index.html "$web"/holmberg.html
}
