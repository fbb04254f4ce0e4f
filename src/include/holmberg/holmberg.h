/* Holmberg: direct gravitational N-body integration on OpenGL: particles, initial conditions, snapshots, forces, simulations.
 * See also diagnostics.h (energies and structure), checkpoint.h (save and resume), interaction.h (other forces than gravity),
 * device.h (drawing from the particles' textures), picture.h (pictures). tests/api in the source has short programs that
 * use them.
 *
 * Conventions. N-body units with G = 1. Vectors of n particles are flat arrays double[3 * n], x y z of
 * particle 0 first; i names the sink (the particle that feels), j the source, rij = xj - xi.
 * Functions that can fail return an hb_status and leave one sentence for hb_error(); they never print or exit.
 * Outputs are the last arguments and are set to NULL or left unchanged on failure. Params structs: start from {0};
 * a zero field means the default given in its comment. Handles belong to the caller and are freed by their
 * destroy/close function, which accepts NULL.
 *
 * Releases. A program that was compiled with these headers runs with any later libholmberg.so.1. Structs only grow, at their
 * end, and calls that take or fill them learn the program's sizes: a call like hb_force_open is a macro here that adds them
 * (at the end of each header). Fields that a program does not know are 0, their default; a program that sets fields which an older
 * library does not know is refused. The functions themselves, as other languages and pointers to functions call them, have
 * the structs of 0.1, in which what is now `reserved` was not there.
 *
 * Threads. One handle, one thread at a time; different handles may be used by different threads at once, and give the same
 * bits as one after the other. hb_error() is each thread's own. A handle whose forces are on OpenGL stays with the thread
 * that opened it, as its context does; context glfw, of the window system, is for the main thread. The library never prints,
 * exits, or handles signals; its helper threads block them. HDF5 is in use while a snapshot is written: a program that has
 * HDF5 of its own, built for one thread, does not use it at that time. */
#ifndef HOLMBERG_HOLMBERG_H
#define HOLMBERG_HOLMBERG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ------------------------------------------------------------------------------------------ */

/* What went wrong; also the exit code of the program. */
enum hb_status {
  HB_OK = 0,
  HB_ERR_INTERNAL = 1, /* a bug, or out of memory                                  */
  HB_ERR_USAGE = 2,    /* an argument or option that makes no sense                */
  HB_ERR_INPUT = 3,    /* a file or its content that cannot be used                */
  HB_ERR_IO = 4,       /* reading or writing failed: disk full, no permission, ... */
  HB_ERR_GL = 5,       /* no OpenGL device, or one that lacks what is needed       */
  HB_ERR_DEVICE = 6,   /* the device failed while working                          */
  HB_ERR_NUMERIC = 7,  /* NaN, Inf, or an energy error above the bound             */
  HB_ERR_STOPPED = 75  /* stopped before the end on request                        */
};

const char *hb_library_version(void); /* like "1.2.3" */
const char *hb_error(void);           /* the sentence of this thread's last failure; "" if none */

/* ---- particles --------------------------------------------------------------------------------------- */

/* n particles at one time: masses, positions, velocities, identities, and notes (text in file headers: command
 * history, device, options). */
struct hb_particles;

/* All values zero, id[i] = i, t = 0, no notes. Errors: HB_ERR_USAGE for n = 0, HB_ERR_INTERNAL. */
enum hb_status hb_particles_create(size_t n, struct hb_particles **particles);
enum hb_status hb_particles_copy(const struct hb_particles *from, struct hb_particles **particles);
void hb_particles_destroy(struct hb_particles *particles);

size_t hb_particles_n(const struct hb_particles *particles);
double hb_particles_time(const struct hb_particles *particles);
void hb_particles_set_time(struct hb_particles *particles, double t);
double *hb_particles_m(struct hb_particles *particles);    /* [n]     masses     */
double *hb_particles_x(struct hb_particles *particles);    /* [3 * n] positions  */
double *hb_particles_v(struct hb_particles *particles);    /* [3 * n] velocities */
uint64_t *hb_particles_id(struct hb_particles *particles); /* [n]     identities */

/* [n] radii, which only collisions need: all 0 at first, NULL without memory for them. And set by a formula: "R", "R*m^P" with
 * m the mass, or "sun*m^P" and "0.005AU*m^P", which count in solar radii or a unit of length, and in solar masses, and need units. Errors: HB_ERR_USAGE, HB_ERR_INTERNAL. */
double *hb_particles_radius(struct hb_particles *particles);
enum hb_status hb_particles_set_radii(struct hb_particles *particles, const char *formula);

/* FNV-1a (64 bits) of all bits but the notes': n, time, m, x, v, id and, unless all are 0, radii as words of 64 bits, low byte first. Two states with the
 * same hash are the same state, unless somebody made them to be confused. */
uint64_t hb_particles_hash(const struct hb_particles *particles);

/* Notes: value replaces an older one of the same key; NULL if there is no such key. Keys consist of letters, digits
 * and '_'. The note "history" is a list of lines, one per program that processed the data. */
enum hb_status hb_particles_set_note(struct hb_particles *particles, const char *key, const char *value);
enum hb_status hb_particles_add_history(struct hb_particles *particles, const char *line);
const char *hb_particles_note(const struct hb_particles *particles, const char *key);

/* The key of the k-th note, from 0; NULL after the last. */
const char *hb_particles_note_key(const struct hb_particles *particles, size_t k);

/* The softening that the header says, in the note eps, which hb_ic_make and hb_sim_take write; NaN: it says nothing. Errors:
 * HB_ERR_INPUT (no number >= 0). */
enum hb_status hb_particles_eps(const struct hb_particles *particles, double *eps);

/* What the numbers mean, if anything: the units of mass, length and time of particles with G = 1. Any two of them
 * determine the third. */
