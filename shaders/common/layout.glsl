// How the fragments of a pass are laid out in the framebuffer: numbered along rows of `width` texels or, where band > 1,
// up and down within bands of that many rows, so that fragments which run in step have neighboring numbers.
//
//   band = 1   4 5 6 7     band = 2   1 3 5 7
//              0 1 2 3                0 2 4 6     (row 0 at the bottom, as in OpenGL)
//
// add_fragments() in src/pairs/pairs_bag.c is the same formula on the host.

int fragment_at(ivec2 texel, int width, int band) {
  return (texel.y / band * width + texel.x) * band + texel.y % band;
}

ivec2 texel_of(int fragment, int width, int band) {
  int column = fragment / band;
  return ivec2(column % width, column / width * band + fragment % band);
}
