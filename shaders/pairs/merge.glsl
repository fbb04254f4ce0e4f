// Each of LANES threads holds a part of the same sink's total: adds them up in lane 0, pair by pair, through shared
// memory. All threads of the workgroup must call this.
//
//     lane     0        1        2        3
//              a        b        c        d       2 and 3 give, 0 and 1 add
//              a+c      b+d                       1 gives, 0 adds
//              a+c+b+d

#if LANES > 1
shared uvec4 others[WORKGROUP / 2 * WORDS];
#endif

void merge_lanes(int body, int lane, int bodies, inout total t, inout int walked) {
#if LANES > 1
  uvec4 words[WORDS];
  for (int upper = LANES / 2; upper > 0; upper /= 2) {
    int place = ((lane - (lane >= upper ? upper : 0)) * bodies + body) * WORDS;
    barrier();
    if (lane >= upper && lane < 2 * upper) {
      to_words(t, walked, words);
      for (int w = 0; w < WORDS; w++) others[place + w] = words[w];
    }
    barrier();
    if (lane < upper) {
      int more;
      for (int w = 0; w < WORDS; w++) words[w] = others[place + w];
      merge(t, from_words(words, more));
      walked += more;
    }
  }
#endif
}
