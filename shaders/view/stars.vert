// A star is a square of two triangles that faces the camera. No vertex is stored anywhere: the vertex number says which
// particle and which corner.
//
//   1---2,4   corners 0 1 2 and 3 4 5 of the two triangles
//   | / |
//  0,3--5

#include "view/places.glsl"
#include "view/camera.glsl"
#include "view/color.glsl"

#define DOT 2

uniform int point;
uniform int lit; // particles from this number on are dark matter
uniform vec4 star; // sigma in samples: at the center's distance, smallest, largest; mass of a typical star, or 0
uniform float unit; // of light; below 1 where the target cannot hold more than 1
const float REACH = 2.7; // sigmas

flat out vec4 light;   // color and brightness at the center
flat out vec4 profile; // see stars.frag
out vec2 offset; // in sigmas

void main() {
  int k = gl_VertexID / 6, corner = gl_VertexID % 6;
  vec4 place = place_of(k);
  vec3 s = seen(place.xyz);
  gl_Position = NOWHERE;
  light = vec4(0.0);
  profile = vec4(1.0);
  offset = vec2(0.0);
  if (!is_before_camera(s) || number_of(k) >= lit) return;

  // Light falls with the square of the distance and grows with the square root of the mass. A star shrinks as long as
  // there are samples to show its size, then grows fainter.
  float wanted = point == DOT ? star.y : star.x * eye.w / s.z;
  if (star.w > 0.0) wanted *= clamp(sqrt(sqrt(place.w / star.w)), 0.5, 3.0);
  float sigma = clamp(wanted, star.y, star.z), brightness = min(wanted / sigma, 1.0);
  float narrow = min(max(0.55, 0.6 / sigma), 1.0); // in sigmas; narrower than a sample, it would twinkle
  float fall = -0.5 / (narrow * narrow), end = exp(fall * REACH * REACH);
  profile = vec4(sigma, fall, end, 0.85 / (1.0 - end));
  light = vec4(color_of(number_of(k), velocity_of(k)), 1.0) * brightness * brightness * unit;
  offset = REACH * vec2(corner == 2 || corner >= 4 ? 1.0 : -1.0, corner == 1 || corner == 2 || corner == 4 ? 1.0 : -1.0);
  gl_Position = clip(on_screen(s) + offset * sigma);
}
