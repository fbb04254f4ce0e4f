#include "lib/g6_calls.h"

#include <stdatomic.h>
#include <stddef.h>

int hb_g6_read_lists(int id)
{
  int overflow;
  int code = hb_engine_report(hb_board_read_lists(id, &overflow));
  return code ? code : overflow;
}

int hb_g6_list(int id, int pipe, int most, int *count, int *list)
{
  int overflow, none;
  int code = hb_engine_report(hb_board_list(id, pipe, most, count ? count : &none, list, &overflow));
  return code ? code : overflow;
}

int hb_g6_sort_mode(const int *mode)
{
  static atomic_int kept;
  if (mode) kept = *mode;
  return kept;
}

const char *g6_error(void) { return hb_error(); }
