// The nearest source, a segment at a time. A fragment finds for each of its points, among the sources of its segment,
// the one that is nearest if rounding is at its worst for it (the smallest `upper`), with both its bounds, and the
// smallest `lower` of all others:
//
//   result: (number of the nearest or -1, its upper, its lower, the lower bound of the rest), the last three as floats
//
// Over all segments the smallest `upper` is a distance within which there is a source for certain. Whatever has a larger
// `lower` is out; usually that leaves one, and the host need not look at all.
#include "near/near.glsl"

const float FAR = 3e38;
const float TINY = 1e-37; // so that no root of 0 is taken: 3e-19 is far below any e

void main() {
  point my[I_EACH];
  int nearest[I_EACH];
  float upper[I_EACH], lower[I_EACH], rest[I_EACH];
  for (int k = 0; k < I_EACH; k++) {
    my[k] = point_at(first_point() + k);
    nearest[k] = -1;
    upper[k] = FAR, lower[k] = FAR, rest[k] = FAR;
  }
  int end = segment_end();
  for (int j = segment_begin(); j < end; j++) {
    vec4 source = bufferFetch(sources, j);
    for (int k = 0; k < I_EACH; k++) {
      vec3 rij = source.xyz - my[k].x;
      float d = sqrt(dot(rij, rij) + TINY), e = source.w + my[k].e;
      bool counts = j != my[k].own;
      float above = counts ? d + (SLACK * d + e) : FAR, below = counts ? d - (SLACK * d + e) : FAR;
      bool closer = above < upper[k];
      rest[k] = min(rest[k], closer ? lower[k] : below);
      nearest[k] = closer ? j : nearest[k];
      lower[k] = closer ? below : lower[k];
      upper[k] = min(upper[k], above);
    }
  }
  for (int k = 0; k < I_EACH; k++)
    result[k] = uvec4(uint(nearest[k]), floatBitsToUint(upper[k]), floatBitsToUint(lower[k]), floatBitsToUint(rest[k]));
}
