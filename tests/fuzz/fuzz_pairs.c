/* What `holmberg pairs` reads: a user's interaction, as far as no driver is needed, and tables of numbers. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_shader.c"
#include "pairs/interaction.h"

#include "cli/cmd_pairs.c"

/* What the loader does with the text: every loop of a known length is written out. */
static enum hb_status write_out(const struct hb_interaction *law)
{
  const struct hb_gl_loop loops[HB_GL_LOOPS] = {
      {"ALL_RECORDS", law->records + 1}, {"F_RECORDS", law->f_records}, {"WORDS", 2 * law->f_records}};
  struct hb_text text = {0};
  enum hb_status status = unroll(law->text, loops, &text);
  hb_mem_free(text.text);
  return status;
}

enum hb_status fuzz_interaction(const uint8_t *bytes, size_t count)
{
  struct hb_interaction *law;
  double parameter[4], value;
  HB_TRY(hb_interaction_create(fuzz_file("in.glsl", bytes, count), &law));
  fuzz_demand(law->records >= 1 && law->records <= 3 && law->f_records >= 1 && law->f_records <= 3,
              "records out of range");
  fuzz_demand(!*law->of_force.at[4 * law->f_records - 1], "the engine's component has a name");
  size_t k = 0;
  while (hb_interaction_of_parameter(law, k, &value)) k++;
  fuzz_demand(k <= 4, "more than four parameters");
  for (const struct hb_gl_trace_quantity *q = law->particle; q->name; q++)
    fuzz_demand(q->first + q->count <= 4 * law->records, "a quantity beyond the records");
  if (hb_interaction_set(law, 0.1, "k=2", parameter) == HB_OK)
    for (int c = 0; c < 4; c++) fuzz_demand(isfinite(parameter[c]), "a parameter that is not a number");
  enum hb_status status = write_out(law);
  hb_interaction_destroy(law);
  return status;
}

enum hb_status fuzz_table(const uint8_t *bytes, size_t count)
{
  struct numbers numbers;
  HB_TRY(numbers_read(fuzz_file("in.txt", bytes, count), &numbers));
  fuzz_demand(numbers.rows > 0 && numbers.columns > 0, "an empty table");
  for (size_t k = 0; k < numbers.rows * numbers.columns; k++)
    fuzz_demand(isfinite(numbers.data[k]), "a number that is not finite");
  for (size_t c = 0; c < numbers.columns; c++)
    fuzz_demand(numbers_find(&numbers, numbers.names[c]) == numbers.data + c, "a column that is not found");
  numbers_free(&numbers);
  return HB_OK;
}
