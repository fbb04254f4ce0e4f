#!/bin/sh
# page.sh PAGE [FOLDER]: prints the page's HTML with the solutions of the exercises in it. With FOLDER, where `make web` builds,
# also with style, scripts and the program itself: one file, which opens from a disk.
set -eu
page=$1
folder=${2:-}
exercises() {
  for diff in shaders/exercises/*.diff; do
    number=$(basename "$diff")
    printf '<script type="text/plain" id="exercise%s">\n' "${number%%_*}"
    cat "$diff"
    echo '</script>'
  done
}
script() {
  echo '<script>'
  cat "$1"
  echo '</script>'
}
program() {
  printf '<script>\nconst HOLMBERG_WASM = "'
  base64 -w 0 "$folder/holmberg.wasm"
  printf '";\n</script>\n'
}
while IFS= read -r line; do
  case $folder,$line in
  *,'<!-- exercises -->') exercises ;;
  ?*,*href=\"page.css\"*)
    echo '<style>'
    cat src/web/page.css
    echo '</style>'
    ;;
  ?*,*src=\"holmberg.js\"*)
    program
    script "$folder/holmberg.js"
    ;;
  ?*,*src=\"page.js\"*) script src/web/page.js ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$page"
