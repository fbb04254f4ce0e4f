// Forces from outside: a galaxy, as a sum of parts (src/core/field.h lists them, src/core/field.c has the same formulas for the
// host). They are added to the forces of all others on a sink, with as many digits as its position has: on an orbit in a
// galaxy they are what holds it there.
//
// Every part but the last kind is a power of one quadratic form D:
//
//   a = -pull g             g = (x, y, steep z)
//   k = -pull (g' - turn g)     turn = power (g . v) / D
//
//   disc     Phi = -m / D^1/2         D = x^2 + y^2 + (a + b')^2, b'^2 = z^2 + b^2, steep = (a + b') / b'
//   log      Phi = V^2 / 2 ln D       D = r^2 + x^2 + y^2 + z^2 / q^2,              steep = 1 / q^2
//   squares  Phi = (p . (x^2, y^2, z^2)) / 2
//
// A sphere is a disc with a = 0, whatever its b. Coordinates that turn bring Coriolis' force, W2 (v_y, -v_x, 0), W2 twice their
// angular speed: its derivative needs the acceleration by everything else, so it comes last.
const int DISC = 0, LOG = 1;

uniform int part_count;
uniform uvec4 parts[4 * 16]; // of each (p_0, p_1) (p_2, form) (middle, high) (middle, low), words high and low
uniform uvec4 double_turn;   // W2, high and low

wide inner(wide3 a, wide3 b) {
  wide3 products = times(a, b);
  return plus(plus(component(products, 0), component(products, 1)), component(products, 2));
}

#if PRECISION == DOUBLE
wide constant(float a) { return double(a); }
wide3 vector(wide x, wide y, wide z) { return dvec3(x, y, z); }
wide3 sideways(wide3 a) { return dvec3(a.y, -a.x, 0.0); }
#else
wide constant(float a) { return wide(a, 0.0); }
wide3 vector(wide x, wide y, wide z) { return wide3(vec3(x.high, y.high, z.high), vec3(x.low, y.low, z.low)); }
wide3 sideways(wide3 a) { return wide3(vec3(a.high.y, -a.high.x, 0.0), vec3(a.low.y, -a.low.x, 0.0)); }
#endif
wide3 with_z(wide3 a, wide z) { return vector(component(a, 0), component(a, 1), z); }

// Adds -pull g to a, and -pull (dg - turn g) to k.
void pull_by(wide pull, wide turn, wide3 g, wide3 dg, inout wide3 a, inout wide3 k) {
  a = minus(a, times(pull, g));
  k = minus(k, times(pull, minus(dg, times(turn, g))));
}

void add_disc(wide m, wide a0, wide b0, wide3 d, wide3 v, inout wide3 a, inout wide3 k) {
  wide z = component(d, 2), vz = component(v, 2), b = root(plus(times(z, z), times(b0, b0)));
  wide steep = constant(1.0), dsteep = constant(0.0);
  if (rounded(a0) > 0.0) { // a sphere may have b' = 0
    wide share = over(a0, b);
    steep = plus(steep, share);
    dsteep = times(constant(-1.0), over(times(share, times(z, vz)), times(b, b)));
  }
  wide3 g = with_z(d, times(steep, z)), dg = with_z(v, plus(times(steep, vz), times(dsteep, z)));
  wide3 r = with_z(d, plus(a0, b));
  wide D = inner(r, r);
  pull_by(over(m, times(D, root(D))), over(times(constant(3.0), inner(g, v)), D), g, dg, a, k);
}

void add_log(wide speed2, wide r2, wide steep, wide3 d, wide3 v, inout wide3 a, inout wide3 k) {
  wide3 g = with_z(d, times(steep, component(d, 2))), dg = with_z(v, times(steep, component(v, 2)));
  wide D = plus(r2, inner(d, g));
  pull_by(over(speed2, D), over(times(constant(2.0), inner(g, v)), D), g, dg, a, k);
}

void add_squares(wide px, wide py, wide pz, wide3 d, wide3 v, inout wide3 a, inout wide3 k) {
  wide3 p = vector(px, py, pz);
  a = minus(a, times(p, d));
  k = minus(k, times(p, v));
}

// Coriolis' force.
void deflect(wide3 v, inout wide3 a, inout wide3 k) {
  wide w2 = wide_of(double_turn.x, double_turn.y);
  a = plus(a, times(w2, sideways(v)));
  k = plus(k, times(w2, sideways(a)));
}

void add_pulls(wide3 x, wide3 v, inout wide3 a, inout wide3 k) {
  for (int at = 0; at < 4 * part_count; at += 4) {
    wide p0 = wide_of(parts[at].x, parts[at].y), p1 = wide_of(parts[at].z, parts[at].w),
         p2 = wide_of(parts[at + 1].x, parts[at + 1].y);
    wide3 d = minus(x, wide3_of(parts[at + 2], parts[at + 3]));
    int form = int(parts[at + 1].z);
    if (form == DISC)
      add_disc(p0, p1, p2, d, v, a, k);
    else if (form == LOG)
      add_log(p0, p1, p2, d, v, a, k);
    else
      add_squares(p0, p1, p2, d, v, a, k);
  }
}

void add_field(wide3 x, wide3 v, inout wide3 a, inout wide3 k) {
  add_pulls(x, v, a, k);
  deflect(v, a, k);
}

// Adds what changes from one place and velocity to another, while all other forces stay.
void change_field(wide3 from_x, wide3 from_v, wide3 x, wide3 v, inout wide3 a, inout wide3 k) {
  wide3 zero = minus(a, a), from_a = zero, from_k = zero, da = zero, dk = zero;
  add_pulls(from_x, from_v, from_a, from_k);
  add_pulls(x, v, da, dk);
  da = minus(da, from_a), dk = minus(dk, from_k);
  deflect(minus(v, from_v), da, dk);
  a = plus(a, da), k = plus(k, dk);
}
