/* The facts of each precision, in one table. Names: hb_precision_names of holmberg.h. */
#ifndef HB_PRECISION_H
#define HB_PRECISION_H

enum hb_precision {
  HB_PRECISION_SINGLE,      /* float pairs, float sums of float sums                    */
  HB_PRECISION_COMPENSATED, /* float pairs, double-single sums of float sums            */
  HB_PRECISION_DS,          /* the same with double-single positions                    */
  HB_PRECISION_DOUBLE,      /* double throughout                                        */
  HB_PRECISION_COUNT,       /* those of any interaction, and of particles that stay on the device, end here */
  HB_PRECISION_REPRODUCIBLE = HB_PRECISION_COUNT, /* as ds, but sums of 64, and their sums in fixed point */
  HB_PRECISION_GRAPE6, /* from here on emulated, not of shaders, whose PRECISION of common/real.glsl has the others */
  HB_PRECISION_G80,
  HB_PRECISION_NV40,
  HB_PRECISION_NAMES
};

struct hb_precision_facts {
  int position_bits; /* significant bits of a position as a pair sees it*/
  int is_double;     /* rounds nothing that the host's double does not                                    */
  int is_fixed; /* sums in fixed point, the same bits everywhere                                        */
  double
      acc_noise; /* relative error of accelerations that eq. 9 must not take for jerks; 0: eq. 9 as printed */
  /* of the all-pairs engine: */
  int needs_precise; /* exact sums: by the GLSL qualifier `precise`, or as_written() of common/real.glsl */
  int record_texels, low_texels; /* vec4s of each record of a particle, and beside them all */
  int total_words;               /* uvec4s for each record of a total */
  int partial;                   /* sources of one float sum by default, so that the error of the sum stays
                                    below that of the pairs: measured, see data/README.md */
};
extern const struct hb_precision_facts hb_precisions[HB_PRECISION_NAMES];

/* HB_PRECISION_NAMES if there is none with that name. */
enum hb_precision hb_precision_find(const char *name);

#endif
