"""What the headers declare, written by tools/python_abi.py."""
# flake8: noqa
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8,
                    c_uint32, c_uint64, c_void_p)


class Status(c_int):
    """What a function returns that can fail."""


HB_NO_SOURCE = 0xFFFFFFFF
HB_OK = 0
HB_ERR_INTERNAL = 1
HB_ERR_USAGE = 2
HB_ERR_INPUT = 3
HB_ERR_IO = 4
HB_ERR_GL = 5
HB_ERR_DEVICE = 6
HB_ERR_NUMERIC = 7
HB_ERR_STOPPED = 75
HB_DIMENSION_NONE = 0
HB_DIMENSION_TIME = 1
HB_DIMENSION_LENGTH = 2
HB_DIMENSION_VELOCITY = 3
HB_DIMENSION_MASS = 4
HB_DIMENSION_RATE = 5
HB_IC_SCALING_AUTO = 0
HB_IC_SCALING_MEASURED = 1
HB_IC_SCALING_MODEL = 2
HB_IC_MEASURED_MOST = 131072
HB_IC_SHAPE_SHELL = 0
HB_IC_SHAPE_RANDOM = 1
HB_IC_SHAPE_EXPAND = 2
HB_IC_PAIRING_RANDOM = 0
HB_IC_PAIRING_ORDERED = 1
HB_IC_PAIRING_UNIFORM = 2
HB_IC_ORBITS_OPIK = 0
HB_IC_ORBITS_KROUPA1995 = 1
HB_IC_ORBITS_DUQUENNOY1991 = 2
HB_IC_THERMAL = 0
HB_IC_UNIFORM = 1
HB_IC_CIRCULAR = 2
HB_FORCE_CG2007_RECT = 1
HB_FORCE_GL_DEBUG = 2
HB_FORCE_NO_TUNE = 4
HB_FORCE_PHASES = 8
HB_FORCE_UNSOFTENED = 16
HB_ROUND_DOWN = 0
HB_ROUND_NEAREST = 1
HB_ROUND_UP = 2
HB_FIRST_STEP_AUTO = 0
HB_FIRST_STEP_EQ9 = 1
HB_FIRST_STEP_EQ2 = 2
HB_STEPS_BLOCK = 0
HB_STEPS_SHARED = 1
HB_ENCOUNTERS_AUTO = 0
HB_ENCOUNTERS_NONE = 1
HB_ENCOUNTERS_GROUPS = 2
HB_COLLISIONS_NONE = 0
HB_COLLISIONS_STOP = 1
HB_COLLISIONS_MERGE = 2
HB_ESCAPERS_NONE = 0
HB_ESCAPERS_LIST = 1
HB_ESCAPERS_REMOVE = 2
HB_STOP_AT_NONE = 0
HB_STOP_AT_COLLISION = 1
HB_STOP_AT_PAIR = 2
HB_STOP_AT_ESCAPE = 3
HB_NEIGHBORS_AUTO = 0
HB_NEIGHBORS_NONE = -1
HB_NEIGHBORS_LEAST = 8
HB_NEIGHBORS_MOST = 1024
HB_STARS_NONE = 0
HB_STARS_ZAMS = 1
HB_TRANSFER_ALL = 0
HB_TRANSFER_BLOCK = 1
HB_PLACE_HOST = 0
HB_PLACE_GPU = 1
HB_EXACT_ENERGY_AUTO = 0
HB_EXACT_ENERGY_YES = 1
HB_EXACT_ENERGY_NO = 2
HB_BLOCK_SIZES = 32
HB_STAR_UNKNOWN = 0
HB_STAR_DWARF = 1
HB_STAR_GIANT = 2
HB_STAR_WHITE_DWARF = 3
HB_STAR_NEUTRON = 4
HB_STAR_BLACK_HOLE = 5
HB_LAGRANGE_COUNT = 8
HB_EVENT_INITIAL = 0
HB_EVENT_FORMED = 1
HB_EVENT_HARDENED = 2
HB_EVENT_EXCHANGED = 3
HB_EVENT_BROKEN = 4
HB_EVENT_ENCOUNTER = 5
HB_EVENT_COLLISION = 6
HB_EVENT_ESCAPE = 7
HB_EVENT_APPROACH = 8
HB_EVENT_KINDS = 9
HB_EVENT_MOST = 8
HB_SAVE_KEEP = 1
HB_DEVICE_NONE = 0
HB_DEVICE_RECORDS = 1
HB_DEVICE_DOUBLES = 2
HB_DEVICE_STREAMS = 3
HB_QUANTITY_SPEED = 0
HB_QUANTITY_ACC = 1
HB_QUANTITY_ENERGY = 2
HB_QUANTITY_STEP = 3
HB_QUANTITY_AGE = 4
HB_QUANTITY_MASS = 5
HB_QUANTITY_BOUND = 6
HB_COLORMAP_STARS = 0
HB_COLORMAP_EMBER = 1
HB_COLORMAP_ICE = 2
HB_COLORMAP_GRAY = 3
HB_COLORMAP_COUNT = 4


