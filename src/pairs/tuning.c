/* Tunings: as text, in the cache file, and how the fastest is found. */
#include "pairs/tuning.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "gl/gl_pass.h"
#include "gl/gl_shader.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- as text ---- */

/* Fields by name; those with words hold one more than the word's index. */
static const char *const output_names[] = {"targets", "storage", NULL};
static const char *const add_names[] = {"host", "device", NULL};

static const struct field {
  const char *name;
  size_t offset;
  const char *const *words; /* NULL: a number */
} fields[] = {
    {"i_each", offsetof(struct hb_pairs_tuning, i_each), NULL},
    {"unroll", offsetof(struct hb_pairs_tuning, unroll), NULL},
    {"partial", offsetof(struct hb_pairs_tuning, partial), NULL},
    {"j_source", offsetof(struct hb_pairs_tuning, j_source_plus_1), hb_j_source_names},
    {"output", offsetof(struct hb_pairs_tuning, output_plus_1), output_names},
    {"add", offsetof(struct hb_pairs_tuning, add_plus_1), add_names},
    {"threads", offsetof(struct hb_pairs_tuning, threads), NULL},
    {"width", offsetof(struct hb_pairs_tuning, width), NULL},
    {"workgroup", offsetof(struct hb_pairs_tuning, workgroup), NULL},
    {"body_threads", offsetof(struct hb_pairs_tuning, body_threads), NULL},
    {"limit", offsetof(struct hb_pairs_tuning, limit), NULL},
    {"bag", offsetof(struct hb_pairs_tuning, bag), NULL},
    {"portion", offsetof(struct hb_pairs_tuning, portion), NULL},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int *place(struct hb_pairs_tuning *t, const struct field *field)
{
  return (int *)((char *)t + field->offset);
}

/* The value of a field's text: a place in its list of words + 1, or a number from 1 on; 0 if it is neither. */
static int value_of(const struct field *field, const char *text)
{
  for (int k = 0; field->words && field->words[k]; k++)
    if (strcmp(field->words[k], text) == 0) return k + 1;
  if (field->words) return 0;
  char *end;
  long value = strtol(text, &end, 10);
  return *end == 0 && value > 0 && value < (1L << 30) ? (int)value : 0;
}

const char *hb_tuning_value(const char *word, const char *name)
{
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

void hb_tuning_append(const char *name, const char *value, size_t room, char *text)
{
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s%s%s", used ? " " : "", name, value ? "=" : "", value ? value : "");
}

enum hb_status hb_tuning_words(const char *text, hb_tuning_taker *take, void *into, char *others)
{
  char words[HB_TUNING_WORDS], *rest = NULL;
  if (others) *others = 0;
  if (!text) return HB_OK;
  if (strlen(text) >= sizeof words) return hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
  strcpy(words, text);
  for (char *word = strtok_r(words, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
    int is_own = 1;
    HB_TRY(take(word, into, &is_own));
    if (!is_own && others) hb_tuning_append(word, NULL, HB_TUNING_WORDS, others);
  }
  return HB_OK;
}

static enum hb_status take_field(const char *word, void *tuning, int *is_own)
{
  (void)is_own; /* there are no others */
  for (int k = 0; k < FIELDS; k++) {
    const char *text = hb_tuning_value(word, fields[k].name);
    if (!text) continue;
    int value = value_of(&fields[k], text);
    if (!value) return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': bad value", word);
    *place(tuning, &fields[k]) = value;
    return HB_OK;
  }
  return hb_fail(HB_ERR_USAGE,
                 "unknown tuning '%s' (expected e.g. i_each=4, unroll, partial, j_source, output, add, "
                 "threads, width, workgroup, body_threads, limit, bag, portion)",
                 word);
}

enum hb_status hb_tuning_parse(const char *text, struct hb_pairs_tuning *tuning)
{
  return hb_tuning_words(text, take_field, tuning, NULL);
}

void hb_tuning_print(const struct hb_pairs_tuning *tuning, size_t room, char *text)
{
  struct hb_pairs_tuning t = *tuning;
  text[0] = 0;
  for (int k = 0; k < FIELDS; k++) {
    char number[16];
    int value = *place(&t, &fields[k]);
    snprintf(number, sizeof number, "%d", value);
    if (value)
      hb_tuning_append(fields[k].name, fields[k].words ? fields[k].words[value - 1] : number, room, text);
  }
}

/* ---- the cache: a line each, key, tab, tuning ---- */

/* Identifies the file. */
static const char first_line[] = "# holmberg tunings 2\n";

/* The number of particles that stands for all n of a similar size. */
static size_t size_class(size_t n) { return n < 6000 ? 2048 : n < 48000 ? 16384 : 131072; }

const char *hb_tuning_cache_path(void)
{
  static _Thread_local char path[1024];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache == '/')
    snprintf(path, sizeof path, "%s/holmberg/tunings", cache);
  else if (home && *home == '/')
    snprintf(path, sizeof path, "%s/.cache/holmberg/tunings", home);
  else
    path[0] = 0;
  return path;
}

/* What a tuning is for. */
struct tuning_key {
  const struct hb_gl_context *context;
  const char *scheme, *precision, *interaction;
  size_t n; /* as size_class gives it */
};

static void print_key(const struct tuning_key *key, size_t room, char *text)
{
  snprintf(text, room, "%s|%s|%s %s %s %s %zu", key->context->caps.renderer, key->context->caps.version,
           hb_library_version(), key->scheme, key->precision, key->interaction, key->n);
  for (char *c = text; *c; c++)
    if (*c == '\t' || *c == '\n') *c = ' ';
}

/* Once: it is read for each source of forces, and again to be replaced. */
static void warn_once(const char *begin, const char *end)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&told)) hb_log_warn("%s%s", begin, end);
}