struct hb_units {
  double mass;   /* in solar masses */
  double length; /* in pc           */
  double time;   /* in Myr          */
};

/* Computes the one that is 0. Errors: HB_ERR_USAGE (not two of them are given, or all three and G is not 1). */
enum hb_status hb_units_complete(struct hb_units *units);

/* Particles keep their units in the note `units`, which every format that keeps notes keeps. get: *are_known is 0 without
 * such a note. Errors: HB_ERR_INPUT (a note that makes no sense), HB_ERR_USAGE, HB_ERR_INTERNAL. */
enum hb_status hb_units_set(struct hb_particles *particles, const struct hb_units *units);
enum hb_status hb_units_get(const struct hb_particles *particles, struct hb_units *units, int *are_known);

/* Values of the unit of velocity in km/s. */
double hb_units_velocity(const struct hb_units *units);

/* What a number measures. */
enum hb_dimension {
  HB_DIMENSION_NONE = 0, /* a plain number, a ratio */
  HB_DIMENSION_TIME = 1,
  HB_DIMENSION_LENGTH = 2,
  HB_DIMENSION_VELOCITY = 3,
  HB_DIMENSION_MASS = 4,
  HB_DIMENSION_RATE = 5 /* an angular speed */
};

/* Words as N-body numbers: "0.1" is one, "5Myr" becomes one by units, of which NULL or 0 means that it is not known. Units that
 * words may have: Gyr Myr kyr yr, kpc pc AU, km/s, Msun, /Gyr /Myr km/s/kpc. With units of 1, 1, 1 the number is in Myr, pc and
 * solar masses. field: the same for each number in the words of hb_sim_params.field; text[size] gets them. Errors: HB_ERR_USAGE (no
 * number, one of another dimension, no units, no space). */
enum hb_status hb_units_number(const struct hb_units *units, enum hb_dimension of, const char *word,
                               double *number);
enum hb_status hb_units_field(const struct hb_units *units, const char *words, char *text, size_t size);

/* ---- initial conditions ------------------------------------------------------------------------------ */

/* How plummer is scaled to its units: by sums over its own particles, exact but N^2 work, or by those of the model it is
 * drawn from, which costs nothing. auto: measured up to HB_IC_MEASURED_MOST particles. */
enum hb_ic_scaling { HB_IC_SCALING_AUTO = 0, HB_IC_SCALING_MEASURED = 1, HB_IC_SCALING_MODEL = 2 };
extern const char *const
    hb_ic_scaling_names[]; /* words for an enum, by its values, like all ..._names; NULL after the last */
enum { HB_IC_MEASURED_MOST = 1 << 17 };

/* What auto means for n particles. */
enum hb_ic_scaling hb_ic_scaling_for(size_t n);

/* demo1 ... demo7: how the program of the CUDA samples places its bodies. */
enum hb_ic_shape { HB_IC_SHAPE_SHELL = 0, HB_IC_SHAPE_RANDOM = 1, HB_IC_SHAPE_EXPAND = 2 };
extern const char *const hb_ic_shape_names[];

/* Primordial binaries: which stars belong together, how their semi-major axes and eccentricities are distributed; see
 * ic/ic.c. */
enum hb_ic_pairing { HB_IC_PAIRING_RANDOM = 0, HB_IC_PAIRING_ORDERED = 1, HB_IC_PAIRING_UNIFORM = 2 };
enum hb_ic_orbits { HB_IC_ORBITS_OPIK = 0, HB_IC_ORBITS_KROUPA1995 = 1, HB_IC_ORBITS_DUQUENNOY1991 = 2 };
enum hb_ic_eccentricities { HB_IC_THERMAL = 0, HB_IC_UNIFORM = 1, HB_IC_CIRCULAR = 2 };
extern const char *const hb_ic_pairing_names[], *const hb_ic_orbits_names[],
                                                    *const hb_ic_eccentricities_names[];

/* A star cluster made of a spherical model (hb_ic_model.is_cluster), in the order of the work: masses, pairs, places,
 * sub-structure, mass segregation, rotation, scale, orbits of the binaries. All zero: equal masses and nothing else. */
struct hb_ic_cluster {
  const char
      *masses; /* NULL, equal, salpeter, kroupa, two, or a file with a mass in solar masses on each line */
  double mass_min, mass_max; /* salpeter, kroupa: in solar masses; 0: 0.08 and 100                          */
  double mass_ratio;         /* two: of a heavy star to a light one; 0: 10                                  */
  double heavy;              /* two: the share of the heavy stars, by number; 0: 0.1                        */
  double segregation;        /* 0: none, to 1: heavier stars always have the lower energy                   */
  double virial;             /* T / |U| of stars and binaries as points; 0: 0.5, equilibrium                */
  double rotation;           /* share of the stars turned to rotate with the others, -1 to 1                */
  double fractal;            /* fractal dimension of the substructure, 1 < D <= 3; 0: none                  */
  double tidal_radius;       /* no star beyond it; lengths are those of the whole model; 0: none            */
  double binaries;     /* share of the systems that are binaries, 0 to 1; with some, the note eps is 0 */
  double a_min, a_max; /* of binaries, in units of length; opik: 0: 1/100 N and 1/N for N systems     */
  enum hb_ic_pairing pairing;
  enum hb_ic_orbits orbits; /* those with names of papers are in days and need units */
  enum hb_ic_eccentricities eccentricities;
  int reserved;          /* 0 */
  struct hb_units units; /* all 0: none, or those that the mass function implies */
};

