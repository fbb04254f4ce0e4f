// Half the size: the mean of four texels, and of their neighbours with less weight, so that nothing jumps when the light
// moves by less than a texel of the smaller picture.

uniform sampler2D source;
out vec4 mean;

void main() {
  vec2 texel = 1.0 / vec2(textureSize(source, 0));
  vec2 middle = 2.0 * gl_FragCoord.xy * texel;
  mean = 0.25 * (texture(source, middle + vec2(-0.75, -0.75) * texel) + texture(source, middle + vec2(0.75, -0.75) * texel) +
                 texture(source, middle + vec2(-0.75, 0.75) * texel) + texture(source, middle + vec2(0.75, 0.75) * texel));
}
