#!/usr/bin/env bash
# same_bytes.sh OLD NEW [FOLDER]: runs the commands of same_bytes.commands with two builds of `holmberg`, each in a folder of
# its own, and says which outputs differ: files, what was printed, exit codes; not what was said on standard error. What the
# clock, the date and the commit say is masked. Exit code 0: all the same, 1: some differ, 2: a command fails with OLD, too.
# FOLDER keeps everything, and of an earlier comparison there the jobs of `reproduce`, which take half of the time.
set -uo pipefail

[ $# -ge 2 ] || {
  sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2
  exit 2
}
old=$(realpath -e "$1") && new=$(realpath -e "$2") && commands=$(realpath "${0%.sh}.commands") || exit 2
if [ $# -ge 3 ]; then
  mkdir -p "$3" && folder=$(realpath "$3") || exit 2
else
  folder=$(mktemp -d) || exit 2
fi
export HB_CONTEXT=osmesa LP_NUM_THREADS=0 OMP_WAIT_POLICY=passive SOURCE_DATE_EPOCH=0 LC_ALL=C
unset HB_DEVICE HB_SHADER_DIR HB_SIMD HB_CHILD NO_COLOR

# ---- words of same_bytes.commands --------------------------------------------------------------------------

holmberg() { timeout 120 "$program" "$@"; }

# exits CODE COMMAND...: it is to fail like that
exits() {
  local code=0 expected=$1
  shift
  "$@" || code=$?
  [ $code -eq "$expected" ]
}

# view ARGUMENT... -- LINE...: the viewer, played by these lines
view() {
  local arguments=()
  while [ "$1" != -- ]; do arguments+=("$1") && shift; done
  shift
  printf '%s\n' "$@" | holmberg view --size 320x240 --gl-debug --script - "${arguments[@]}"
}

# stop NAME FILE OPTION...: a run as a whole, and one that is stopped at once
stop() {
  local name=$1 file=$2 k
  shift 2
  mkdir -p "whole/$name" "stopped/$name"
  (cd "whole/$name" && holmberg run "../../$file" "$@") &&
    (cd "stopped/$name" && exits 75 holmberg run "../../$file" "$@" --checkpoint run.ckpt --max-hours 1e-9) || return
  for k in 1 2; do (cd "stopped/$name" && exits 75 holmberg run --resume run.ckpt --max-hours 1e-9) || return; done
}

# exchange: what both builds have stopped is in by_old and by_new
exchange() {
  local k wait
  touch "$here/stopped"
  for k in old new; do
    for ((wait = 0; wait < 3000; wait++)); do if [ -e "$folder/$k/stopped" ]; then break; else sleep 0.1; fi; done
    cp -a "$folder/$k/files/stopped" "by_$k" && cp "$folder/$k/files/whole.ckpt" "by_$k" || return
  done
}

# resume NAME: goes on from both builds' checkpoints, to the state in which the whole run ended
resume() {
  local k end
  for k in by_old by_new; do
    (cd "$k/$1" && holmberg run --resume run.ckpt) || return
    for end in "$k/$1"/end*; do cmp "$end" "whole/$1/${end##*/}" >&2 || return; done
  done
}

# still FILE: diagnostics, lines of JSON, with the same second for all that a clock has measured
times='([a-z0-9_]+_(s|us|ms)|ms_[a-z]+|t_(host|start|predict|correct|send|receive|pair|source)(_error)?'
times+='|(unseen_deviation|gflops|ceiling)[a-z0-9_]*|added|date)'
still() {
  case $1 in
  *.csv) awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) clock[k] = $k ~ /^[a-z]+_s$/ }
    NR > 1 { for (k = 1; k <= NF; k++) if (clock[k]) $k = 1 / 8 } { print }' "$1" ;;
  *) sed -E "s/\"$times\": [^,}]*/\"\1\": 0.125/g" "$1" ;;
  esac
}

# shape: its input without numbers; words_of FIGURE: replaces it by the words in it, sorted
shape() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/ +/ /g'; }
words_of() { sed -n 's/.*<text>//p' "$1" | sed 's/<[^>]*>//g' | grep '[A-Za-z]' | sort -u >"$1.words" && rm "$1"; }

# options: of a help text the names
options() { sed -nE 's/^ +((-[a-z], )?--[a-z0-9-]+).*/\1/p' | sort; } # their order is that of groups

# ---- what each build does -------------------------------------------------------------------------------------