struct hb_ic_params {
  size_t n;      /* number of particles; 0: the model's own                                              */
  uint64_t seed; /* the same model, n and seed give the same bytes on every machine                        */
  double r_cut;  /* plummer: no particle beyond this radius, in units of the Plummer radius; 0: no cut-off */
  double m1, m2; /* twobody: masses; 0: 0.5 each                                                          */
  double a, e;   /* twobody: semi-major axis (0: 1) and eccentricity, 0 <= e < 1; starts at apocenter     */
  double velocity; /* holmberg1941: velocity at infinity of the encounter, see ic/ic.c                    */
  double spin; /* holmberg1941: rotation of both disks in units of the circular one, < 0 retrograde; 0: 1  */
  enum hb_ic_scaling scaling;                   /* plummer */
  enum hb_ic_shape shape;                       /* demo1 ... demo7 */
  double w0;                                    /* king: depth of its potential; 0: 6 */
  struct hb_ic_cluster cluster;                 /* models with is_cluster: plummer, king, coldsphere */
  void (*progress)(void *context, double done); /* called during long work, 0 < done <= 1; nullable */
  void *progress_context;
};

struct hb_ic_model {
  const char *name;
  const char *summary;
  const char *source;  /* literature */
  const char *options; /* the hb_ic_params fields it reads, as command line words: "n seed r-cut" */
  size_t n;            /* default number of particles */
  size_t n_min, n_max; /* allowed; equal when the model has a fixed number */
  double speed;        /* time units a second at which it is watched best */
  int is_cluster;      /* 1: it also reads hb_ic_params.cluster */
};

const struct hb_ic_model *hb_ic_models(size_t *count);

/* params may be NULL. Errors: HB_ERR_USAGE (unknown model, value out of range), HB_ERR_INTERNAL. */
enum hb_status hb_ic_make(const char *model, const struct hb_ic_params *params,
                          struct hb_particles **particles);

/* Both systems in one, the second displaced by at[3] and moving with velocity[3], at the time of the first. If both have
 * units, the second is converted to those of the first, in which at and velocity are. Identities of the second follow the
 * largest of the first. Notes that are the same in both are kept, also an eps, dt or damping that only one has; histories are joined. Errors: HB_ERR_INPUT (only one has
 * units), HB_ERR_INTERNAL. */
enum hb_status hb_combine_particles(const struct hb_particles *first, const struct hb_particles *second,
                                    const double at[3], const double velocity[3],
                                    struct hb_particles **particles);

/* Changes a system: its total mass, its virial radius M^2 / (2 |U|), its virial ratio T / |U|; 0: stays. Unless a virial ratio
 * is given, orbits stay similar: velocities follow as sqrt (M / R), the time as sqrt (R^3 / M). U is summed without softening.
 * Errors: HB_ERR_USAGE, HB_ERR_INPUT (no mass; no finite U; at rest where a virial ratio is wanted). */
struct hb_scale {
  double mass, radius, virial;
};
enum hb_status hb_scale_particles(struct hb_particles *particles, const struct hb_scale *scale);

/* Changes the units, and with them the numbers, so that M = 1 and the virial radius is 1 (Heggie & Mathieu 1986), with the
 * center of mass at rest at the origin; units that are known follow. Errors: HB_ERR_INPUT. */
enum hb_status hb_scale_to_standard(struct hb_particles *particles);

/* Takes masses as in solar masses, positions in pc, velocities in km/s, the time in Myr, and makes them values with G = 1 and
 * units. Errors: HB_ERR_INPUT (has units already). */
enum hb_status hb_scale_from_astro(struct hb_particles *particles);

/* ---- snapshots --------------------------------------------------------------------------------------- */

struct hb_snapshot_format {
  const char *name;
  const char *summary;
  const char *extensions; /* blank separated: "h5 hdf5" */
};

const struct hb_snapshot_format *hb_snapshot_formats(size_t *count);

/* format NULL: by the extension of path; when reading also by content, where formats share an extension or none has it.
 * path "-" is standard input or output (not HDF5). A file is written completely or not at all: under a temporary name in
 * the same folder, synced and renamed. HDF5 is read by holmberg-child, a program that is installed with the library; the
 * environment variable HB_CHILD can name another place. Of a file of many snapshots, the last is read.
 * Errors: HB_ERR_INPUT (content; names file, line or data set, value), HB_ERR_IO, HB_ERR_USAGE (format). */
enum hb_status hb_snapshot_read(const char *path, const char *format, struct hb_particles **particles);
enum hb_status hb_snapshot_write(const char *path, const char *format, const struct hb_particles *particles);

/* What was found in a file. */
struct hb_snapshot_contents {
  const char *format;     /* one of hb_snapshot_formats         */
  size_t count;           /* snapshots in it                    */
  double t_first, t_last; /* the smallest and largest time      */
};

/* The snapshot of time t (within 1e-6, relative for |t| > 1), or the last if t is NaN. contents may be NULL. Errors: as
 * hb_snapshot_read. */
enum hb_status hb_snapshot_read_at(const char *path, const char *format, double t,
                                   struct hb_particles **particles, struct hb_snapshot_contents *contents);

/* ---- forces ------------------------------------------------------------------------------------------ */

enum hb_force_flags {
  HB_FORCE_CG2007_RECT = 1, /* cg2007 with rectangle textures and RGB32F targets, as in 2007 */
  HB_FORCE_GL_DEBUG = 2,    /* enable the driver's debug messages and treat them as errors   */
  HB_FORCE_NO_TUNE = 4,     /* use safe defaults, measure nothing                            */
  HB_FORCE_PHASES = 8,      /* wait for the device between phases, so that each can be timed */
  HB_FORCE_UNSOFTENED = 16  /* eps is 0: a simulation does not look for the particles' note  */
};

struct hb_interaction;

