// A pixel of the finished picture: light and scattered light through the curve, with the color kept, and towards white
// where it is brightest, as eyes and film do.

uniform sampler2D source, glow;
uniform vec4 tone;       // z: what the brightest of the glow becomes, coded
uniform vec4 background; // coded; w: dither
uniform vec4 corner;     // of the picture in the target

flat in vec4 curve; // see tone.vert
flat in vec2 pixel_size;
out vec4 pixel;

vec3 encode(vec3 linear) {
  return mix(12.92 * linear, 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055,
             greaterThan(linear, vec3(0.0031308)));
}

float decode(float coded) { return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4); }

vec3 color_of(vec4 light) { return light.a > 0.0 ? light.rgb / light.a : vec3(1.0); }

vec3 stars_of(vec4 light) {
  if (light.a <= 0.0) return vec3(0.0);
  float shown = min(asinh(light.a * curve.x) * curve.y, 1.0);
  return mix(color_of(light), vec3(1.0), 0.6 * shown * shown) * decode(shown);
}

void main() {
  vec2 at = gl_FragCoord.xy - corner.xy;
  vec3 stars = stars_of(texelFetch(source, ivec2(at), 0));
  // The glow has a curve of its own, so that it is there in a poor cluster and does not drown a rich one.
  vec4 scattered = texture(glow, at * pixel_size);
  float share = min(scattered.a * curve.z, 1.0);
  vec3 coded = encode(stars + color_of(scattered) * decode(tone.z * pow(share, 0.6)));
  coded = background.rgb + (1.0 - background.rgb) * min(coded, vec3(1.0));
  // Half a step up or down in a fixed pattern: eight bits alone would show as rings in the glow (Jimenez 2014).
  float pattern = fract(52.9829189 * fract(dot(floor(at), vec2(0.06711056, 0.00583715)))) - 0.5;
  pixel = vec4(coded + background.w * pattern / 255.0, 1.0);
}
