// The electric field of charges, and its potential: gravity with two signs. The force on a charge is q E, its energy
// q phi; half the sum of q phi over all charges is the energy of the system.
//
//   E   = k sum q (xi - xj) / (r^2 + eps^2)^(3/2)
//   phi = k sum q           / (r^2 + eps^2)^(1/2)
//
//   particle:  (x, y, z, q)
//   sink:      (x, y, z, -)
//   force:     (ex, ey, ez, phi) (-, -, -, -)
//   parameter: (eps2 = 0, k = 1, -, -)
//   flops:     22
//
// The second record of the force is there because the engine counts sources in the last component of the last one.

#define ROOTS(r) (r == 0 ? vec4(3.0, 3.0, 3.0, 1.0) : vec4(0.0)) // powers of 1 / r

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real rinv, rinv2;
  reciprocals(dot_plus(rij, rij, parameter.x), rinv, rinv2);
  real phi = parameter.y * j[0].w * rinv;
  f[0].xyz = mad(-phi * rinv2, rij, f[0].xyz);
  f[0].w += phi;
}
