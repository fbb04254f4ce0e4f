/* Interactions of your own: a GLSL file says what one source does to one sink, and the all-pairs engine sums that over all
 * sources, by any of its schemes in any of its precisions ([HI07] section 4.5 and appendix A). shaders/interactions/README.md
 * explains how such a file is written. Conventions as in holmberg.h.
 *
 *   struct hb_interaction *law;
 *   struct hb_all_pairs *pairs;
 *   hb_interaction_create("coulomb", &law);                                    // or "my.glsl"
 *   hb_all_pairs_open(law, &(struct hb_all_pairs_params){.precision = "ds"}, &pairs);
 *   const struct hb_input charges[] = {{"x", x, 3}, {"y", x + 1, 3}, {"z", x + 2, 3}, {"q", q, 1}};
 *   hb_all_pairs_set_sources(pairs, n, 4, charges);
 *   const struct hb_output field[] = {{"ex", e, 3}, {"ey", e + 1, 3}, {"ez", e + 2, 3}};
 *   hb_all_pairs_eval(pairs, n, NULL, 3, field);                               // on the charges themselves
 */
#ifndef HOLMBERG_INTERACTION_H
#define HOLMBERG_INTERACTION_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interactions ------------------------------------------------------------------------------------ */

struct hb_interaction;

/* One of those that come with the program, or (a word with a slash, or that ends in .glsl) the file of that name. Errors:
 * HB_ERR_USAGE (unknown name), HB_ERR_IO, HB_ERR_INPUT with file and line (a line of the declaration that is wrong or
 * missing, no interact()). What only a GLSL compiler can find out is found by hb_all_pairs_open. */
enum hb_status hb_interaction_create(const char *name, struct hb_interaction **interaction);

/* The same from the text of such a file, copied; messages call it `name`. */
enum hb_status hb_interaction_create_text(const char *name, const char *text,
                                          struct hb_interaction **interaction);

/* Not before what was opened with it is closed. */
void hb_interaction_destroy(struct hb_interaction *interaction);

/* What its file declares. The k-th named number of a source, of a sink (those that interact() reads there), of what a
 * sink feels, and of the parameters; NULL after the last. A parameter without a value of its own has NaN. */
const char *hb_interaction_name(const struct hb_interaction *interaction);
const char *hb_interaction_of_source(const struct hb_interaction *interaction, size_t k);
const char *hb_interaction_of_sink(const struct hb_interaction *interaction, size_t k);
const char *hb_interaction_of_force(const struct hb_interaction *interaction, size_t k);
const char *hb_interaction_of_parameter(const struct hb_interaction *interaction, size_t k, double *value);
int hb_interaction_flops(const struct hb_interaction *interaction); /* operations a pair; 0: not declared */

/* ---- all pairs --------------------------------------------------------------------------------------- */

struct hb_all_pairs_params {
  const char *scheme;    /* bag, tile or matrix2004; NULL: tile on a GPU that has compute shaders, else bag */
  const char *precision; /* single, compensated, ds or double; NULL: single                        */
  const char *parameters; /* "sigma2=1 epsilon=0.5"; NULL: the values in the file                  */
  const char *context, *device, *tuning; /* as in hb_force_params; tuning NULL: safe defaults            */
  double max_draw_s; /* upper limit for the time of a draw; 0: 0.05                            */
  unsigned flags;    /* HB_FORCE_GL_DEBUG                                                        */
  unsigned reserved; /* 0; fills the struct, never used */
};

/* Numbers by name: that of particle k is data[stride * k]. */
struct hb_input {
  const char *name;
  const double *data;
  size_t stride;
};
struct hb_output {
  const char *name;
  double *data;
  size_t stride;
};

struct hb_all_pairs;

/* The interaction must outlive it. Errors: HB_ERR_USAGE (scheme, precision, a parameter without a value), HB_ERR_GL,
 * HB_ERR_INPUT with file and line (what the driver's compiler says of the interaction). */
enum hb_status hb_all_pairs_open(const struct hb_interaction *interaction,
                                 const struct hb_all_pairs_params *params, struct hb_all_pairs **pairs);
void hb_all_pairs_close(struct hb_all_pairs *pairs);

/* From the next evaluation on. Errors: HB_ERR_USAGE (unknown name, not finite). */
enum hb_status hb_all_pairs_set_parameter(struct hb_all_pairs *pairs, const char *name, double value);

/* nj sources, copied, on the host too: a device that fails is opened once more, with shorter draws, and given them again.
 * Every number that the interaction names, in any order. Errors: HB_ERR_USAGE (a name that is missing,
 * unknown or given twice; nj = 0), HB_ERR_GL (too many for the device). */
enum hb_status hb_all_pairs_set_sources(struct hb_all_pairs *pairs, size_t nj, size_t count,
                                        const struct hb_input inputs[]);

/* What the sources index[ni] feel, each without itself; index NULL: sources 0 ... ni - 1. count results, those that are
 * wanted. Errors: HB_ERR_USAGE, HB_ERR_DEVICE. */
enum hb_status hb_all_pairs_eval(struct hb_all_pairs *pairs, size_t ni, const uint32_t *index, size_t count,
                                 const struct hb_output outputs[]);

/* What ni sinks of their own feel, by hb_interaction_of_sink. Sink i feels every source but own[i], HB_NO_SOURCE or own NULL:
 * every one, also one in its own place. Errors: as above. */
enum hb_status hb_all_pairs_eval_at(struct hb_all_pairs *pairs, size_t ni, size_t input_count,
                                    const struct hb_input inputs[], const uint32_t *own, size_t output_count,
                                    const struct hb_output outputs[]);

const char *hb_all_pairs_scheme(const struct hb_all_pairs *pairs);
const char *hb_all_pairs_precision(const struct hb_all_pairs *pairs);
const char *hb_all_pairs_context(const struct hb_all_pairs *pairs);
const char *hb_all_pairs_device(const struct hb_all_pairs *pairs);

/* The same with sizes, see "Releases" in holmberg.h. */
enum hb_status hb_all_pairs_open_sized(size_t size, const struct hb_interaction *interaction,
                                       const struct hb_all_pairs_params *params, struct hb_all_pairs **pairs);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_all_pairs_open(...) hb_all_pairs_open_sized(sizeof(struct hb_all_pairs_params), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
