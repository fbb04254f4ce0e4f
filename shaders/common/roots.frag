// 1 / sqrt(x) as the pairs take it, for 65536 x from 1 to 4, four a fragment: the host finds by how much it is wrong on the
// whole (src/pairs/selftest.c). One x in each of equal steps, anywhere in it: a root from a table does not look at
// the last digits, so they must not always be zero.

#define RECORDS 1
#define F_RECORDS 1
#include "common/real.glsl"

out uvec4 words;

const int ROW = 128; // fragments

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 roots;
  for (int c = 0; c < 4; c++) {
    uint k = uint(4 * (at.y * ROW + at.x) + c), within = (k * 2654435761u >> 16) % 192u;
    float rinv, rinv2;
    reciprocals(1.0 + float(192u * k + within) / 4194304.0, rinv, rinv2); // exact
    roots[c] = rinv;
  }
  words = floatBitsToUint(roots);
}
