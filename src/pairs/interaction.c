/* The declaration of an interaction is a few comment lines, anywhere in its file:
 *
 *   // particle:  (x, y, z, m) (vx, vy, vz, -)        the vec4 records of a source, 1 to 3
 *   // sink:      (x, y, z, -) (vx, vy, vz, -)        what interact() reads of a sink; without this line, all of the above
 *   // force:     (ax, ay, az, phi) (jx, jy, jz, -)   what a sink feels, 1 to 3; the last component is the engine's
 *   // parameter: (eps2 = 0, -, -, -)                 numbers of the interaction; without a value, the caller has to give one
 *   // flops:     43                                  operations of a pair
 *
 * Everything that can be told without a GLSL compiler is checked here. */
#include "pairs/interaction.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_shader.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 64 << 10, PARTICLE_MOST = HB_RECORDS_MAX - 1 };

int hb_interaction_record(const struct hb_record_names *names, const char *name)
{
  for (int c = 0; c < 4 * HB_RECORDS_MAX; c++)
    if (*name && strcmp(names->at[c], name) == 0) return c;
  return -1;
}

/* A line of the file, for messages. */
struct place {
  const struct hb_interaction *interaction;
  int line;
};

static enum hb_status bad(const struct place *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum hb_status bad(const struct place *at, const char *format, ...)
{
  char what[1024], line[16] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (at->line) snprintf(line, sizeof line, "%d:", at->line);
  return hb_fail(HB_ERR_INPUT, "%s:%s %s", at->interaction->file, line, what);
}

/* ---- (x, y, z, m) ------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at)
{
  while (*at == ' ' || *at == '\t' || *at == '\r') at++;
  return at;
}

static int is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* As much of a line as a message shows. */
static int shown(const char *at)
{
  size_t length = strcspn(at, "\r\n");
  return length < 16 ? (int)length : 16;
}

/* A name or - at *at, which moves behind it. */
static enum hb_status read_name(const struct place *place, const char **at,
                                const struct hb_record_names *known, char name[HB_INTERACTION_NAME])
{
  const char *begin = *at;
  size_t length = 0;
  name[0] = 0;
  if (*begin == '-') return (*at)++, HB_OK;
  while (is_letter(begin[length])) length++;
  if (length == 0 || isdigit((unsigned char)*begin))
    return bad(place, "'%.*s' where a name or - is expected, as in (x, y, z, -)", shown(begin), begin);
  if (length >= HB_INTERACTION_NAME)
    return bad(place, "the name '%.*s...' is too long (expected at most %d letters)", 16, begin,
               HB_INTERACTION_NAME - 1);
  memcpy(name, begin, length);
  name[length] = 0;
  *at = begin + length;
  return hb_interaction_record(known, name) < 0 ? HB_OK : bad(place, "the name '%s' is given twice", name);
}

/* "= 1e-4", which may be missing. */
static enum hb_status read_value(const struct place *place, const char **at, double *value)
{
  char word[40];
  if (!value) return HB_OK;
  *value = NAN;
  *at = skip_blanks(*at);
  if (**at != '=') return HB_OK;
  const char *begin = skip_blanks(*at + 1);
  size_t length = strcspn(begin, ",) \t\r");
  snprintf(word, sizeof word, "%.*s", (int)length, begin);
  if (hb_text_number(word, value) != HB_OK) return bad(place, "%s", hb_error());
  *at = begin + length;
  return HB_OK;
}

/* Four of them; values, nullable: of parameters. */
static enum hb_status read_record(const struct place *place, const char **at, int record,
                                  struct hb_record_names *names, double *values)
{
  if (**at != '(')
    return bad(place, "'%.*s' where a record is expected, as in (x, y, z, m)", shown(*at), *at);
  const char *begin = *at;
  for (int c = 0; c < 4; c++) {
    char name[HB_INTERACTION_NAME];
    *at = skip_blanks(*at + 1);
    HB_TRY(read_name(place, at, names, name));
    HB_TRY(read_value(place, at, values && *name ? &values[c] : NULL));
    memcpy(names->at[4 * record + c], name, sizeof name);
    *at = skip_blanks(*at);
    if (**at == (c < 3 ? ',' : ')')) continue;
    return bad(place, "the record '%.*s' has %s 4 components (expected 4, each a name or -)",
               (int)strcspn(begin, "\n"), begin, **at == ',' ? "more than" : "not");
  }
  (*at)++;
  return HB_OK;
}

static enum hb_status read_records(const struct place *place, const char *at, int most,
                                   struct hb_record_names *names, double *values, int *records)
{
  int count = 0;
  for (at = skip_blanks(at); *at && *at != '\n'; at = skip_blanks(at)) {
    if (count == most) return bad(place, "more than %d record%s", most, most == 1 ? "" : "s");
    HB_TRY(read_record(place, &at, count++, names, values));
  }
  if (count == 0) return bad(place, "no record (expected one like (x, y, z, m))");
  if (records) *records = count;
  return HB_OK;
}

/* ---- the lines --------------------------------------------------------------------------------------- */

enum key { PARTICLE, SINK, FORCE, PARAMETER, FLOPS, KEYS };
static const char *const keys[KEYS] = {"particle", "sink", "force", "parameter", "flops"};

static enum hb_status read_flops(const struct place *place, const char *at, int *flops)
{
  char word[24];
  uint64_t number;
  at = skip_blanks(at);
  snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " \t\r\n"), at);
  if (hb_text_count(word, &number) != HB_OK) return bad(place, "%s", hb_error());
  if (number < 1 || number > 1000000) return bad(place, "%s operations a pair, expected 1 to 10^6", word);
  *flops = (int)number;
  return HB_OK;
}

