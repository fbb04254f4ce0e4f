// How the particles are stored on the device: one array of vec4 records, particle after particle. It can be read as
//
//   J_BUFFER_TEXTURE  a buffer texture: a one-dimensional array of texels, unfiltered, addressed by number (GL 3.1)
//   J_TEXTURE         an ordinary two-dimensional texture, the only way in 2007
//   J_BLOCK           a uniform block: fastest where all fragments read the same element; 64 KB at a time
//   J_STORAGE         a storage buffer (GL 4.3)
//
// Doubles travel as pairs of 32-bit words, two uvec4s per record. A sink that is a source needs only its particle
// number to find itself. Points, sinks that are not sources, come in an array of their own, in order; the number says
// which source a point leaves out, or is -1.
//
// source(j) is called for every pair, so J_SOURCE chooses the fastest way for it; sink(place, number) is called once per walk
// and always reads a buffer texture.

#define J_BUFFER_TEXTURE 0
#define J_TEXTURE 1
#define J_BLOCK 2
#define J_STORAGE 3

#if PRECISION == DOUBLE
#define texel4 uvec4
#define TEXELS (2 * ALL_RECORDS)
uniform usamplerBuffer particles, points;
#else
#define texel4 vec4
#define TEXELS ALL_RECORDS
uniform samplerBuffer particles, points;
#endif
uniform int has_points; // 1: the sinks are `points`, 0: they are sources

#if J_SOURCE == J_TEXTURE
#if PRECISION == DOUBLE
uniform usampler2D particle_texture;
#else
uniform sampler2D particle_texture;
#endif
uniform ivec2 particle_texture_size; // width is 2^y: (width - 1, y); t % width is t & x, and t / width is t >> y
texel4 source_texel(int t) {
  return texelFetch(particle_texture, ivec2(t & particle_texture_size.x, t >> particle_texture_size.y), 0);
}
#elif J_SOURCE == J_BLOCK
layout(std140) uniform source_block {
  texel4 block_texels[BLOCK_TEXELS];
};
uniform int block_start; // number of the first texel in the block
texel4 source_texel(int t) { return block_texels[t - block_start]; }
#elif J_SOURCE == J_STORAGE
layout(std430, binding = 0) readonly buffer source_storage {
  texel4 storage_texels[];
};
texel4 source_texel(int t) { return storage_texels[t]; }
#else
texel4 source_texel(int t) { return bufferFetch(particles, t); }
#endif

struct particle {
  real4 r[ALL_RECORDS];
};

// Record k of the particle whose first texel is t; `fetch` is one of the functions that return a texel.
#if PRECISION == DOUBLE
#define RECORD(fetch, t, k) from_words(fetch((t) + 2 * (k)), fetch((t) + 2 * (k) + 1))
#else
#define RECORD(fetch, t, k) fetch((t) + k)
#endif

particle source(int j) {
  particle p;
  for (int k = 0; k < ALL_RECORDS; k++) p.r[k] = RECORD(source_texel, TEXELS * j, k);
  return p;
}

texel4 sink_texel(int t) { return has_points == 1 ? bufferFetch(points, t) : bufferFetch(particles, t); }

// The sink at this place among the sinks: a point of that place, or the source of that number.
particle sink(int place, int number) {
  particle p;
  int t = TEXELS * (has_points == 1 ? place : number);
  for (int k = 0; k < ALL_RECORDS; k++) p.r[k] = RECORD(sink_texel, t, k);
  return p;
}

// The scale in which the totals of this sink are summed, where it has one (common/fixed.glsl).
#if PRECISION == REPRODUCIBLE
uniform isamplerBuffer scales;
void set_scale(inout total t, int place) { t.scale = uint(bufferFetch(scales, place).r); }
#else
void set_scale(inout total t, int place) {}
#endif
