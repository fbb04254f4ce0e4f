// Neighbor lists, a segment at a time. A list has no fixed length, and a fragment no place to put it. But 128 bits fit in
// a texel: bit b says whether a neighbor may be among sources b * group ... of the segment (group is 1 where memory allows).
// The host looks at those sources in double; for distant groups, which are most, there is nothing to do.
#include "near/near.glsl"

uniform int group; // sources of a bit: segment_length / 128

void main() {
  point my[I_EACH];
  uvec4 bits[I_EACH];
  for (int k = 0; k < I_EACH; k++) {
    my[k] = point_at(first_point() + k);
    bits[k] = uvec4(0u);
  }
  int end = segment_end();
  for (int j = segment_begin(), b = 0; j < end; b++) {
    uint found[I_EACH];
    for (int k = 0; k < I_EACH; k++) found[k] = 0u;
    for (int stop = min(j + group, end); j < stop; j++) {
      vec4 source = bufferFetch(sources, j);
      for (int k = 0; k < I_EACH; k++) {
        vec3 rij = source.xyz - my[k].x;
        float reach = my[k].reach + source.w; // the radius, and e of both
        if (dot(rij, rij) * (1.0 - SLACK) < reach * reach && j != my[k].own) found[k] = 1u;
      }
    }
    uvec4 word = uvec4(equal(ivec4(b / 32), ivec4(0, 1, 2, 3)));
    for (int k = 0; k < I_EACH; k++) bits[k] |= word * (found[k] << uint(b % 32));
  }
  for (int k = 0; k < I_EACH; k++) result[k] = bits[k];
}
