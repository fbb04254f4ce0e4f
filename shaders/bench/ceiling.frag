// 32 multiply-adds per iteration and fragment.
#include "bench/ceiling.glsl"

layout(location = 0) out vec4 result;

void main() { result = chains(gl_FragCoord.x); }
