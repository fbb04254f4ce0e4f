// The predictor as a compute shader: a thread is a particle, and writes its texels where the force kernel reads them.
#define IN_STORAGE
#define STATE_ACCESS readonly
#include "hermite/predict.glsl"
#ifndef TIMED
#define source_count particle_count
#endif

layout(std430, binding = 4) writeonly buffer record_storage {
  uvec4 record[];
};

void main() {
  for (int i = int(gl_GlobalInvocationID.x); i < source_count; i += stride()) {
    body b = body_at(i);
    for (int part = 0; part < TEXELS; part++) record[TEXELS * i + part] = texel(b, part);
  }
  count_workgroup();
}
