// The matrix scheme, first half: all pair terms in one texture (Nyland, Harris & Prins 2004; [NHP07] section 31.5).
//
// A card of 2004 had no loops worth the name. So the pairs themselves are the pixels: column x is a sink, row y a
// source, and each fragment computes the force of one on the other. The sum over y is left to matrix_sum.frag.
//
//              sinks ->
//           0   1   2   3
//   s   0   -  f01 f02 f03        f10 is the force of source 1 on sink 0
//   o   1  f10  -  f12 f13
//   u   2  f20 f21  -  f23        on the diagonal a particle meets itself and feels nothing
//   r   3  f30 f31 f32  -
//   c
//   e  sum  F0  F1  F2  F3        <- matrix_sum.frag
//
// N^2 texels are written and read back before anything is summed, which is why this walk is bound by memory bandwidth,
// and why N could not exceed 2048: 2048 x 2048 was the largest texture of its time. More particles are divided into tiles
// ("out of core"), and `origin` is where this one starts. The target is as large as the tile: every fragment has a pair.

#include "INTERACTION"
#include "common/sources.glsl"

uniform isamplerBuffer sinks; // the particle number of each sink
uniform ivec2 origin;         // of the tile: its first sink, its first source
uniform int token;            // of this tile: a pair counts 1 plus the token
uniform vec4 parameter_high;  // of the interaction: the value as float, and the remainder
uniform vec4 parameter_low;

#define OUTPUTS WORDS
#include "common/outputs.glsl"

void main() {
  ivec2 pair = origin + ivec2(gl_FragCoord.xy);
  int me = bufferFetch(sinks, pair.x).r;
  particle my = sink(pair.x, me);
  particle other = source(pair.y);
  real4 parameter = real4(parameter_high) + real4(parameter_low);

  // The force of a particle on itself may be infinite or NaN: it is left out, since multiplying by zero would give NaN.
  total t = nothing_yet();
  force f = begin_sum(t), g = f;
  interact(my.r, other.r, parameter, g.f);
  if (me != pair.y) f = g;

  // A pair counts as one source, the particle itself included, so that each column adds up to the number of sources. A
  // term left over from an earlier tile has another token and makes the count wrong.
  uvec4 words[WORDS];
#if PRECISION == REPRODUCIBLE // a float, for matrix_block.frag
  for (int r = 0; r < F_RECORDS; r++) words[r] = words[F_RECORDS + r] = floatBitsToUint(f.f[r]);
  words[F_RECORDS - 1].w = uint(1 + token);
#else
  accumulate(t, f);
  to_words(t, 1 + token, words);
#endif
  write_outputs(words);
}
