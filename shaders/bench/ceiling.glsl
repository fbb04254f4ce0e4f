// How many multiply-adds per second the device can do: twelve independent chains (the components of a, b and c), which fit
// into the registers of any processor and do not wait for each other, and no memory access. ROUNDS are written out by the
// loader, since a processor that emulates a GPU spends as long on the end of a loop as on some of them. `seed` and `more` are
// known only at run time, or the compiler might evaluate the loop beforehand.
uniform int turns;
uniform float seed;

vec4 chains(float start) {
  vec4 a = vec4(start, start + 1.0, start + 2.0, start + 3.0), b = a + 4.0, c = a + 8.0;
  float more = start;
  for (int k = 0; k < turns; k++) {
    for (int r = 0; r < ROUNDS; r++) {
      a = a * seed + more;
      b = b * seed + more;
      c = c * seed + more;
    }
  }
  return a + b + c;
}
