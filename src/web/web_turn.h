/* Long calculations in a page, which has one thread and freezes as long as a call takes. */
#ifndef HB_WEB_TURN_H
#define HB_WEB_TURN_H

#include "base/status.h"

/* From now on they let the page have its turn, for each picture, and the device gets work of no more than most_s seconds at a
 * time; 0: they do not. */
void hb_web_sleep(double most_s);

/* Until the page has drawn once, or could not for a while. HB_ERR_STOPPED: it is to end. */
enum hb_status hb_web_show(void);

/* The one that is under way ends with HB_ERR_STOPPED, if it asks its device. */
void hb_web_stop(void);

/* Between pieces of it: as hb_gl_context_breathe. */
enum hb_status hb_web_breathe(double work);

/* 1: glGetError says only whether the context is lost: to ask takes a browser a millisecond (web_gl.c). */
void hb_web_trust(int trust);

#endif
