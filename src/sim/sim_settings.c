#include "sim/sim_settings.h"

static const char *integrator_name(size_t k)
{
  size_t count;
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  return k < count ? integrators[k].name : NULL;
}

static const char *scheme_name(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k == 0 ? "auto" : k <= count ? schemes[k - 1].name : NULL;
}

static const char *const neighbors_words[] = {"auto", "0", NULL};

#define SIM(member) HB_SETTING_FIELD(struct hb_sim_params, member)

const struct hb_setting hb_sim_settings_accuracy[] = {
    {"eta", 0, HB_SETTING_POSITIVE, SIM(eta), "NU", "0.01", .use = HB_SETTING_FOUND_STEP,
     .life = HB_SETTING_SAVED, .low = 0.0001, .high = 0.5,
     .help = "accuracy parameter of the time step, nu in the paper"},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, SIM(force.eps), "EPS", "1/256", .life = HB_SETTING_SAVED,
     .low = 0x1p-14, .high = 1,
     .help = "Plummer softening length, may be 0; an eps in a snapshot's header, as ic and run write it, "
             "replaces the default",
     .of = HB_DIMENSION_LENGTH},
    {0}};

const struct hb_setting hb_sim_settings_block[] = {
    {"dt-max", 0, HB_SETTING_POWER, SIM(dt_max), "DT", "1/8", .use = HB_SETTING_FOUND_STEP,
     .life = HB_SETTING_SAVED, .help = "largest time step, a power of two", .of = HB_DIMENSION_TIME},
    {"dt-min", 0, HB_SETTING_POWER, SIM(dt_min), "DT", .use = HB_SETTING_FOUND_STEP, .life = HB_SETTING_SAVED,
     .help = "smallest time step, a power of two (default: 2^-26, with eps 0 2^-40)",
     .of = HB_DIMENSION_TIME},
    {"first-step", 0, HB_SETTING_CHOICE, SIM(first_step), "EQ", "auto", .words.array = hb_first_step_names,
     .use = HB_SETTING_FOUND_STEP, .life = HB_SETTING_ADDED, .before = HB_FIRST_STEP_EQ2,
     .help =
         "the first step of hermite4: eq2, as the paper; eq9, the shorter of that and eq. 9 after a trial; "
         "auto: eq9 where eps is 0, masses differ or there are neighbors"},
    {"step-rounding", 0, HB_SETTING_CHOICE, SIM(rounding), "WAY", "down", .words.array = hb_rounding_names,
     .use = HB_SETTING_FOUND_STEP, .param = "rounding", .life = HB_SETTING_ADDED,
     .help = "how steps are rounded to powers of two: down, nearest (in the logarithm), up"},
    {0}};

