/* How much memory there is. Linux promises more than that, and then ends the program. */
#ifndef HB_ROOM_H
#define HB_ROOM_H

/* Bytes that can be used yet: what Linux calls available and what limits of control groups (version 2 or 1) leave, the least of
 * them; physical memory where nothing says so. root: "", or a folder with a proc and a sys of a test's. */
double hb_room_left(const char *root);

#endif
