#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody with files that are not what their names say: one sentence, no crash, no hang, nothing written.
load common

bad_files() {
  local extension
  python3 - <<'END'
import random
r = random.Random(5)
for name in "h5 txt nemo dat tipsy dyn xmf amuse ckpt csv jsonl glsl".split():
    open("noise." + name, "wb").write(bytes(r.randrange(256) for _ in range(3000)))
    open("empty." + name, "wb").close()
END
  holmberg ic plummer -n 64 -o good.h5 --quiet
  for extension in h5 txt nemo; do
    holmberg convert good.h5 whole.$extension >/dev/null
    head -c 700 whole.$extension >cut.$extension
    rm whole.$extension
  done
}

@test "every command that reads a file, on files that are none" {
  bad_files
  for file in noise.* empty.* cut.*; do
    for command in "info $file" "run $file --t-end 1/64 -o never.h5" "convert $file never.txt" "analyze $file" \
      "render $file -o never.png" "plot $file -o never.svg" "diff good.h5 $file" "run --resume $file" "scale $file never.h5 --mass 2" \
      "ic combine good.h5 $file -o never.h5" "ic plummer --masses $file -o never.h5"; do
      case $file in empty.*) [[ $command == info* || $command == *masses* || $command == plot* ]] || continue ;; esac
      # shellcheck disable=SC2086 # words
      run --separate-stderr timeout 60 holmberg $command
      echo "holmberg $command: $status, $stderr"
      case $status in 2 | 3 | 4) ;; *) false ;; esac
      [[ ${stderr_lines[0]} == holmberg:* ]]
      [ "${#stderr_lines[@]}" -le 2 ]
    done
  done
  run ! compgen -G 'never*'
}