const struct hb_setting hb_sim_settings_integrator[] = {
    {"transfer", 0, HB_SETTING_CHOICE, SIM(transfer), "WHAT", "all", .words.array = hb_transfer_names,
     .life = HB_SETTING_ADDED,
     .help =
         "what is sent to the device at each block step: all particles, or block, which needs @predict gpu"},
    {"predict", 0, HB_SETTING_CHOICE, SIM(predict), "WHERE", "host", .words.array = hb_place_names,
     .life = HB_SETTING_ADDED, .help = "where particles are predicted: host, or gpu (schemes bag and tile)"},
    {"correct", 0, HB_SETTING_CHOICE, SIM(correct), "WHERE", "host", .words.array = hb_place_names,
     .life = HB_SETTING_ADDED,
     .help = "where the block is corrected: host, or gpu, which needs @transfer block"},
    {"encounters", 0, HB_SETTING_CHOICE, SIM(encounters), "HOW", "auto", .words.array = hb_encounters_names,
     .help = "hermite4: how binaries and stars that meet are integrated: groups, together by a regularized "
             "method, with heavy stars in shorter steps and few bodies alone as one group (needs block "
             "steps, @eps 0 "
             "and @correct host); none, by short steps; auto: groups where that is possible, but not with "
             "shaders "
             "of your own"},
    {"neighbors", 0, HB_SETTING_AUTO_COUNT, SIM(neighbors), "N", "auto", .least = HB_NEIGHBORS_LEAST,
     .most = HB_NEIGHBORS_MOST, .words.array = neighbors_words, .life = HB_SETTING_ADDED,
     .low = HB_NEIGHBORS_LEAST, .high = HB_NEIGHBORS_MOST,
     .help =
         "hermite4: about how many neighbors each particle has in a list; their forces are summed at each of "
         "its steps, those of all others at longer ones (Ahmad & Cohen 1973); 0: none, as in 2007; auto: 64 "
         "from 1000 particles with mass on, where lists can be: gravity, block steps, ds, reproducible or "
         "double, @predict host (but not in cg2007 and matrix2004)"},
    {"pn", 0, HB_SETTING_POSITIVE, SIM(light_speed), "C", .param = "light_speed", .life = HB_SETTING_ADDED,
     .use = HB_SETTING_FOUND_STEP,
     .help = "hermite4: pairs in a group of two, @encounters groups, feel the post-Newtonian terms of order "
             "1, 2 and 2.5, "
             "with this speed of light, 299792.458km/s in FILE's units; what they take of the energy counts "
             "as lost",
     .of = HB_DIMENSION_VELOCITY},
    {"eta-far", 0, HB_SETTING_POSITIVE, SIM(eta_far), "NU", .life = HB_SETTING_ADDED,
     .help = "with neighbors: the accuracy parameter of the longer steps, as @eta (default: 0.75 eta)"},
    {"field", 0, HB_SETTING_TEXT, SIM(field), "WORDS", .life = HB_SETTING_ADDED,
     .help = "forces from outside: a sum of point:m=M, plummer:m=M,a=A, disc:m=M,a=A,b=B (Miyamoto & "
             "Nagai), log:v=V,r=R,q=Q, each with x=X,y=Y,z=Z where its middle is not the origin; frame:w=W: "
             "in coordinates that turn; hill:w=W,k=K,n=N: in such coordinates, and with a galaxy's tide "
             "(Hill's approximation); omega=W: the pattern speed of the Jacobi energy in @diag, where "
             "coordinates do not turn",
     .of = HB_SETTING_FIELD_WORDS},
    {"integrator", 0, HB_SETTING_WORD, SIM(integrator), "NAME", "hermite4", .words.at = integrator_name,
     .life = HB_SETTING_SAVED, .help = "how particles are moved, see below"},
    {"steps", 0, HB_SETTING_CHOICE, SIM(steps), "KIND", .words.array = hb_steps_names,
     .life = HB_SETTING_ADDED,
     .help = "hermite4: block, individual time steps (the default), or shared, the smallest of them for all"},
    {"dt", 0, HB_SETTING_POSITIVE, SIM(dt), "DT", .use = HB_SETTING_GIVEN_STEP, .life = HB_SETTING_ADDED,
     .help = "leapfrog: time step of all particles (default: from FILE's header; required without one)",
     .of = HB_DIMENSION_TIME},
    {"damping", 0, HB_SETTING_POSITIVE, SIM(damping), "D", .most = 1, .use = HB_SETTING_GIVEN_STEP,
     .life = HB_SETTING_ADDED, .before = 1, .low = 0.5, .high = 1,
     .help = "leapfrog: factor on the velocities at each step (default: from FILE's header, else 1)"},
    {0}};

static int has_no_approaches(const void *params)
{
  const struct hb_sim_params *p = params;
  return !(p->approach_distance > 0 || p->approach_radii > 0);
}

const struct hb_setting hb_sim_settings_bodies[] = {
    {"collisions", 0, HB_SETTING_CHOICE, SIM(collisions), "HOW", "none", .words.array = hb_collisions_names,
     .life = HB_SETTING_ADDED,
     .help = "hermite4: what to do when bodies touch, by FILE's radii (see 'holmberg ic @radius'): none does "
             "not look for them; stop ends the run at the contact; merge makes one body, which keeps mass, "
             "momentum and volume; "
             "the lost energy is counted in dE/E"},
    {"escapers", 0, HB_SETTING_CHOICE, SIM(escapers), "HOW", "none", .words.array = hb_escapers_names,
     .life = HB_SETTING_ADDED,
     .help = "hermite4: what to do with unbound particles far out, at multiples of dt-max: none; list, as "
             "events; remove, with their energy counted in dE/E"},
    {"escape-radius", 0, HB_SETTING_POSITIVE, SIM(escape_radius), "R", .life = HB_SETTING_ADDED,
     .help = "how far out that is, from the density center, such as twice the tidal radius (default: 20 "
             "half-mass radii)",
     .of = HB_DIMENSION_LENGTH},
    {"stop-at", 0, HB_SETTING_CHOICE, SIM(stop_at), "EVENT", "none", .words.array = hb_stop_at_names,
     .life = HB_SETTING_ADDED,
     .help = "end the run at the first collision, pair (a binary that forms, or with eps 0 two stars that "
             "meet) or "
             "escape"},
    {"approach-distance", 0, HB_SETTING_POSITIVE, SIM(approach_distance), "D", .life = HB_SETTING_ADDED,
     .is_idle = has_no_approaches,
     .help = "hermite4: list as events of @events where two bodies are at their nearest, nearer than that; "
             "the run goes on",
     .of = HB_DIMENSION_LENGTH},
    {"approach-radii", 0, HB_SETTING_POSITIVE, SIM(approach_radii), "K", .life = HB_SETTING_ADDED,
     .is_idle = has_no_approaches, .help = "the same, nearer than that many times the sum of their radii"},
    {0}};

static int do_not_age(const void *params)
{
  const struct hb_sim_params *p = params;
  return p->stars == HB_STARS_NONE && !p->evolution;
}

