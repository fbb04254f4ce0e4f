/* Which sources of forces there are, and which one a user means. */
#include "force/force.h"

#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_context.h"

#include <stdio.h>
#include <string.h>

static const struct hb_force_ops *const registry[] = {
    &hb_force_host,       &hb_force_cg2007,    &hb_force_bag,    &hb_force_tile,
    &hb_force_matrix2004, &hb_force_host_simd, &hb_force_hybrid, &hb_force_grape6};
enum { COUNT = sizeof registry / sizeof *registry };

const struct hb_force_scheme *hb_force_schemes(size_t *count)
{
  static struct hb_force_scheme schemes[COUNT];
  for (size_t k = 0; k < COUNT; k++) {
    schemes[k] = registry[k]->info;
    if (!schemes[k].modes) schemes[k].modes = "all/host/host";
  }
  *count = COUNT;
  return schemes;
}

static const struct hb_force_ops *find(const char *name)
{
  for (size_t k = 0; k < COUNT; k++)
    if (strcmp(registry[k]->info.name, name) == 0) return registry[k];
  return NULL;
}

const struct hb_force_scheme *hb_force_scheme_find(const char *name)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count); /* with their modes */
  for (size_t k = 0; k < count; k++)
    if (strcmp(schemes[k].name, name) == 0) return &schemes[k];
  return NULL;
}

/* Says which names there are. */
static enum hb_status unknown(const char *name)
{
  struct hb_text known = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < COUNT && status == HB_OK; k++)
    status = hb_text_append(&known, "%s, ", registry[k]->info.name);
  if (status == HB_OK)
    status = hb_fail(HB_ERR_USAGE, "'%s' is no scheme of forces (expected %sauto)", name, known.text);
  hb_mem_free(known.text);
  return status;
}

/* Whether a blank separated list has the word. */
static int has_word(const char *list, const char *word)
{
  size_t length = strlen(word);
  for (; *list; list += strspn(list, " ")) {
    size_t next = strcspn(list, " ");
    if (next == length && strncmp(list, word, length) == 0) return 1;
    list += next;
  }
  return 0;
}

const struct hb_force_ops *hb_force_auto(enum hb_gl_gpu gpu, const char *precision)
{
  static const struct hb_force_ops *const choices[][3] = {
      [HB_GL_NO_GPU] = {&hb_force_host, &hb_force_host_simd, &hb_force_bag},
      [HB_GL_GPU] = {&hb_force_hybrid, &hb_force_bag},
      [HB_GL_GPU_COMPUTE] = {&hb_force_hybrid, &hb_force_tile}};
  for (int k = 0; precision && k < 3 && choices[gpu][k]; k++)
    if (has_word(choices[gpu][k]->info.precisions, precision)) return choices[gpu][k];
  return choices[gpu][0];
}

const char *hb_force_auto_summary(void)
{
  return "hybrid on a GPU, host without one; with a precision that it lacks, the fastest that has it";
}

enum hb_status hb_force_choose(const struct hb_force_params *params, const struct hb_force_ops **ops)
{
  const struct hb_gl_context_params gl = {.context = params->context, .device = params->device};
  int automatic = !params->scheme || strcmp(params->scheme, "auto") == 0;
  *ops = automatic ? hb_force_auto(hb_gl_context_gpu(&gl), params->precision) : find(params->scheme);
  if (!*ops) return unknown(params->scheme);
  int opens_gl = (*ops)->info.needs_gl || *ops == &hb_force_hybrid; /* then opening says what is wrong */
  return opens_gl ? HB_OK : hb_gl_context_check_params(&gl);
}

enum hb_status hb_force_choose_precision(const struct hb_force_scheme *scheme, const char *wanted,
                                         size_t room, char *precision)
{
  const char *known = scheme->precisions;
  if (wanted && !has_word(known, wanted))
    return hb_fail(HB_ERR_USAGE, "scheme %s has no precision '%s' (expected one of: %s)", scheme->name,
                   wanted, known);
  snprintf(precision, room, "%.*s", wanted ? (int)strlen(wanted) : (int)strcspn(known, " "),
           wanted ? wanted : known);
  return HB_OK;
}
