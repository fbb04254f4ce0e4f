// A piece of a star's way, drawn as a line of light: a rectangle around it on the screen. Between two entries of the ring
// the way is the cubic with both places and velocities, cut into PIECES straight pieces.

#include "view/camera.glsl"
#include "view/color.glsl"

uniform sampler2DArray ring; // layers 2 e, 2 e + 1: place and time, velocity
uniform ivec4 entries;       // the oldest, number of them, room, particles
uniform vec4 ages;           // time of the youngest, length of a trail in time
uniform vec4 line;           // sigma in samples: at the center's distance, least, largest; brightness
const int PIECES = 8;
const float REACH = 3.3;

flat out vec4 light;
flat out vec2 ends; // of the piece, in sigmas, on the line's own axis
out vec2 offset;    // along and across, in sigmas

struct moment {
  vec4 x; // w: time
  vec3 v;
};

moment entry(int p, int e) {
  int width = textureSize(ring, 0).x, layer = 2 * ((entries.x + e) % entries.z);
  ivec2 at = ivec2(p % width, p / width);
  return moment(texelFetch(ring, ivec3(at, layer), 0), texelFetch(ring, ivec3(at, layer + 1), 0).xyz);
}

vec3 along(moment a, moment b, float u) {
  float dt = b.x.w - a.x.w, w = 1.0 - u;
  return w * w * (1.0 + 2.0 * u) * a.x.xyz + u * w * w * dt * a.v + u * u * (3.0 - 2.0 * u) * b.x.xyz -
         u * u * w * dt * b.v;
}

void main() {
  int corner = gl_VertexID % 6, piece = gl_VertexID / 6;
  int e = piece / PIECES % (entries.y - 1), p = piece / PIECES / (entries.y - 1);
  moment a = entry(p, e), b = entry(p, e + 1);
  float u0 = float(piece % PIECES) / float(PIECES), u1 = float(piece % PIECES + 1) / float(PIECES);
  vec3 s0 = seen(along(a, b, u0)), s1 = seen(along(a, b, u1));
  gl_Position = NOWHERE;
  light = vec4(0.0);
  ends = vec2(0.0);
  offset = vec2(0.0);
  float age = (ages.x - mix(a.x.w, b.x.w, 0.5 * (u0 + u1))) / ages.y;
  if (!is_before_camera(s0) || !is_before_camera(s1) || !(age < 1.0)) return;

  float wanted = line.x * eye.w / (0.5 * (s0.z + s1.z)), sigma = clamp(wanted, line.y, line.z);
  vec2 from = on_screen(s0), to = on_screen(s1), way = to - from;
  float far = length(way);
  vec2 t = far > 0.0 ? way / far : vec2(1.0, 0.0), n = vec2(-t.y, t.x);
  ends = vec2(0.0, far / sigma);
  offset.x = corner == 2 || corner >= 4 ? ends.y + REACH : -REACH;
  offset.y = corner == 1 || corner == 2 || corner == 4 ? REACH : -REACH;
  light = vec4(color_of(p, mix(a.v, b.v, 0.5 * (u0 + u1))), 1.0) * line.w * min(wanted / sigma, 1.0) *
          (1.0 - age) * (1.0 - age);
  gl_Position = clip(from + (t * offset.x + n * offset.y) * sigma);
}
