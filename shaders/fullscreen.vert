// The vertex program behind nearly every pass of this project: one triangle that covers the viewport.
//
// On a GPU without compute shaders, the only way to run a function n times is to draw n pixels. A triangle
// twice as large as the viewport needs no input at all: its corners follow from the vertex number 0, 1, 2.
//
//     (-1, 3)
//        |  \ .
//        |     \ .                  clip space: the viewport is the square -1 .. 1,
//     (-1,1)----(1,1)               and the rest is clipped
//        |        |  \ .
//     (-1,-1)--(1,-1)--(3,-1)
//
// What runs n times is the fragment program; gl_FragCoord tells it which pixel, and so which record, is its own.

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}
