// Copies a particle of the block, as sent by the host or corrected, into the state; its new level comes from the host,
// which keeps the schedule.
uniform usampler2DArray block;
uniform usamplerBuffer levels;
uniform uint stamp; // see predict.frag
flat in int number;
layout(location = 0) out uvec4 layer[8];

const int ROW = 1024;

void main() {
  ivec2 at = ivec2(number % ROW, number / ROW);
#define COPY(l) layer[l] = texelFetch(block, ivec3(at, l), 0);
  COPY(0) COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(6) COPY(7)
  layer[2].w = bufferFetch(levels, number).r;
  layer[3].w = stamp;
}
