// The matrix scheme, second half: sums each column by folding the texture upon itself, again and again.
//
//   row 0  a                a + d                a + d + c + f
//       1  b                b + e                b + e
//       2  c    shift 3     c + f    shift 2                    shift 1     all
//       3  d   -------->              -------->                -------->
//       4  e
//       5  f
//
// A fragment cannot add to the texel it draws, nor (in 2004) loop over thousands of others; but it can read two texels
// of one texture and write their sum to another. Each pass halves the number of rows, so h rows take log2 h passes.
// Where the number of rows is odd, the middle one has no partner and stays as it is.
//
// Pairwise summation also keeps rounding errors small: a term goes through log2 h additions instead of h - 1.
//
// The same program adds the sums of a tile, the one row of `more`, to what earlier tiles have left in that of `before`:
// there `shift` is 0.

#include "INTERACTION"

uniform usampler2DArray before; // row y of the result is row y of `before`
uniform usampler2DArray more;   // plus row y + shift of `more`
uniform int shift;
uniform int rows;               // of `more`

#define OUTPUTS WORDS
#include "common/outputs.glsl"

void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), there = ivec2(here.x, here.y + shift);
  int walked;
  uvec4 words[WORDS];
  for (int w = 0; w < WORDS; w++) words[w] = texelFetch(before, ivec3(here, w), 0);
  total t = from_words(words, walked);

  if (there.y < rows) {
    int others;
    for (int w = 0; w < WORDS; w++) words[w] = texelFetch(more, ivec3(there, w), 0);
    merge(t, from_words(words, others));
    walked += others;
  }

  to_words(t, walked, words);
  write_outputs(words);
}
