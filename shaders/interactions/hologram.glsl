// A computed hologram: the light that point sources send to a pixel, with its phase. Every source is a spherical wave; a
// pixel of the hologram records their sum, and light that falls on it rebuilds the sources.
//
//   re + i im = sum amplitude / r  exp i (2 pi r / wavelength + phase)
//
//   particle:  (x, y, z, amplitude) (phase, -, -, -)
//   sink:      (x, y, z, -)
//   force:     (re, im, -, -)
//   parameter: (wavelength, -, -, -)
//   flops:     58
//
// A float holds 7 digits of r / wavelength, and the phase is what follows the decimal point: at 10^4 wavelengths 3 digits
// of it are left. Optical holograms need the precision `double`.
//
// sin and cos are series here, because those of GPUs are coarse, and GLSL has none for doubles. A turn is cut into
// quarters, so that x is between -pi/4 and pi/4 and a few terms are enough:
//
//   sin x = x (1 - x^2 / (2 3) (1 - x^2 / (4 5) (1 - ...)))        cos x = 1 - x^2 / (1 2) (1 - x^2 / (3 4) (1 - ...))

#include "common/real.glsl"

// 1 - x^2 / n * rest
real nest(real x2, float n, real rest) { return mad(-x2 * (ONE / real(n)), rest, ONE); }

// cos and sin of an angle in turns.
void turn(real turns, out real c, out real s) {
  real quarters = floor(mad(real(4.0), turns, real(0.5)));
  real x = mad(real(-0.25), quarters, turns) * (real(6.28318548202514648) + real(-1.74845560007e-7)); // 2 pi
  real x2 = x * x, sine = ONE, cosine = ONE;
#if PRECISION == DOUBLE
  sine = nest(x2, 110.0, nest(x2, 156.0, nest(x2, 210.0, sine)));
  cosine = nest(x2, 132.0, nest(x2, 182.0, nest(x2, 240.0, cosine)));
#endif
  sine = x * nest(x2, 6.0, nest(x2, 20.0, nest(x2, 42.0, nest(x2, 72.0, sine))));
  cosine = nest(x2, 2.0, nest(x2, 12.0, nest(x2, 30.0, nest(x2, 56.0, nest(x2, 90.0, cosine)))));
  int quarter = int(quarters - 4.0 * floor(real(0.25) * quarters));
  bool is_odd = quarter == 1 || quarter == 3;
  c = (quarter == 0 || quarter == 3 ? ONE : -ONE) * (is_odd ? sine : cosine);
  s = (quarter < 2 ? ONE : -ONE) * (is_odd ? cosine : sine);
}

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real r = sqrt(dot_plus(rij, rij, real(0.0))), c, s;
  const real TURNS = ONE / (real(6.28318548202514648) + real(-1.74845560007e-7)); // of a radian
  turn(mad(r, ONE / parameter.x, j[1].x * TURNS), c, s);
  real amplitude = j[0].w / r;
  f[0].x = mad(amplitude, c, f[0].x);
  f[0].y = mad(amplitude, s, f[0].y);
}
