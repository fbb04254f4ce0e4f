// A particle that stays on the device: x v a k at its own time, each with twice the digits of float, in eight layers.
//
//   layer    0       1       2       3       4       5       6       7
//   xyz    x high  x low   v high  v low   a high  a low   k high  k low
//   w      m high  m low
//
// With block time steps a particle need not store its time: all particles of a level share it, so the host sends, for
// each level, how long ago that was. (k is the jerk, as in [PZ07], where j is the source.)
//
// Compute shaders (IN_STORAGE) have the layers in a storage buffer, one after the other, and read the levels where the host
// writes them. Without compute shaders the layers are those of an array texture, 1024 particles a row, w of layer 2 is the
// level, and w of layer 3 the number of the draw that has stored it. Nothing else depends on it.
#define RECORDS 2
#define F_RECORDS 2
#include "common/real.glsl"
#include "common/wide.glsl"

uniform uvec4 since[63]; // for each level: dt from its particles' time to now, and dt / 3, as high and low words

#ifdef IN_STORAGE
#include "hermite/kept.glsl"
layout(std430, binding = 3) readonly buffer level_storage {
  uint levels[]; // four particles a word
};
uvec4 layer_of(int i, int l) { return state[l * particle_count + i]; }
uint level_of(int i) { return levels[i / 4] >> 8 * (i % 4) & 255u; }
#else
const int ROW = 1024;
uniform usampler2DArray state;
uvec4 layer_of(int i, int l) { return texelFetch(state, ivec3(i % ROW, i / ROW, l), 0); }
uint level_of(int i) { return layer_of(i, 2).w; }
#endif

#define EACH_LAYER(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

struct body {
  wide3 x, v, a, k;
  uint m_high, m_low;
  wide dt, third; // from its time to now, and a third of that
};

body body_at(int i) {
  uvec4 x_high = layer_of(i, 0), x_low = layer_of(i, 1), dt = since[level_of(i)];
  return body(wide3_of(x_high, x_low), wide3_of(layer_of(i, 2), layer_of(i, 3)),
              wide3_of(layer_of(i, 4), layer_of(i, 5)), wide3_of(layer_of(i, 6), layer_of(i, 7)), x_high.w, x_low.w,
              wide_of(dt.x, dt.y), wide_of(dt.z, dt.w));
}

// [PZ07] eqs 3 and 4 in Horner's form: the same operations in the same order as on the host.
wide3 predicted_x(body b) {
  return plus(b.x, times(b.dt, plus(b.v, times(half_of(b.dt), plus(b.a, times(b.third, b.k))))));
}

wide3 predicted_v(body b) { return plus(b.v, times(b.dt, plus(b.a, times(half_of(b.dt), b.k)))); }