struct hb_force_params {
  const char *scheme;    /* name of a scheme, NULL or "auto": see hb_force_schemes            */
  const char *precision; /* one of the scheme's precisions; NULL: its first                   */
  /* What particles do to each other: NULL, gravity_jerk; another's name, or a file like my.glsl, see interaction.h. Or a
   * handle of the caller's that outlives the force. bag, tile and matrix2004 take what gives potential and acceleration, and
   * jerk or zeros. Its parameters, "k=1 b=2"; NULL: the values in its file, with eps^2 as eps2. */
  const char *interaction;
  const struct hb_interaction *custom_interaction;
  const char *parameters;
  const char *context; /* egl, osmesa, glfw, gles, NULL or "auto"; else environment HB_CONTEXT */
  /* INDEX, /dev/dri/..., "software", NULL; else environment HB_DEVICE. "0,1" or "all": several that share the work of bag,
   * tile or matrix2004, which a handle then stands for; one may be named twice. */
  const char *device;
  const char *tuning; /* words like "i_each=4 unroll=8", "host_below=128"; NULL: measured or safe */
  double max_draw_s;  /* upper limit for the time of a draw; 0: 0.05                     */
  double eps;        /* Plummer softening, >= 0; of a simulation 0: that of the particles' note eps, if any */
  unsigned flags;    /* hb_force_flags, or-ed                                             */
  unsigned reserved; /* 0; fills the struct, never used */
};

/* One source of forces, as listed by `holmberg info`. */
struct hb_force_scheme {
  const char *name;
  const char *summary;
  const char *source;     /* the paper it comes from */
  const char *precisions; /* blank-separated, the default first */
  const char *modes;      /* supported transfer/predict/correct, blank-separated: "all/host/host" */
  int flops_per_pair;     /* floating point operations of acc + jerk + pot, counted in its kernel */
  int needs_gl;           /* 1: cannot run without OpenGL                                       */
  int on_host;            /* 1: never opens OpenGL                                              */
  int is_compute;         /* 1: its programs are compute shaders                                */
  int is_exact;           /* 1: in double its potentials are those of exact energies, bit for bit */
  int is_historic;        /* 1: of historical interest, not for speed                           */
  int has_tuning;         /* 1: `holmberg tune` finds its fastest tuning                        */
  int has_rect;           /* 1: supports HB_FORCE_CG2007_RECT                                   */
};

struct hb_force;

const struct hb_force_scheme *hb_force_schemes(size_t *count);
const char *hb_force_auto_summary(void); /* what "auto" chooses */

/* NULL if there is none of that name; "auto" is not one. */
const struct hb_force_scheme *hb_force_scheme_find(const char *name);

/* Bytes that a run of n particles needs: sources, and results for each sink of the largest block; at the start of a run
 * these are all n. */
struct hb_force_need {
  double device_source; /* for each particle                                             */
  double device_sink;   /* for each sink of the largest block                            */
  double device_fixed;  /* for any n: the tile of matrix2004, totals of a portion of the sinks  */
  double
      device_kept; /* more for each particle that stays there (HB_TRANSFER_BLOCK), in blocks of all of them */
  double device;   /* all of it, with n sinks; without device_kept                  */
  double host_particle; /* particles, integrator, sources on the host, for each of n      */
  double host_fixed;    /* for any n: buffers for transfers between host and device        */
  double host;          /* all of it                                                       */
  double host_rank;     /* more for each of n, on each of several ranks (mpirun)           */
};

/* Depends on scheme, precision and flags (HB_FORCE_CG2007_RECT) and opens nothing: assumes the textures of a GPU without a
 * tuning. Errors: HB_ERR_USAGE. */
enum hb_status hb_force_memory(const struct hb_force_params *params, size_t n, struct hb_force_need *need);

/* Errors: HB_ERR_USAGE (unknown scheme, eps), HB_ERR_GL. */
enum hb_status hb_force_open(const struct hb_force_params *params, struct hb_force **force);
void hb_force_close(struct hb_force *force);

const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force);
const char *hb_force_precision(const struct hb_force *force);
extern const char *const hb_precision_names[];     /* of all schemes together; NULL after the last */
int hb_force_position_bits(const char *precision); /* significant bits of a position in it; 0: unknown name */
int hb_force_is_reproducible(const char *precision); /* 1: the same bits by every scheme, on every device */
const char *
hb_force_tuning(const struct hb_force *force); /* words as in hb_force_params; "" where there are none */
const char *hb_force_context(const struct hb_force *force); /* "none" on the host */
const char *hb_force_device(const struct hb_force *force);  /* what the driver calls it */

/* The sources: m[nj], x[3 * nj], v[3 * nj], copied; for less than double in a frame of their own. Errors: HB_ERR_INPUT
 * (beyond the range of float; names the particle). */
enum hb_status hb_force_set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                              const double *v);

/* Acceleration a[3 * ni], jerk j[3 * ni] and potential phi[ni] of the sinks index[ni], all of them among the
 * sources and none twice; a particle never feels itself, also at eps = 0 ([PZ07] eq. 1 with the sign that
 * attracts, and App. A):
 *   a = sum m rij / (rij^2 + eps^2)^(3/2),  phi = -sum m / (rij^2 + eps^2)^(1/2)
 *   j = sum m (vij / (..)^(3/2) - 3 (rij . vij) rij / (..)^(5/2))
 * After a failure a j phi are undefined. Errors: HB_ERR_USAGE, HB_ERR_DEVICE, HB_ERR_INTERNAL, HB_ERR_NUMERIC (in less than
 * double: a source is so near that the force is beyond the range of float; names both). */
enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi);

/* The same at ni points x[3 * ni] with velocities v[3 * ni] (NULL: zero), which need not be sources. Point i feels every
 * source but number own[i], or every one where that is HB_NO_SOURCE; own NULL: all do. At a source that is not left out,
 * eps = 0 gives infinite or undefined values in double, and HB_ERR_NUMERIC in less. Not by cg2007 and grape6. Errors: as above, HB_ERR_INPUT (out of range). */
#define HB_NO_SOURCE UINT32_MAX
enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi);

