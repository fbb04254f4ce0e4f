// The density of a fluid that is made of particles (smoothed particle hydrodynamics, SPH): each particle spreads its mass
// over a ball of radius 2 h, and where balls overlap their densities add up.
//
//   rho     = sum m W(r, h)        W = w(q) / (pi h^3),   q = r / h,   h of the sink
//   drho_dh = sum m dW/dh            = -(3 w + q w') / (pi h^4), for the correction that variable h need
//
//   w(q) = 1 - 3/2 q^2 + 3/4 q^3   for q < 1      the cubic spline of Monaghan & Lattanzio 1985: smooth, and zero from
//          (2 - q)^3 / 4           for q < 2      q = 2 on
//
// Without a branch: w = max(2 - q, 0)^3 / 4 - max(1 - q, 0)^3.
//
//   particle:  (x, y, z, m) (h, -, -, -)
//   sink:      (x, y, z, -) (h, -, -, -)
//   force:     (rho, drho_dh, neighbors, -)
//   parameter: (-, -, -, -)
//   flops:     40
//
// Where the sinks are sources, the engine leaves out the particle itself: add m / (pi h^3), and -3 m / (pi h^4).

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real hinv = ONE / i[1].x;
  real q = sqrt(dot_plus(rij, rij, real(0.0))) * hinv;
  real outer = max(TWO - q, real(0.0)), inner = max(ONE - q, real(0.0));
  real w = real(0.25) * outer * outer * outer - inner * inner * inner;
  real slope = THREE * inner * inner - real(0.75) * outer * outer; // w'
  const real PI_INVERSE = ONE / (real(3.14159274101257324) + real(-8.74227800037e-8)); // a float, and what it lacks
  real m = j[0].w * PI_INVERSE * hinv * hinv * hinv;
  f[0].x = mad(m, w, f[0].x);
  f[0].y = mad(-m * hinv, mad(q, slope, THREE * w), f[0].y);
  f[0].z += q < TWO ? ONE : real(0.0);
}
