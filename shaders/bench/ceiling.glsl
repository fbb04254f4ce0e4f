// How many multiply-adds the device can do: eight chains (the components of a and b) that do not wait for each other
// and fit into the registers of any processor, nothing fetched. `seed` and `more` are known only at run time, or the
// compiler might work the loop out beforehand.
uniform int turns;
uniform float seed;

vec4 chains(float start) {
  vec4 a = vec4(start, start + 1.0, start + 2.0, start + 3.0), b = a + 4.0;
  float more = start;
  for (int k = 0; k < turns; k++) {
    a = a * seed + more; b = b * seed + more; a = a * seed + more; b = b * seed + more;
    a = a * seed + more; b = b * seed + more; a = a * seed + more; b = b * seed + more;
  }
  return a + b;
}
