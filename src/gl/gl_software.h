/* Asking Mesa for its renderer on the processor. */
#ifndef HB_GL_SOFTWARE_H
#define HB_GL_SOFTWARE_H

/* Between the two, what opens a display gets that renderer: by LIBGL_ALWAYS_SOFTWARE, which is in the environment of the
 * whole program and is put back. */
struct hb_gl_software {
  int was_set;
  char value[32];
};

struct hb_gl_software hb_gl_software_begin(void);
void hb_gl_software_end(const struct hb_gl_software *before);

#endif
