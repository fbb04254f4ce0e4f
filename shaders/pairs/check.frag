// One call of interact(), and nothing else: compiled when an interaction of a user's is opened, so that what a compiler has
// to say of it is said before any work is done, and is about its own lines.

#include "INTERACTION"

layout(location = 0) out vec4 result;

void main() {
  real4 i[ALL_RECORDS], j[ALL_RECORDS], f[F_RECORDS], parameter = real4(gl_FragCoord);
  for (int k = 0; k < ALL_RECORDS; k++) i[k] = j[k] = parameter;
  for (int r = 0; r < F_RECORDS; r++) f[r] = parameter;
  interact(i, j, parameter, f);
  result = vec4(0.0);
  for (int r = 0; r < F_RECORDS; r++) result += vec4(f[r]);
}
