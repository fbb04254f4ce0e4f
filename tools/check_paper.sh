#!/usr/bin/env bash
# check_paper.sh: each row of the tables in src/PAPER.md names a `file` and a `text` that must occur in it exactly once.
# shellcheck disable=SC2016 # backquotes are of Markdown
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
rows=0
say() {
  echo "src/PAPER.md: $*"
  bad=1
}
while IFS='|' read -r _ what file text _; do
  rows=$((rows + 1))
  file=${file//[\` ]/}
  text=${text# \`} text=${text%\` }
  if ! [ -f "$file" ]; then
    say "there is no $file ($what)"
    continue
  fi
  found=$(grep -oF -- "$text" "$file" | wc -l)
  [ "$found" -eq 1 ] || say "\`$text\` occurs $found times in $file"
done < <(grep '^|.*| `.*` | `.*` |$' src/PAPER.md)
[ $rows -ge 20 ] || say "only $rows rows found"
exit $bad
