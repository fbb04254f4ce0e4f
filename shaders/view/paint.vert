// Boxes, lines and letters over a picture (src/render/paint.c). Two triangles per quadrilateral, whose corners are in
// reading order.

uniform samplerBuffer quads; // four texels each: corners 0 and 1, 2 and 3; origin and size in the font's atlas; color
uniform vec2 size; // of the framebuffer

out vec2 atTexel;
flat out vec4 ofColor;

void main()
{
  const int corners[6] = int[6](0, 1, 2, 2, 1, 3);
  int first = 4 * (gl_VertexID / 6), corner = corners[gl_VertexID % 6];
  vec4 two = bufferFetch(quads, first + corner / 2), cell = bufferFetch(quads, first + 2);
  vec2 place = corner % 2 == 0 ? two.xy : two.zw; // pixels from the upper left corner
  atTexel = cell.xy + cell.zw * vec2(corner % 2, corner / 2);
  ofColor = bufferFetch(quads, first + 3);
  gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - 2.0 * place.y / size.y, 0.0, 1.0);
}
