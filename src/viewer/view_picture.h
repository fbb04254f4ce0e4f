/* Pictures of what is shown: draws them, shows them, and saves them as screenshots and movies. */
#ifndef HB_VIEW_PICTURE_H
#define HB_VIEW_PICTURE_H

#include "viewer/view_state.h"

enum { HB_VIEW_FEW = 16 }; /* bodies whose paths can be told apart */

enum hb_status hb_view_picture_open(struct hb_view *view);
void hb_view_picture_close(struct hb_view *view);

/* Adopts the current size of the framebuffer. */
enum hb_status hb_view_picture_resized(struct hb_view *view);

/* Reloads shaders, of forces and of pictures, that were saved meanwhile (HB_SHADER_DIR). */
void hb_view_picture_reload(struct hb_view *view);

/* Draws and shows a picture, and adds it to the movie being recorded. Only for hb_view_show. */
enum hb_status hb_view_picture_show(struct hb_view *view);

/* All details, as for a screenshot or a movie; without glow if the user wants plain pictures. */
enum hb_status hb_view_picture_refine(struct hb_view *view);

/* After a picture on the screen: fewer details if it took too long, more if there was time to spare. */
enum hb_status hb_view_picture_adapt(struct hb_view *view);

/* Opens or closes the inspector. */
enum hb_status hb_view_picture_inspect(struct hb_view *view);

/* Finds the texel under the mouse. */
void hb_view_picture_point(struct hb_view *view, double x, double y);

/* Writes a screenshot; path NULL: the first of holmberg_0001.png, ... that does not exist. Shows a message with the name. */
enum hb_status hb_view_picture_save(struct hb_view *view, const char *path);

/* Starts a movie; path NULL: under a free name. Ends it, with a message. Errors: those of hb_film_open, hb_film_close. */
enum hb_status hb_view_picture_record(struct hb_view *view, const char *path);
enum hb_status hb_view_picture_recorded(struct hb_view *view, enum hb_status status);

#endif
