/* The textures that hold a simulation's particles on its OpenGL device, for drawing them from there. */
#ifndef HOLMBERG_DEVICE_H
#define HOLMBERG_DEVICE_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hb_device_layout {
  HB_DEVICE_NONE,    /* none: draw from hb_sim_state                                                        */
  HB_DEVICE_RECORDS, /* texture[0]: buffer texture RGBA32F, `texels` a particle: (x y z m) (vx vy vz -) ... */
  HB_DEVICE_DOUBLES, /* the same in RGBA32UI: high words of (x y z m), their low words, those of (vx vy ..) */
  HB_DEVICE_STREAMS  /* texture[3]: positions, velocities, masses, each in rows of `width` texels           */
};

/* Names of OpenGL objects in the simulation's context, which lives as long as its force. They and `order` are valid until
 * the next step, diagnosis or structure. */
struct hb_device_particles {
  enum hb_device_layout layout;
  size_t n;
  unsigned texture[3];
  int texels;            /* RECORDS, DOUBLES                                                       */
  int width, rectangle;  /* STREAMS; rectangle: 1 for TEXTURE_RECTANGLE, 0 for TEXTURE_2D          */
  const uint32_t *order; /* [n] the number of the particle at each place; NULL: they are in order  */
  double origin[3];      /* of the frame that they are in: to be added to positions                */
  double drift[3];       /* its velocity: to be added to velocities                                */
  double t; /* of the last block step; all are predicted to it, or to the time of a later diagnosis */
};

/* Reads nothing back. The layout is HB_DEVICE_NONE, and n = 0, for a source of forces without a device or one that does not
 * always get all particles (hybrid), and before the first step, since the start leaves other velocities there. */
void hb_sim_on_device(const struct hb_sim *sim, struct hb_device_particles *particles);

/* Makes the simulation's context current in this thread, to draw from its textures. Errors: HB_ERR_USAGE where there is
 * none, HB_ERR_GL. */
enum hb_status hb_device_use(const struct hb_sim *sim);

/* No context of the library's is current in this thread any more. A context of the caller's that is current when a
 * function is called is current again when it returns; but where there was none, ours may stay, and GLX and EGL then refuse
 * to make another one current in this thread. */
void hb_device_release(void);

/* What a particle can be colored by. */
enum hb_quantity {
  HB_QUANTITY_SPEED,  /* |v|                                                           */
  HB_QUANTITY_ACC,    /* |a|, as of its own time                                       */
  HB_QUANTITY_ENERGY, /* v^2 / 2 + phi, of a unit of mass                              */
  HB_QUANTITY_STEP,   /* its time step                                                 */
  HB_QUANTITY_AGE,    /* the time since its last step, at the time of the last block     */
  HB_QUANTITY_MASS,
  HB_QUANTITY_BOUND /* how many stars orbit each other where it is: 1, in a hard binary 2, in a triple 3 ... */
};

/* value[n] of all particles by number, as of the last block step. ACC, STEP and AGE are known to the integrator; SPEED and BOUND
 * predict all particles on the host, ENERGY also sums all potentials, N^2 work. With correct = gpu, all but STEP
 * and AGE are read back from the device. Errors: those of forces. */
enum hb_status hb_sim_quantity(struct hb_sim *sim, enum hb_quantity quantity, double *value);

/* The same with sizes, see "Releases" in holmberg.h. */
void hb_sim_on_device_sized(size_t size, const struct hb_sim *sim, struct hb_device_particles *particles);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_sim_on_device(...) hb_sim_on_device_sized(sizeof(struct hb_device_particles), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
