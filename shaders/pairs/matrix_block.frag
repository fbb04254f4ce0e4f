// The matrix scheme in precision `reproducible`, between its two halves: rows of pairs become rows of totals, 64 to one. A float
// sum depends on its order, so this one is not folded; the totals are whole numbers, and are (matrix_sum.frag).

#include "INTERACTION"
#include "common/sources.glsl"

uniform usampler2DArray before; // pairs, as matrix_pair.frag leaves them
uniform int rows;               // of them

#define OUTPUTS WORDS
#include "common/outputs.glsl"

void main() {
  ivec2 here = ivec2(gl_FragCoord.xy);
  int walked = 0, begin = PARTIAL * here.y, end = min(begin + PARTIAL, rows);
  total t = nothing_yet();
  set_scale(t, here.x);
  force f = begin_sum(t);
  for (int y = begin; y < end; y++) {
    for (int r = 0; r < F_RECORDS; r++) {
      uvec4 pair = texelFetch(before, ivec3(here.x, y, r), 0);
      if (r == F_RECORDS - 1) {
        walked += int(pair.w);
        pair.w = 0u;
      }
      precise vec4 sum = as_written(f.f[r] + uintBitsToFloat(pair));
      f.f[r] = sum;
    }
  }
  accumulate(t, f);

  uvec4 words[WORDS];
  to_words(t, walked, words);
  write_outputs(words);
}
