/* Tables of stars that age, made by others: see data/FORMATS.md. */
#ifndef HB_EVOLUTION_H
#define HB_EVOLUTION_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* From t on: Myr, solar masses, solar radii; and a kick at t, in km/s. */
struct hb_evolution_row {
  double t;
  uint64_t id;
  double m, radius, kick;
};

/* The rows[n] by identity, then time; the caller frees them. Errors: HB_ERR_IO, HB_ERR_INPUT (file, line, value, what was expected). */
enum hb_status hb_evolution_read(const char *path, struct hb_evolution_row **rows, size_t *n);

#endif