/* The file's text; NULL where there is none, or it is not such a file. */
static char *read_cache(void)
{
  char *text;
  size_t count;
  const char *path = hb_tuning_cache_path();
  if (!*path || access(path, F_OK) != 0) return NULL;
  if (hb_file_read_regular(path, &text, &count) != HB_OK) {
    warn_once("tunings are not used: ", hb_error());
    return NULL;
  }
  if (strncmp(text, first_line, sizeof first_line - 1) == 0) return text;
  warn_once(path, " is no file of tunings, or damaged, and is dropped");
  hb_mem_free(text);
  return NULL;
}

/* Shaders from a folder may differ from those that a tuning was measured with. */
static int shaders_may_differ(void) { return hb_gl_shader_folder() != NULL; }

/* 1 and *tuning if it is there. What is damaged is skipped, with a warning: of a line each time, of the file once in a
 * process. */
static int cache_get(const struct tuning_key *key, struct hb_pairs_tuning *tuning)
{
  if (shaders_may_differ()) return 0;
  char wanted[768];
  print_key(key, sizeof wanted, wanted);
  HB_OWN char *text = read_cache();
  char *rest = NULL;
  int found = 0;
  for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    char *tab = strchr(line, '\t');
    if (!tab) continue;
    *tab = 0;
    if (strcmp(line, wanted) != 0) continue;
    struct hb_pairs_tuning t = {0};
    found = hb_tuning_parse(tab + 1, &t) == HB_OK;
    if (found)
      *tuning = t;
    else
      hb_log_warn("%s has a damaged tuning, which is dropped: %s", hb_tuning_cache_path(), hb_error());
  }
  return found;
}

/* Below a home that exists: not every user has one. */
static enum hb_status make_folders(const char *path)
{
  char folder[1024];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (!(cache && *cache == '/') && access(home, F_OK) != 0)
    return hb_fail(HB_ERR_IO, "the home folder %s does not exist", home);
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(folder, 0777); /* what fails here fails again, with a reason, when the file is written */
    *slash = '/';
  }
  return HB_OK;
}

