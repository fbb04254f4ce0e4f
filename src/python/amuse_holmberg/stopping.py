"""The stopping conditions that AMUSE asks for: a timeout, a number of steps, a particle that is too far out."""
from __future__ import annotations

import time
from typing import Any

import numpy as np

TIMEOUT, STEPS, OUT_OF_BOX = 3, 4, 5  # AMUSE's numbers


class StoppingConditions:
    """Evolves until a condition that is enabled is met, and remembers which one, and whose particles met it."""

    def __init__(self) -> None:
        self.enabled: set[int] = set()
        self.met: list[tuple[int, list[int]]] = []  # kind, particles
        self.timeout_s, self.steps, self.box, self.box_moves = 4.0, 1, 0.0, False

    def evolve(self, sim: Any, t: float, ids: np.ndarray) -> None:
        """Like sim.evolve, unless a condition is met first, which is looked for after each block step."""
        self.met = []
        end, steps = time.monotonic() + self.timeout_s, 0
        while self.enabled and sim.next_time <= t:
            sim.step()
            steps += 1
            if TIMEOUT in self.enabled and time.monotonic() >= end:
                self.met.append((TIMEOUT, []))
            if STEPS in self.enabled and steps >= self.steps:
                self.met.append((STEPS, []))
            if OUT_OF_BOX in self.enabled:
                self._look_outside(sim.state(), ids)
            if self.met:
                return
        sim.evolve(t)

    def _look_outside(self, p: Any, ids: np.ndarray) -> None:
        center = p.m @ p.x / p.m.sum() if self.box_moves else 0
        outside = ids[np.linalg.norm(p.x - center, axis=1) > self.box]
        self.met += [(OUT_OF_BOX, [int(one)]) for one in outside]

    # What AMUSE calls; results are put into .value.

    def has_stopping_condition(self, type: int, result: Any) -> int:
        result.value = int(type in (TIMEOUT, STEPS, OUT_OF_BOX))
        return 0

    def enable_stopping_condition(self, type: int) -> int:
        if type not in (TIMEOUT, STEPS, OUT_OF_BOX):
            return -1
        self.enabled.add(type)
        return 0

    def disable_stopping_condition(self, type: int) -> int:
        self.enabled.discard(type)
        return 0

    def is_stopping_condition_enabled(self, type: int, result: Any) -> int:
        result.value = int(type in self.enabled)
        return 0

    def is_stopping_condition_set(self, type: int, result: Any) -> int:
        result.value = int(any(kind == type for kind, _ in self.met))
        return 0

    def get_number_of_stopping_conditions_set(self, result: Any) -> int:
        result.value = len(self.met)
        return 0

    def get_stopping_condition_info(self, index: int, type: Any, number_of_particles: Any) -> int:
        if not 0 <= index < len(self.met):
            return -1
        type.value, number_of_particles.value = self.met[index][0], len(self.met[index][1])
        return 0

    def get_stopping_condition_particle_index(self, index: int, index_of_the_column: int,
                                              index_of_particle: Any) -> int:
        if not 0 <= index < len(self.met) or not 0 <= index_of_the_column < len(self.met[index][1]):
            return -1
        index_of_particle.value = self.met[index][1][index_of_the_column]
        return 0

    def set_stopping_condition_timeout_parameter(self, value: float) -> int:
        if value < 0:
            return -1
        self.timeout_s = value
        return 0

    def get_stopping_condition_timeout_parameter(self, value: Any) -> int:
        value.value = self.timeout_s
        return 0

    def set_stopping_condition_number_of_steps_parameter(self, value: int) -> int:
        if value < 1:
            return -1
        self.steps = value
        return 0

    def get_stopping_condition_number_of_steps_parameter(self, value: Any) -> int:
        value.value = self.steps
        return 0

    def set_stopping_condition_out_of_box_parameter(self, value: float) -> int:
        self.box = value
        return 0

    def get_stopping_condition_out_of_box_parameter(self, value: Any) -> int:
        value.value = self.box
        return 0

    def set_stopping_condition_out_of_box_use_center_of_mass_parameter(self, value: bool) -> int:
        self.box_moves = bool(value)
        return 0

    def get_stopping_condition_out_of_box_use_center_of_mass_parameter(self, value: Any) -> int:
        value.value = self.box_moves
        return 0

    # Of gas, which there is none of: AMUSE reads and sends them all the same.

    def _get_of_gas(self, value: Any) -> int:
        value.value = -1.0
        return 0

    def _set_of_gas(self, value: float) -> int:
        return 0

    get_stopping_condition_minimum_density_parameter = _get_of_gas
    set_stopping_condition_minimum_density_parameter = _set_of_gas
    get_stopping_condition_maximum_density_parameter = _get_of_gas
    set_stopping_condition_maximum_density_parameter = _set_of_gas
    get_stopping_condition_minimum_internal_energy_parameter = _get_of_gas
    set_stopping_condition_minimum_internal_energy_parameter = _set_of_gas
    get_stopping_condition_maximum_internal_energy_parameter = _get_of_gas
    set_stopping_condition_maximum_internal_energy_parameter = _set_of_gas
