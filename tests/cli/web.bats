#!/usr/bin/env bats
# The page of `make web` as its user meets it, in Chromium on SwiftShader and in Firefox on llvmpipe: tests/web/page.py.
load common

setup_file() {
  web=$(dirname "$HOLMBERG")/web
  tests=$BATS_TEST_DIRNAME/../web/page.py
  export web tests
}

@test "the page in Chromium" {
  "$tests" chromium "$web" "$HOLMBERG"
}

@test "the page in Firefox" {
  xvfb-run -a -s '-screen 0 1300x1000x24' "$tests" firefox "$web" "$HOLMBERG"
}

@test "the page is small, names nothing from elsewhere, and has a policy" {
  local bytes
  bytes=$(cat "$web"/holmberg.wasm "$web"/index.html "$web"/guide.html "$web"/*.css "$web"/*.js "$web"/gallery/* | gzip -9 | wc -c)
  echo "$bytes bytes"
  [ "$bytes" -lt 560000 ] # 531 kB by Debian 13's Emscripten; few-body chains and contacts took 26 of it
  run ! grep -nE '(src|href|url|import|fetch)[^;]{0,10}(https?:)?//' "$web"/index.html "$web"/*.css "$web"/*.js
  run ! grep -E '<script src|rel="stylesheet"' "$web"/holmberg.html "$web"/guide.html
  grep -F "default-src 'none'; script-src 'sha256-" "$web"/guide.html
  run ! grep -nE '(src|href|action)="?(https?:)?//|@import|url\(|[^A-Za-z_]fetch\([^(]|XMLHttp' "$web"/{guide,student,teacher,slides}.html
  grep -F "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';" "$web"/index.html
  grep -F "default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-" "$web"/holmberg.html
  run ! grep unsafe-inline "$web"/index.html "$web"/holmberg.html "$web"/guide.html
}

# With LONG also by axe-core, which `make test-long` fetches once by npm.
guide() {
  local kind=$1 axe
  shift
  axe=$(dirname "$HOLMBERG")/axe
  [ -z "${LONG:-}" ] || [ -s "$axe/node_modules/axe-core/axe.min.js" ] || npm install --silent --no-save --prefix "$axe" axe-core@4.14.1
  AXE=$axe/node_modules/axe-core/axe.min.js "$@" "$BATS_TEST_DIRNAME/../web/guide.py" "$kind" "$web"
}

@test "the guided page in Chromium" {
  guide chromium
}

@test "the guided page and its gallery in Firefox" {
  guide firefox xvfb-run -a -s '-screen 0 1300x1000x24'
}

@test "LESSON.md is what lesson.txt says, the sheets have their parts, and slides can be read from afar" {
  cd "$BATS_TEST_DIRNAME/../.."
  tools/lesson.py lesson | diff - shaders/LESSON.md
  run ! grep -E '5402|16777216|Common mistake' shaders/LESSON.md "$web"/student.html
  grep -q 5402 "$web"/teacher.html
  [ "$(grep -o 'Common mistake' "$web"/teacher.html | wc -l)" -ge 8 ]
  smallest=$(grep -oE 'font-size="[0-9]+' "$web"/slides.html | tr -dc '0-9\n' | sort -n | head -1)
  pictures=$(grep -c '<section>.*<svg' "$web"/slides.html)
  echo "smallest number on a slide: $smallest; $pictures slides have a picture"
  [ "$pictures" -eq 12 ] && [ "$(grep -c '<section>' "$web"/slides.html)" -eq 12 ]
  [ "$smallest" -ge 24 ]
  grep -q '>A, read<' "$web"/slides.html
  grep -q '>B, written<' "$web"/slides.html
  tests/web/sheet.py "$web"/teacher.html shaders/lesson.txt data/measured/lesson.csv # its times, and that the class fits
}
