// Each of `lanes` threads (a power of two up to LANES) holds a part of the same sink's total: adds them up in lane 0, pair
// by pair, through shared memory. All threads of the workgroup must call this.
//
//     lane     0        1        2        3
//              a        b        c        d       2 and 3 give, 0 and 1 add
//              a+c      b+d                       1 gives, 0 adds
//              a+c+b+d

#if LANES > 1 && !defined(others) // the file that includes this may lend some
shared uvec4 others[WORDS * WORKGROUP / 2]; // word by word, so that neighboring threads use neighboring banks
#endif

void merge_lanes(int body, int lane, int bodies, int lanes, inout total t, inout int walked) {
#if LANES > 1
  uvec4 words[WORDS];
  for (int upper = lanes / 2; upper > 0; upper /= 2) {
    int place = (lane - (lane >= upper ? upper : 0)) * bodies + body;
    barrier();
    if (lane >= upper && lane < 2 * upper) {
      to_words(t, walked, words);
      for (int w = 0; w < WORDS; w++) others[w * WORKGROUP / 2 + place] = words[w];
    }
    barrier();
    if (lane < upper) {
      int more;
      for (int w = 0; w < WORDS; w++) words[w] = others[w * WORKGROUP / 2 + place];
      merge(t, from_words(words, more));
      walked += more;
    }
  }
#endif
}
