// The corrector on the device ([PZ07] eqs 5 to 8), and the next time step (eq. 9): a particle of the block is predicted as
// in predict.glsl, and the totals are added up that a scheme's fragments or workgroups left.
#include "common/layout.glsl"
#include "hermite/particle.glsl"
#ifdef FIELD
#include "hermite/field.glsl"
#endif

// Words of (a, phi) (k, count), see common/real.glsl.
#ifdef IN_STORAGE
layout(std430, binding = 4) readonly buffer total_storage {
  uvec4 totals[];
};
uvec4 total_texel(int t) { return totals[t]; }
#else
uniform usamplerBuffer totals;
uvec4 total_texel(int t) { return bufferFetch(totals, t); }
#endif
uniform int segments;          // that the sources were divided into
uniform int groups, each;      // of sinks: groups per segment, sinks per group
uniform ivec4 place;           // of a group: columns, rows of a band; step from group to group, and from layer to layer
uniform int first;             // number of the sink that the first total belongs to
uniform int sink_count;        // one more than the number of the last
uniform uint walked;           // sum of the counts in a sink's totals if no draw was dropped
uniform float eta;             // nu of eq. 9
uniform float noise, mass;     // rounding error of an acceleration relative to the sum of its terms (0: none); total mass

// Word w of the total of sink k in a segment.
uvec4 total_word(int k, int segment, int w) {
  int group = segment * groups + k / each, texel = group;
  if (place.y > 1) {
    ivec2 at = texel_of(group, place.x, place.y);
    texel = at.y * place.x + at.x;
  }
  return total_texel(texel * place.z + (k % each * WORDS + w) * place.w);
}

// The force on sink k, summed over the segments; and its potential to a few digits, and the sources that it has summed.
struct total_force {
  wide3 a, k;
  float phi;
  uint count;
};

wide3 sum_of(wide3 sum, uvec4 high, uvec4 low) {
#if PRECISION == SINGLE || PRECISION == DOUBLE
  return plus(sum, wide3_of(high, low));
#else
  wide3 more = wide3_of(high, low);
  return plus(sum, normal(more.high, more.low));
#endif
}

total_force force_on(int k) {
  wide3 zero = wide3_of(uvec4(0u), uvec4(0u));
  total_force f = total_force(zero, zero, 0.0, 0u);
  for (int segment = 0; segment < segments; segment++) {
    uvec4 a = total_word(k, segment, 0), jerk = total_word(k, segment, 1), a_low = uvec4(0u), jerk_low = uvec4(0u);
#if PRECISION != SINGLE
    a_low = total_word(k, segment, F_RECORDS), jerk_low = total_word(k, segment, F_RECORDS + 1);
#endif
    f.a = sum_of(f.a, a, a_low);
    f.k = sum_of(f.k, jerk, jerk_low);
    f.phi += uintBitsToFloat(a.w);
    f.count += jerk.w;
  }
  return f;
}

bool finite(real3 q) { return !(any(isnan(vec3(q))) || any(isinf(vec3(q)))); }

// [PZ07] eq. 9 from derivatives already multiplied by dt^2 and dt^3, because in a close encounter the square of a jerk
// overflows a float: the numerator comes out times dt^2, the denominator times dt^4. 0 / 0 sets no limit.
float next_step(float dt, float pull, real3 k, real3 dt2a2, real3 dt3k2) {
  float a2 = float(length(dt2a2 + dt3k2)), dtk = float(length(dt * k));
  float above = pull * a2 + dtk * dtk, below = dtk * float(length(dt3k2)) + a2 * a2;
  return below > 0.0 ? dt * sqrt(eta * above / below) : 3e38;
}

// Where the difference of accelerations in eq. 6 is below their rounding error, the jerks are the better source
// (hb_timestep_rely_on_jerks in src/step/timestep.c): dt^2 a'' becomes the change of the jerk, and dt^3 k'' continues
// the geometric series that the jerk and its change begin.
void rely_on_jerks(float least, float dt, vec3 k, vec3 dtdk, inout vec3 dt2a2, inout vec3 dt3k2) {
  float third = length(dt3k2), second = length(dtdk), first = length(dt * k);
  if (!(third > 0.0 && third < 12.0 * least && first > 0.0)) return;
  dt3k2 *= second / first * (second / third);
  dt2a2 = dtdk - dt3k2;
}

void higher(wide dt, wide3 a, wide3 k, wide3 ap, wide3 kp, out wide3 dt2a2, out wide3 dt3k2) {
  wide3 da = minus(a, ap);
  dt2a2 = minus(times(-6.0, da), times(dt, plus(times(4.0, k), times(2.0, kp)))); // eq. 5
  dt3k2 = plus(times(12.0, da), times(dt, times(6.0, plus(k, kp))));              // eq. 6
}

// Returns a lower bound of the sum of the accelerations' lengths that add up to that of a body with the potential phi
// (hb_timestep_pulls in src/step/timestep.c).
float pulls_on(body b, float phi) {
  float m = float(rounded(wide_of(b.m_high, b.m_low))), others = m > mass / 2.0 ? mass - m : mass;
  return others > 0.0 ? phi * phi / others : 0.0;
}

