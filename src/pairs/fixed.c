#include "pairs/fixed.h"

#include "base/clones.h"

#include <string.h>

HB_CLONES void hb_fixed_pack(const struct hb_column c[4], const struct hb_fixed_column how[4], size_t from,
                             size_t to, size_t stride, size_t low, char *out)
{
  struct hb_column_record r = hb_column_record(c, from);
  const HB_DOUBLES factor = {how[0].factor, how[1].factor, how[2].factor, how[3].factor},
                   round = {how[0].round, how[1].round, how[2].round, how[3].round};
  for (size_t j = from; j < to; j++, out += stride) {
    HB_DOUBLES x;
    hb_column_next(&r, &x);
    x = (x * factor + round) - round;
    const HB_FLOATS f = __builtin_convertvector(x, HB_FLOATS);
    memcpy(out, &f, sizeof f);
    if (low == 0) continue;
    HB_FLOATS rest = __builtin_convertvector(x - __builtin_convertvector(f, HB_DOUBLES), HB_FLOATS);
    rest[3] = 0;
    memcpy(out + low, &rest, sizeof rest);
  }
}
