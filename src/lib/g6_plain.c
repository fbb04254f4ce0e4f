/* The C form of the calls. In an object of its own: a program that defines these names itself, on top of Fortran's, is
 * linked without it. */
#include "lib/g6_forms.h"

WEAK int g6_open_special(int ngpu, int *list)
{
  (void)ngpu, (void)list;
  return hb_engine_report(hb_board_open(0));
}
WEAK int g6_open_special2(int ngpu, int *list, int nmax)
{
  (void)ngpu, (void)list, (void)nmax;
  return hb_engine_report(hb_board_open(0));
}
