"""An archive: what a simulation was at many times, each of which it can go on from."""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Union

import numpy as np

from ._library import Array, FileError, UsageError
from .particles import Particles

if TYPE_CHECKING:
    from .simulation import Simulation


class Archive:
    """A folder of snapshots, a sequence of `Particles`; beside each is a checkpoint, from which `resume` goes on.

    ``archive[k]`` is a snapshot, ``archive[2:5]`` and, with numbers that are not whole, ``archive[0.5:2.0]`` (times from 0.5
    and before 2.0) are parts of the archive.

    >>> sim = Simulation(Particles.make("plummer", 16, seed=1), eps=0.1, scheme="host")
    >>> sim.run(1.0, every=0.25, archive=folder + "/run")
    >>> archive = Archive(folder + "/run")
    >>> len(archive), archive[-1].time, len(archive[0.5:1.0])
    (5, 1.0, 2)
    >>> archive.resume(2).time
    0.5
    """

    def __init__(self, path: Union[str, os.PathLike[str]]):
        self.path = Path(path)
        if not self.path.is_dir():
            raise FileError(f"{self.path} is no archive (expected a folder that Simulation.run(archive=) made)")
        self._entries = sorted((float.fromhex(file.stem.partition("@")[2]), file) for file in self.path.glob("*@*.h5"))

    @property
    def times(self) -> Array:
        """Of the snapshots, in ascending order."""
        return np.array([time for time, _ in self._entries])

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Particles]:
        return (Particles.read(file) for _, file in self._entries)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, slice):
            return Particles.read(self._entries[which][1])
        part = Archive(self.path)
        if isinstance(which.start, float) or isinstance(which.stop, float):
            if which.step is not None:
                raise UsageError("a slice by time has no step")
            start, stop = np.searchsorted(self.times, [-np.inf if which.start is None else which.start,
                                                       np.inf if which.stop is None else which.stop])
            which = slice(start, stop)
        part._entries = self._entries[which]
        return part

    def resume(self, k: int = -1, **place: Any) -> Simulation:
        """The simulation of entry k, which goes on to the same bytes; place: see `Simulation.resume`."""
        from .simulation import Simulation
        time, file = self._entries[k]
        sim = Simulation.resume(file.with_suffix(".ckpt"), **place)
        sim._reached = time
        return sim

    def __repr__(self) -> str:
        span = f", t = {self._entries[0][0]:g} to {self._entries[-1][0]:g}" if self._entries else ""
        return f"<holmberg.Archive {self.path}: {len(self)} snapshots{span}>"


def add_entry(path: Union[str, os.PathLike[str]], sim: Simulation) -> None:
    """The state of a simulation now. The snapshot comes last: one that is there has its checkpoint."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    last = max((int(file.stem.partition("@")[0]) for file in folder.glob("*@*.h5")), default=-1)
    base = folder / f"{last + 1:06d}@{sim.time.hex()}"
    held = Archive(folder)
    if len(held) and held.times[-1] >= sim.time:
        if held.times[-1] == sim.time:
            return  # as after a resume
        raise UsageError(f"{folder} goes to t = {held.times[-1]:g} already, the simulation is at {sim.time:g} (expected "
                         "another folder)")
    sim.save(f"{base}.ckpt")
    sim.state().write(f"{base}.h5")
