// Where the fragments of a pass lie that are more than a row of the framebuffer holds: numbered along rows of `width`, or,
// where band > 1, up and down in bands of so many rows, so that neighbours in a block of lanes have neighbouring numbers.
//
//   band = 1   0 1 2 3     band = 2   1 3 5 7
//              4 5 6 7                0 2 4 6     (rows from below)
//
// The host's side of it is add_fragments() in src/pairs/pairs_bag_result.c.

int fragment_at(ivec2 texel, int width, int band) {
  return (texel.y / band * width + texel.x) * band + texel.y % band;
}

ivec2 texel_of(int fragment, int width, int band) {
  int column = fragment / band;
  return ivec2(column % width, column / width * band + fragment % band);
}
