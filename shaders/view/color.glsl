// What a particle is colored by, and the color.

#define SPEED 0
#define VALUE 1
#define GROUP 2

uniform int color_by;
uniform vec4 range; // start, and one over the length
uniform samplerBuffer values; // by the particle's number
uniform sampler2D palette;    // one row per color map, the last one for groups
uniform int palette_row;

vec3 color_of(int number, vec3 velocity) {
  int last = textureSize(palette, 0).x - 1;
  float value = color_by == SPEED ? length(velocity) : bufferFetch(values, number).x;
  if (color_by == GROUP) return texelFetch(palette, ivec2(int(value) & last, palette_row), 0).rgb;
  float t = clamp((value - range.x) * range.y + range.z, 0.0, 1.0) * float(last);
  int from = int(t);
  return mix(texelFetch(palette, ivec2(from, palette_row), 0).rgb,
             texelFetch(palette, ivec2(min(from + 1, last), palette_row), 0).rgb, t - float(from));
}
