// Half the size: the mean of four texels, and of their neighbors with less weight, so that nothing jumps when the light
// moves by less than a texel of the smaller picture.

uniform sampler2D source;
out vec4 mean;

// No light comes from outside, where a texture would repeat its last row.
vec4 tap(vec2 p) { return all(lessThan(abs(p - 0.5), vec2(0.5))) ? texture(source, p) : vec4(0.0); }

void main() {
  vec2 texel = 1.0 / vec2(textureSize(source, 0));
  vec2 middle = 2.0 * gl_FragCoord.xy * texel, aside = 0.75 * texel;
  mean = 0.25 * (tap(middle - aside) + tap(middle + vec2(aside.x, -aside.y)) + tap(middle + vec2(-aside.x, aside.y)) +
                 tap(middle + aside));
}
