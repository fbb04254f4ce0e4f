// Moves results to where they belong: draws one point per particle, on that particle's texel. A fragment program cannot
// choose where it writes; a vertex program can.
uniform isamplerBuffer sinks; // the particle number of each
uniform int rows;             // of the state
flat out int number;          // in the block

const int ROW = 1024;

void main() {
  int i = bufferFetch(sinks, gl_VertexID).r;
  vec2 texel = vec2(i % ROW, i / ROW) + 0.5;
  number = gl_VertexID;
  gl_PointSize = 1.0;
  gl_Position = vec4(2.0 * texel / vec2(ROW, rows) - 1.0, 0.0, 1.0);
}