/* The old lines except that of the key. */
static enum hb_status keep_others(char *old, const char *key, struct hb_text *text)
{
  char *rest = NULL;
  size_t length = strlen(key);
  for (char *line = old ? strtok_r(old, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
    if (*line != '#' && (strncmp(line, key, length) != 0 || line[length] != '\t'))
      HB_TRY(hb_text_append(text, "%s\n", line));
  return HB_OK;
}

/* Saves it (NULL: forgets it); the file is replaced atomically. Errors: HB_ERR_IO (only this tuning is lost). */
static enum hb_status cache_put(const struct tuning_key *key, const struct hb_pairs_tuning *tuning)
{
  const char *path = hb_tuning_cache_path();
  if (shaders_may_differ()) return hb_fail(HB_ERR_USAGE, "it was measured with the shaders of HB_SHADER_DIR");
  if (!*path) return hb_fail(HB_ERR_IO, "no place for tunings: neither XDG_CACHE_HOME nor HOME is set");
  char name[768], words[256];
  print_key(key, sizeof name, name);
  if (tuning) hb_tuning_print(tuning, sizeof words, words);
  HB_TRY(make_folders(path));
  HB_OWN char *old = read_cache();
  HB_OWN struct hb_text text = {0};
  HB_TRY(hb_text_append(&text, "%s", first_line));
  HB_TRY(keep_others(old, name, &text));
  if (tuning) HB_TRY(hb_text_append(&text, "%s\t%s\n", name, words));
  return hb_file_replace(path, text.text, text.length);
}

/* ---- the search ---- */

/* What is tried, most important first; a word changes one field. Where a device cannot do it (a storage buffer before GL
 * 4.3, more render targets than it has), creation fails and the word is skipped. */
static const char bag_words[] =
    "threads=131072 i_each=3 i_each=2 unroll=4 unroll=2 width=512 width=1024 threads=262144 "
    "unroll=16 j_source=texture j_source=buffer_texture j_source=storage j_source=block "
    "unroll=1 i_each=1 partial=32 output=storage i_each=4 width=256 threads=32768 partial=64";
static const char tile_words[] =
    "i_each=2 i_each=4 unroll=4 unroll=16 threads=131072 threads=65536 threads=524288 "
    "workgroup=512 workgroup=128 workgroup=256 body_threads=32 unroll=32 unroll=8 i_each=1 "
    "j_source=buffer_texture";
/* A software renderer has few threads, and segments are costly for its small blocks. */
static const char software_words[] =
    "threads=512 i_each=4 threads=2048 output=targets threads=256 unroll=4 unroll=16 width=64 "
    "i_each=2 partial=128";

static const double GAIN = 1.02;          /* less is noise */
static const double TRIAL_SECONDS = 0.03; /* of each stretch that is timed */
static const double WALK_SECONDS = 0.004; /* about what one walk may take */
static const double COMPILE_SECONDS = 2;  /* of a tuning: those with more to compile are not tried */

struct trial {
  struct hb_pairs_params params;
  size_t n, ni;
  int too_large;                 /* sinks times sources written out that took too long to compile; 0: none */
  double *x;                     /* [4 * records * n], random in the unit cube */
  uint32_t *index;               /* [n] */
  uint32_t *scale;               /* [n] in precision reproducible: any, */
  struct hb_fixed_total *totals; /* [n] and where totals go; else NULL */
};

static enum hb_status prepare(const struct hb_pairs_params *params, size_t n, struct trial *t)
{
  *t = (struct trial){.params = *params, .n = n, .ni = n};
  size_t width = 4 * (size_t)params->interaction->records;
  HB_TRY(HB_ALLOC(width * n, &t->x));
  HB_TRY(HB_ALLOC(n, &t->index));
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t k = 0; k < width * n; k++) t->x[k] = hb_rng_uniform(&rng);
  for (size_t k = 0; k < n; k++) t->index[k] = (uint32_t)k;
  if (!hb_precisions[params->precision].is_fixed) return HB_OK;
  HB_TRY(HB_ALLOC(n, &t->scale));
  HB_TRY(HB_ALLOC(n, &t->totals));
  for (size_t k = 0; k < n; k++) t->scale[k] = 0x7f7f7f7f; /* units of 1 */
  return HB_OK;
}

static enum hb_status walk(struct trial *t, struct hb_pairs *pairs)
{
  return hb_pairs_walk(pairs, &(const struct hb_pairs_job){
                                  .ni = t->ni, .index = t->index, .scale = t->scale, .totals = t->totals});
}

static enum hb_status send(const struct trial *t, struct hb_pairs *pairs)
{
  struct hb_column columns[4 * HB_RECORDS_MAX];
  size_t width = 4 * (size_t)t->params.interaction->records;
  struct hb_fixed_column rounding[4 * HB_RECORDS_MAX];
  for (size_t c = 0; c < width; c++) {
    columns[c] = (struct hb_column){t->x + c, width};
    rounding[c] = (struct hb_fixed_column){1, 1};
  }
  if (t->totals) hb_pairs_set_rounding(pairs, rounding);
  return hb_pairs_set_j(pairs, t->n, columns);
}

/* Repeats the walk for this duration, at least once; seconds of one walk. */
static enum hb_status walk_for(struct trial *t, struct hb_pairs *pairs, double duration, double *seconds)
{
  double start = hb_gl_timer_start();
  int walks = 0, batch = 1;
  do {
    for (int k = 0; k < batch; k++, walks++) HB_TRY(walk(t, pairs));
    *seconds = hb_gl_timer_stop(start) / walks;
    batch = 8;
  } while (*seconds * walks < duration);
  return HB_OK;
}

/* How much of the walk a compiler has to write out. */
static int size_of(const struct hb_pairs_tuning *tuning) { return tuning->i_each * tuning->unroll; }

static int compiles_too_long(const struct trial *t, const struct hb_pairs_tuning *tuning)
{
  return t->too_large && size_of(tuning) >= t->too_large;
}

static void learn_compiler(struct trial *t, const struct hb_pairs_tuning *tuning, double seconds)
{
  if (seconds > COMPILE_SECONDS && !compiles_too_long(t, tuning)) t->too_large = size_of(tuning);
}

/* Seconds of one walk, the better of two stretches; *tuning becomes complete. */
static enum hb_status measure(struct trial *t, struct hb_pairs_tuning *tuning, double *seconds)
{
  struct hb_pairs *pairs;
  double again = 0, walks[2] = {0};
  t->params.tuning = *tuning;
  HB_TRY(hb_pairs_create(&t->params, &pairs));
  *tuning = pairs->params.tuning;
  enum hb_status status = send(t, pairs);
  for (int k = 0; k < 2 && status == HB_OK; k++) { /* compiles; learns the speed, of which passes are made */
    double start = hb_clock_now();
    status = walk(t, pairs);
    if (status == HB_OK) status = hb_pairs_read(pairs);
    walks[k] = hb_clock_now() - start;
  }
  if (status == HB_OK) learn_compiler(t, tuning, walks[0] - walks[1]);
  if (status == HB_OK) status = walk_for(t, pairs, TRIAL_SECONDS, seconds);
  if (status == HB_OK) status = walk_for(t, pairs, TRIAL_SECONDS, &again);
  if (again < *seconds) *seconds = again;
  hb_pairs_destroy(pairs);
  return status;
}

/* As many sinks as make a walk of WALK_SECONDS: all, or a block that is large enough to fill the device. The first
 * measurement only wakes it up: a GPU that was idle takes its time to raise its clock. */
static enum hb_status choose_sinks(struct trial *t, struct hb_pairs_tuning *tuning)
{
  double seconds = 0;
  t->ni = t->n < 1024 ? t->n : 1024;
  for (int k = 0; k < 3 && seconds < TRIAL_SECONDS; k++) HB_TRY(measure(t, tuning, &seconds));
  double affordable = (double)t->ni * WALK_SECONDS / seconds;
  t->ni = affordable < 1024 ? t->ni : affordable < (double)t->n ? (size_t)affordable : t->n;
  return HB_OK;
}

static enum hb_status search(const struct hb_pairs_params *params, size_t n, double seconds,
                             struct hb_pairs_tuning *best, double *pairs_per_s)
{
  double begin = hb_clock_now(), fastest, elapsed;
  char words[512];
  const char *word[32];
  snprintf(words, sizeof words, "%s",
           params->context->caps.software                     ? software_words
           : hb_pairs_scheme_find(params->scheme)->is_compute ? tile_words
                                                              : bag_words);
  int count = hb_text_words(words, " ", sizeof word / sizeof *word, word);
  struct trial t;
  struct hb_pairs_tuning safe = {0};
  enum hb_status status = prepare(params, n, &t);
  if (status == HB_OK) status = choose_sinks(&t, &safe);
  *best = safe;
  if (status == HB_OK) status = measure(&t, best, &fastest);
  for (int k = 0; status == HB_OK && k < count && hb_clock_now() - begin < seconds; k++) {
    struct hb_pairs_tuning tuning = *best;
    if (hb_tuning_parse(word[k], &tuning) != HB_OK || memcmp(&tuning, best, sizeof tuning) == 0) continue;
    if (tuning.partial > safe.partial /* sums of more sources are less exact */ ||
        compiles_too_long(&t, &tuning) || measure(&t, &tuning, &elapsed) != HB_OK ||
        elapsed * GAIN >= fastest)
      continue;
    fastest = elapsed;
    *best = tuning;
  }
  if (status == HB_OK) *pairs_per_s = (double)t.ni * (double)(n - 1) / fastest;
  HB_FREE(t.x, t.index, t.scale, t.totals);
  return status;
}

static struct tuning_key key_of(const struct hb_pairs_params *params, size_t n)
{
  return (struct tuning_key){params->context, params->scheme, hb_precision_names[params->precision],
                             params->interaction->key, size_class(n)};
}

enum hb_status hb_tuning_renew(const struct hb_pairs_params *params, size_t n, double seconds,
                               struct hb_pairs_tuning *tuning, double *pairs_per_s)
{
  const struct tuning_key key = key_of(params, n);
  HB_TRY(search(params, key.n, seconds, tuning, pairs_per_s));
  if (cache_put(&key, tuning) != HB_OK) hb_log("the tuning cannot be saved: %s", hb_error());
  return HB_OK;
}

enum hb_status hb_tuning_open(const struct hb_pairs_params *params, size_t n, double seconds,
                              struct hb_pairs **pairs)
{
  const struct tuning_key key = key_of(params, n);
  struct hb_pairs_params tuned = *params;
  double pairs_per_s;
  if (cache_get(&key, &tuned.tuning)) {
    if (hb_pairs_create(&tuned, pairs) == HB_OK) return HB_OK;
    hb_log_warn("%s has a tuning that does not fit and is dropped: %s", hb_tuning_cache_path(), hb_error());
    if (cache_put(&key, NULL) != HB_OK) hb_log("the tuning cannot be removed: %s", hb_error());
  }
  hb_log("looking for the fastest way to walk on %s", params->context->caps.renderer);
  HB_TRY(hb_tuning_renew(params, n, seconds, &tuned.tuning, &pairs_per_s));
  return hb_pairs_create(&tuned, pairs);
}
