#include "core/frame.h"

#include "base/parallel.h"

#include <math.h>

enum { PIECE = 4096, ALONE = 4 * PIECE /* particles that are moved before a second thread has woken up */ };

/* sum m |q - mean| and sum m |q|, all components together; two sums at once, since each addition waits for the one before. */
static void distances(size_t n, const double *m, const double *q, const double mean[3], double *near,
                      double *far)
{
  double from_mean = 0, from_zero = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++) {
      from_mean += m[i] * fabs(q[3 * i + k] - mean[k]);
      from_zero += m[i] * fabs(q[3 * i + k]);
    }
  *near = from_mean;
  *far = from_zero;
}

void hb_frame_origin(size_t n, const double *m, const double *q, double share, double origin[3])
{
  double M = 0, sum[3] = {0}, mean[3], near, far;
  for (size_t i = 0; i < n; i++) {
    M += m[i];
    for (size_t k = 0; k < 3; k++) sum[k] += m[i] * q[3 * i + k];
  }
  for (size_t k = 0; k < 3; k++) mean[k] = sum[k] / M, origin[k] = 0;
  distances(n, m, q, mean, &near, &far);
  double grid = near > 0 ? ldexp(1, ilogb(share * near / (3 * M))) : 0;
  if (!(near < far)) return; /* or NaN: no mass, or overflow */
  for (size_t k = 0; k < 3; k++) origin[k] = grid > 0 ? grid * rint(mean[k] / grid) : mean[k];
}

static int is_zero(const struct hb_frame *f)
{
  return !(f->x[0] || f->x[1] || f->x[2] || f->v[0] || f->v[1] || f->v[2]);
}

struct subtraction {
  const double *origin, *q;
  double *in_frame;
};

static void subtract_piece(void *context, size_t i, size_t end)
{
  const struct subtraction *s = context;
  for (; i < end; i++)
    for (size_t k = 0; k < 3; k++) s->in_frame[3 * i + k] = s->q[3 * i + k] - s->origin[k];
}

void hb_frame_subtract(const double origin[3], size_t n, const double *q, double *q_in_frame)
{
  struct subtraction s = {origin, q, q_in_frame};
  hb_parallel_pieces(n, PIECE, ALONE, subtract_piece, &s);
}

void hb_frame_leave(const struct hb_frame *f, struct hb_particles *p)
{
  if (is_zero(f)) return; /* -0 keeps its sign */
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] += f->x[k % 3] + f->v[k % 3] * (p->t - f->t);
    p->v[k] += f->v[k % 3];
  }
}
