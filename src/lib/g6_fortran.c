/* The Fortran form of the calls. */
#define HB_G6_FORTRAN
#include "lib/g6_forms.h"

WEAK int g6_read_neighbour_list_old_(const int *id)
{
  int overflow;
  return code_or(hb_board_read_lists(whole(id), &overflow), &overflow);
}
