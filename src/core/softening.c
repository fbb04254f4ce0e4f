#include "core/softening.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value of "eps=" among the words of the note options; "" if there is none. */
static void option_eps(const char *options, char value[32])
{
  static const char word[] = "eps=";
  size_t length = strlen(word);
  *value = 0;
  for (const char *c = options; c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, length) != 0) continue;
    size_t span = strcspn(c + length, " ");
    if (span < 32) memcpy(value, c + length, span), value[span] = 0;
    return;
  }
}

enum hb_status hb_particles_eps(const struct hb_particles *particles, double *eps)
{
  HB_TEXT_IN_C;
  char value[32];
  double number;
  const char *note = hb_particles_note(particles, "eps");
  *eps = NAN;
  option_eps(hb_particles_note(particles, "options"), value); /* of a run that wrote no such note */
  if (!note) note = value;
  if (!*note) return HB_OK;
  if (hb_text_number(note, &number) != HB_OK || number < 0)
    return hb_fail(HB_ERR_INPUT, "the snapshot gives eps = '%s', which is out of range", note);
  *eps = number;
  return HB_OK;
}

enum hb_status hb_softening_note(struct hb_particles *particles, double eps)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(particles, "eps");
  double number;
  if (note && hb_text_number(note, &number) == HB_OK && number == eps) return HB_OK;
  return hb_particles_print_note(particles, "eps", "%.17g", eps);
}
