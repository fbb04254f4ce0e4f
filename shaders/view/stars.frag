// The light of a star: a narrow Gaussian in a wide faint one, so that the tone curve leaves a point with a halo and not
// a ball; or a disc.

#define DISC 1

uniform int point;

flat in vec4 light;
flat in vec2 profile; // sigma in samples; factor of r^2 in the exponent of the narrow Gaussian
in vec2 offset;
out vec4 sum;

const float END = 0.0261214; // exp(-REACH^2 / 2): where the square ends the wide one is zero

void main() {
  float r2 = dot(offset, offset), share;
  if (point == DISC)
    share = clamp((1.6 - sqrt(r2)) * profile.x + 0.5, 0.0, 1.0);
  else
    share = 0.85 * exp(profile.y * r2) + 0.15 / (1.0 - END) * max(exp(-0.5 * r2) - END, 0.0);
  sum = light * share;
}
