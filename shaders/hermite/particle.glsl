// A particle that stays on the device: x v a k at its own time, each with twice the digits of float, in the layers of
// one array texture, 1024 particles per row.
//
//   layer    0       1       2       3       4       5       6       7
//   xyz    x high  x low   v high  v low   a high  a low   k high  k low
//   w      m high  m low   level
//
// With block time steps a particle need not store its time: all particles of a level share it, so the host sends, for
// each level, how long ago that was. (k is the jerk, as in [PZ07], where j is the source.)
#include "common/real.glsl"
#include "common/wide.glsl"

const int ROW = 1024;

uniform usampler2DArray state;
uniform uvec4 since[63]; // for each level: dt from its particles' time to now, and dt / 3, as high and low words

struct body {
  wide3 x, v, a, k;
  uint m_high, m_low, level;
};

uvec4 layer_of(int i, int l) { return texelFetch(state, ivec3(i % ROW, i / ROW, l), 0); }

body body_at(int i) {
  uvec4 x_high = layer_of(i, 0), x_low = layer_of(i, 1), v_high = layer_of(i, 2);
  return body(wide3_of(x_high, x_low), wide3_of(v_high, layer_of(i, 3)), wide3_of(layer_of(i, 4), layer_of(i, 5)),
              wide3_of(layer_of(i, 6), layer_of(i, 7)), x_high.w, x_low.w, v_high.w);
}

wide dt_of(body b) { return wide_of(since[b.level].x, since[b.level].y); }
wide third_of(body b) { return wide_of(since[b.level].z, since[b.level].w); }

// [PZ07] eqs 3 and 4 in Horner's form: the same operations in the same order as on the host.
wide3 predicted_x(body b) {
  wide dt = dt_of(b);
  return plus(b.x, times(dt, plus(b.v, times(half_of(dt), plus(b.a, times(third_of(b), b.k))))));
}

wide3 predicted_v(body b) {
  wide dt = dt_of(b);
  return plus(b.v, times(dt, plus(b.a, times(half_of(dt), b.k))));
}
