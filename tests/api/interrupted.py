"""interrupted.py FILE: a run that ctrl-C would end at any time, saved, resumed, and finished."""
import signal
import sys

import holmberg

path = sys.argv[1]
sim = holmberg.Simulation(holmberg.Particles.make("plummer", 128, seed=1), eps=1/64)
signal.signal(signal.SIGVTALRM, signal.default_int_handler)  # in place of somebody who presses ctrl-C ...
signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)  # ... when it has computed for a while
try:
    sim.evolve(1e9)
except KeyboardInterrupt:
    sim.save(path)  # its particles are those of the last block step
    print(f"interrupted after {sim.counts().block_steps} block steps, saved at t = {sim.time:.4f}")

again = holmberg.Simulation.resume(path)
end = max(1, int(again.time) + 1)
sim.evolve(end)
again.evolve(end)
same = (sim.state().x == again.state().x).all()
print(f"resumed, and at t = {end} {'the same to the last bit' if same else 'not the same'}")
