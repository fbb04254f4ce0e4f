// Potentials of a surface, the sums of a boundary element method (BEM): the surface is cut into small elements, and each
// is replaced by a point in its middle.
//
//   single = sum q / r                       a single layer: charge on the surface
//   double = sum mu n . (xi - xj) / r^3      a double layer: dipoles along the normal n
//
// q and mu are the strengths of an element, density times area. The solution of Laplace's equation inside is a sum of
// both, divided by 4 pi.
//
//   particle:  (x, y, z, q) (nx, ny, nz, mu)
//   sink:      (x, y, z, -)
//   force:     (single, double, -, -)
//   flops:     22
//
// A closed surface with mu = area has the potential 4 pi everywhere inside, if its normals point inwards, and 0 outside:
// n . r / r^3 dA is the solid angle of the element, and inside the elements fill the whole sky (Gauss).

#include "common/real.glsl"

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real rinv, rinv2;
  reciprocals(dot_plus(rij, rij, real(0.0)), rinv, rinv2);
  real mu = j[1].w * rinv * rinv2;
  f[0].x = mad(j[0].w, rinv, f[0].x);
  f[0].y = mad(-mu, dot_plus(j[1].xyz, rij, real(0.0)), f[0].y);
}
