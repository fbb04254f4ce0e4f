// Predicts particles that have times of their own for the neighbor passes: (x, y, z, e) of near/near.glsl. e is what the
// float leaves of the predicted place, and what the host's prediction may differ by. Of the origin the place alone counts.
#include "hermite/timed.glsl"

uniform float scale;

const float ANYWHERE = 3e38, REACH = 1e15, LEAST = 1.8e-18; // as in src/force/near.c

// Each of the some ten operations on twice 24 bits is good to 2^-45 of the largest number in it; and beyond the smallest
// float nothing is.
const float ROUNDING = 9.1e-13; // 2^-40
const float SMALL = 3.3e-24;    // 2^-78: times ROUNDING a float that is still normal

#if PRECISION == DOUBLE
vec3 high_of(wide3 a) { return vec3(a); }
// Exact: without `precise` Mesa 25 takes dvec3(vec3(a)) for a, and e for smaller than it is.
vec3 low_of(wide3 a) {
  precise dvec3 high = dvec3(vec3(a));
  precise dvec3 low = a - high;
  return vec3(low);
}
float high_of(wide a) { return float(a); }
#else
vec3 high_of(wide3 a) { return a.high; }
vec3 low_of(wide3 a) { return a.low; }
float high_of(wide a) { return a.high; }
#endif

vec3 size(wide3 a) { return abs(high_of(a)) + SMALL; }

// The sum of the sizes of all terms of the prediction.
vec3 size_of_terms(body b) {
  float dt = abs(high_of(b.dt));
  vec3 way = dt * (size(b.v) + dt * (size(b.a2) + dt * (size(b.k6) + dt * size(b.s24))));
  return size(wide3_of(origin[0], origin[1])) + size(b.x) + way;
}

uvec4 place(body b) {
  wide3 x = predicted_x(b);
  vec3 at = scale * high_of(x), terms = scale * size_of_terms(b);
  float e = (length(scale * low_of(x)) + ROUNDING * length(terms)) * 1.00001 + LEAST;
  // asked this way, because a NaN is neither within nor beyond
  bool is_within = all(lessThan(abs(at), vec3(REACH))) && all(lessThan(terms, vec3(REACH)));
  return is_within ? uvec4(floatBitsToUint(at), floatBitsToUint(e)) : uvec4(uvec3(0u), floatBitsToUint(ANYWHERE));
}
