#!/usr/bin/env bash
# count_calls.sh BUILD [ARG...]: how many functions of this project one warm block step runs through, and how many frames lie
# between hb_sim_step and the draw, both ends included. BUILD is a folder of its own: everything is built there once more, with
# -finstrument-functions, so that inlined functions count, too; one of a header counts once, whichever files have it. ARG...: options of `holmberg run`, by default those of bag in ds.
# V=1 lists the functions and the frames.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
build=$1
shift
[ $# -gt 0 ] || set -- --scheme bag --precision ds --no-tune
make -s B="$build" OPT='-O3 -g -finstrument-functions' "$build/holmberg"
program=$build/holmberg

cat >"$build/count_calls.c" <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#define PLAIN __attribute__((no_instrument_function))
enum { WARM = 100, DEEP = 256, MOST = 4096 };
static size_t base, step, draw, stack[DEEP], seen[MOST], path[DEEP];
static int depth, count, frames, steps, inside;
static __thread int other = -1;
PLAIN static int find(struct dl_phdr_info *info, size_t size, void *out)
{
  (void)size;
  *(size_t *)out = info->dlpi_addr;
  return 1; /* the program comes first */
}
PLAIN static void start(void)
{
  dl_iterate_phdr(find, &base);
  step = strtoul(getenv("COUNT_STEP"), NULL, 16);
  draw = strtoul(getenv("COUNT_DRAW"), NULL, 16);
}
PLAIN void __cyg_profile_func_enter(void *function, void *from)
{
  (void)from;
  if (!step) start(), other = 0;
  if (other) return;
  size_t at = (size_t)function - base;
  if (at == step && ++steps == WARM) inside = 1, depth = 0;
  if (!inside) return;
  if (depth < DEEP) stack[depth] = at;
  depth++;
  int k = 0;
  while (k < count && seen[k] != at) k++;
  if (k == count && count < MOST) seen[count++] = at;
  if (at == draw && depth > frames) {
    frames = depth;
    for (k = 0; k < depth; k++) path[k] = stack[k];
  }
}
PLAIN void __cyg_profile_func_exit(void *function, void *from)
{
  (void)from;
  if (other || !inside) return;
  if ((size_t)function - base == step) {
    FILE *out = fopen(getenv("COUNT_OUT"), "w");
    for (int k = 0; k < count; k++) fprintf(out, "function %zx\n", seen[k]);
    for (int k = 0; k < frames; k++) fprintf(out, "frame %zx\n", path[k]);
    fclose(out);
    inside = 0;
    step = 1;
  }
  depth--;
}
C
${CC:-cc} -O2 -shared -fPIC -o "$build/count_calls.so" "$build/count_calls.c"
address() { nm "$program" | sed -n "s/^\([0-9a-f]*\) [tT] $1\$/\1/p"; }
"$program" ic plummer -n 256 --seed 1 -o "$build/count_calls.txt" >/dev/null
COUNT_STEP=$(address hb_sim_step) COUNT_DRAW=$(address "${DRAW:-hb_gl_pass_draw}") COUNT_OUT=$build/count_calls.out \
  HB_CONTEXT=${HB_CONTEXT:-osmesa} LD_PRELOAD=$build/count_calls.so \
  "$program" run "$build/count_calls.txt" --t-end 1/16 "$@" >/dev/null
inline=$(grep -hoE '^static inline [a-z_0-9 *]+\(' src/*/*.h | sed 's/($//; s/.*[ *]//' | sort -u)
named=$(nm "$program" | awk -v inline="$inline" '
  BEGIN { n = split(inline, header, "\n"); for (k = 1; k <= n; k++) once[header[k]] = 1 }
  NR == FNR { sub(/^0*/, "", $1); if (!($1 in name)) name[$1] = $3; next }
  { it = ($2 in name) ? name[$2] : $2 }
  $1 == "frame" || !(it in once) || !seen[it]++ { print $1, it }' - "$build/count_calls.out")
[ -z "${V:-}" ] || echo "$named"
echo "$(grep -c ^function <<<"$named") functions, $(grep -c ^frame <<<"$named") frames from hb_sim_step to the draw"