static enum hb_status read_key(const struct place *place, enum key key, const char *at,
                               struct hb_interaction *x, int *sink_records)
{
  switch (key) {
  case PARTICLE:
    return read_records(place, at, PARTICLE_MOST, &x->of_source, NULL, &x->records);
  case SINK:
    return read_records(place, at, PARTICLE_MOST, &x->of_sink, NULL, sink_records);
  case FORCE:
    HB_TRY(read_records(place, at, HB_F_RECORDS_MAX, &x->of_force, NULL, &x->f_records));
    if (!*x->of_force.at[4 * x->f_records - 1]) return HB_OK;
    return bad(place, "the last component of the last record is '%s', but the engine needs it (expected -)",
               x->of_force.at[4 * x->f_records - 1]);
  case PARAMETER:
    return read_records(place, at, 1, &x->of_parameter, x->parameter, NULL);
  default:
    return read_flops(place, at, &x->flops);
  }
}

/* The key of a line "// key: ...", and what follows it; KEYS: it has none. */
static enum key key_of(const char *line, const char **rest)
{
  line = skip_blanks(line);
  if (line[0] != '/' || line[1] != '/') return KEYS;
  while (*line == '/') line++;
  line = skip_blanks(line);
  for (int k = 0; k < KEYS; k++) {
    size_t length = strlen(keys[k]);
    if (strncmp(line, keys[k], length) != 0 || line[length] != ':') continue;
    *rest = line + length + 1;
    return (enum key)k;
  }
  return KEYS;
}

/* What interact() reads of a sink has the name and the place that it has in a source. */
static enum hb_status check_sink(const struct place *place, struct hb_interaction *x, int records)
{
  if (!records) x->of_sink = x->of_source;
  if (records > x->records)
    return bad(place, "%d records of a sink, but %d of a particle", records, x->records);
  for (int c = 0; c < 4 * records; c++)
    if (*x->of_sink.at[c] && strcmp(x->of_sink.at[c], x->of_source.at[c]) != 0)
      return bad(place, "'%s' of a sink is not at this place of a particle", x->of_sink.at[c]);
  return HB_OK;
}

static enum hb_status read_lines(const char *text, struct hb_interaction *x)
{
  struct place place = {x, 0};
  int found[KEYS] = {0}, sink_records = 0;
  for (int k = 0; k < 4; k++) x->parameter[k] = 0;
  for (const char *line = text, *rest; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    place.line++;
    enum key key = key_of(line, &rest);
    if (key == KEYS) continue;
    if (found[key]) return bad(&place, "a second line '%s:', the first is line %d", keys[key], found[key]);
    found[key] = place.line;
    HB_TRY(read_key(&place, key, rest, x, &sink_records));
  }
  place.line = 0;
  if (!found[PARTICLE])
    return bad(&place, "no line like '// particle: (x, y, z, m)' says what a particle consists of");
  if (!found[FORCE])
    return bad(&place, "no line like '// force: (ax, ay, az, -)' says what a particle feels");
  place.line = found[SINK];
  return check_sink(&place, x, sink_records);
}

/* ---- the code ---------------------------------------------------------------------------------------- */

/* A copy of the text with blanks in place of comments, in which the last one may not be closed. */
static enum hb_status without_comments(const char *text, char **code, int *is_open)
{
  *is_open = 0;
  HB_TRY(hb_mem_strdup(text, code));
  for (char *at = *code; *at;) {
    int is_block = at[0] == '/' && at[1] == '*', is_line = at[0] == '/' && at[1] == '/';
    if (!is_block && !is_line) {
      at++;
      continue;
    }
    const char *end = is_block ? strstr(at + 2, "*/") : NULL;
    *is_open |= is_block && !end;
    char *stop = at + (is_line ? strcspn(at, "\n") : end ? (size_t)(end + 2 - at) : strlen(at));
    for (; at < stop; at++)
      if (*at != '\n') *at = ' ';
  }
  return HB_OK;
}

