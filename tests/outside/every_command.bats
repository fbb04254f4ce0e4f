#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016,SC2046 # run sets these, each test is a subshell; patterns with dollars; words
# Every command that a guide prints, in a code block or between backquotes, is done: by a journey, or here in small. One that is
# neither done nor has a reason below fails by its name.
load common

# all_commands FILE: every command of a guide, one a line: in code blocks the lines that begin with a program, put together where a
# backslash or an open quote ends them; in the text what stands between backquotes, begins with a program and has a word more.
all_commands() {
  awk -v RS='\001' '
    function is_one(text) {
      sub(/^([A-Z_0-9]+=("[^"]*"|[^ ]*) +)*/, "", text)
      return text ~ /^((build\/)?holmberg|make|mpirun|srun|sbatch|cc|c\+\+|gfortran|patch|cp|ln|printf|awk|makeplummer|man|python3?|pip3?|apt(-get)?|sudo|git|gnuplot|ffmpeg|bats|(\.\/)?tools\/[a-z_0-9]+\.(sh|py)|\.\/[a-z_0-9]+|\$[a-z]+) +[^ =]/ || text ~ /^\.\/[a-z_0-9]+$|^\$[a-z]+$/
    }
    function put(text) {
      if (text ~ /^([A-Z_0-9]+=[^ ]* +)*(cc|c\+\+|gfortran) /) { sub(/  +#.*/, "", text); gsub(/  +/, " ", text) }
      sub(/  .*/, "", text) # what is said about it
      sub(/^build\/holmberg /, "holmberg ", text)
      if (is_one(text " ") || is_one(text)) print text
    }
    {
      n = split($0, line, "\n")
      for (k = 1; k <= n; k++) {
        if (line[k] ~ /^ *```/) { fenced = !fenced; continue }
        if (!fenced && line[k] !~ /^    /) { text = text line[k] "\n"; continue }
        one = line[k]
        sub(/^ +/, "", one)
        sub(/^\$ /, "", one)
        while (is_one(one) && k < n && (one ~ /\\$/ || (one !~ /  / && gsub(/\047/, "\047", one) % 2))) {
          sub(/ *\\$/, "", one)
          sub(/^ +/, " ", line[++k])
          one = one line[k]
        }
        put(one)
      }
      while (match(text, /`[^`]+`/)) {
        one = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        gsub(/[ \n]+/, " ", one)
        if (one !~ /^([A-Z_0-9]+=[^ ]* )*[^ ]+$/) put(one)
      }
    }' "$(guide "$1")"
}


# Done elsewhere, or by nobody: PATTERN ~ FILE ~ WORDS ~ why not here. The file must exist and have these words in it.
elsewhere=(
  '^make run$ ~ tests/outside/newcomer.bats ~ run >out ~ takes 12 s'
  '^make build/tests/ ~ tests/run.sh ~ tests/unit/test_* ~ a test of its own, which runs all of them'
  '^HOLMBERG=[^ ]* bats tests/ ~ tests/run.sh ~ bats --tap ~ a test of its own, which runs all of them'
  '^make( |$) ~ Makefile ~ .PHONY: ~ builds, installs packages or takes hours; make test is what runs this. Its target must exist'
  'make -C lib ~ data/README.md ~ Sapporo2 ~ the library of somebody else'
  '^cc integrate.c ~ tests/outside/python.bats ~ cc integrate.c ~ needs the program that README prints'
  '^(cc|gfortran) .*libholmberg-|^(cc|gfortran) .*holmberg-g6|\./program$ ~ tests/outside/every_command.bats ~ src/lib/README.md | ~ needs programs to link: the test below'
  'run\[@\] ~ tests/outside/queue.bats ~ queue_script ~ a line of a script for a queue'
  '^cp -r |^patch |\$run|\$force|^HB_SHADER_DIR=near|ellipse ~ tests/outside/student.bats ~ exercises ~ each needs the lines before it'
  '^HB_SHADER_DIR=mine ~ tests/outside/teacher.bats ~ LESSON.md ~ needs the copy that is made before'
  '^holmberg pairs .*\.txt ~ tests/outside/theorist.bats ~ holmberg pairs ~ needs the tables that are made before'
  '^holmberg card ~ tests/cli/gl_card.bats ~ card ~ takes a minute'
  'holmberg reproduce ~ tests/cli/gl_reproduce.bats ~ reproduce --out ~ takes a minute at least, and hours by default; there it is small'
  '^pip install \.$ ~ tests/outside/release.bats ~ pip -q wheel ~ in src/python; there the wheel is built, installed and tried'
  'makeplummer ~ tests/cli/formats.bats ~ nemo ~ a program of NEMO, which Debian has not'
  '^man ~ tests/outside/every_command.bats ~ share/man ~ waits for keys: the test below looks whether there is such a page'
  'tools/(bare|measure_|cluster|figures) ~ tools ~ - ~ takes minutes to days, some on a machine that is named. The script must exist'
)

# In small: what is changed, and why. One expression of sed -E a line.
small='
s/--t-end [0-9.]+/--t-end 1\/8/                                  # the effect is there at once
s/--t-end 0\.25|--t-begin 0 --t-end [0-9.\/]+/--t-begin 0 --t-end 1\/16/
s/(--n|-n) [0-9]{3,}(,[0-9e]+)+/\1 16,32,64/                # a fit needs several N
s/(--n|-n) [0-9]{3,}/\1 32/
s/--ni [0-9,]+/--ni 16,32/
s/--repeat [0-9]+/--repeat 1/
s/--device 0,1/--device 0/                                       # a machine with one
s/--seconds [0-9]+/--seconds 0.1/
s/--ranks$/--ranks 1,4 --machine fit.jsonl --n 64 --network net.jsonl/
s/model fit /model fit --n 16,32,64 /                            # N that are measured without being named
s/(model fit --n 16,32,64 .*)--n 16,32,64/\1/
/model fit/{/--t-end/!s/model fit/model fit --seeds 1 --t-begin 0 --t-end 1\/16/}
s/bench (force|draws) /bench \1 --repeat 1 --n 32 /
s/(bench [a-z]+ --repeat 1 )--n 32 (.*--n )/\1\2/
/bench run/{/--n /!s/bench run/bench run --n 32/}                # by default, those of the paper
/bench run/{/--t-end/!s/bench run/bench run --t-begin 0 --t-end 1\/16/}
s/ -o$/ -o fit.jsonl/
s/^holmberg ic demo1 /holmberg ic demo1 -n 32 /
# what stands for something of the reader
s/(--n|-n) N\b/\1 32/
s/--time-unit T/--time-unit 1/
s/w=W,k=K,n=W/w=0.1,k=0.14,n=0.1/
s/--escape-radius R/--escape-radius 8/
s/start.h5 (.*--units astro) \.\.\.$/units.h5 \1 --t-end 1\/8/
s/^holmberg run --(eps|interaction)/holmberg run pair.h5 --\1/
s/^(holmberg pairs --interaction my.glsl)$/\1 --j pair.h5/
s/^(holmberg analyze) (--tide)$/\1 cluster.h5 \2 0.03/
/^holmberg run .*h5/{/--t-end/!s/$/ --t-end 1\/8/}
s/--follow 729/--follow 7/                                    # one that the small cluster has
# a window that ends by itself; the windows of journeys are looked at
/holmberg view/{/--record/!s/$/ --record seen.apng --seconds 0.1 --fps 5/}
/holmberg view/{/--size/!s/$/ --size 320x180/}
s/trace -n 37/trace -n 9/
s/\.mp4/.apng/
'

# A form, in which capitals or dots stand for something, or no more than a name: that command must explain itself, and know the
# options that are said.
form='\.\.\.|(^|[],: =[])[A-Z]+(\]| |,|$)|^([A-Z_]+=[^ ]* )?holmberg (run|render|pairs|convert|diff|analyze|plot|ic|scale|tune|bench|model|(bench|model) [a-z]+|reproduce)( --[a-z-]+)*$'

# Where a guide speaks of the files of the reader, they are small. One folder, of which each command has a copy.
own_files() {
  local guide words
  mkdir own && cd own || return 1
  holmberg ic king -n 24 --seed 3 -o cluster.h5 --quiet
  holmberg ic plummer -n 16 --seed 4 -o other.h5 --quiet
  holmberg ic plummer -n 16 --seed 4 --masses kroupa --length-unit 2 -o units.h5 --quiet
  holmberg ic twobody --e 0.5 -o pair.h5 --quiet
  holmberg scale cluster.h5 start.h5 --at 100,0,0 --velocity 0,10,0 --quiet
  holmberg run cluster.h5 --t-end 1/8 --diag cluster.csv --follow 7 --quiet
  holmberg run cluster.h5 --t-end 1/8 --snap-every 1/16 --checkpoint run.ckpt -o end.h5 --quiet
  HB_CONTEXT=osmesa holmberg model fit --scheme host --n 16,32,64 -o fit.jsonl >fitted
  echo '{"record": "network", "ranks": 2, "t_message": 5e-7, "t_byte": 3e-10}' >net.jsonl # as `bench messages --json` ends
  for guide in $guides; do printed "$guide" 'void interact.* h = parameter[.]y'; done >my.glsl
  for words in "--scheme tile" "--interaction my.glsl"; do # whose tunings are then found in the cache
    # shellcheck disable=SC2086 # words
    LD_PRELOAD=$quick TICK_US=1000000 TICK_WAITS=1 holmberg run pair.h5 $words --t-end 0 --quiet
  done
  cd ..
}

# in_small COMMAND: the command in a folder of its own; what it says, if it fails
in_small() {
  local command folder
  command=$(sed -E "$small" <<<"$1")
  if [[ $command == *"holmberg "* ]] && grep -qE "$form" <<<"$command"; then
    explains_itself "$1"
    return
  fi
  folder=$(mktemp -d "$PWD/XXXXXX")
  cp -r own/. "$folder"
  case $command in *tools/*) cd "$SOURCE" || return 1 ;; *) cd "$folder" || return 1 ;; esac
  [[ $command == *--resume* ]] || rm "$folder"/run.ckpt* # its own, if it writes one
  case $command in # what measures, is over at once by another clock: tests/cli/ticks.c; MPI has its own
  *mpirun*) ;;
  *'holmberg bench '* | *'holmberg model fit '* | *'holmberg tune'*) local -x LD_PRELOAD=$quick TICK_US=100000 TICK_WAITS=1 ;;
  esac
  timeout 120 bash -o pipefail -c "$command" >"$folder/said" 2>&1 </dev/null ||
    echo "undone: $1"$'\n'"    as $command: exit code $?, $(head -n 5 "$folder/said")"
}

explains_itself() { # explains_itself FORM
  local words option help
  words=$(sed -E 's/^([A-Z_]+=[^ ]* )*holmberg //; s/>.*//; s/ [^a-z].*//' <<<"$1")
  read -ra words <<<"$words"
  case $1 in *COMMAND*) words=(run) ;; *mpirun*) words=(run) ;; esac
  [ "${words[0]}" = model ] || words=("${words[0]}")
  help=$(holmberg "${words[@]}" --help 2>&1) || {
    echo "unknown: $1"
    return
  }
  grep -oE -e ' --?[a-z][a-z0-9-]*' <<<"${1#*holmberg }" | while read -r option; do
    grep -qE -e "(^|[ ,])$option( |,|=|$)" <<<"$help" || echo "unknown: $option in $1"
  done
}

# has_reason COMMAND: in the table, whose file must have what it says; what is wrong, if something is
has_reason() {
  local line pattern file words target
  for line in "${elsewhere[@]}"; do
    pattern=${line%% ~ *} file=${line#* ~ }
    [[ $1 =~ $pattern ]] || continue
    words=${file#* ~ } file=${file%% ~ *}
    words=${words%% ~ *}
    [ "$file" = tools ] && file=$(grep -oE 'tools/[a-z_0-9]+\.(sh|py)' <<<"$1") words=
    [ -e "$SOURCE/$file" ] && grep -qFe "$words" "$SOURCE/$file" || echo "undone: $1 ($file has no more '$words')"
    [ "$file" != Makefile ] || for target in ${1#make}; do
      grep -qE "^${target%%=*}( *=|:)|\(${target%%=*}\)" "$SOURCE/Makefile" || echo "unknown: $1"
    done
    [[ ! $1 =~ ^([A-Z_]+=[^ ]* )*holmberg\  ]] || explains_itself "$1"
    return 0
  done
  return 1
}

@test "every command of every guide" {
  display_begin "$BATS_TEST_TMPDIR" 1280x800
  if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi # root's
  export OMPI_MCA_rmaps_base_oversubscribe=1
  guides=$(cd "$SOURCE" && find . -name '*.md' -not -path './build/*' -printf '%P\n' | sort)
  export quick=$PWD/ticks.so
  cc -std=c11 -D_GNU_SOURCE -shared -fPIC "$SOURCE/tests/cli/ticks.c" -o "$quick"
  own_files
  for guide in $guides; do all_commands "$guide"; done | sort -u >list
  while IFS= read -r command; do has_reason "$command" >>undone || printf '%s\0' "$command"; done <list >here
  echo "$(wc -l <list) commands, $(tr -cd '\0' <here | wc -c) of them here"
  [ "$(wc -l <list)" -ge 50 ]
  export -f in_small explains_itself
  export small form
  xargs -0 -n 1 -P 2 bash -c 'in_small "$1"' in_small <here >>undone
  cat undone
  [ ! -s undone ]
}

@test "every line for a program that is relinked; and pages of man that guides name are installed" {
  all_commands src/lib/README.md | grep -E '^(cc|gfortran) |\./program$' | grep -v integrate.c | tee list # which python.bats does
  [ "$(grep -c program list)" -ge 5 ]
  local static command here=$PWD
  static="-L$PREFIX/lib $(pkg-config --libs $(pkg-config --print-requires-private holmberg)) -ldl -pthread" # the dots
  mkdir c fortran
  cc -O2 -c "$SOURCE/tests/api/g6_cluster.c" $(pkg-config --cflags holmberg-g6) -o c/program.o
  gfortran -O2 -fallow-argument-mismatch -w -c "$SOURCE/tests/api/g6_cluster.f90" -J fortran -o fortran/program.o
  while read -r command; do
    cd "$here/c"
    case $command in
    gfortran*) cd "$here/fortran" ;;
    *\ ...\ *) command=$(sed -E "s|(lib[a-z0-9-]*\.a)|$PREFIX/lib/\1|g; s|\.\.\.|$static|" <<<"$command") ;;
    esac
    case $command in
    *./program) # of that many stars; it keeps their energy
      done_as_printed "$command 64"
      awk '{ print "energy", $2, "off by", $3; exit !(NF == 5 && $3 < 1e-5 && $3 > -1e-5) }' <<<"$output"
      ;;
    *)
      done_as_printed "$command -lm" # which it needs itself
      ./program 64 >said
      ;;
    esac
  done <list

  cd "$here"
  for guide in $(cd "$SOURCE" && find . -name '*.md' -not -path './build/*' -printf '%P\n'); do all_commands "$guide"; done |
    sed -n 's/^man \([1-8]\) \([a-z_-]*\)$/\1 \2/p' | sort -u >pages
  while read -r section name; do [ -s "$PREFIX/share/man/man$section/$name.$section" ]; done <pages
}
