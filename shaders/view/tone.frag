// A pixel of the finished picture: light and scattered light through the curve, with the colour kept, and towards white
// where the plate is full, as eyes and film do.

uniform sampler2D source, glow;
uniform vec4 tone;       // z: share of the glow
uniform vec4 background; // coded; w: dither
uniform vec4 corner;     // of the picture in the target; size
uniform float unit;

flat in vec2 curve;
out vec4 pixel;

vec3 encode(vec3 linear) {
  return mix(12.92 * linear, 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055,
             greaterThan(linear, vec3(0.0031308)));
}

float decode(float coded) { return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4); }

void main() {
  vec2 at = gl_FragCoord.xy - corner.xy;
  vec4 light = texelFetch(source, ivec2(at), 0) / unit;
  light += tone.z * texture(glow, at / corner.zw) / unit;
  float shown = min(asinh(light.a / curve.x) * curve.y, 1.0);
  vec3 color = light.a > 0.0 ? light.rgb / light.a : vec3(1.0);
  color = mix(color, vec3(1.0), 0.75 * shown * shown * shown * shown);
  vec3 coded = encode(color * decode(shown));
  coded = background.rgb + (1.0 - background.rgb) * min(coded, vec3(1.0));
  // Half a step up or down in a fixed pattern: eight bits alone would show as rings in the glow (Jimenez 2014).
  float pattern = fract(52.9829189 * fract(dot(floor(at), vec2(0.06711056, 0.00583715)))) - 0.5;
  pixel = vec4(coded + background.w * pattern / 255.0, 1.0);
}