/* Of everything but blanks. */
static uint64_t hash_of(const char *code)
{
  uint64_t hash = HB_HASH_EMPTY;
  for (; *code; code++)
    if (!isspace((unsigned char)*code)) hash = hb_hash_byte(hash, (unsigned char)*code);
  return hash;
}

/* The directive `word` of a line, or NULL; what follows it. */
static const char *directive(const char *line, const char *word)
{
  line = skip_blanks(line);
  if (*line != '#') return NULL;
  line = skip_blanks(line + 1);
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && !is_letter(line[length]) ? skip_blanks(line + length) : NULL;
}

static enum hb_status check_define(const struct place *place, const char *rest)
{
  const struct hb_interaction *x = place->interaction;
  const struct {
    const char *name;
    int value;
    enum key key;
  } rows[] = {{"RECORDS", x->records, PARTICLE}, {"F_RECORDS", x->f_records, FORCE}};
  for (int k = 0; k < 2; k++) {
    size_t length = strlen(rows[k].name);
    int value;
    if (strncmp(rest, rows[k].name, length) != 0 || is_letter(rest[length])) continue;
    if (sscanf(rest + length, "%d", &value) == 1 && value == rows[k].value) continue;
    return bad(place, "%s is %d by the line '%s:' (leave this one out)", rows[k].name, rows[k].value,
               keys[rows[k].key]);
  }
  return HB_OK;
}

/* Only what the folder of shaders shares, so that no file can include itself. The loader sees a line before any comment is
 * taken out of it. */
static enum hb_status check_include(const struct place *place, const char *line, int *has_real)
{
  char name[64] = "";
  if (sscanf(line, "#include \"%63[^\"\n]\"", name) != 1)
    return bad(
        place,
        "this include is not understood (expected #include \"common/real.glsl\" at the start of the line)");
  *has_real |= strcmp(name, "common/real.glsl") == 0;
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++)
    if (strcmp(file->name, name) == 0 && strncmp(name, "common/", 7) == 0) return HB_OK;
  return bad(place, "cannot include '%s' (expected \"common/real.glsl\")", name);
}

/* Whether the code has a function of that form. */
static int has_interact(const char *code)
{
  for (const char *at = code; (at = strstr(at, "interact")); at++) {
    const char *before = at;
    if (*skip_blanks(at + 8) != '(') continue;
    while (before > code && isspace((unsigned char)before[-1])) before--;
    if (before < at && before - code >= 4 && strncmp(before - 4, "void", 4) == 0) return 1;
  }
  return 0;
}

static enum hb_status check_code(const char *text, const char *code, struct hb_interaction *x)
{
  struct place place = {x, 0};
  int has_real = 0;
  const char *rest;
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    place.line++;
    if (directive(line, "include")) HB_TRY(check_include(&place, line, &has_real));
    if (directive(line, "version"))
      return bad(&place, "the loader adds #version itself (leave this line out)");
    if ((rest = directive(line, "define"))) HB_TRY(check_define(&place, rest));
  }
  place.line = 0;
  if (!has_real)
    return bad(&place, "no line #include \"common/real.glsl\", which defines real, mad() and separation()");
  if (has_interact(code)) return HB_OK;
  return bad(&place,
             "no function `void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, "
             "inout real4 f[F_RECORDS])`");
}

/* ---- what the numbers mean --------------------------------------------------------------------------- */

/* In words: vectors by the name of their components without x, y, z; and numbers. */
static const char *meaning(const char *name, int is_vector)
{
  static const char *const vectors[][2] = {{"", "position"}, {"v", "velocity"}, {"a", "acceleration"},
                                           {"j", "jerk"},    {"s", "snap"},     {"f", "force"},
                                           {"e", "field"},   {"n", "normal"},   {NULL, NULL}};
  static const char *const numbers[][2] = {
      {"m", "mass"}, {"q", "charge"}, {"phi", "potential"}, {"rho", "density"}, {NULL, NULL}};
  for (const char *const(*row)[2] = is_vector ? vectors : numbers; (*row)[0]; row++)
    if (strcmp((*row)[0], name) == 0) return (*row)[1];
  return name;
}

/* Whether the names from c on are those of one vector: stem + x, y, z. */
static int is_vector(const struct hb_record_names *names, int c, char stem[HB_INTERACTION_NAME])
{
  if (c % 4 > 1 || !*names->at[c]) return 0;
  size_t length = strlen(names->at[c]) - 1;
  memcpy(stem, names->at[c], length);
  stem[length] = 0;
  for (int l = 0; l < 3; l++) {
    const char *name = names->at[c + l];
    if (strncmp(name, stem, length) != 0 || name[length] != "xyz"[l] || name[length + 1]) return 0;
  }
  return 1;
}

