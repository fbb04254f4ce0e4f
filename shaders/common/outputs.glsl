// What a fragment writes: OUTPUTS uvec4s, one to each attachment of the framebuffer. OpenGL ES lets only constants index
// an output, so this loop is written out.

layout(location = 0) out uvec4 result[OUTPUTS];

void write_outputs(in uvec4 words[OUTPUTS]) {
  result[0] = words[0];
#if OUTPUTS > 1
  result[1] = words[1];
#endif
#if OUTPUTS > 2
  result[2] = words[2];
#endif
#if OUTPUTS > 3
  result[3] = words[3];
#endif
#if OUTPUTS > 4
  result[4] = words[4];
#endif
#if OUTPUTS > 5
  result[5] = words[5];
#endif
#if OUTPUTS > 6
  result[6] = words[6];
#endif
#if OUTPUTS > 7
  result[7] = words[7];
#endif
}