/* hb_force_eval and hb_force_at in two halves: begin returns while the device works, finish waits and fills a, j and phi.
 * Until then all arrays belong to the call, and the handle takes no other. Schemes on the host, and OpenGL in software,
 * are done when begin returns. finish without a call under way does nothing. */
enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi);
enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi);
enum hb_status hb_force_finish(struct hb_force *force);

/* ---- simulation -------------------------------------------------------------------------------------- */

/* How the step of eqs 2 and 9 becomes a power of two: the next below, the nearest in log2, the next above. In any case a
 * step grows by a factor of two at most, and only when the time is a multiple of the longer one. */
enum hb_rounding { HB_ROUND_DOWN = 0, HB_ROUND_NEAREST = 1, HB_ROUND_UP = 2 };
extern const char *const hb_rounding_names[];

/* The first step of hermite4: [PZ07] eq. 2, or the shorter of that and eq. 9 after a trial, which costs the forces on all
 * particles once more. auto: eq. 9 where eps is 0, masses differ or there are neighbors, eq. 2 for softened particles of one mass, as in 2007. */
enum hb_first_step { HB_FIRST_STEP_AUTO = 0, HB_FIRST_STEP_EQ9 = 1, HB_FIRST_STEP_EQ2 = 2 };
extern const char *const hb_first_step_names[];

/* hermite4: each particle has its own step, or all have the smallest that any of them needs. */
enum hb_steps { HB_STEPS_BLOCK = 0, HB_STEPS_SHARED = 1 };
extern const char *const hb_steps_names[];

/* hermite4: what becomes of stars that meet, and of binaries. groups: they are integrated together, by a method that is
 * regular at collisions, and the rest of the system feels what their members do; few bodies alone are one group. auto: groups where the forces are gravity
 * without softening, steps are block steps, and the host corrects; not with shaders of one's own. */
enum hb_encounters { HB_ENCOUNTERS_AUTO = 0, HB_ENCOUNTERS_NONE = 1, HB_ENCOUNTERS_GROUPS = 2 };
extern const char *const hb_encounters_names[];

/* hermite4: bodies that touch, by their radii (hb_particles_radius): looked for, to end hb_sim_integrate at the contact, see
 * hb_sim_stopped, each pair once until a block step ends with the two apart; or merged, with mass, momentum and volume kept, their
 * identity that of the heavier one. One of the two must have mass. */
enum hb_collisions { HB_COLLISIONS_NONE = 0, HB_COLLISIONS_STOP = 1, HB_COLLISIONS_MERGE = 2 };
extern const char *const hb_collisions_names[];

/* hermite4: particles far from the density center that are not bound, looked for at multiples of dt_max: by velocities in
 * coordinates at rest and the potential of the others, without a field's. Listed: told once, as events; or removed. */
enum hb_escapers { HB_ESCAPERS_NONE = 0, HB_ESCAPERS_LIST = 1, HB_ESCAPERS_REMOVE = 2 };
extern const char *const hb_escapers_names[];

/* What else ends hb_sim_integrate before its time: a collision, a pair (a binary that forms, or with eps 0 two stars that
 * meet), an escape. Collisions and escapers are then looked for, without collisions and escapers being set. */
enum hb_stop_at { HB_STOP_AT_NONE = 0, HB_STOP_AT_COLLISION = 1, HB_STOP_AT_PAIR = 2, HB_STOP_AT_ESCAPE = 3 };
extern const char *const hb_stop_at_names[];

/* hermite4: near and far forces (Ahmad & Cohen 1973). Each particle has a list of neighbors, whose forces are summed at each
 * of its steps; those of all others come from the source of forces, at steps of their own. auto: hb_sim_default_neighbors. */
enum { HB_NEIGHBORS_AUTO = 0, HB_NEIGHBORS_NONE = -1, HB_NEIGHBORS_LEAST = 8, HB_NEIGHBORS_MOST = 1024 };

/* Stars that age. zams: particles have masses of stars of solar composition (Z = 0.02) at birth, 0.01 to 150 solar masses, and are
 * born when the simulation begins, unless their note `stars` says otherwise (data/FORMATS.md). Life times and cores are those of
 * Hurley, Pols & Tout 2000 (eqs 4 and 57), radii those of Tout et al. 1996 and Eggleton, Fitchett & Tout 1989, winds those of
 * Nieuwenhuijzen & de Jager 1990 and Langer 1989, remnants those of Belczynski, Kalogera & Bulik 2002: see sim/sim.c. */
enum hb_stars { HB_STARS_NONE = 0, HB_STARS_ZAMS = 1 };
extern const char *const hb_stars_names[];

/* An integrator, as listed by `holmberg info`. */
struct hb_integrator_info {
  const char *name, *summary;
  const char *source; /* the paper it comes from */
  int has_dt; /* 1: all particles share the given step dt, and can be damped; 0: eta determines the steps */
};

const struct hb_integrator_info *hb_integrators(size_t *count);
const struct hb_integrator_info *
hb_integrator_named(const char *name); /* NULL if there is none of that name */

/* Where the work of a block step is done, and what is transferred; the three modes of [PZ07] Fig. 5 are
 *   all / host / host     as in 2007: the host predicts all particles and sends them
 *   block / gpu / host    the particles stay on the device, which predicts; corrected ones are sent, forces returned
 *   block / gpu / gpu     it corrects, too, in double-single or double; only time steps are returned
 * all / gpu / host sends all particles for the device to predict. */
enum hb_transfer { HB_TRANSFER_ALL = 0, HB_TRANSFER_BLOCK = 1 };
enum hb_place { HB_PLACE_HOST = 0, HB_PLACE_GPU = 1 };
extern const char *const hb_transfer_names[], *const hb_place_names[];

/* Whether energies are summed in exact host double, in addition to the source's own potentials: N^2 work. auto: up to
 * N = 32768. */
