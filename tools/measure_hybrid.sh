#!/usr/bin/env bash
# measure_hybrid.sh HOLMBERG software|gpu [ROUNDS]: whole runs by hybrid and by its two sources, as JSON lines on standard
# output; data/README.md says where they are stored. The paper's problem (a Plummer sphere, its parameters, t = 1/32 to 1/4) by
# host-simd, by the source on OpenGL and by hybrid in turn, ROUNDS (3) times: other load can only add time, so the shortest
# round counts, and the longest shows how much was added. The last line compares hybrid with the 2007 kernel. SIZES="256 ..."
# and PRECISION choose others; above GL_MOST particles the source on OpenGL is left out.
set -eu
holmberg=$1
kind=$2
rounds=${3:-3}
precision=${PRECISION:-ds}
case $kind in
software) gl=bag gl_most=${GL_MOST:-8192} ;;
gpu) gl=tile gl_most=${GL_MOST:-1048576} ;;
esac
printf '{"date": "%s", "command": "tools/measure_hybrid.sh holmberg %s %s", "version": "%s", "cores": %s}\n' \
  "$(date -u +%Y-%m-%d)" "$kind" "$rounds" "$("$holmberg" --version)" "$(nproc)"

# run SCHEME PRECISION N T_BEGIN T_END: "scheme least most words"; runs of a few milliseconds are repeated
run() {
  repeat=1
  [ "$3" -ge 4096 ] || [ "$5" != 0.25 ] || repeat=9
  "$holmberg" bench run --scheme "$1" --precision "$2" --n "$3" --mode all/host/host --t-begin "$4" --t-end "$5" --json \
    --repeat $repeat | sed -n 's/.*"scheme": "\([^"]*\)".*"wall_min_s": \([0-9.e+-]*\), "wall_max_s":'\
' \([0-9.e+-]*\),.*"tuning": "\([^"]*\)".*/\1 \2 \3 \4/p'
}

# summary N <lines of run: a line of JSON
summary() {
  sort -k1,1 -k2,2g | awk -v n="$1" -v precision="$precision" -v gl="$gl" '
    !($1 in least) { least[$1] = $2 }
    { if ($3 > most[$1]) most[$1] = $3; if ($1 == "hybrid") { $1 = $2 = $3 = ""; words = substr($0, 4) } }
    END {
      better = gl in least && least[gl] < least["host-simd"] ? least[gl] : least["host-simd"]
      printf "{\"n\": %d, \"precision\": \"%s\", \"host_s\": %.5f, \"host_most_s\": %.5f, ", n, precision, least["host-simd"], most["host-simd"]
      if (gl in least) printf "\"%s_s\": %.5f, ", gl, least[gl]
      printf "\"hybrid_s\": %.5f, \"hybrid_most_s\": %.5f, \"hybrid_to_better\": %.3f, \"words\": \"%s\"}\n", \
        least["hybrid"], most["hybrid"], least["hybrid"] / better, words }'
}

for n in ${SIZES:-256 512 1024 2048 4096 8192 16384 32768 65536}; do
  for ((round = 0; round < rounds; round++)); do
    for scheme in host-simd $gl hybrid; do
      if [ "$scheme" = "$gl" ] && [ "$n" -gt "$gl_most" ]; then continue; fi
      run "$scheme" "$precision" "$n" 1/32 0.25
    done
  done | summary "$n"
done

for ((round = 0; round < rounds; round++)); do
  run cg2007 single 1024 0 0.0625
  run hybrid "$precision" 1024 0 0.0625
done | sort -k1,1 -k2,2g | awk '!($1 in t) { t[$1] = $2 } END {
  printf "{\"n\": 1024, \"run\": \"t = 0 to 1/16\", \"cg2007_s\": %.4f, \"hybrid_s\": %.4f, \"speed_up\": %.1f}\n", t["cg2007"],
    t["hybrid"], t["cg2007"] / t["hybrid"] }'