class hb_units(Structure):
    _fields_ = [
        ("mass", c_double),
        ("length", c_double),
        ("time", c_double),
    ]


class hb_ic_cluster(Structure):
    _fields_ = [
        ("masses", c_char_p),
        ("mass_min", c_double),
        ("mass_max", c_double),
        ("mass_ratio", c_double),
        ("heavy", c_double),
        ("segregation", c_double),
        ("virial", c_double),
        ("rotation", c_double),
        ("fractal", c_double),
        ("tidal_radius", c_double),
        ("binaries", c_double),
        ("a_min", c_double),
        ("a_max", c_double),
        ("pairing", c_int),
        ("orbits", c_int),
        ("eccentricities", c_int),
        ("reserved", c_int),
        ("units", hb_units),
    ]


class hb_ic_params(Structure):
    _fields_ = [
        ("n", c_size_t),
        ("seed", c_uint64),
        ("r_cut", c_double),
        ("m1", c_double),
        ("m2", c_double),
        ("a", c_double),
        ("e", c_double),
        ("velocity", c_double),
        ("spin", c_double),
        ("scaling", c_int),
        ("shape", c_int),
        ("w0", c_double),
        ("cluster", hb_ic_cluster),
        ("progress", CFUNCTYPE(None, c_void_p, c_double)),
        ("progress_context", c_void_p),
    ]


class hb_ic_model(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("source", c_char_p),
        ("options", c_char_p),
        ("n", c_size_t),
        ("n_min", c_size_t),
        ("n_max", c_size_t),
        ("speed", c_double),
        ("is_cluster", c_int),
    ]


class hb_scale(Structure):
    _fields_ = [
        ("mass", c_double),
        ("radius", c_double),
        ("virial", c_double),
    ]


class hb_snapshot_format(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("extensions", c_char_p),
    ]


class hb_snapshot_contents(Structure):
    _fields_ = [
        ("format", c_char_p),
        ("count", c_size_t),
        ("t_first", c_double),
        ("t_last", c_double),
    ]


class hb_force_params(Structure):
    _fields_ = [
        ("scheme", c_char_p),
        ("precision", c_char_p),
        ("interaction", c_char_p),
        ("custom_interaction", c_void_p),
        ("parameters", c_char_p),
        ("context", c_char_p),
        ("device", c_char_p),
        ("tuning", c_char_p),
        ("max_draw_s", c_double),
        ("eps", c_double),
        ("flags", c_uint),
        ("reserved", c_uint),
    ]


class hb_force_scheme(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("source", c_char_p),
        ("precisions", c_char_p),
        ("modes", c_char_p),
        ("flops_per_pair", c_int),
        ("needs_gl", c_int),
        ("on_host", c_int),
        ("is_compute", c_int),
        ("is_exact", c_int),
        ("is_historic", c_int),
        ("has_tuning", c_int),
        ("has_rect", c_int),
    ]


class hb_force_need(Structure):
    _fields_ = [
        ("device_source", c_double),
        ("device_sink", c_double),
        ("device_fixed", c_double),
        ("device_kept", c_double),
        ("device", c_double),
        ("host_particle", c_double),
        ("host_fixed", c_double),
        ("host", c_double),
        ("host_rank", c_double),
    ]


