// The light of a star: a narrow Gaussian within a wide, faint one, so that the tone curve leaves a point with a halo
// rather than a ball; or a disc.

#define DISC 1

uniform int point;

flat in vec4 light;
flat in vec4 profile; // sigma in samples; the narrow Gaussian: factor of r^2, value where the square ends, height
in vec2 offset;
out vec4 sum;

const float END = 0.0261214; // exp(-REACH^2 / 2): subtracted, so that both are zero where the square ends

void main() {
  float r2 = dot(offset, offset), share;
  if (point == DISC)
    share = clamp((1.6 - sqrt(r2)) * profile.x + 0.5, 0.0, 1.0);
  else
    share = profile.w * max(exp(profile.y * r2) - profile.z, 0.0) + 0.15 / (1.0 - END) * max(exp(-0.5 * r2) - END, 0.0);
  sum = light * share;
}
