#!/usr/bin/env bash
# cards.sh HOLMBERG FOLDER [OPTION...]: a card of every device and kind of context that this machine offers, each by `holmberg card
# OPTION...`, checked, in FOLDER under the name that it has in data/cards. About a minute each; one that fails is said and left out.
set -u
[ $# -ge 2 ] || {
  sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2
  exit 2
}
holmberg=$1 folder=$2 tools=$(dirname "$0")
shift 2
mkdir -p "$folder" || exit 1
row=$(mktemp) info=$(mktemp)
trap 'rm -f "$row" "$info"' EXIT
made=0

# card WORDS OPTION...: one more
card() {
  local words=$1 name
  shift
  if "$holmberg" card "$@" >"$row" && name=$("$tools/cards.py" name "$row"); then
    cp "$row" "$folder/$name"
    echo "$words: $folder/$name"
    made=$((made + 1))
  else
    echo "$words: no card" >&2
  fi
}

"$holmberg" info --json >"$info" || exit
for context in $(python3 -c 'import json, sys; [print(c["name"]) for c in json.load(open(sys.argv[1]))["contexts"] if c["usable"]]' "$info"); do
  if [ "$context" = egl ] || [ "$context" = gles ]; then
    for device in $(python3 -c 'import json, sys; [print(d["index"]) for d in json.load(open(sys.argv[1]))["devices"] if d["renderer"]]' "$info"); do
      card "$context, device $device" --context "$context" --device "$device" "$@"
    done
  else
    card "$context" --context "$context" "$@"
  fi
done
echo "$made cards"
[ $made -gt 0 ]
