// Gravity, the acceleration alone: the interaction of [NHP07] section 31.3, all that a leapfrog needs.
//
//   a = sum m rij / (r^2 + eps^2)^(3/2)
//
//   particle:  (x, y, z, m)
//   sink:      (x, y, z, -)
//   force:     (ax, ay, az, -)
//   parameter: (eps2 = 0, -, -, -)
//   flops:     20

#define ROOTS(r) vec4(3.0, 3.0, 3.0, 0.0) // powers of 1 / r

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real rinv, rinv2;
  reciprocals(dot_plus(rij, rij, parameter.x), rinv, rinv2);
  real mrinv3 = j[0].w * rinv * rinv2;
  f[0].xyz = mad(mrinv3, rij, f[0].xyz);
}
