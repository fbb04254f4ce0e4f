#include "pairs/interaction_read.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_shader.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Those that come with the program: shaders/interactions/NAME.glsl has the rest. */
static const struct {
  const char *name, *summary, *source;
} shipped[] = {
    {"gravity_jerk", "acceleration, its time derivative and potential", "[PZ07] appendix A"},
    {"gravity", "acceleration alone", "[NHP07] section 31.3"},
    {"lennard_jones", "van der Waals force with a cut-off radius", "[HI07] section 4.5"},
    {"gravity_snap", "acceleration, its first two time derivatives and potential", "Nitadori & Makino 2008"},
    {"coulomb", "electric field and potential of charges", "[HI07] section 4.5"},
    {"sph_density", "density of smoothed particles, and its derivative with respect to h",
     "[HI07] section 4.5"},
    {"boundary_element", "potentials of a single and a double layer on a surface", "[HI07] section 4.5"},
    {"hologram", "light of point sources, with its phase", "[HI07] section 4.5"},
};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

/* ---- those that come with the program ---------------------------------------------------------------- */

static struct hb_interaction table[SHIPPED];
static char files[SHIPPED][64];

static const char *embedded(const char *name)
{
  const struct hb_gl_shader_file *file = hb_gl_shader_files;
  while (file->name && strcmp(file->name, name) != 0) file++;
  return file->text;
}

/* Their declarations are part of the program: a test reads them all. */
static void read_shipped(void)
{
  for (int k = 0; k < SHIPPED; k++) {
    struct hb_interaction *x = &table[k];
    snprintf(files[k], sizeof files[k], "interactions/%s.glsl", shipped[k].name);
    x->name = shipped[k].name;
    x->summary = shipped[k].summary;
    x->source = shipped[k].source;
    x->file = files[k];
    const char *text = embedded(files[k]);
    if (!text || hb_interaction_read(text, x) != HB_OK)
      *x = (struct hb_interaction){0};
    else
      x->is_pinned = strstr(text, "#if PRECISION == REPRODUCIBLE") != NULL;
  }
}

const struct hb_interaction *hb_interaction_at(size_t k)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_shipped);
  return k < SHIPPED && table[k].name ? &table[k] : NULL;
}

const struct hb_interaction *hb_interaction_find(const char *name)
{
  const struct hb_interaction *x;
  for (size_t k = 0; (x = hb_interaction_at(k)); k++)
    if (strcmp(x->name, name) == 0) return x;
  return NULL;
}

/* ---- create and destroy ------------------------------------------------------------------------------ */

int hb_interaction_is_path(const char *name)
{
  return strchr(name, '/') || hb_text_has_extension(name, "glsl");
}

void hb_interaction_destroy(struct hb_interaction *interaction)
{
  if (!interaction) return;
  for (int k = 0; k < 3; k++) hb_mem_free(interaction->owned[k]);
  hb_mem_free(interaction);
}

/* The name is that of the file, without folder and extension. */
static enum hb_status keep_strings(const char *file, const char *text, struct hb_interaction *x)
{
  HB_TRY(hb_mem_strdup(hb_text_base_name(file), &x->owned[0]));
  HB_TRY(hb_mem_strdup(file, &x->owned[1]));
  HB_TRY(hb_mem_strdup(text, &x->owned[2]));
  char *dot = strrchr(x->owned[0], '.');
  if (dot && dot > x->owned[0]) *dot = 0;
  x->name = x->owned[0];
  x->file = x->owned[1];
  x->text = x->owned[2];
  x->summary = x->source = "";
  return HB_OK;
}

enum hb_status hb_interaction_create_text(const char *name, const char *text,
                                          struct hb_interaction **interaction)
{
  struct hb_interaction *x;
  *interaction = NULL;
  HB_TRY(HB_ALLOC(1, &x));
  enum hb_status status = keep_strings(name, text, x);
  if (status == HB_OK) status = hb_interaction_read(x->text, x);
  if (status != HB_OK) {
    hb_interaction_destroy(x);
    return status;
  }
  *interaction = x;
  return HB_OK;
}

static enum hb_status create_from_file(const char *path, struct hb_interaction **interaction)
{
  char *text;
  size_t count;
  HB_TRY(hb_file_read_regular(path, &text, &count));
  enum hb_status status = strlen(text) == count
                              ? hb_interaction_create_text(path, text, interaction)
                              : hb_fail(HB_ERR_INPUT, "%s is not a text: it has a NUL byte", path);
  hb_mem_free(text);
  return status;
}

/* A handle of its own, whose quantities point into itself. */
static enum hb_status copy_shipped(const struct hb_interaction *from, struct hb_interaction **interaction)
{
  struct hb_interaction *x;
  HB_TRY(HB_ALLOC(1, &x));
  x->name = from->name;
  x->summary = from->summary;
  x->source = from->source;
  x->file = from->file;
  enum hb_status status = hb_interaction_read(embedded(from->file), x);
  if (status == HB_OK)
    *interaction = x;
  else
    hb_interaction_destroy(x);
  return status;
}

enum hb_status hb_interaction_unknown(const char *name)
{
  struct hb_text known = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < SHIPPED && status == HB_OK; k++)
    status = hb_text_append(&known, "%s, ", shipped[k].name);
  if (status == HB_OK)
    status = hb_fail(HB_ERR_USAGE, "unknown interaction '%s' (expected %sor a file like my.glsl)", name,
                     known.text);
  hb_mem_free(known.text);
  return status;
}

