#!/bin/sh
# check_layers.sh [BUILD]: the order of the house, src/LAYERS. Every #include "room/..." of a file in src/ names its own
# room or one that its line allows, no room is allowed to name one that stands below it, and none has more lines than its
# budget. With the folder of a whole build, the same of what the objects call: a room uses only what its line allows and
# what is public, no modules need each other in a circle, by a call or by a type, and few symbols have one user.
set -eu
build=${1:-}
cd "$(dirname "$0")/.."
most_single=370 # internal symbols that one other file uses, or none: each is a seam in the wrong place; the aim is a fifth
most_gl=1
bad=0
known=
included=$(find src -name '*.[ch]' -exec grep -H '^ *# *include "' {} + | sed 's/: *# *include "\([^"]*\)".*/ \1/')
includes() { echo "$included" | grep "^$1[^/]* "; } # includes FOLDER: lines `FILE HEADER`
while IFS=: read -r head allowed; do
  case $head in '' | '#'*) continue ;; esac
  room=${head%% *} budget=${head##* }
  lines=$(find "src/$room" -name '*.[ch]' -exec cat {} + | wc -l)
  [ "$lines" -le "$budget" ] || {
    echo "src/$room has $lines lines; its budget in src/LAYERS is $budget"
    bad=1
  }
  for other in $allowed; do
    case " $known " in *" $other "*) ;; *)
      echo "src/LAYERS: $room may not name $other, which does not stand above it"
      bad=1
      ;;
    esac
  done
  known="$known $room"
  wrong=$(includes "src/$room/" | while read -r file header; do
    case " $room $allowed " in *" ${header%%/*} "*) ;; *)
      echo "$file includes $header, but src/LAYERS lets $room include only: $room $allowed"
      ;;
    esac
  done)
  [ -z "$wrong" ] || {
    echo "$wrong"
    bad=1
  }
done <src/LAYERS
wrong=$(grep -l '^ *# *include <GL/' src/*/*.[ch] | grep -vx src/gl/gl.h) && {
  echo "only src/gl/gl.h may include <GL/...>, but these do:" "$wrong"
  bad=1
}
for folder in src/*/; do
  room=$(basename "$folder")
  case $room in include | python) continue ;; esac
  case " $known " in *" $room "*) ;; *)
    echo "src/$room has no line in src/LAYERS"
    bad=1
    ;;
  esac
done
lines=$(cat src/*/*.[ch] src/include/*/*.h | wc -l)
# raw OpenGL outside src/gl
calls=$(find src -name '*.[ch]' ! -path 'src/gl/*' -exec grep -HoE '\bgl[A-Z][A-Za-z0-9]*\(' {} +) || :
gl=$(printf '%s' "$calls" | grep -c .) || :
[ "$gl" -le $most_gl ] || {
  echo "$gl raw OpenGL calls outside src/gl, expected at most $most_gl:"
  echo "$calls"
  bad=1
}
[ -n "$build" ] || exit $bad

# symbols: lines `FILE:[address] KIND SYMBOL` of what the objects define and use
symbols=$(for source in src/*/*.c; do
  case $source in src/web/*) continue ;; esac # stands for files of other rooms, where those cannot be
  object=${source#src/}
  object=$build/obj/${object%.c}.o
  [ ! -e "$object" ] || echo "$object"
done | xargs nm -A -g)
# uses: lines `FILE FILE SYMBOL KIND`, the first of which uses what the second defines, a function where KIND is T; files
# without their endings. Of the page, which is compiled for browsers only, it takes the words of its two files.
uses() {
  {
    echo "$symbols"
    grep -HoE '\bhb_[a-z0-9_]+' src/web/page.c src/web/show.c | sed "s|^src/\(.*\)\.c:|$build/obj/\1.o: U |"
  } | awk -v folder="$build/obj/" '
    { file = $1; sub(/\.o:.*/, "", file); file = substr(file, length(folder) + 1) }
    $(NF - 1) == "U" { user[++n] = file; used[n] = $NF; next }
    { home[$NF] = file; kind[$NF] = $(NF - 1) }
    END {
      for (k = 1; k <= n; k++) {
        name = used[k]
        if (name in home && home[name] != user[k]) print user[k], home[name], name, kind[name]
      }
    }'
}
calls=$(uses)
[ -n "$calls" ] || {
  echo "$build has no objects of src/"
  exit 1
}
# what <holmberg/...> declares, anybody may call
public=$(grep -hoE '\b[a-z][A-Za-z0-9_]+\b' src/include/holmberg/*.h | sort -u)
strangers=$(echo "$calls" | awk -v public="$public" '
  BEGIN { n = split(public, name, "\n"); for (k = 1; k <= n; k++) is_public[name[k]] = 1 }
  NR == FNR { if (!/^#/ && split($0, part, ":") > 1) { sub(/ .*/, "", part[1]); allowed[part[1]] = " " part[1] part[2] " " } next }
  { split($1, a, "/"); split($2, b, "/") }
  !($3 in is_public) && !index(allowed[a[1]], " " b[1] " ") {
    print "src/" $1 ".c calls " $3 " of src/" $2 ".c, but src/LAYERS does not let " a[1] " use " b[1] }
  ' src/LAYERS - | sort)
[ -z "$strangers" ] || {
  echo "$strangers"
  bad=1
}
# needs: lines `MODULE MODULE`: a source and its header are one module, which needs what it includes and what it calls, but
# not the rows that its table lists
needs() {
  echo "$calls" | awk '$4 == "T" { print $1, $2 }'
  echo "$included" | grep -v '^src/web/' | sed -n 's|^src/\(.*\)\.[ch] \(.*\)\.h$|\1 \2|p' | sed 's/_kernel\b//g' | awk '$1 != $2' # X_kernel.h is X's template
}
# tsort names each circle that it meets, and goes on without it
circles=$(needs | sort -u | tsort 2>&1 >/dev/null | awk '
  /loop:$/ { if (files) print "a circle:" files; files = ""; next }
  { files = files " " $2 }
  END { if (files) print "a circle:" files }')
[ -z "$circles" ] || {
  echo "$circles"
  bad=1
}

# defined: lines `SYMBOL FILE` of what is neither public nor of src/web
defined=$(echo "$symbols" | awk -v folder="$build/obj/" '
  { file = $1; sub(/\.o:.*/, ".c", file) }
  $(NF - 1) !~ /[Uw]/ && $NF != "main" && $NF !~ /[.]/ { print $NF, "src/" substr(file, length(folder) + 1) }')
seams=$(printf '%s\n' "$calls" | awk -v public="$public" -v most=$most_single -v lines="$lines" -v gl="$gl" '
  BEGIN { n = split(public, name, "\n"); for (k = 1; k <= n; k++) is_public[name[k]] = 1 }
  NR == FNR { if (!($1 in is_public) && !($1 in home)) { home[$1] = $2; all++ } next }
  $3 in home && !seen[$1 " " $3]++ { users[$3]++ }
  END {
    for (symbol in home) if (users[symbol] < 2) { single++; list = list "\n" home[symbol] " " symbol " " users[symbol] + 0 }
    printf "%d lines; %d raw OpenGL calls outside src/gl; ", lines, gl
    printf "%d of %d internal symbols have one user or none, expected at most %d", single, all, most
    if (single > most) print list
  }' /dev/fd/3 - 3<<EOT
$defined
EOT
)
echo "$seams" | sort
case $seams in *.c*) bad=1 ;; esac
exit $bad