class hb_integrator_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("source", c_char_p),
        ("has_dt", c_int),
    ]


class hb_sim_params(Structure):
    _fields_ = [
        ("force", hb_force_params),
        ("integrator", c_char_p),
        ("eta", c_double),
        ("dt_max", c_double),
        ("dt_min", c_double),
        ("rounding", c_int),
        ("transfer", c_int),
        ("predict", c_int),
        ("correct", c_int),
        ("exact_energy", c_int),
        ("steps", c_int),
        ("dt", c_double),
        ("damping", c_double),
        ("field", c_char_p),
        ("encounters", c_int),
        ("collisions", c_int),
        ("escapers", c_int),
        ("escape_radius", c_double),
        ("first_step", c_int),
        ("stop_at", c_int),
        ("eta_far", c_double),
        ("neighbors", c_int),
        ("reserved", c_int),
        ("light_speed", c_double),
        ("evolution", c_char_p),
        ("kick", c_double),
        ("kick_seed", c_uint64),
        ("stars", c_int),
        ("reserved_too", c_int),
        ("approach_distance", c_double),
        ("approach_radii", c_double),
    ]


class hb_cut_steps(Structure):
    _fields_ = [
        ("dt_min", c_double),
        ("count", c_uint64),
        ("particle", c_uint64),
        ("t", c_double),
        ("wanted", c_double),
    ]


class hb_energy_made(Structure):
    _fields_ = [
        ("error", c_double),
        ("t", c_double),
        ("particle", c_uint64),
    ]


class hb_near_counts(Structure):
    _fields_ = [
        ("full_blocks", c_uint64),
        ("far_steps", c_uint64),
        ("near_pairs", c_uint64),
        ("full_pairs", c_uint64),
        ("listed", c_uint64),
        ("longest", c_uint64),
        ("changes", c_uint64),
        ("by_reach", c_uint64),
        ("by_noise", c_uint64),
    ]


class hb_sim_counts(Structure):
    _fields_ = [
        ("n", c_uint64),
        ("block_steps", c_uint64),
        ("particle_steps", c_uint64),
        ("pairs", c_uint64),
        ("sources", c_uint64),
        ("merged", c_uint64),
        ("escaped", c_uint64),
        ("e_lost", c_double),
        ("noisy_steps", c_uint64),
        ("at_dt_min", c_uint64),
        ("dt_least", c_double),
        ("cut", hb_cut_steps),
        ("massless", hb_energy_made),
        ("near", hb_near_counts),
        ("changes", c_uint64),
        ("e_changed", c_double),
        ("sent_bytes", c_uint64),
    ]


class hb_phases(Structure):
    _fields_ = [
        ("predict_s", c_double),
        ("send_s", c_double),
        ("force_s", c_double),
        ("receive_s", c_double),
        ("correct_s", c_double),
        ("near_s", c_double),
        ("lists_s", c_double),
        ("groups_s", c_double),
    ]


class hb_between(Structure):
    _fields_ = [
        ("call", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)),
        ("context", c_void_p),
    ]


class hb_change(Structure):
    _fields_ = [
        ("n", c_size_t),
        ("id", c_void_p),
        ("m", c_void_p),
        ("x", c_void_p),
        ("v", c_void_p),
        ("radius", c_void_p),
        ("n_removed", c_size_t),
        ("removed", c_void_p),
        ("added", c_void_p),
    ]


class hb_sim_star(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("m_birth", c_double),
        ("t_birth", c_double),
        ("m", c_double),
        ("radius", c_double),
        ("kick", c_double),
        ("type", c_int),
        ("reserved", c_int),
    ]


class hb_binaries(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("energy", c_double),
        ("a_hardest", c_double),
        ("hard_above", c_double),
    ]


class hb_diagnostics(Structure):
    _fields_ = [
        ("t", c_double),
        ("exact_energy", c_int),
        ("e_total", c_double),
        ("e_kin", c_double),
        ("e_pot", c_double),
        ("e_bulk", c_double),
        ("e_lost", c_double),
        ("e_gpu", c_double),
        ("virial_ratio", c_double),
        ("r_half", c_double),
        ("e_field", c_double),
        ("e_jacobi", c_double),
        ("e_cluster", c_double),
        ("binaries", hb_binaries),
        ("e_orbit", c_double),
        ("e_scale", c_double),
        ("e_changed", c_double),
    ]


