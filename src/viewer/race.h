/* A race: the same particles from the same state by two to four schemes side by side, in one context. They take turns, so that
 * each has had as much of the machine's time; the machines of 2007 run along as [PZ07] prints their seconds. */
#ifndef HB_RACE_H
#define HB_RACE_H

#include "render/paint.h"
#include "render/scene.h"
#include "viewer/hud.h"

#include <holmberg/diagnostics.h>

enum { HB_RACERS = 4 };

struct hb_racer {
  struct hb_sim *sim;
  struct hb_view_particles stars;
  struct hb_sim_counts counts; /* so far                                                       */
  struct hb_diagnostics begin; /* the first of `energies` measurements                         */
  struct hb_hud_history errors;
  int energies;
  double e_error, e_t;       /* of the last, over begin.e_scale; its time                    */
  double step_s, diagnose_s; /* wall time of its steps, and of its energies                  */
};

/* Start from {0}. */
struct hb_race {
  int count;
  struct hb_racer racer[HB_RACERS];
  size_t n, lit;
  double t;        /* where it began                  */
  int no_energies; /* 1: they would have to be read back from the device */
  double range[2]; /* of the colors: speeds           */
  int pictures;
};

/* Splits "bag,host" into names[HB_RACERS], in place. Errors: HB_ERR_USAGE (not two to four different schemes). */
enum hb_status hb_race_names(char *list, const char *names[HB_RACERS], int *count);

/* Takes over a simulation, whose stars are drawn in this context. */
enum hb_status hb_race_add(struct hb_race *race, struct hb_gl_context *context, struct hb_sim *sim);
void hb_race_close(struct hb_race *race);

/* A block step of each; or turns for about that many seconds, always of who has had least. Errors: those of hb_sim_step. */
enum hb_status hb_race_step(struct hb_race *race);
enum hb_status hb_race_run(struct hb_race *race, double seconds);

/* Measures energies: with a share INFINITY all, else of those for whom that takes no more than this share of their steps. */
enum hb_status hb_race_diagnose(struct hb_race *race, double share);

/* Draws stars, numbers and lines onto a target of the paint's size, a pixel of the font being `scale` pixels, one of the scene `coarse`. */
enum hb_status hb_race_draw(struct hb_race *race, struct hb_scene *scene, const struct hb_camera *camera,
                            const struct hb_scene_style *style, int scale, int coarse,
                            const struct hb_gl_target *target);
void hb_race_paint(const struct hb_race *race, struct hb_paint *paint);

/* Pixels at the bottom that belong to all: a sentence, and beside each scheme a machine of 2007; and of what each has of a picture. */
double hb_race_foot(int scale, double height);
void hb_race_size(const struct hb_race *race, int scale, int width, int height, int size[2]);

#endif
