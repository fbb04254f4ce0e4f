// The Lennard-Jones force between atoms, a van der Waals interaction of the kind that [HI07] section 4.5 has in mind.
// It shows that the engine knows nothing of gravity: no mass, a repulsive core, and a cut-off radius.
//
//   u(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6)   for r < r_cut, else 0
//   f = -grad u = sum 24 epsilon (2 (sigma/r)^12 - (sigma/r)^6) / r^2  (xi - xj)
//
//   particle:  (x, y, z, -)
//   force:     (fx, fy, fz, -)
//   parameter: (sigma2 = 1e-4, epsilon = 1, r_cut2 = 6.25e-4, -)
//   flops:     24

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real r2 = dot_plus(rij, rij, real(0.0));
  real rinv2 = ONE / r2;
  real s2 = parameter.x * rinv2;
  real s6 = s2 * s2 * s2;
  real strength = 24.0 * parameter.y * rinv2 * s6 * mad(-TWO, s6, ONE);
  f[0].xyz = mad(r2 < parameter.z ? strength : real(0.0), rij, f[0].xyz);
}
