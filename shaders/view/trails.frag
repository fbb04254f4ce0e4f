// The trace of a point of light that moves along the segment: a Gaussian across the line, and the integral of a Gaussian
// along it. Consecutive segments add up to a line without joints.

uniform float unit;

flat in vec4 light;
flat in vec2 ends;
in vec2 offset;
out vec4 sum;

// The cumulative normal distribution, to 3e-4 (Page 1977).
float passed(float x) { return 0.5 + 0.5 * tanh(0.797885 * x * (1.0 + 0.044715 * x * x)); }

void main() {
  float across = exp(-0.5 * offset.y * offset.y);
  sum = light * across * (passed(offset.x - ends.x) - passed(offset.x - ends.y)) * unit;
}
