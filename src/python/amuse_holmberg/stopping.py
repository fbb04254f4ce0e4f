"""The stopping conditions of AMUSE that a system of stars can meet."""
from __future__ import annotations

import time
from typing import Any, Sequence

import numpy as np

import holmberg

COLLISION, PAIR, ESCAPER, TIMEOUT, STEPS, OUT_OF_BOX = range(6)  # AMUSE's numbers
NAMES = ("collision", "pair", "escaper", "timeout", "number of steps", "out of box")
EVENTS = {"collision": COLLISION, "formed": PAIR, "exchanged": PAIR, "encounter": PAIR, "escape": ESCAPER}
SHORTER_MOST = 1024  # parts of a block step


class StoppingConditions:
    """Evolves until a condition that is enabled is met, and remembers which ones, and whose particles met them."""

    def __init__(self) -> None:
        self.enabled: set[int] = set()
        self.met: list[tuple[int, Sequence[int]]] = []  # kind, particles
        self.timeout_s, self.steps, self.box, self.box_moves = 4.0, 1, 0.0, False

    def looks_for(self) -> tuple[dict[str, str], list[str]]:
        """What a simulation has to be made with, and the events that it has to watch, for these conditions."""
        made = {"collisions": "stop"} if COLLISION in self.enabled else {}
        if ESCAPER in self.enabled:
            made["escapers"] = "list"
        return made, [event for event, kind in EVENTS.items() if kind == PAIR and PAIR in self.enabled]

    def evolve(self, sim: Any, t: float, ids: np.ndarray) -> Any:
        """Like sim.evolve, unless a condition is met first, which is looked for after each block step; the simulation that has
        come so far."""
        self.met = []
        end, steps = time.monotonic() + self.timeout_s, 0
        while self.enabled:
            if OUT_OF_BOX in self.enabled:
                self._leave(sim, min(sim.next_time, t), ids)
            if self.met or sim.next_time > t:
                break
            self._step(sim)
            steps += 1
            if TIMEOUT in self.enabled and time.monotonic() >= end:
                self.met.append((TIMEOUT, []))
            if STEPS in self.enabled and steps >= self.steps:
                self.met.append((STEPS, []))
            if OUT_OF_BOX in self.enabled:
                self._look_outside(sim.state(), ids)
        if not self.met:
            sim.evolve(t)
        if not self.met and OUT_OF_BOX in self.enabled:
            self._look_outside(sim.state(), ids)
        return sim

    def _step(self, sim: Any) -> None:
        try:
            sim.step()
        except holmberg.Collision:
            pass  # it is among the events
        self.met = [(EVENTS[event.kind], event.ids) for event in sim.events if EVENTS.get(event.kind) in self.enabled]

    def _leave(self, sim: Any, end: float, ids: np.ndarray) -> None:
        """On the way to a block step, as often as nobody goes far within the box."""
        fastest = np.linalg.norm(sim.state().v, axis=1).max()
        start, looks = sim.time, (end - sim.time) * fastest / (self.box / 16) if self.box > 0 else 0
        for k in range(1, int(min(looks, SHORTER_MOST))):
            sim.evolve(start + (end - start) * k / min(looks, SHORTER_MOST))
            self._look_outside(sim.state(), ids)
            if self.met:
                return

    def _look_outside(self, p: Any, ids: np.ndarray) -> None:
        center = p.m @ p.x / p.m.sum() if self.box_moves else 0
        outside = ids[np.linalg.norm(p.x - center, axis=1) > self.box]
        self.met += [(OUT_OF_BOX, [int(one)]) for one in outside]

    # What AMUSE calls; results are put into .value.

    def has_stopping_condition(self, type: int, result: Any) -> int:
        result.value = int(0 <= type < len(NAMES))
        return 0

    def enable_stopping_condition(self, type: int) -> int:
        if not 0 <= type < len(NAMES):
            raise holmberg.UsageError(f"no stopping condition {type} (expected 0 to 5: {', '.join(NAMES)})")
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

    def _one_of_met(self, index: int) -> Sequence[int]:
        if not 0 <= index < len(self.met):
            raise holmberg.UsageError(f"no condition {index} is met (of {len(self.met)})")
        return self.met[index][1]

    def get_stopping_condition_info(self, index: int, type: Any, number_of_particles: Any) -> int:
        self._one_of_met(index)
        type.value, number_of_particles.value = self.met[index][0], len(self.met[index][1])
        return 0

    def get_stopping_condition_particle_index(self, index: int, index_of_the_column: int,
                                              index_of_particle: Any) -> int:
        who = self._one_of_met(index)
        if not 0 <= index_of_the_column < len(who):
            raise holmberg.UsageError(f"no particle {index_of_the_column} of a condition that {len(who)} have met")
        index_of_particle.value = int(who[index_of_the_column])
        return 0

    def set_stopping_condition_timeout_parameter(self, value: float) -> int:
        if not value >= 0:
            raise holmberg.UsageError(f"a timeout of {value} s (expected 0 or more)")
        self.timeout_s = value
        return 0

    def get_stopping_condition_timeout_parameter(self, value: Any) -> int:
        value.value = self.timeout_s
        return 0

    def set_stopping_condition_number_of_steps_parameter(self, value: int) -> int:
        if value < 1:
            raise holmberg.UsageError(f"a number of steps of {value} (expected 1 or more)")
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
