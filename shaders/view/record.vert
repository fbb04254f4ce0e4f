// Stores a particle in the ring buffer of trails: a point drawn onto its texel.

#include "view/places.glsl"

uniform ivec2 ring_size;
uniform vec4 shift; // from the particles' origin to that of the ring; w: time

flat out vec4 place;
flat out vec3 velocity;

void main() {
  int number = number_of(gl_VertexID);
  place = vec4(place_of(gl_VertexID).xyz + shift.xyz, shift.w);
  velocity = velocity_of(gl_VertexID);
  gl_PointSize = 1.0;
  vec2 texel = vec2(number % ring_size.x, number / ring_size.x) + 0.5;
  gl_Position = vec4(2.0 * texel / vec2(ring_size) - 1.0, 0.0, 1.0);
}
