// The brightest of 8 x 8 texels; what is left in the end is the brightest place of the picture, taken over from the last
// picture's by a share, so that a film does not flicker.

uniform sampler2D source, before;
uniform vec4 adapt; // share of what is new; 1: all of it
out vec4 brightest;

void main() {
  ivec2 first = 8 * ivec2(gl_FragCoord.xy), end = textureSize(source, 0);
  float most = 0.0;
  for (int y = first.y; y < min(first.y + 8, end.y); y++)
    for (int x = first.x; x < min(first.x + 8, end.x); x++) most = max(most, texelFetch(source, ivec2(x, y), 0).a);
  float last = adapt.x < 1.0 ? texelFetch(before, ivec2(0), 0).a : most;
  brightest = vec4(mix(last, most, adapt.x));
}