enum hb_status hb_interaction_create(const char *name, struct hb_interaction **interaction)
{
  *interaction = NULL;
  if (hb_interaction_is_path(name)) return create_from_file(name, interaction);
  const struct hb_interaction *found = hb_interaction_find(name);
  if (!found) return hb_interaction_unknown(name);
  return copy_shipped(found, interaction);
}

/* ---- facts ------------------------------------------------------------------------------------------- */

/* The number of the k-th that has a name; -1: there are no more. */
static int named(const struct hb_record_names *names, size_t k)
{
  for (int c = 0; c < 4 * HB_RECORDS_MAX; c++)
    if (*names->at[c] && k-- == 0) return c;
  return -1;
}

static const char *name_of(const struct hb_record_names *names, size_t k)
{
  int c = named(names, k);
  return c < 0 ? NULL : names->at[c];
}

const char *hb_interaction_name(const struct hb_interaction *x) { return x->name; }
const char *hb_interaction_of_source(const struct hb_interaction *x, size_t k)
{
  return name_of(&x->of_source, k);
}
const char *hb_interaction_of_sink(const struct hb_interaction *x, size_t k)
{
  return name_of(&x->of_sink, k);
}
const char *hb_interaction_of_force(const struct hb_interaction *x, size_t k)
{
  return name_of(&x->of_force, k);
}
const char *hb_interaction_of_parameter(const struct hb_interaction *x, size_t k, double *value)
{
  int c = named(&x->of_parameter, k);
  if (c >= 0) *value = x->parameter[c];
  return name_of(&x->of_parameter, k);
}
int hb_interaction_flops(const struct hb_interaction *x) { return x->flops; }

/* Whether the names are these, given in one string. */
static int are(const struct hb_record_names *names, const char *expected)
{
  char all[sizeof *names + 8 * HB_RECORDS_MAX] = "";
  for (int c = 0; c < 4 * HB_RECORDS_MAX; c++)
    if (*names->at[c]) {
      strcat(all, names->at[c]);
      strcat(all, c % 4 == 3 ? "; " : " ");
    }
  return strcmp(all, expected) == 0;
}

int hb_interaction_has_jerk(const struct hb_interaction *x)
{
  return are(&x->of_source, "x y z m; vx vy vz ") && are(&x->of_force, "ax ay az phi; jx jy jz ") &&
         x->f_records == 2;
}

int hb_interaction_is_integrable(const struct hb_interaction *x)
{
  int is_mass = are(&x->of_source, "x y z m; ") || are(&x->of_source, "x y z m; vx vy vz ");
  return hb_interaction_has_jerk(x) || (is_mass && are(&x->of_force, "ax ay az phi; ") && x->f_records == 2);
}

/* ---- parameters -------------------------------------------------------------------------------------- */

void hb_interaction_parameter(const struct hb_interaction *x, double eps, double parameter[4])
{
  for (int c = 0; c < 4; c++) parameter[c] = isnan(x->parameter[c]) ? 1 : x->parameter[c];
  if (x->eps2 >= 0) parameter[x->eps2] = eps * eps;
}

static enum hb_status unknown_parameter(const struct hb_interaction *x, const char *word)
{
  struct hb_text known = {0};
  enum hb_status status = HB_OK;
  const char *name;
  for (size_t k = 0; (name = name_of(&x->of_parameter, k)) && status == HB_OK; k++)
    status = hb_text_append(&known, "%s%s", k ? ", " : "", name);
  if (status == HB_OK)
    status = hb_fail(HB_ERR_USAGE, "interaction %s has no parameter '%s' (expected %s%s)", x->name, word,
                     known.text ? "one of: " : "none", known.text ? known.text : "");
  hb_mem_free(known.text);
  return status;
}

static enum hb_status set_one(const struct hb_interaction *x, double eps, const char *word,
                              double parameter[4])
{
  char name[64];
  const char *equals = strchr(word, '=');
  if (!equals) return hb_fail(HB_ERR_USAGE, "parameter '%s' has no value (expected like k=1.5)", word);
  snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
  int c = hb_record_find(&x->of_parameter, name);
  if (c < 0) return unknown_parameter(x, name);
  if (c == x->eps2 && !isnan(eps))
    return hb_fail(HB_ERR_USAGE, "parameter eps2 is the softening squared (expected eps in its place)");
  enum hb_status status = hb_text_number(equals + 1, &parameter[c]);
  char place[80];
  snprintf(place, sizeof place, "parameter %s", name);
  return status == HB_OK ? HB_OK : hb_fail_in(status, place);
}

enum hb_status hb_interaction_set(const struct hb_interaction *x, double eps, const char *words,
                                  double parameter[4])
{
  memcpy(parameter, x->parameter, sizeof x->parameter);
  if (x->eps2 >= 0 && !isnan(eps)) parameter[x->eps2] = eps * eps;
  enum { WORDS = 16 };
  char *copy;
  HB_TRY(hb_mem_strdup(words ? words : "", &copy));
  const char *word[WORDS];
  int count = hb_text_words(copy, " ,\t", WORDS, word);
  enum hb_status status = HB_OK;
  if (count == WORDS) status = hb_fail(HB_ERR_USAGE, "too many parameters in '%s'", words);
  for (int k = 0; k < count && status == HB_OK; k++) status = set_one(x, eps, word[k], parameter);
  hb_mem_free(copy);
  HB_TRY(status);
  for (int c = 0; c < 4; c++)
    if (isnan(parameter[c]))
      return hb_fail(HB_ERR_USAGE, "interaction %s needs its parameter %s", x->name, x->of_parameter.at[c]);
  return HB_OK;
}
