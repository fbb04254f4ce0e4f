#!/bin/sh
# Checks src/LAYERS: every #include "room/..." of a file in src/ names its own room or one that its line allows,
# and no room is allowed to name one that stands below it.
set -eu
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
  [ "$room" = include ] && continue
  case " $known " in *" $room "*) ;; *)
    echo "src/$room has no line in src/LAYERS"
    bad=1
    ;;
  esac
done
exit $bad