# all_of SIDE PROGRAM: every command, its number and standard output in NUMBER.out; SIDE/wrote says who wrote what.
all_of() {
  local number=0 line file
  local -A known=()
  here=$folder/$1 program=$2
  export XDG_CACHE_HOME=$here/cache
  cd "$here/files" || return
  while IFS= read -r file; do known[$file]=1; done < <(find . -type f -printf '%P\n')
  while IFS= read -r line; do
    [[ $line != '' && $line != '#'* ]] || continue
    printf -v number %03d $((10#$number + 1))
    eval "$line" >"$number.out" 2>"$here/$number.err" </dev/null
    echo "status $?" >>"$number.out"
    while IFS= read -r file; do
      [ -n "${known[$file]:-}" ] || printf '%s\t%s\t%s\n' "$file" "$number" "$line"
      known[$file]=1
    done < <(find . -type f -printf '%P\n' | sort)
  done <"$commands" >"$here/wrote"
}

# ---- how outputs are compared ---------------------------------------------------------------------------------

# checkpoint FILE: its sections without wall times and without what tells a file of rows from another
checkpoint() {
  python3 - "$1" <<'END'
import re, struct, sys
data = open(sys.argv[1], "rb").read()
sections = struct.unpack_from("<I", data, 24)[0]
at = 32 + 40 * sections
print(data[:16].hex(), sections)
for k in range(sections):
    name, kind, _, count = struct.unpack_from("<24sIIQ", data, 32 + 40 * k)
    name, end = name.rstrip(b"\0"), at + count * (8 if kind else 1)
    section, at = data[at:end], end
    if name == b"own":
        section = re.sub(rb"(progress( \S+){5}) \S+", rb"\1", section)
        section = re.sub(rb"(appended|found)( \d+){4}", rb"\1", section)
    print(name, kind, "" if re.match(rb"sim\.(phases|\w+_s)$", name) else section)
END
}

# masked FILE: without what no two runs have in common
masked() {
  case $1 in
  *.ckpt | *.ckpt~) checkpoint "$1" ;;
  *.csv) still "$1" ;;
  *.pdf) sed 's/CreationDate ([^)]*)//' "$1" ;;
  *.out | *.jsonl | *.html) still "$1" | sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]+( UTC|Z)?//g; s/commit( |": ")[0-9a-z-]+//g; s/together [0-9.]+ [a-z]+//; s/(  # [^,]*), .* s$/\1/' |
    awk '/^#.* wall s$/ { table = 1 } /^[^# ]*[^# 0-9.]/ { table = 0 } table && !/^#/ { sub(/ +[^ ]+$/, "") } { print }' ;;
  *) cat "$1" ;;
  esac
}

same() { cmp -s "$1" "$2" || { [ -e "$1" ] && [ -e "$2" ] && cmp -s <(masked "$1") <(masked "$2"); }; }

# ---- the comparison -------------------------------------------------------------------------------------------

cd "$folder" && rm -rf old new display && mkdir -p old/files new/files || exit 2
if [ ! -e reproduction/report.html ]; then
  XDG_CACHE_HOME=$folder/old/cache "$old" reproduce --out reproduction --n-most 64 --longest 0.001s >reproduction.out 2>&1
  [ -e reproduction/report.html ] || {
    cat reproduction.out
    exit 2
  }
fi
for side in old new; do cp -a reproduction $side/files && rm -r $side/files/reproduction/{report.html,data,figures}; done
Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp -noreset 3>display >/dev/null 2>&1 &
xvfb=$!
trap 'kill $xvfb; [ $# -ge 3 ] || rm -rf "$folder"' EXIT
for ((k = 0; k < 100; k++)); do if [ -s display ]; then break; else sleep 0.1; fi; done
DISPLAY=:$(cat display)
export DISPLAY
(all_of old "$old") &
(all_of new "$new") &
wait %2 %3

outputs=0 differ=0 failed=0
while IFS=$'\t' read -r file number line; do
  outputs=$((outputs + 1))
  same "old/files/$file" "new/files/$file" && continue
  differ=$((differ + 1))
  what=differs
  [ -e "old/files/$file" ] || what='only by NEW'
  [ -e "new/files/$file" ] || what='only by OLD'
  printf '%s: %s, written by: %s\n' "$file" "$what" "$line"
done < <(sort -u -t $'\t' -k 1,1 old/wrote new/wrote | sort -s -t $'\t' -k 2,2)
for file in old/files/[0-9]*.out; do
  [ "$(tail -n 1 "$file")" = 'status 0' ] && continue
  failed=$((failed + 1))
  number=$(basename "$file" .out)
  printf '%s fails with OLD: %s\n%s\n' "$number" "$(grep -F "$number.out" old/wrote | cut -f 3)" "$(tail -n 3 "old/$number.err")"
done
count=$(find old/files -maxdepth 1 -name '[0-9]*.out' | wc -l)
if [ $differ -eq 0 ]; then
  echo "$outputs outputs of $count commands: all the same"
else
  echo "$differ of $outputs outputs differ"
fi
[ $failed -eq 0 ] || exit 2
[ $differ -eq 0 ]
