// One component of a stack of records as an image in false colors, row 0 at the top; or the scale of those colors. A
// long strip of records is divided into pieces, one below the other.

#include "view/grid.glsl"

uniform usampler2DArray source;
uniform ivec4 image;     // left, top (from above), width, height in pixels, of the cells
uniform ivec4 shape;     // rows; columns of a piece; pixels per cell; height of the framebuffer
uniform int component;   // -1: the scale; -2: only the background
uniform float most;      // end of the scale
uniform int marked;      // record to draw a frame around, -1: none
uniform vec4 anchors[9]; // see src/inspect/inspector.c

out vec4 color;

// The same as hb_false_color.
vec3 false_color(float value) {
  float t = most > 0.0 ? sign(value) * sqrt(min(abs(value) / most, 1.0)) : 0.0;
  float at = (t + 1.0) * 4.0;
  int k = int(min(at, 7.0));
  vec3 low = anchors[0].rgb, high = anchors[1].rgb;
  for (int a = 1; a < 8; a++)
    if (a == k) { low = anchors[a].rgb; high = anchors[a + 1].rgb; }
  return mix(low, high, at - float(k));
}

void main() {
  ivec2 here = ivec2(gl_FragCoord.x, float(shape.w) - gl_FragCoord.y) - image.xy;
  vec3 paper = vec3(0.07, 0.07, 0.094);
  color = vec4(paper, 1.0);
  if (component == -2) return;
  if (component == -1) {
    float t = (float(here.x) + 0.5) / float(image.z) * 2.0 - 1.0;
    color = vec4(false_color(sign(t) * t * t * most), 1.0);
    return;
  }
  ivec2 place = here / shape.z, within = here - place * shape.z;
  ivec2 cell = ivec2(place.y / shape.x * shape.y + place.x, place.y % shape.x);
  if (place.x >= shape.y || cell.x >= grid.x) return;
  int record = record_of(cell);
  if (record >= grid.w) { // unused
    if (shape.z >= 6 && max(abs(within.x - shape.z / 2), abs(within.y - shape.z / 2)) < 1) color.rgb = vec3(0.3);
    return;
  }
  vec4 numbers = uintBitsToFloat(texelFetch(source, ivec3(cell, component / 4), 0));
  int c = component % 4;
  float value = c == 0 ? numbers.x : c == 1 ? numbers.y : c == 2 ? numbers.z : numbers.w;
  bool edge = shape.z >= 7 && (within.x == shape.z - 1 || within.y == shape.z - 1);
  color.rgb = isnan(value) ? vec3(0.0, 0.63, 0.31) : edge ? paper : false_color(value);
  if (record == marked) {
    int rim = min(min(within.x, within.y), min(shape.z - 1 - within.x, shape.z - 1 - within.y));
    vec3 sign_of_it = vec3(0.3, 1.0, 0.45);
    if (shape.z < 4) color.rgb = mix(color.rgb, sign_of_it, 0.5);
    else if (rim < max(1, shape.z / 10)) color.rgb = sign_of_it;
  }
}
