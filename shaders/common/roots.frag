// 1 / sqrt(x) as the interactions compute it, for 65536 values x from 1 to 4, four per fragment: the host finds its mean
// error (src/pairs/selftest.c). One x from each of equal intervals, anywhere within it: an instruction that looks roots
// up in a table ignores the last digits, so they must not always be zero.

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
