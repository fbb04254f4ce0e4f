// A particle with a time of its own, as GRAPE-6 keeps them, in ten layers.
//
//   layer    0        1       2       3        4       5          6         7          8           9
//   xyz    x high   x low   v high  v low   a/2 high   a/2 low   k/6 high   k/6 low   s/24 high   s/24 low
//   w      m high   m low   t, word by word
//
// Each number has twice the digits of float (high and low part, or the words of a double). The derivatives are divided by
// their factorials beforehand (k is the jerk; s, the second derivative of the acceleration, the snap). A time has three
// words: three floats hold all 53 bits of a double, so that the difference of two times keeps every bit that it has,
// however short it is beside them.
//
// The layers are in a storage buffer, one after the other.
#define RECORDS 2
#define F_RECORDS 2
#include "common/real.glsl"
#include "common/wide.glsl"

#include "hermite/kept.glsl"
uvec4 layer_of(int i, int l) { return state[l * particle_count + i]; }

uniform int source_count;
uniform uvec4 origin[4]; // place and velocity of the frame, high and low parts
uniform uvec4 now; // the time to predict to, in three words

struct body {
  wide3 x, v, a2, k6, s24;
  wide dt; // from its time to now
  uint m_high, m_low;
};

#if PRECISION == DOUBLE
wide time_until_now(uvec3 t) { return wide_of(now.x, now.y) - wide_of(t.x, t.y); }
#else
// a + b = result.high + result.low exactly, whichever is larger.
wide exact_sum(float a, float b) {
  precise float sum = as_written(a + b);
  precise float part = as_written(sum - a);
  precise float before = as_written(sum - part);
  precise float error = as_written(a - before) + as_written(b - part);
  return wide(sum, error);
}

// Times that are close have equal high words, whose difference is 0; then the next ones count.
wide time_until_now(uvec3 t) {
  vec3 from = uintBitsToFloat(t), to = uintBitsToFloat(now.xyz);
  wide first = exact_sum(to.x, -from.x), second = exact_sum(to.y, -from.y);
  wide both = exact_sum(first.high, second.high);
  precise float rest = both.low + (first.low + second.low) + (to.z - from.z);
  return exact_sum(both.high, rest);
}
#endif

body body_at(int i) {
  uvec4 x_high = layer_of(i, 0), x_low = layer_of(i, 1), v_high = layer_of(i, 2), v_low = layer_of(i, 3),
        a_high = layer_of(i, 4);
  return body(wide3_of(x_high, x_low), wide3_of(v_high, v_low), wide3_of(a_high, layer_of(i, 5)),
              wide3_of(layer_of(i, 6), layer_of(i, 7)), wide3_of(layer_of(i, 8), layer_of(i, 9)),
              time_until_now(uvec3(v_high.w, v_low.w, a_high.w)), x_high.w, x_low.w);
}

// GRAPE-6's predictor in Horner's form: the same operations in the same order as on the host (hb_timed_place in
// src/force/resident.c). From the origin of the particles' frame.
wide3 predicted_x(body b) {
  wide3 half_a = plus(b.a2, times(b.dt, plus(b.k6, times(b.dt, b.s24))));
  return minus(plus(b.x, times(b.dt, plus(b.v, times(b.dt, half_a)))), wide3_of(origin[0], origin[1]));
}

wide3 predicted_v(body b) {
  wide3 k = plus(times(3.0, b.k6), times(b.dt, times(4.0, b.s24)));
  return minus(plus(b.v, times(b.dt, plus(times(2.0, b.a2), times(b.dt, k)))), wide3_of(origin[2], origin[3]));
}
