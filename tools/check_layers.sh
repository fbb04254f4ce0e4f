#!/bin/sh
# check_layers.sh [BUILD]: the order of the house, src/LAYERS. Every #include "room/..." of a file in src/ names its own
# room or one that its line allows, and no room is allowed to name one that stands below it. With the folder of a whole
# build, the same of what the objects call: a room uses only what its line allows and
# what is public, and no files use each other in a circle.
set -eu
build=${1:-}
cd "$(dirname "$0")/.."
bad=0
known=
while IFS=: read -r room allowed; do
  case $room in '' | '#'*) continue ;; esac
  for other in $allowed; do
    case " $known " in *" $other "*) ;; *)
      echo "src/LAYERS: $room may not name $other, which does not stand above it"
      bad=1
      ;;
    esac
  done
  known="$known $room"
  for file in src/"$room"/*.[ch]; do
    [ -e "$file" ] || continue
    headers=$(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file")
    for header in $headers; do
      from=${header%%/*}
      case " $room $allowed " in *" $from "*) ;; *)
        echo "$file includes $header, but src/LAYERS lets $room include only: $room $allowed"
        bad=1
        ;;
      esac
    done
    if grep -q '^ *# *include <GL/' "$file" && [ "$file" != src/gl/gl.h ]; then
      echo "$file includes <GL/...>; only src/gl/gl.h may"
      bad=1
    fi
  done
done <src/LAYERS
for folder in src/*/; do
  room=$(basename "$folder")
  case $room in include | python) continue ;; esac
  case " $known " in *" $room "*) ;; *)
    echo "src/$room has no line in src/LAYERS"
    bad=1
    ;;
  esac
done
[ -n "$build" ] || exit $bad

# uses: lines `FILE FILE SYMBOL`, the first of which calls what the second defines; files without their endings.
uses() {
  for source in src/*/*.c; do
    case $source in src/web/*) continue ;; esac # stands for files of other rooms, where those cannot be
    object=${source#src/}
    object=$build/obj/${object%.c}.o
    [ ! -e "$object" ] || echo "$object"
  done | xargs nm -A -g | awk -v folder="$build/obj/" '
    { file = $1; sub(/\.o:.*/, "", file); file = substr(file, length(folder) + 1) }
    $(NF - 1) == "U" { user[++n] = file; used[n] = $NF; next }
    { home[$NF] = file }
    END { for (k = 1; k <= n; k++) if (used[k] in home && home[used[k]] != user[k]) print user[k], home[used[k]], used[k] }'
}
calls=$(uses)
[ -n "$calls" ] || {
  echo "$build has no objects of src/"
  exit 1
}
# what <holmberg/...> declares, anybody may call
public=$(grep -hoE '\bhb_[a-z0-9_]+' src/include/holmberg/*.h | sort -u)
strangers=$(echo "$calls" | awk -v public="$public" '
  BEGIN { n = split(public, name, "\n"); for (k = 1; k <= n; k++) is_public[name[k]] = 1 }
  NR == FNR { if (!/^#/ && split($0, part, ":") > 1) allowed[part[1]] = " " part[1] part[2] " "; next }
  { split($1, a, "/"); split($2, b, "/") }
  !($3 in is_public) && !index(allowed[a[1]], " " b[1] " ") {
    print "src/" $1 ".c calls " $3 " of src/" $2 ".c, but src/LAYERS does not let " a[1] " use " b[1] }
  ' src/LAYERS - | sort)
[ -z "$strangers" ] || {
  echo "$strangers"
  bad=1
}
# tsort names each circle that it meets, and goes on without it
circles=$(echo "$calls" | awk '{ print $1, $2 }' | sort -u | tsort 2>&1 >/dev/null | awk '
  /loop:$/ { if (files) print "a circle of calls:" files; files = ""; next }
  { files = files " " $2 }
  END { if (files) print "a circle of calls:" files }')
[ -z "$circles" ] || {
  echo "$circles"
  bad=1
}
exit $bad