class hb_structure(Structure):
    _fields_ = [
        ("t", c_double),
        ("momentum", c_double * 3),
        ("angular_momentum", c_double * 3),
        ("x_mass", c_double * 3),
        ("v_mass", c_double * 3),
        ("x_density", c_double * 3),
        ("r_core", c_double),
        ("r_lagrange", c_double * HB_LAGRANGE_COUNT),
        ("binaries", hb_binaries),
    ]


class hb_bound(Structure):
    _fields_ = [
        ("id", c_uint64 * 2),
        ("part", c_int64 * 2),
        ("stars", c_uint64),
        ("outer", c_int64),
        ("m", c_double * 2),
        ("a", c_double),
        ("e", c_double),
        ("E", c_double),
        ("period", c_double),
        ("inclination", c_double),
        ("node", c_double),
        ("pericenter", c_double),
        ("anomaly", c_double),
        ("x", c_double * 3),
        ("v", c_double * 3),
    ]


class hb_event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("t", c_double),
        ("n", c_size_t),
        ("id", c_uint64 * HB_EVENT_MOST),
        ("a", c_double),
        ("e", c_double),
        ("E", c_double),
        ("r", c_double),
    ]


class hb_step_trouble(Structure):
    _fields_ = [
        ("noisy", c_double),
        ("n_steps", c_double),
        ("n_steps_usual", c_double),
        ("at_dt_min", c_uint64),
    ]


class hb_checkpoint_info(Structure):
    _fields_ = [
        ("version", c_char_p),
        ("scheme", c_char_p),
        ("precision", c_char_p),
        ("tuning", c_char_p),
        ("context", c_char_p),
        ("device", c_char_p),
        ("path", c_char_p),
    ]


class hb_device_particles(Structure):
    _fields_ = [
        ("layout", c_int),
        ("n", c_size_t),
        ("texture", c_uint * 3),
        ("texels", c_int),
        ("width", c_int),
        ("rectangle", c_int),
        ("order", c_void_p),
        ("origin", c_double * 3),
        ("drift", c_double * 3),
        ("t", c_double),
    ]


class hb_picture_params(Structure):
    _fields_ = [
        ("context", c_char_p),
        ("device", c_char_p),
        ("width", c_int),
        ("height", c_int),
        ("map", c_int),
        ("range", c_double * 2),
        ("center", c_double * 3),
        ("radius", c_double),
        ("inclination", c_double),
        ("azimuth", c_double),
        ("point_size", c_double),
        ("glow", c_double),
        ("exposure", c_double),
    ]


class hb_all_pairs_params(Structure):
    _fields_ = [
        ("scheme", c_char_p),
        ("precision", c_char_p),
        ("parameters", c_char_p),
        ("context", c_char_p),
        ("device", c_char_p),
        ("tuning", c_char_p),
        ("max_draw_s", c_double),
        ("flags", c_uint),
        ("reserved", c_uint),
    ]


class hb_input(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("stride", c_size_t),
    ]


class hb_output(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("stride", c_size_t),
    ]


# Arrays of words by the values of an enum, NULL after the last.
WORDS = [
    "hb_ic_scaling_names",
    "hb_ic_shape_names",
    "hb_ic_pairing_names",
    "hb_ic_orbits_names",
    "hb_ic_eccentricities_names",
    "hb_precision_names",
    "hb_rounding_names",
    "hb_first_step_names",
    "hb_steps_names",
    "hb_encounters_names",
    "hb_collisions_names",
    "hb_escapers_names",
    "hb_stop_at_names",
    "hb_stars_names",
    "hb_transfer_names",
    "hb_place_names",
    "hb_exact_energy_names",
    "hb_star_type_names",
    "hb_event_names",
    "hb_colormap_names",
]

