// A cluster and its Lagrangian radii, with the handles in smart pointers and errors as exceptions.
#include <holmberg/diagnostics.h>
#include <holmberg/holmberg.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

template <class T, void (*destroy)(T *)> struct destroyer {
  void operator()(T *object) const { destroy(object); }
};
using particles_ptr = std::unique_ptr<hb_particles, destroyer<hb_particles, hb_particles_destroy>>;
using sim_ptr = std::unique_ptr<hb_sim, destroyer<hb_sim, hb_sim_destroy>>;

static void check(hb_status status)
{
  if (status != HB_OK) throw std::runtime_error(hb_error());
}

static particles_ptr plummer(std::size_t n)
{
  hb_ic_params params{};
  hb_particles *particles;
  params.n = n;
  check(hb_ic_make("plummer", &params, &particles));
  return particles_ptr(particles);
}

int main()
try {
  hb_sim_params params{};
  params.force.eps = 1.0 / 256;
  hb_sim *handle;
  check(hb_sim_create(plummer(256).get(), &params, &handle));
  sim_ptr sim(handle);
  for (double t = 0; t <= 0.5; t += 0.25) {
    hb_structure structure;
    check(hb_sim_integrate(sim.get(), t));
    check(hb_sim_structure(sim.get(), t, &structure));
    std::printf("t = %.2f ", t);
    for (int k = 0; k < HB_LAGRANGE_COUNT; k++)
      std::printf(" %.0f%% %.3f", 100 * hb_lagrange_fractions()[k], structure.r_lagrange[k]);
    std::printf("\n");
  }
  params.force.scheme = "none of ours";
  check(hb_sim_create(plummer(2).get(), &params, &handle));
} catch (const std::exception &error) {
  std::printf("and an error: %s\n", error.what());
}
