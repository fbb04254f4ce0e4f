/* The Fortran form of the calls. */
#define HB_G6_FORTRAN
#include "lib/g6_forms.h"

WEAK int g6_read_neighbour_list_old_(const int *id) { return hb_g6_read_lists(whole(id)); }