# Name: (result, arguments)
FUNCTIONS = {
    "hb_library_version": (c_char_p, []),
    "hb_error": (c_char_p, []),
    "hb_particles_create": (Status, [c_size_t, POINTER(c_void_p)]),
    "hb_particles_copy": (Status, [c_void_p, POINTER(c_void_p)]),
    "hb_particles_destroy": (None, [c_void_p]),
    "hb_particles_n": (c_size_t, [c_void_p]),
    "hb_particles_time": (c_double, [c_void_p]),
    "hb_particles_set_time": (None, [c_void_p, c_double]),
    "hb_particles_m": (c_void_p, [c_void_p]),
    "hb_particles_x": (c_void_p, [c_void_p]),
    "hb_particles_v": (c_void_p, [c_void_p]),
    "hb_particles_id": (c_void_p, [c_void_p]),
    "hb_particles_radius": (c_void_p, [c_void_p]),
    "hb_particles_set_radii": (Status, [c_void_p, c_char_p]),
    "hb_particles_hash": (c_uint64, [c_void_p]),
    "hb_particles_set_note": (Status, [c_void_p, c_char_p, c_char_p]),
    "hb_particles_add_history": (Status, [c_void_p, c_char_p]),
    "hb_particles_note": (c_char_p, [c_void_p, c_char_p]),
    "hb_particles_note_key": (c_char_p, [c_void_p, c_size_t]),
    "hb_particles_eps": (Status, [c_void_p, c_void_p]),
    "hb_units_complete": (Status, [POINTER(hb_units)]),
    "hb_units_set": (Status, [c_void_p, POINTER(hb_units)]),
    "hb_units_get": (Status, [c_void_p, POINTER(hb_units), c_void_p]),
    "hb_units_velocity": (c_double, [POINTER(hb_units)]),
    "hb_units_number": (Status, [POINTER(hb_units), c_int, c_char_p, c_void_p]),
    "hb_units_field": (Status, [POINTER(hb_units), c_char_p, c_void_p, c_size_t]),
    "hb_ic_scaling_for": (c_int, [c_size_t]),
    "hb_combine_particles": (Status, [c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p)]),
    "hb_scale_to_standard": (Status, [c_void_p]),
    "hb_scale_from_astro": (Status, [c_void_p]),
    "hb_snapshot_read": (Status, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "hb_snapshot_write": (Status, [c_char_p, c_char_p, c_void_p]),
    "hb_force_auto_summary": (c_char_p, []),
    "hb_force_scheme_find": (POINTER(hb_force_scheme), [c_char_p]),
    "hb_force_close": (None, [c_void_p]),
    "hb_force_scheme": (POINTER(hb_force_scheme), [c_void_p]),
    "hb_force_precision": (c_char_p, [c_void_p]),
    "hb_force_position_bits": (c_int, [c_char_p]),
    "hb_force_is_reproducible": (c_int, [c_char_p]),
    "hb_force_tuning": (c_char_p, [c_void_p]),
    "hb_force_context": (c_char_p, [c_void_p]),
    "hb_force_device": (c_char_p, [c_void_p]),
    "hb_force_set_j": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "hb_force_eval": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hb_force_at": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hb_force_begin": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hb_force_begin_at": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hb_force_finish": (Status, [c_void_p]),
    "hb_integrator_named": (POINTER(hb_integrator_info), [c_char_p]),
    "hb_sim_default_dt_min": (c_double, [c_double]),
    "hb_sim_destroy": (None, [c_void_p]),
    "hb_sim_time": (c_double, [c_void_p]),
    "hb_sim_next_time": (c_double, [c_void_p]),
    "hb_sim_step": (Status, [c_void_p]),
    "hb_sim_integrate": (Status, [c_void_p, c_double]),
    "hb_interrupt_request": (None, []),
    "hb_interrupt_withdraw": (None, []),
    "hb_interrupt_with_signals": (None, [c_int]),
    "hb_sim_block_sizes": (None, [c_void_p, c_void_p]),
    "hb_sim_full_block_sizes": (None, [c_void_p, c_void_p]),
    "hb_sim_force": (c_void_p, [c_void_p]),
    "hb_sim_state": (Status, [c_void_p, c_double, POINTER(c_void_p)]),
    "hb_ic_models_sized": (POINTER(hb_ic_model), [c_size_t, c_void_p]),
    "hb_ic_make_sized": (Status, [c_size_t, c_size_t, c_char_p, POINTER(hb_ic_params), POINTER(c_void_p)]),
    "hb_scale_particles_sized": (Status, [c_size_t, c_void_p, POINTER(hb_scale)]),
    "hb_snapshot_formats_sized": (POINTER(hb_snapshot_format), [c_size_t, c_void_p]),
    "hb_snapshot_read_at_sized": (Status, [c_size_t, c_char_p, c_char_p, c_double, POINTER(c_void_p), POINTER(hb_snapshot_contents)]),
    "hb_force_schemes_sized": (POINTER(hb_force_scheme), [c_size_t, c_void_p]),
    "hb_force_memory_sized": (Status, [c_size_t, c_size_t, POINTER(hb_force_params), c_size_t, POINTER(hb_force_need)]),
    "hb_force_open_sized": (Status, [c_size_t, POINTER(hb_force_params), POINTER(c_void_p)]),
    "hb_integrators_sized": (POINTER(hb_integrator_info), [c_size_t, c_void_p]),
    "hb_sim_default_encounters_sized": (c_int, [c_size_t, c_size_t, POINTER(hb_sim_params)]),
    "hb_sim_default_first_step_sized": (c_int, [c_size_t, c_size_t, POINTER(hb_sim_params), c_void_p]),
    "hb_sim_default_neighbors_sized": (c_int, [c_size_t, c_size_t, POINTER(hb_sim_params), c_void_p]),
    "hb_sim_create_sized": (Status, [c_size_t, c_size_t, c_void_p, POINTER(hb_sim_params), POINTER(c_void_p)]),
    "hb_sim_take_sized": (Status, [c_size_t, c_size_t, c_void_p, POINTER(hb_sim_params), POINTER(c_void_p)]),
    "hb_sim_taken_sized": (POINTER(hb_sim_params), [c_size_t, c_size_t, c_void_p]),
    "hb_sim_counts_sized": (None, [c_size_t, c_void_p, POINTER(hb_sim_counts)]),
    "hb_sim_phases_sized": (None, [c_size_t, c_void_p, POINTER(hb_phases)]),
    "hb_sim_call_sized": (None, [c_size_t, c_void_p, POINTER(hb_between)]),
    "hb_sim_change_sized": (Status, [c_size_t, c_void_p, POINTER(hb_change)]),
    "hb_sim_stars_sized": (Status, [c_size_t, c_void_p, c_void_p, POINTER(c_void_p)]),
    "hb_lagrange_fractions": (c_void_p, []),
    "hb_sim_watch": (Status, [c_void_p, c_uint]),
    "hb_sim_stopped": (POINTER(hb_event), [c_void_p]),
    "hb_sim_diagnose_sized": (Status, [c_size_t, c_void_p, c_double, POINTER(hb_diagnostics)]),
    "hb_sim_structure_sized": (Status, [c_size_t, c_void_p, c_double, POINTER(hb_structure)]),
    "hb_sim_events_sized": (POINTER(hb_event), [c_size_t, c_void_p, c_void_p]),
    "hb_sim_bound_sized": (Status, [c_size_t, c_void_p, c_double, c_void_p, POINTER(c_void_p)]),
    "hb_sim_step_trouble_sized": (c_int, [c_size_t, c_void_p, POINTER(hb_step_trouble)]),
    "hb_sim_save": (Status, [c_void_p, c_char_p, c_void_p, c_size_t, c_uint]),
    "hb_checkpoint_open": (Status, [c_char_p, POINTER(c_void_p)]),
    "hb_checkpoint_close": (None, [c_void_p]),
    "hb_checkpoint_own": (c_void_p, [c_void_p, c_void_p]),
    "hb_checkpoint_units": (Status, [c_void_p, POINTER(hb_units), c_void_p]),
    "hb_checkpoint_info_sized": (None, [c_size_t, c_void_p, POINTER(hb_checkpoint_info)]),
    "hb_sim_resume_sized": (Status, [c_size_t, c_void_p, POINTER(hb_force_params), POINTER(c_void_p)]),
    "hb_device_use": (Status, [c_void_p]),
    "hb_device_release": (None, []),
    "hb_sim_quantity": (Status, [c_void_p, c_int, c_void_p]),
    "hb_sim_on_device_sized": (None, [c_size_t, c_void_p, POINTER(hb_device_particles)]),
    "hb_picture_close": (None, [c_void_p]),
    "hb_picture_draw": (Status, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hb_picture_device": (c_char_p, [c_void_p]),
    "hb_picture_open_sized": (Status, [c_size_t, POINTER(hb_picture_params), POINTER(c_void_p)]),
    "hb_interaction_create": (Status, [c_char_p, POINTER(c_void_p)]),
    "hb_interaction_create_text": (Status, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "hb_interaction_destroy": (None, [c_void_p]),
    "hb_interaction_name": (c_char_p, [c_void_p]),
    "hb_interaction_of_source": (c_char_p, [c_void_p, c_size_t]),
    "hb_interaction_of_sink": (c_char_p, [c_void_p, c_size_t]),
    "hb_interaction_of_force": (c_char_p, [c_void_p, c_size_t]),
    "hb_interaction_of_parameter": (c_char_p, [c_void_p, c_size_t, c_void_p]),
    "hb_interaction_flops": (c_int, [c_void_p]),
    "hb_all_pairs_close": (None, [c_void_p]),
    "hb_all_pairs_set_parameter": (Status, [c_void_p, c_char_p, c_double]),
    "hb_all_pairs_set_sources": (Status, [c_void_p, c_size_t, c_size_t, POINTER(hb_input)]),
    "hb_all_pairs_eval": (Status, [c_void_p, c_size_t, c_void_p, c_size_t, POINTER(hb_output)]),
    "hb_all_pairs_eval_at": (Status, [c_void_p, c_size_t, c_size_t, POINTER(hb_input), c_void_p, c_size_t, POINTER(hb_output)]),
    "hb_all_pairs_scheme": (c_char_p, [c_void_p]),
    "hb_all_pairs_precision": (c_char_p, [c_void_p]),
    "hb_all_pairs_context": (c_char_p, [c_void_p]),
    "hb_all_pairs_device": (c_char_p, [c_void_p]),
    "hb_all_pairs_open_sized": (Status, [c_size_t, c_void_p, POINTER(hb_all_pairs_params), POINTER(c_void_p)]),
}

# Functions NAME_sized, which get the sizes of these structs first.
SIZES: dict[str, list[type[Structure]]] = {
    "hb_ic_models": [hb_ic_model],
    "hb_ic_make": [hb_ic_params, hb_ic_cluster],
    "hb_scale_particles": [hb_scale],
    "hb_snapshot_formats": [hb_snapshot_format],
    "hb_snapshot_read_at": [hb_snapshot_contents],
    "hb_force_schemes": [hb_force_scheme],
    "hb_force_memory": [hb_force_params, hb_force_need],
    "hb_force_open": [hb_force_params],
    "hb_integrators": [hb_integrator_info],
    "hb_sim_default_encounters": [hb_sim_params, hb_force_params],
    "hb_sim_default_first_step": [hb_sim_params, hb_force_params],
    "hb_sim_default_neighbors": [hb_sim_params, hb_force_params],
    "hb_sim_create": [hb_sim_params, hb_force_params],
    "hb_sim_take": [hb_sim_params, hb_force_params],
    "hb_sim_taken": [hb_sim_params, hb_force_params],
    "hb_sim_counts": [hb_sim_counts],
    "hb_sim_phases": [hb_phases],
    "hb_sim_call": [hb_between],
    "hb_sim_change": [hb_change],
    "hb_sim_stars": [hb_sim_star],
    "hb_sim_diagnose": [hb_diagnostics],
    "hb_sim_structure": [hb_structure],
    "hb_sim_events": [hb_event],
    "hb_sim_bound": [hb_bound],
    "hb_sim_step_trouble": [hb_step_trouble],
    "hb_checkpoint_info": [hb_checkpoint_info],
    "hb_sim_resume": [hb_force_params],
    "hb_sim_on_device": [hb_device_particles],
    "hb_picture_open": [hb_picture_params],
    "hb_all_pairs_open": [hb_all_pairs_params],
}
