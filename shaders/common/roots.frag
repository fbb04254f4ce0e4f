// 1 / sqrt(x) as the pairs take it, for 65536 x from 1 to 4 in equal steps, four a fragment: the host finds by how much it
// is wrong on the whole (src/pairs/selftest_roots.c).

#define RECORDS 1
#define F_RECORDS 1
#include "common/real.glsl"

out uvec4 words;

const int ROW = 128; // fragments

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 roots;
  for (int c = 0; c < 4; c++) {
    float x = 1.0 + float(3 * (4 * (at.y * ROW + at.x) + c)) / 65536.0; // exact
    float rinv, rinv2;
    reciprocals(x, rinv, rinv2);
    roots[c] = rinv;
  }
  words = floatBitsToUint(roots);
}
