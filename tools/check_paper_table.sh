#!/usr/bin/env bash
# check_paper_table.sh [--fix]: README's table from the paper to the code. Each of its rows names `file:line` and, in its
# last column, `text` that stands there; within 3 lines will do. Says where a text has gone that is no longer there;
# with --fix the row takes the new line.
set -u
fix=${1:-}
cd "$(dirname "$0")/.." || exit 1
bad=0
rows=0
say() {
  echo "README.md, paper to code: $*"
  bad=1
}
while IFS='|' read -r _ what place text _; do
  [[ $place =~ \`([^\`]+):([0-9]+)\` ]] || continue
  file=${BASH_REMATCH[1]} line=${BASH_REMATCH[2]}
  rows=$((rows + 1))
  if ! [[ $text =~ \`([^\`]+)\` ]]; then
    say "the row of $file:$line ($what) quotes no text"
    continue
  fi
  text=${BASH_REMATCH[1]}
  if ! [ -f "$file" ]; then
    say "$file does not exist"
    continue
  fi
  sed -n "$((line > 3 ? line - 3 : 1)),$((line + 3))p" "$file" | grep -qF -- "$text" && continue
  found=$(grep -nF -- "$text" "$file" | cut -d: -f1 | tr '\n' ' ')
  if [ "$fix" ] && [[ $found =~ ^[0-9]+\ $ ]]; then
    awk -v row="\`$file:$line\`" -v text="\`$text\`" -v new="\`$file:${found% }\`" \
      'index($0, row) && index($0, text) { at = index($0, row); $0 = substr($0, 1, at - 1) new substr($0, at + length(row)) } 1' \
      README.md >README.md.new && mv README.md.new README.md
    continue
  fi
  say "\`$text\` is not at $file:$line${found:+, but at line ${found% }}"
done < <(sed -n '/^## From the paper to the code/,/^## [^F]/p' README.md)
[ $rows -ge 20 ] || say "only $rows rows found"
exit $bad
