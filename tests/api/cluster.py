import holmberg

sim = holmberg.Simulation(holmberg.Particles.make("plummer", 256, seed=1), eps=1/64)
start = sim.diagnostics()
for k in range(5):
    sim.evolve(k / 4)
    now = sim.diagnostics()
    print(f"t = {now.t:.2f}  r_half = {now.r_half:.4f}  dE/E = {(now.e_total - start.e_total) / start.e_scale:.1e}")
print(sim)
sim.render(width=320, height=180).save("cluster.png")  # in a notebook, sim.render() alone shows it