static void name_quantities(const struct hb_record_names *names, int records,
                            struct hb_gl_trace_quantity *quantities)
{
  for (int c = 0; c < 4 * records;) {
    char stem[HB_INTERACTION_NAME];
    int width = is_vector(names, c, stem) ? 3 : 1;
    if (*names->at[c]) {
      const char *name = meaning(width == 3 ? stem : names->at[c], width == 3);
      if (name == stem) name = names->at[c]; /* an unknown vector: after its first component */
      *quantities++ = (struct hb_gl_trace_quantity){name, c, width};
    }
    c += width;
  }
}

/* Fills in records, names, parameters, flops, hash and quantities from the text; name and file are set. Errors: HB_ERR_INPUT
 * with file and line. */
static enum hb_status read_declaration(const char *text, struct hb_interaction *x)
{
  const struct place whole = {x, 0};
  char *code;
  int is_open;
  if (strlen(text) > TEXT_MOST)
    return bad(&whole, "%zu bytes are too many for an interaction (expected at most %d)", strlen(text),
               TEXT_MOST);
  HB_TRY(read_lines(text, x));
  HB_TRY(without_comments(text, &code, &is_open));
  enum hb_status status = is_open ? bad(&whole, "a comment '/*' is never closed") : check_code(text, code, x);
  x->hash = hash_of(code);
  int length = snprintf(x->key, sizeof x->key, "%.40s", x->name);
  if (x->text)
    snprintf(x->key + length, sizeof x->key - (size_t)length, "-%016llx", (unsigned long long)x->hash);
  hb_mem_free(code);
  x->eps2 = hb_interaction_record(&x->of_parameter, "eps2");
  name_quantities(&x->of_source, x->records, x->particle);
  name_quantities(&x->of_force, x->f_records, x->force);
  return status;
}

/* ---- those that come with the program ---------------------------------------------------------------- */

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
    if (!text || read_declaration(text, x) != HB_OK)
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
  HB_FREE(interaction->owned[0], interaction->owned[1], interaction->owned[2], interaction);
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
  if (status == HB_OK) status = read_declaration(x->text, x);
  return HB_MADE(status, x, hb_interaction_destroy, interaction);
}

static enum hb_status create_from_file(const char *path, struct hb_interaction **interaction)
{
  HB_OWN char *text = NULL;
  size_t count;
  HB_TRY(hb_file_read_regular(path, &text, &count));
  if (strlen(text) != count) return hb_fail(HB_ERR_INPUT, "%s is not a text: it has a NUL byte", path);
  return hb_interaction_create_text(path, text, interaction);
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
  enum hb_status status = read_declaration(embedded(from->file), x);
  return HB_MADE(status, x, hb_interaction_destroy, interaction);
}

enum hb_status hb_interaction_unknown(const char *name)
{
  char known[512];
  size_t used = 0;
  for (size_t k = 0; k < SHIPPED && used < sizeof known; k++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", shipped[k].name);
  return hb_fail(HB_ERR_USAGE, "unknown interaction '%s' (expected %sor a file like my.glsl)", name, known);
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
  char known[4 * HB_INTERACTION_NAME + 16] = "none";
  const char *name;
  size_t used = 0;
  for (size_t k = 0; (name = name_of(&x->of_parameter, k)); k++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "one of: ", name);
  return hb_fail(HB_ERR_USAGE, "interaction %s has no parameter '%s' (expected %s)", x->name, word, known);
}

static enum hb_status set_one(const struct hb_interaction *x, double eps, const char *word,
                              double parameter[4])
{
  char name[64];
  const char *equals = strchr(word, '=');
  if (!equals) return hb_fail(HB_ERR_USAGE, "parameter '%s' has no value (expected like k=1.5)", word);
  snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
  int c = hb_interaction_record(&x->of_parameter, name);
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
  HB_OWN char *copy = NULL;
  HB_TRY(hb_mem_strdup(words ? words : "", &copy));
  const char *word[WORDS];
  int count = hb_text_words(copy, " ,\t", WORDS, word);
  if (count == WORDS) return hb_fail(HB_ERR_USAGE, "too many parameters in '%s'", words);
  for (int k = 0; k < count; k++) HB_TRY(set_one(x, eps, word[k], parameter));
  for (int c = 0; c < 4; c++)
    if (isnan(parameter[c]))
      return hb_fail(HB_ERR_USAGE, "interaction %s needs its parameter %s", x->name, x->of_parameter.at[c]);
  return HB_OK;
}
