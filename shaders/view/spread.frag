// The smaller picture, spread over the next larger one: between its texels along straight lines, and of that the mean
// with the neighbors on both sides, weighted 1 2 1.

uniform sampler2D source;
uniform vec4 target_size; // width, height; share of what is added
out vec4 light;

// In each direction four texels have a share, a and b before the place and c and d behind it. A fetch between two texels
// gives both of them in any proportion, so two fetches do: x, z where, y, w the sum of shares.
vec4 two_fetches(float place) {
  float first = floor(place - 0.5) - 0.5, f = fract(place - 0.5); // middle of a; how far between b and c
  float a = 0.25 * (1.0 - f), b = 0.5 - 0.25 * f, c = 0.25 + 0.25 * f, d = 0.25 * f;
  return vec4(first + b / (a + b), a + b, first + 2.0 + d / (c + d), c + d);
}

void main() {
  vec2 size = vec2(textureSize(source, 0)), place = gl_FragCoord.xy / target_size.xy * size;
  vec4 x = two_fetches(place.x), y = two_fetches(place.y);
  light = y.y * (x.y * texture(source, vec2(x.x, y.x) / size) + x.w * texture(source, vec2(x.z, y.x) / size)) +
          y.w * (x.y * texture(source, vec2(x.x, y.z) / size) + x.w * texture(source, vec2(x.z, y.z) / size));
  light *= target_size.z;
}