enum hb_exact_energy { HB_EXACT_ENERGY_AUTO = 0, HB_EXACT_ENERGY_YES = 1, HB_EXACT_ENERGY_NO = 2 };
extern const char *const hb_exact_energy_names[];

struct hb_sim_params {
  struct hb_force_params force;
  const char *integrator;    /* NULL: the first of hb_integrators                             */
  double eta;                /* accuracy parameter, nu of [PZ07] eqs 2 and 9; 0: 0.01         */
  double dt_max;             /* largest step, a power of two; 0: 1/8                          */
  double dt_min;             /* smallest step, a power of two; 0: hb_sim_default_dt_min       */
  enum hb_rounding rounding; /* how eqs 2 and 9 become a power of two                         */
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  enum hb_exact_energy exact_energy;
  enum hb_steps steps; /* hermite4                                                      */
  double dt;           /* leapfrog: the step of all particles; 0: the particles' note dt */
  double damping;      /* leapfrog: velocities are multiplied by it each step; 0: their note damping, or 1 */
  /* Forces from outside, as in core/field.h: "log:v=1,r=0.1 disc:m=10,a=3,b=0.3". Particles are not integrated in a frame of
   * their own then; precisions of fewer than 40 bits are refused. NULL: none. */
  const char *field;
  enum hb_encounters encounters; /* hermite4 */
  enum hb_collisions collisions; /* hermite4 */
  enum hb_escapers escapers;     /* hermite4 */
  double escape_radius;          /* how far: 0: 20 half-mass radii */
  enum hb_first_step first_step; /* hermite4 */
  enum hb_stop_at stop_at;
  double eta_far; /* eta of the steps of far forces; 0: 0.75 eta */
  int neighbors;  /* hermite4: how many are wanted, LEAST to MOST; or AUTO, NONE */
  int reserved;   /* 0; fills the struct, never used */
  double
      light_speed; /* hermite4 with groups: c of post-Newtonian terms of order 1, 2 and 2.5 in groups of two; 0: none */
  /* Stars that age, see above, or by a table of lines time, id, mass, radius, kick (Myr, solar masses, solar radii, km/s; a file, NULL:
   * none). They need units and gravity; collisions must not merge. Mass, radius and velocity are set as by hb_sim_change, which books the
   * energy: ends of lives (of a table kicks, and more than a hundredth of the mass at once) at block boundaries of their own, the first
   * multiples of dt_max / 2^16 (of dt_min, if that is longer) not before them; with leapfrog, at the next step; the rest at multiples of
   * dt_max. */
  const char *evolution;
  double
      kick; /* stars: in km/s, dispersion along each axis of what neutron stars and black holes get at birth (265: Hobbs et
                       * al. 2005); 0: none */
  uint64_t kick_seed; /* each kick is a function of it and the star's identity */
  enum hb_stars stars;
  int reserved_too; /* 0; fills the struct, never used */
  /* hermite4: approaches, the events HB_EVENT_APPROACH: pairs that are at their nearest, nearer than this distance, or than this many sums
   * of their radii. They end nothing, and are looked for while they are watched. 0: none. */
  double approach_distance, approach_radii;
};

/* The default of dt_min: 2^-26, and 2^-40 for eps = 0, where encounters can be arbitrarily close. */
double hb_sim_default_dt_min(double eps);

/* What encounters = auto means for these params. */
enum hb_encounters hb_sim_default_encounters(const struct hb_sim_params *params);

/* What first_step = auto means for these params, whose eps and neighbors are settled, and these particles. */
enum hb_first_step hb_sim_default_first_step(const struct hb_sim_params *params,
                                             const struct hb_particles *initial);

/* What neighbors = auto means for these params, whose encounters are settled, and these particles: HB_NEIGHBORS_NONE, or how many. */
int hb_sim_default_neighbors(const struct hb_sim_params *params, const struct hb_particles *initial);

/* Steps that should have been shorter than dt_min: how many, and the particle, time and required length of the first.
 * Orbits may be wrong after them. */
struct hb_cut_steps {
  double dt_min;
  uint64_t count, particle;
  double t, wanted;
};

/* Of all test particles the largest error of its own energy, relative to the sum of its kinetic and potential energies then: what
 * its steps have made beyond the work of the forces. */
struct hb_energy_made {
  double error, t;
  uint64_t particle; /* its identity */
};

/* Of neighbors; all 0 without. Full blocks are those in which far forces were due: they ask the source of forces. */
struct hb_near_counts {
  uint64_t full_blocks;
  uint64_t far_steps;  /* particles whose far forces were due, summed over full blocks */
  uint64_t near_pairs; /* of particles with their lists */
  uint64_t full_pairs; /* that the source summed */
  uint64_t listed;     /* lengths of lists after far steps, summed: the mean is listed / far_steps */
  uint64_t longest;    /* list so far */
  uint64_t changes;    /* neighbors that came into lists or left them, summed over far steps */
  uint64_t by_reach;   /* far steps that the near step held short */
  uint64_t by_noise;   /* far steps whose jerks were below rounding errors */
};

struct hb_sim_counts {
  uint64_t n;               /* particles                                       */
  uint64_t block_steps;     /* block steps done, full or not                   */
  uint64_t particle_steps;  /* particles advanced, summed over block steps     */
  uint64_t pairs;           /* ni (N - 1), or ni N' where N' particles are the sources; near and full pairs */
  uint64_t sources;         /* those with mass; all, where test particles cannot be left out */
  uint64_t merged, escaped; /* bodies swallowed by others; particles that have escaped */
  double e_lost;            /* the energy of the system that went with the merged and those removed */
  uint64_t noisy_steps;     /* particle steps set by rounding errors, see diagnostics.h; hermite4 */
  uint64_t at_dt_min;       /* particles whose step is dt_min now; hermite4     */
  double dt_least;          /* the shortest step so far, 0 before the first     */
  struct hb_cut_steps cut;  /* since the simulation was created or resumed; hermite4 */
  struct hb_energy_made massless; /* so far; hermite4, correct = host */
  struct hb_near_counts near;
  uint64_t changes;    /* calls of hb_sim_change  */
  double e_changed;    /* the energy they brought */
  uint64_t sent_bytes; /* particles on their way to the device, since it was opened */
};

