/* [PZ07] for the report: its four machines, their times in Table 2, and the model of section 5. */
#ifndef HB_MODEL_2007_H
#define HB_MODEL_2007_H

#include <holmberg/measure.h>

#include <stddef.h>

enum { HB_2007_MACHINES = 4 };
extern const char *const hb_2007_machines[HB_2007_MACHINES];

/* Seconds in Table 2; NaN: none. */
double hb_2007_wall(size_t n, const char *machine);

/* Eqs 14 and 17: particles in a block, block steps of a time unit. */
double hb_2007_n_block(double n);
double hb_2007_n_steps(double n);

/* The model's seconds; machine by its name in the tables. */
struct hb_model_time hb_2007_model(const char *machine, double n);

/* Seconds per time unit, eq. 16: as it is, or as in Fig. 5 for the 8800GTX: only blocks are sent; particles are also
 * predicted and corrected on the card. */
enum hb_2007_way { HB_2007_AS_IS, HB_2007_BLOCKS, HB_2007_ON_CARD };
double hb_2007_time(const char *machine, double n, enum hb_2007_way way);

#endif
