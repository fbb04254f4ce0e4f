// The font's atlas is the coverage of each pixel; boxes and lines use its one full cell.

uniform sampler2D atlas;

in vec2 atTexel;
flat in vec4 ofColor;

out vec4 picture;

void main()
{
  float ink = texelFetch(atlas, ivec2(atTexel), 0).r;
  picture = vec4(ofColor.rgb, ofColor.a * ink);
}
