// Twelve chains of multiply-adds a fragment.
#include "bench/ceiling.glsl"

layout(location = 0) out vec4 result;

void main() { result = chains(gl_FragCoord.x); }
