// Gravity and its first two time derivatives, the jerk and the snap, as a Hermite scheme of sixth order needs them
// (Nitadori & Makino 2008, eqs 3 to 8). Each derivative is made from the one before:
//
//   a  = m rij / R^3                                  R^2   = r^2 + eps^2
//   a' = m vij / R^3 - 3 alpha a                      alpha = (rij . vij) / R^2
//   a" = m aij / R^3 - 6 alpha a' - 3 beta a          beta  = (vij . vij + rij . aij) / R^2 + alpha^2
//
// The accelerations of all particles must be known first: by gravity_jerk, or predicted.
//
//   particle:  (x, y, z, m) (vx, vy, vz, -) (ax, ay, az, -)
//   sink:      (x, y, z, -) (vx, vy, vz, -) (ax, ay, az, -)
//   force:     (ax, ay, az, phi) (jx, jy, jz, -) (sx, sy, sz, -)
//   parameter: (eps2 = 0, -, -, -)
//   flops:     80

// powers of 1 / R; the jerk has 3 and 5, the snap 3, 5 and 7: their means
#define ROOTS(r) (r == 0 ? vec4(3.0, 3.0, 3.0, 1.0) : r == 1 ? vec4(4.0, 4.0, 4.0, 0.0) : vec4(5.0, 5.0, 5.0, 0.0))

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real3 vij = j[1].xyz - i[1].xyz;
  real3 aij = j[2].xyz - i[2].xyz;
  real rinv, rinv2;
  reciprocals(dot_plus(rij, rij, parameter.x), rinv, rinv2);
  real mrinv = j[0].w * rinv;
  real mrinv3 = mrinv * rinv2;
  // precise: see gravity_jerk.glsl
  precise real alpha = rinv2 * mad(rij.z, vij.z, mad(rij.y, vij.y, rij.x * vij.x));
  precise real beta = mad(alpha, alpha, rinv2 * dot_plus(vij, vij, dot_plus(rij, aij, real(0.0))));
  precise real3 acc = mrinv3 * rij;
  precise real3 jerk = mad(-THREE * alpha, acc, mrinv3 * vij);
  precise real3 snap = mad(-THREE * beta, acc, mad(-6.0 * alpha, jerk, mrinv3 * aij));
  f[0].xyz += acc;
  f[0].w -= mrinv;
  f[1].xyz += jerk;
  f[2].xyz += snap;
}