// Eq. 9 after a step from k to ap and kp, where |ap| counts as a_least if it is smaller. floor_of: relative rounding error of ap
// (0: none); pulls: the scale of the accelerations that add up to ap, as pulls_on returns it.
float step_after(wide dt, wide3 k, wide3 ap, wide3 kp, wide3 dt2a2, wide3 dt3k2, float a_least, float floor_of, float pulls) {
  real3 second = rounded(dt2a2), third = rounded(dt3k2);
  float pull = float(length(rounded(ap)));
#if PRECISION == DS
  float least = floor_of * max(pull, pulls);
  if (floor_of > 0.0) rely_on_jerks(least, dt.high, kp.high, rounded(times(dt, minus(kp, k))), second, third);
#endif
  return next_step(float(rounded(dt)), max(pull, max(a_least, pulls / 1024.0)), rounded(kp), second, third);
}

#ifdef FIELD
// In a field, the shorter of two steps: by what other particles do, and by what the field does. A galaxy pulls a star a hundred
// times as hard as its cluster does; in a sum of both, eq. 9 would not see how quickly the cluster's part changes.
float step_in_field(wide dt, body b, wide3 x, wide3 v, wide3 ap, wide3 kp, float phi) {
  wide3 zero = minus(ap, ap), f = zero, g = zero, fp = zero, gp = zero, dt2a2, dt3k2;
  add_pulls(b.x, b.v, f, g);
  add_pulls(x, v, fp, gp);
  higher(dt, f, g, fp, gp, dt2a2, dt3k2);
  float by_field = step_after(dt, g, fp, gp, dt2a2, dt3k2, 0.0, 0.0, 0.0);
  wide3 own = minus(ap, fp), own_k = minus(b.k, g), own_kp = minus(kp, gp);
  float rounds = 1.5e-11 * float(length(rounded(fp))); // what a difference of differences has of it
  higher(dt, minus(b.a, f), own_k, own, own_kp, dt2a2, dt3k2);
  return min(by_field, step_after(dt, own_k, own, own_kp, dt2a2, dt3k2, rounds, noise, pulls_on(b, phi)));
}
#endif

wide3 corrected_x(wide dt, wide3 xp, wide3 dt2a2, wide3 dt3k2) {
  return plus(xp, times(dt, times(dt, plus(over(dt2a2, 24.0), over(dt3k2, 120.0))))); // eq. 7
}

wide3 corrected_v(wide dt, wide3 vp, wide3 dt2a2, wide3 dt3k2) {
  return plus(vp, times(dt, plus(over(dt2a2, 6.0), over(dt3k2, 24.0)))); // eq. 8
}

// Sink k after its step, in the layers of particle.glsl, and the next step: or -1 where a force is not finite, or -2 where
// sources are missing from it.
float corrected(body b, int k, out uvec4 layer[8]) {
  wide dt = b.dt;
  wide3 xp = predicted_x(b), vp = predicted_v(b);
  total_force f = force_on(k);
  wide3 ap = f.a, kp = f.k, dt2a2, dt3k2;
#ifdef FIELD
  add_field(xp, vp, ap, kp);
#endif
  higher(dt, b.a, b.k, ap, kp, dt2a2, dt3k2);
  wide3 x = corrected_x(dt, xp, dt2a2, dt3k2), v = corrected_v(dt, vp, dt2a2, dt3k2);
#ifdef FIELD
  wide3 from_x = xp, from_v = vp;
  for (int time = 0; time < 4; time++) { // as src/step/hermite4.c does, and for the reasons given there
    change_field(from_x, from_v, x, v, ap, kp);
    from_x = x, from_v = v;
    higher(dt, b.a, b.k, ap, kp, dt2a2, dt3k2);
    x = corrected_x(dt, xp, dt2a2, dt3k2), v = corrected_v(dt, vp, dt2a2, dt3k2);
  }
#endif

#ifdef FIELD
  float step = step_in_field(dt, b, x, v, ap, kp, f.phi);
#else
  float step = step_after(dt, b.k, ap, kp, dt2a2, dt3k2, 0.0, noise, pulls_on(b, f.phi));
#endif
  if (!(finite(rounded(ap)) && finite(rounded(kp)))) step = -1.0;
  if (f.count != walked) step = -2.0;
  x = as_double(x), v = as_double(v), ap = as_double(ap), kp = as_double(kp); // as a checkpoint stores them
  layer[0] = uvec4(high_bits(x), b.m_high);
  layer[1] = uvec4(low_bits(x), b.m_low);
  layer[2] = uvec4(high_bits(v), 0u);
  layer[3] = uvec4(low_bits(v), 0u);
  layer[4] = uvec4(high_bits(ap), 0u);
  layer[5] = uvec4(low_bits(ap), 0u);
  layer[6] = uvec4(high_bits(kp), 0u);
  layer[7] = uvec4(low_bits(kp), 0u);
  return step;
}
