// Boxes, lines and letters over a picture: src/render/paint.c.

layout(location = 0) in vec2 place; // pixels from the upper left corner
layout(location = 1) in vec2 texel; // pixels of the font's atlas
layout(location = 2) in vec4 color;

uniform vec2 size; // of the framebuffer

out vec2 atTexel;
flat out vec4 ofColor;

void main()
{
  atTexel = texel;
  ofColor = color;
  gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - 2.0 * place.y / size.y, 0.0, 1.0);
}
