// The light of a star: a narrow Gaussian in a wide faint one, so that the tone curve leaves a point with a halo and not
// a ball; or a disc.

uniform int point;
uniform float unit; // of light; below 1 where the target cannot hold more than 1

flat in vec4 light;
flat in float sigma;
in vec2 offset;
out vec4 sum;

const float END = 0.00431748; // exp(-REACH^2 / 2)

float gaussian(float r2, float width) { return exp(-0.5 * r2 / (width * width)); }

void main() {
  float r2 = dot(offset, offset);
  float narrow = max(0.55, 0.6 / sigma); // less than the samples can show would twinkle
  float star = 0.85 * gaussian(r2, min(narrow, 1.0)) + 0.15 * max(gaussian(r2, 1.0) - END, 0.0) / (1.0 - END);
  float disc = clamp((1.6 - sqrt(r2)) * sigma + 0.5, 0.0, 1.0);
  sum = light * unit * (point == 1 ? disc : star);
}
