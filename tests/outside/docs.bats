#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who browses the manual that `make docs` builds.
load common

@test "one site of guides, notebooks, pages of man and references; its notebooks run in a minute, and nothing comes from elsewhere" {
  cp -r "$BUILD/manual" . # its pages go to a folder of their own
  make -s -C "$SOURCE" B="$PWD" "$PWD/web/guide.html"
  export HB_CONTEXT=osmesa HOLMBERG_LIBRARY=$BUILD/libholmberg.so.1 PYTHONDONTWRITEBYTECODE=1
  /usr/bin/python3 -m venv --without-pip own # what is first in the path may have no numpy
  PATH=$PWD/own/bin:$PATH timeout 60 "$SOURCE/tools/docs.py" .
  cd docs/site
  echo "$(find . -name '*.html' | wc -l) pages"
  for page in index.html src/python/index.html python.html man/holmberg.1.html man/holmberg.3.html changes.html \
    notebooks/{cluster_in_a_galaxy,three_bodies,your_own_force,kernel_of_2007}.html shaders/LESSON.html src/python/REBOUND.html engine/guide.html; do
    [ "$(wc -c <"$page")" -gt 4000 ]
  done
  grep -q "<iframe src='engine/guide.html'" lesson.html
  grep -q 'dE/E = ' notebooks/three_bodies.html
  grep -q hb_sim_change man/holmberg.3.html
  grep -q 'h3 id="simulationevolve"' python.html
  find . \( -name '*.html' -o -name '*.css' \) -print0 | xargs -0 grep -ohE '(src|srcset|poster)="[^"]*|<link[^>]*href="[^"]*|url\([^)]*|@import[^;]*' >asked
  echo "$(wc -l <asked) files that pages ask for"
  [ "$(wc -l <asked)" -gt 100 ]
  run bash -c 'grep -v "^url(.data:" asked | grep -E "(https?:)?//"' # in data: it is the name of SVG
  echo "$output"
  [ "$status" -eq 1 ]
  # the word that a reader looks for, and the links of the guides
  /usr/bin/python3 - <<'END'
import json, pathlib, re, sys
found = [page["location"] for page in json.load(open("search/search_index.json"))["docs"] if "Jacobi" in page["text"]]
print("Jacobi is on", len(found), "pages:", found[:3])
lost = []
for page in pathlib.Path(".").rglob("*.html"):
    for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', page.read_text()):
        target = target.split("?")[0]
        base = pathlib.Path(".") if target.startswith("/") else page.parent
        if target and not (base / target.lstrip("/")).exists():
            lost.append((str(page), target))
print(len(lost), "links lead nowhere:", lost[:8])
sys.exit(bool(lost) or not found)
END
}