/* Seconds of wall time, [PZ07] eq. 10: t_host = predict + correct, t_comm = send + receive. With HB_FORCE_PHASES the
 * device is idle between send, force and receive; without it they overlap, and force includes what cannot be separated. */
struct hb_phases {
  double predict_s, send_s, force_s, receive_s, correct_s;
  double near_s, lists_s; /* with neighbors: near forces; finding neighbors. force_s is of far forces then */
  double groups_s;        /* moving the members of groups */
};

struct hb_sim;

/* Copies the particles, notes their softening (eps), evaluates the first forces and steps. Errors: as hb_force_open, HB_ERR_USAGE, HB_ERR_INPUT,
 * HB_ERR_NUMERIC. */
enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_sim **sim);

/* The same, but takes over the particles, even after a failure: saves memory. */
enum hb_status hb_sim_take(struct hb_particles *initial, const struct hb_sim_params *params,
                           struct hb_sim **sim);
void hb_sim_destroy(struct hb_sim *sim);

double hb_sim_time(const struct hb_sim *sim); /* the time that the last block step reached */
/* The time that the next block step will reach, or of a contact before it that ends an integration or is a merger. */
double hb_sim_next_time(const struct hb_sim *sim);

/* One block step; or, where a life ends or two bodies touch before it, to that time. */
enum hb_status hb_sim_step(struct hb_sim *sim);

/* All block steps that reach t or a time before it, or those until it is stopped by an event, of a contact between two block steps:
 * hb_sim_stopped in diagnostics.h says by which. Errors: as hb_sim_step; the steps before it are done. */
enum hb_status hb_sim_integrate(struct hb_sim *sim, double t);

/* Asks whatever moves the members of groups, in any simulation of this process, to give up within a fraction of a second. The block step
 * fails with HB_ERR_STOPPED; it is not done, the simulation is at the end of the step before, and may be saved, or do the step again with
 * the same result once the request is withdrawn. A state or diagnostics that were asked for fail in the same way. May be called by a
 * signal handler and by any thread. */
void hb_interrupt_request(void);
void hb_interrupt_withdraw(void);

/* is_on 1: from now on SIGINT and SIGTERM are also a request, if the program has a handler for them, which is called, too; 0: no longer.
 * Not by two threads at the same time. */
void hb_interrupt_with_signals(int is_on);

/* What hb_sim_integrate calls after each block step: sim may be asked anything, or changed. *stop = 1 ends the integration, whose time is
 * that of the step. */
struct hb_between {
  void (*call)(void *context, struct hb_sim *sim, int *stop); /* nullable */
  void *context;
};
void hb_sim_call(struct hb_sim *sim, const struct hb_between *between); /* from now on; NULL: nothing */

void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts);
void hb_sim_phases(const struct hb_sim *sim, struct hb_phases *phases); /* of all steps so far */
enum { HB_BLOCK_SIZES = 32 };
/* blocks[k]: block steps so far with 2^k .. 2^(k + 1) - 1 particles. */
void hb_sim_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES]);
/* The same of full blocks, by the particles whose far forces were due. */
void hb_sim_full_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES]);
const struct hb_force *hb_sim_force(const struct hb_sim *sim);

/* The params as they were taken, defaults filled in, neighbors 0 where there are none; of the strings only integrator, field and evolution. Valid
 * as long as sim. */
const struct hb_sim_params *hb_sim_taken(const struct hb_sim *sim);

/* The state at time t, last block step <= t <= hb_sim_next_time: every particle predicted to t from its own time;
 * exact (corrected) for those whose own time is t, so for all at multiples of dt_max. Does not affect the trajectory. */
enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles);

/* What changes at once. Particles are named by their identities; what is NULL stays. */
struct hb_change {
  size_t n;                /* particles that stay, but change             */
  const uint64_t *id;      /* [n]                                         */
  const double *m;         /* [n]     new masses                          */
  const double *x, *v;     /* [3 * n] new positions, velocities           */
  const double *radius;    /* [n]     new radii                           */
  size_t n_removed;        /* particles that vanish                       */
  const uint64_t *removed; /* [n_removed]                                 */
  const struct hb_particles
      *added; /* whose identities are new, at the time of the simulation, whatever theirs is; nullable */
};

/* Changes the particles at hb_sim_time(sim): all, or with an error nothing. What is touched begins anew, with first steps; what others
 * feel of it changes at once, along with the past that their predictions have of it, so that no step sees a force jump. Of masses alone,
 * pulls below eta^2 / 2048 of a particle's own (/ 128 where no mass changes by more than 2e-4 of it) are felt from its next sums on. The energy that this
 * brings is booked: e_changed of hb_diagnostics. Mind that a star between two steps is where it was predicted; what is touched is
 * corrected before it changes. A checkpoint before or after a change is resumed to the same bits. Errors: HB_ERR_USAGE (an identity that is
 * not there, or there twice, or that is to be added and exists; no particle would be left; another interaction than
 * gravity), HB_ERR_INPUT (a value that is not finite, or a mass or radius below 0); as hb_sim_step, after which the simulation is of no more use. */
enum hb_status hb_sim_change(struct hb_sim *sim, const struct hb_change *change);

