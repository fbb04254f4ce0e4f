// Stores particles that have arrived where they belong, as scatter.vert does: a point is one of the ten texels of a
// particle, which says itself what its address is.
uniform usamplerBuffer block;
uniform int row, rows; // of the state: particles in a row, and rows
flat out uvec4 texel;

void main() {
  int i = gl_VertexID / 10, k = gl_VertexID - 10 * i, address = int(bufferFetch(block, 10 * i + 5).w);
  vec2 at = vec2(10 * (address % row) + k, address / row) + 0.5;
  texel = bufferFetch(block, gl_VertexID);
  gl_PointSize = 1.0;
  gl_Position = vec4(2.0 * at / vec2(10 * row, rows) - 1.0, 0.0, 1.0);
}