static int are_not_kicked(const void *params)
{
  return ((const struct hb_sim_params *)params)->stars == HB_STARS_NONE;
}

const struct hb_setting hb_sim_settings_stars[] = {
    {"stars", 0, HB_SETTING_CHOICE, SIM(stars), "HOW", "none", .words.array = hb_stars_names,
     .life = HB_SETTING_ADDED, .is_idle = do_not_age,
     .help =
         "zams: FILE's masses are those of stars just born, which lose mass by winds, grow, and end as white "
         "dwarfs, neutron stars and black holes, by fits for solar composition; needs units; ends are "
         "block boundaries, to dt-max / 2^16, winds come at multiples of dt-max"},
    {"kick", 0, HB_SETTING_NOT_NEGATIVE, SIM(kick), "SIGMA", "265", .life = HB_SETTING_ADDED,
     .is_idle = are_not_kicked,
     .help =
         "with @stars: kicks of new neutron stars and black holes are Maxwellian, of this dispersion in km/s "
         "along each axis (Hobbs et al. 2005); 0: none"},
    {"kick-seed", 0, HB_SETTING_WHOLE, SIM(kick_seed), "S", "0", .life = HB_SETTING_ADDED,
     .is_idle = do_not_age, .help = "seed of the kicks: each is a function of it and the star's identity"},
    {"evolution", 0, HB_SETTING_TEXT, SIM(evolution), "FILE", .life = HB_SETTING_ADDED, .is_idle = do_not_age,
     .help = "in place of @stars, a table of lines time id mass radius kick (Myr, solar masses, solar radii, "
             "km/s) "
             "made elsewhere; see holmberg-formats(5)"},
    {0}};

const struct hb_setting hb_sim_settings_force[] = {
    {"scheme", 0, HB_SETTING_WORD, SIM(force.scheme), "NAME", "auto", .words.at = scheme_name,
     .help = "how forces are computed, see below"},
    {"precision", 0, HB_SETTING_TEXT, SIM(force.precision), "NAME",
     .help = "arithmetic of the forces, see below (default: the scheme's first)"},
    {"interaction", 0, HB_SETTING_TEXT, SIM(force.interaction), "NAME",
     .help =
         "what particles do to each other, in place of gravity: a file like my.glsl that gives ax ay az phi "
         "and, for hermite4, jx jy jz; schemes bag, tile, matrix2004, see 'holmberg pairs @help'"},
    {"parameter", 0, HB_SETTING_TEXT, SIM(force.parameters), "K=V,...", .param = "parameters",
     .help = "parameters of the interaction (default: the values in its file; eps2 is @eps squared)"},
    {0}};

const struct hb_setting hb_sim_settings_tuning[] = {
    {"tuning", 0, HB_SETTING_TEXT, SIM(force.tuning), "WORDS",
     .help =
         "how an all-pairs scheme sums, like \"i_each=4 unroll=8\", and which blocks hybrid leaves to the "
         "host, like \"host_below=128\" (default: as measured)"},
    {0}};

const struct hb_setting hb_sim_settings_draws[] = {
    {"no-tune", 0, HB_SETTING_FLAG, SIM(force.flags), .bit = HB_FORCE_NO_TUNE,
     .help = "use safe defaults instead of measured tuning"},
    {"max-draw-ms", 0, HB_SETTING_POSITIVE, SIM(force.max_draw_s), "MS", "50", .unit = 1e-3,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME,
     .help = "longest draw of an all-pairs scheme; changes no result"},
    {"cg2007-rect", 0, HB_SETTING_FLAG, SIM(force.flags), .bit = HB_FORCE_CG2007_RECT,
     .help = "cg2007: rectangle textures and RGB32F targets, as in 2007"},
    {"gl-debug", 0, HB_SETTING_FLAG, SIM(force.flags), .bit = HB_FORCE_GL_DEBUG,
     .use = HB_SETTING_SHOWS | HB_SETTING_ON_RESUME, .help = "treat the driver's debug messages as faults"},
    {0}};

const struct hb_setting hb_sim_settings_energy[] = {
    {"exact-energy", 0, HB_SETTING_CHOICE, SIM(exact_energy), "WHEN", "auto",
     .words.array = hb_exact_energy_names, .use = HB_SETTING_SHOWS,
     .help = "sum energies in double besides those of the scheme, N^2 work per row: auto (up to "
             "N = 32768), yes, no"},
    {0}};

const struct hb_setting *const hb_sim_settings[] = {hb_sim_settings_accuracy,   hb_sim_settings_block,
                                                    hb_sim_settings_integrator, hb_sim_settings_bodies,
                                                    hb_sim_settings_stars,      hb_sim_settings_force,
                                                    hb_sim_settings_tuning,     hb_sim_settings_draws,
                                                    hb_sim_settings_energy,     NULL};
