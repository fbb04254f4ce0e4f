// The font's atlas says how much of the color stays; boxes and lines take it from the cell that is full.

uniform sampler2D atlas;

in vec2 atTexel;
flat in vec4 ofColor;

out vec4 picture;

void main()
{
  float ink = texelFetch(atlas, ivec2(atTexel), 0).r;
  picture = vec4(ofColor.rgb, ofColor.a * ink);
}
