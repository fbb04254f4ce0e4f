#include <holmberg/holmberg.h>

const char *hb_version(void) { return HB_VERSION; } /* from the Makefile */
