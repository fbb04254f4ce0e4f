// Gravity and its time derivative, the jerk, as a Hermite integrator needs them ([PZ07] eq. 1, with the sign that
// attracts, and appendix A):
//
//   a     =  sum m  rij / (r^2 + eps^2)^(3/2)
//   phi   = -sum m      / (r^2 + eps^2)^(1/2)
//   da/dt =  sum m (vij / (r^2 + eps^2)^(3/2) - 3 (rij . vij) rij / (r^2 + eps^2)^(5/2))
//
//   particle:  (x, y, z, m) (vx, vy, vz, -)
//   sink:      (x, y, z, -) (vx, vy, vz, -)
//   force:     (ax, ay, az, phi) (jx, jy, jz, -)
//   parameter: (eps2 = 0, -, -, -)
//   flops:     43
//
// interact() is one pair: it adds the force of source j on sink i to f. A component written `-` must be left alone.

// powers of 1 / r; the jerk has 3 and 5: their mean
#define ROOTS(r) (r == 0 ? vec4(3.0, 3.0, 3.0, 1.0) : vec4(4.0, 4.0, 4.0, 0.0))

#include "common/real.glsl"

#if PRECISION == REPRODUCIBLE

// The same pair, operation by operation.
void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  vec3 rij = separation(i, j);
  precise vec3 vij = as_written(j[1].xyz - i[1].xyz);
  precise vec3 square = as_written(rij * rij);
  precise float r2 = as_written(square.z + as_written(square.y + as_written(square.x + parameter.x)));
  precise float rinv = root(r2);
  precise float rinv2 = as_written(rinv * rinv);
  precise float mrinv = as_written(j[0].w * rinv);
  precise float mrinv3 = as_written(mrinv * rinv2);
  precise vec3 product = as_written(rij * vij);
  precise float rv = as_written(product.z + as_written(product.y + product.x));
  precise float alpha = as_written(as_written(3.0 * rinv2) * rv);
  precise vec3 a = as_written(mrinv3 * rij);
  precise vec3 turned = as_written(vij - as_written(alpha * rij));
  precise vec3 jerk = as_written(mrinv3 * turned);
  precise vec3 acc_sum = as_written(f[0].xyz + a), jerk_sum = as_written(f[1].xyz + jerk);
  precise float pot_sum = as_written(f[0].w - mrinv);
  f[0] = vec4(acc_sum, pot_sum);
  f[1].xyz = jerk_sum;
}

#else

void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 f[F_RECORDS]) {
  real3 rij = separation(i, j);
  real3 vij = j[1].xyz - i[1].xyz;
  real rinv, rinv2;
  reciprocals(dot_plus(rij, rij, parameter.x), rinv, rinv2);
  real mrinv = j[0].w * rinv;
  real mrinv3 = mrinv * rinv2;
  // precise: the programs of the first and of later passes must round alike, so that the number of passes changes no bit
  precise real alpha = -THREE * rinv2 * mad(rij.z, vij.z, mad(rij.y, vij.y, rij.x * vij.x));
  f[0].xyz = mad(mrinv3, rij, f[0].xyz);
  f[0].w -= mrinv;
  f[1].xyz = mad(mrinv3, mad(alpha, rij, vij), f[1].xyz);
}

#endif
