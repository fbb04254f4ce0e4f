// A traced array on its way to a picture: whatever its storage, each record becomes two vec4s of floats, stored as bits.
//
//   SOURCE   ARRAY_2D         a texture, one texel per record: cg2007's streams
//            ARRAY_RECTANGLE  the same with the rectangle textures of 2007
//            ARRAY_LAYERS     integers that hold bits, one layer per texel of a record: totals and pair terms
//            ARRAY_FLOATS     a buffer of floats: the particles
//            ARRAY_WORDS      a buffer of bits
//
// Doubles are cut to the digits of a float.

#ifndef SOURCE
#define SOURCE 0
#endif
#define ARRAY_2D 0
#define ARRAY_RECTANGLE 1
#define ARRAY_LAYERS 2
#define ARRAY_FLOATS 3
#define ARRAY_WORDS 4

#include "common/layout.glsl"
#include "view/grid.glsl"

uniform ivec4 place; // width of the texture's rows, height of its bands, texels per record, step from one to the next
uniform int low;     // where the low words of doubles are; 0: there are none
uniform int slots;   // texels of a record that hold numbers: 1 or 2

#if SOURCE == ARRAY_2D
uniform sampler2D source;
#elif SOURCE == ARRAY_RECTANGLE
uniform sampler2DRect source;
#elif SOURCE == ARRAY_LAYERS
uniform usampler2DArray source;
#elif SOURCE == ARRAY_FLOATS
uniform samplerBuffer source;
#else
uniform usamplerBuffer source;
#endif

layout(location = 0) out uvec4 result[2];

uvec4 texel(ivec2 cell, int slot) {
  int turn = cell.y / grid.y, beside = cell.y % grid.y;
#if SOURCE == ARRAY_FLOATS || SOURCE == ARRAY_WORDS
  int at = place.z * (cell.x * grid.y + beside + (grid.z == 1 ? grid.x : grid.w) * turn) + slot;
#if SOURCE == ARRAY_FLOATS
  return floatBitsToUint(bufferFetch(source, at));
#else
  return bufferFetch(source, at);
#endif
#else
  ivec2 here = texel_of(grid.x * turn + cell.x, place.x, place.y);
#if SOURCE == ARRAY_LAYERS
  return texelFetch(source, ivec3(here, place.z * beside + slot), 0);
#elif SOURCE == ARRAY_RECTANGLE
  return floatBitsToUint(texelFetch(source, here));
#else
  return floatBitsToUint(texelFetch(source, here, 0));
#endif
#endif
}

// A double rounded towards zero to a float: sign, exponent moved from bias 1023 to 127, first 23 bits of the fraction.
uint float_of(uint high, uint low_word) {
  int exponent = int((high >> 20) & 0x7ffu) - 896;
  uint sign = high & 0x80000000u;
  if (exponent <= 0) return sign;
  if (exponent >= 255) return sign | 0x7f800000u;
  return sign | (uint(exponent) << 23) | ((high & 0xfffffu) << 3) | (low_word >> 29);
}

void main() {
  ivec2 cell = ivec2(gl_FragCoord.xy);
  for (int k = 0; k < 2; k++) {
    uvec4 words = uvec4(0u);
    if (k < slots && record_of(cell) < grid.w) {
      words = texel(cell, place.w * k);
      if (low > 0) {
        uvec4 rest = texel(cell, place.w * k + low);
        words = uvec4(float_of(words.x, rest.x), float_of(words.y, rest.y), float_of(words.z, rest.z),
                      float_of(words.w, rest.w));
      }
    }
    if (k == 0) result[0] = words;
    else result[1] = words;
  }
}
