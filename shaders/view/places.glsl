// Position and velocity of a particle, however a simulation stores them (src/include/holmberg/device.h): LAYOUT says how.

#define RECORDS 1
#define DOUBLES 2
#define STREAMS 3

uniform vec4 drift; // velocity of the frame of reference in which velocities are stored

#if LAYOUT == STREAMS
#ifdef RECTANGLE
#define stream sampler2DRect
#define FETCH(s, p) texelFetch(s, p)
#else
#define stream sampler2D
#define FETCH(s, p) texelFetch(s, p, 0)
#endif
uniform stream positions, velocities, masses;
uniform int width; // texels per row

vec4 place_of(int k) {
  ivec2 p = ivec2(k % width, k / width);
  return vec4(FETCH(positions, p).xyz, FETCH(masses, p).x);
}
vec3 velocity_of(int k) { return drift.xyz + FETCH(velocities, ivec2(k % width, k / width)).xyz; }

#elif LAYOUT == DOUBLES
uniform usamplerBuffer particles;
uniform int texels; // per particle

// The leading 24 bits of doubles. The exponent's bias is 1023 in a double and 127 in a float.
vec4 from_double(uvec4 high, uvec4 low) {
  ivec4 exponent = ivec4(high >> 20u & 0x7ffu) - 1023 + 127;
  uvec4 bits = (high & 0x80000000u) | uvec4(clamp(exponent, 0, 255)) << 23u | (high & 0xfffffu) << 3u | low >> 29u;
  return mix(uintBitsToFloat(bits), vec4(0.0), lessThanEqual(exponent, ivec4(0)));
}
vec4 record(int t) { return from_double(bufferFetch(particles, t), bufferFetch(particles, t + 1)); }
vec4 place_of(int k) { return record(texels * k); }
vec3 velocity_of(int k) { return drift.xyz + record(texels * k + 2).xyz; }

#else
uniform samplerBuffer particles;
uniform int texels;

vec4 place_of(int k) { return bufferFetch(particles, texels * k); }
vec3 velocity_of(int k) { return drift.xyz + bufferFetch(particles, texels * k + 1).xyz; }
#endif

uniform usamplerBuffer order; // number of the particle stored as the k-th, where they are not in order
uniform int has_order;

int number_of(int k) { return has_order == 1 ? int(bufferFetch(order, k).x) : k; }
