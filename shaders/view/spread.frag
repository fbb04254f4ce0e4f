// The smaller picture, spread over the next larger one.

uniform sampler2D source;
uniform vec4 target_size; // width, height; share of what is added
out vec4 light;

void main() {
  vec2 texel = 1.0 / vec2(textureSize(source, 0)), middle = gl_FragCoord.xy / target_size.xy;
  light = vec4(0.0);
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      light += float((2 - abs(x)) * (2 - abs(y))) / 16.0 * texture(source, middle + vec2(x, y) * texel);
  light *= target_size.z;
}
