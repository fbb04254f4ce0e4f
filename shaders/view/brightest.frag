// The brightest of 8 x 8 texels; repeated draws leave the brightest place of the picture, blended with that of the
// previous picture so that a movie does not flicker.

uniform sampler2D source, before;
uniform vec4 adapt; // weight of the new picture; 1: ignore the previous one
out vec4 brightest;

void main() {
  ivec2 first = 8 * ivec2(gl_FragCoord.xy), last = textureSize(source, 0) - 1;
  float most = 0.0;
  for (int y = 0; y < 8; y++) // beyond the edge, the last texel again: without a branch all are fetched at once
    for (int x = 0; x < 8; x++) most = max(most, texelFetch(source, min(first + ivec2(x, y), last), 0).a);
  float old = adapt.x < 1.0 ? texelFetch(before, ivec2(0), 0).a : most;
  brightest = vec4(mix(old, most, adapt.x));
}
