// The light of a star: a Gaussian that ends evenly at its reach, or a disc.

uniform int point;
uniform float unit; // of light; below 1 where the target cannot hold more than 1

flat in vec4 light;
flat in float sigma;
in vec2 offset;
out vec4 sum;

const float END = 0.00431748; // exp(-REACH^2 / 2)

void main() {
  float r2 = dot(offset, offset);
  float profile = point == 1 ? clamp((1.6 - sqrt(r2)) * sigma + 0.5, 0.0, 1.0)
                             : max(exp(-0.5 * r2) - END, 0.0) / (1.0 - END);
  sum = light * profile * unit;
}
