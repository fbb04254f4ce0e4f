// The matrix scheme, first half: all pair terms in one texture (Nyland, Harris & Prins 2004; [NHP07] section 31.5).
//
// A card of 2004 had no loops worth the name. So the pairs themselves are the pixels: column x is a sink, row y a
// source, and each fragment works out what one feels of the other. The sum over y is left to matrix_sum.frag.
//
//              sinks ->
//           0   1   2   3
//   s   0   -  f01 f02 f03        f with its source first: source 1 acts on sink 0 in row 1 of column 0
//   o   1  f10  -  f12 f13
//   u   2  f20 f21  -  f23        on the diagonal a particle meets itself and feels nothing
//   r   3  f30 f31 f32  -
//   c
//   e  sum  F0  F1  F2  F3        <- matrix_sum.frag
//
// N^2 texels are written once and read once before anything is summed, which is why this walk is bound by memory, and
// why 2048 x 2048, the largest texture of its time, was its largest N. More particles are cut into tiles ("out of
// core"): `origin` says where this one begins. The target is as large as the tile, so no fragment is without a pair.

#include "INTERACTION"
#include "common/sources.glsl"

uniform isamplerBuffer sinks; // the particle number of each sink
uniform ivec2 origin;         // of the tile: its first sink, its first source
uniform int token;            // of this tile: a pair counts 1 and the token
uniform vec4 parameter_high;  // the interaction's own numbers: value, and what float could not hold of it
uniform vec4 parameter_low;

#define OUTPUTS WORDS
#include "common/outputs.glsl"

void main() {
  ivec2 pair = origin + ivec2(gl_FragCoord.xy);
  int me = texelFetch(sinks, pair.x).r;
  particle my = sink(me);
  particle other = source(pair.y);
  real4 parameter = real4(parameter_high) + real4(parameter_low);

  // With itself a particle may get infinity, or no number at all: that is left out, not multiplied by zero (which
  // would make no number of it).
  total t = nothing_yet();
  force f = begin_sum(t);
  interact(my.r, other.r, parameter, f.f);
  if (me != pair.y) accumulate(t, f);

  uvec4 words[WORDS];
  // One source met, itself included: each column counts up to all sources. With a token of its own no term that an
  // earlier tile has left behind counts as one of this.
  to_words(t, 1 + token, words);
  write_outputs(words);
}
