// How much longer doubles take than floats: the same chain of products and sums in NUMBER, either of them. Where the hardware
// has none the compiler writes hundreds of instructions for each, which shows here before anything larger is compiled
// (src/pairs/selftest.c).

uniform int steps;

out uvec4 words;

void main() {
  NUMBER x = NUMBER(gl_FragCoord.x), factor = NUMBER(0.75);
  for (int k = 0; k < steps; k++) x = x * factor + NUMBER(1.0);
  words = uvec4(floatBitsToUint(float(x)));
}
