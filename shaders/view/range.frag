// The largest absolute value of each component in a stack of records: a fragment reads a block of 8 x 8 cells and writes
// one record of a smaller stack. Draws repeat until one record is left: the scale of the picture.

#include "view/grid.glsl"

uniform usampler2DArray source;
uniform int rows;

layout(location = 0) out uvec4 result[2];

void main() {
  ivec2 first = 8 * ivec2(gl_FragCoord.xy);
  vec4 most0 = vec4(0.0), most1 = vec4(0.0);
  for (int k = 0; k < 64; k++) {
    ivec2 cell = first + ivec2(k % 8, k / 8);
    if (cell.x >= grid.x || cell.y >= rows || record_of(cell) >= grid.w) continue;
    most0 = max(most0, abs(uintBitsToFloat(texelFetch(source, ivec3(cell, 0), 0))));
    most1 = max(most1, abs(uintBitsToFloat(texelFetch(source, ivec3(cell, 1), 0))));
  }
  result[0] = floatBitsToUint(most0);
  result[1] = floatBitsToUint(most1);
}