/* What a star is. Unknown: by a table. */
enum hb_star_type {
  HB_STAR_UNKNOWN = 0,
  HB_STAR_DWARF = 1,
  HB_STAR_GIANT = 2,
  HB_STAR_WHITE_DWARF = 3,
  HB_STAR_NEUTRON = 4,
  HB_STAR_BLACK_HOLE = 5
};
extern const char *const hb_star_type_names[];

/* In solar masses, solar radii, Myr, km/s. */
struct hb_sim_star {
  uint64_t id;
  double m_birth, t_birth;
  double m, radius; /* a table need not know the radius: 0 */
  double kick;      /* that it has got; 0: none */
  enum hb_star_type type;
  int reserved; /* 0; fills the struct, never used */
};

/* Those that age, also where they have left since, by ascending identity: stars[*count], as they became when they were changed last. Valid
 * until the next call or the end of sim. Particles that were added do not age. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_sim_stars(struct hb_sim *sim, size_t *count, const struct hb_sim_star **stars);

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* What the macros below call: each function once more, after the sizes of the program's structs. */
const struct hb_ic_model *hb_ic_models_sized(size_t size, size_t *count);
enum hb_status hb_ic_make_sized(size_t size, size_t cluster_size, const char *model,
                                const struct hb_ic_params *params, struct hb_particles **particles);
enum hb_status hb_scale_particles_sized(size_t size, struct hb_particles *particles,
                                        const struct hb_scale *scale);
const struct hb_snapshot_format *hb_snapshot_formats_sized(size_t size, size_t *count);
enum hb_status hb_snapshot_read_at_sized(size_t size, const char *path, const char *format, double t,
                                         struct hb_particles **particles,
                                         struct hb_snapshot_contents *contents);
const struct hb_force_scheme *hb_force_schemes_sized(size_t size, size_t *count);
enum hb_status hb_force_memory_sized(size_t size, size_t need_size, const struct hb_force_params *params,
                                     size_t n, struct hb_force_need *need);
enum hb_status hb_force_open_sized(size_t size, const struct hb_force_params *params,
                                   struct hb_force **force);
const struct hb_integrator_info *hb_integrators_sized(size_t size, size_t *count);
enum hb_encounters hb_sim_default_encounters_sized(size_t size, size_t force_size,
                                                   const struct hb_sim_params *params);
enum hb_first_step hb_sim_default_first_step_sized(size_t size, size_t force_size,
                                                   const struct hb_sim_params *params,
                                                   const struct hb_particles *initial);
int hb_sim_default_neighbors_sized(size_t size, size_t force_size, const struct hb_sim_params *params,
                                   const struct hb_particles *initial);
enum hb_status hb_sim_create_sized(size_t size, size_t force_size, const struct hb_particles *initial,
                                   const struct hb_sim_params *params, struct hb_sim **sim);
enum hb_status hb_sim_take_sized(size_t size, size_t force_size, struct hb_particles *initial,
                                 const struct hb_sim_params *params, struct hb_sim **sim);
const struct hb_sim_params *hb_sim_taken_sized(size_t size, size_t force_size, const struct hb_sim *sim);
void hb_sim_counts_sized(size_t size, const struct hb_sim *sim, struct hb_sim_counts *counts);
void hb_sim_phases_sized(size_t size, const struct hb_sim *sim, struct hb_phases *phases);
void hb_sim_call_sized(size_t size, struct hb_sim *sim, const struct hb_between *between);
enum hb_status hb_sim_change_sized(size_t size, struct hb_sim *sim, const struct hb_change *change);
enum hb_status hb_sim_stars_sized(size_t size, struct hb_sim *sim, size_t *count,
                                  const struct hb_sim_star **stars);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_ic_models(...) hb_ic_models_sized(sizeof(struct hb_ic_model), __VA_ARGS__)
#define hb_ic_make(...)                                                                                      \
  hb_ic_make_sized(sizeof(struct hb_ic_params), sizeof(struct hb_ic_cluster), __VA_ARGS__)
#define hb_scale_particles(...)  hb_scale_particles_sized(sizeof(struct hb_scale), __VA_ARGS__)
#define hb_snapshot_formats(...) hb_snapshot_formats_sized(sizeof(struct hb_snapshot_format), __VA_ARGS__)
#define hb_snapshot_read_at(...) hb_snapshot_read_at_sized(sizeof(struct hb_snapshot_contents), __VA_ARGS__)
#define hb_force_schemes(...)    hb_force_schemes_sized(sizeof(struct hb_force_scheme), __VA_ARGS__)
#define hb_force_memory(...)                                                                                 \
  hb_force_memory_sized(sizeof(struct hb_force_params), sizeof(struct hb_force_need), __VA_ARGS__)
#define hb_force_open(...)  hb_force_open_sized(sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_integrators(...) hb_integrators_sized(sizeof(struct hb_integrator_info), __VA_ARGS__)
#define hb_sim_default_encounters(...)                                                                       \
  hb_sim_default_encounters_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_default_first_step(...)                                                                       \
  hb_sim_default_first_step_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_default_neighbors(...)                                                                        \
  hb_sim_default_neighbors_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_create(...)                                                                                   \
  hb_sim_create_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_take(...)                                                                                     \
  hb_sim_take_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_taken(...)                                                                                    \
  hb_sim_taken_sized(sizeof(struct hb_sim_params), sizeof(struct hb_force_params), __VA_ARGS__)
#define hb_sim_counts(...) hb_sim_counts_sized(sizeof(struct hb_sim_counts), __VA_ARGS__)
#define hb_sim_phases(...) hb_sim_phases_sized(sizeof(struct hb_phases), __VA_ARGS__)
#define hb_sim_call(...)   hb_sim_call_sized(sizeof(struct hb_between), __VA_ARGS__)
#define hb_sim_change(...) hb_sim_change_sized(sizeof(struct hb_change), __VA_ARGS__)
#define hb_sim_stars(...)  hb_sim_stars_sized(sizeof(struct hb_sim_star), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
