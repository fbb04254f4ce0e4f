// The guided page: eight chapters, each a canvas whose numbers come from the project's own shaders, compiled and run here by
// WebGL 2 and read back. FILES, their text, stands in a script before this one (tools/lesson.py).
"use strict";

const ROW = 1024; // texels a row of what is an array on a desktop, as in src/gl/gl_texture.h
const $ = (selector, from = document) => from.querySelector(selector);
const element = (name, given = {}, ...inside) => {
  const e = Object.assign(document.createElement(name), given);
  e.append(...inside);
  return e;
};
const still = matchMedia("(prefers-reduced-motion: reduce)");
const digits = (x, n = 3) => !Number.isFinite(x) ? String(x) : x === 0 ? "0"
  : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5 ? x.toExponential(n - 2).replaceAll("-", "\u2212")
  : x.toPrecision(n).replaceAll("-", "\u2212");
const words_of = floats => new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
const floats_of = words => new Float32Array(words.buffer, words.byteOffset, words.length);

// ---- shaders: from files to programs ----

// A file with what it includes, each file once; `lines` tells where each line came from. What is not there is for other contexts.
function assemble(files, name, interaction) {
  const text = [], lines = [], seen = new Set();
  const add = file => {
    if (seen.has(file) || files[file] === undefined) return;
    seen.add(file);
    files[file].split("\n").forEach((line, k) => {
      const included = /^#include "(.*)"/.exec(line);
      if (included) return add(included[1] === "INTERACTION" ? interaction : included[1]);
      text.push(line);
      lines.push([file, k + 1]);
    });
  };
  add(name);
  return { text, lines };
}

const SAMPLERS = ["sampler2D", "isampler2D", "usampler2D", "sampler2DArray", "usampler2DArray"];
function prologue(defines) {
  return ["#version 300 es", "precision highp float;", "precision highp int;", ...SAMPLERS.map(s => `precision highp ${s};`),
    "#define samplerBuffer sampler2D", "#define isamplerBuffer isampler2D", "#define usamplerBuffer usampler2D",
    `#define bufferFetch(array, k) texelFetch(array, ivec2((k) & ${ROW - 1}, (k) / ${ROW}), 0)`, "#define precise",
    ...Object.entries(defines).map(([k, v]) => `#define ${k} ${v}`)];
}

class Refused extends Error {} // by the compiler, in words for the reader

class Gpu {
  constructor(lost, back) {
    this.canvas = element("canvas", { width: 1, height: 1 });
    this.gl = this.canvas.getContext("webgl2", { antialias: false, depth: false, alpha: false });
    if (!this.gl) return;
    this.has_floats = !!this.gl.getExtension("EXT_color_buffer_float");
    this.buffers = this.gl.getParameter(this.gl.MAX_DRAW_BUFFERS);
    this.canvas.addEventListener("webglcontextlost", event => { event.preventDefault(); lost(); });
    this.canvas.addEventListener("webglcontextrestored", () => { this.gl.getExtension("EXT_color_buffer_float"); back(); });
  }

  compile(kind, assembled, defines) {
    const { gl } = this, head = prologue(defines), shader = gl.createShader(kind);
    gl.shaderSource(shader, [...head, ...assembled.text].join("\n"));
    gl.compileShader(shader);
    if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) || gl.isContextLost()) return shader;
    const said = (gl.getShaderInfoLog(shader) || "the driver gives no reason").split("\n").filter(l => l.trim() && l !== "\0");
    throw new Refused(said.slice(0, 3).map(line => {
      const place = /^(?:(?:ERROR|WARNING): )?\d+[:(](\d+)(?:\(\d+\))?\)?[ :]*(.*)/.exec(line);
      const from = place && assembled.lines[place[1] - 1 - head.length];
      return from ? `${from[0]}:${from[1]}: ${place[2]}` : line;
    }).join("\n"));
  }

  program(files, name, defines = {}, interaction = "interactions/gravity_jerk.glsl") {
    const { gl } = this, made = gl.createProgram();
    gl.attachShader(made, this.compile(gl.VERTEX_SHADER, assemble(FILES, "fullscreen.vert"), {}));
    gl.attachShader(made, this.compile(gl.FRAGMENT_SHADER, assemble(files, name, interaction), defines));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Refused(`${name}: ${gl.getProgramInfoLog(made)}`);
    const places = {};
    const place = uniform => places[uniform] ??= gl.getUniformLocation(made, uniform);
    return { made, place };
  }

  // kind: "float" (4 a texel), "word" (4) or "int" (1); layers: 0 for a plain texture.
  texture(kind, width, height, layers, data) {
    const { gl } = this, as = { float: [gl.RGBA32F, gl.RGBA, gl.FLOAT], word: [gl.RGBA32UI, gl.RGBA_INTEGER, gl.UNSIGNED_INT],
      int: [gl.R32I, gl.RED_INTEGER, gl.INT] }[kind];
    const target = layers ? gl.TEXTURE_2D_ARRAY : gl.TEXTURE_2D, id = gl.createTexture();
    gl.bindTexture(target, id);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(target, filter, gl.NEAREST);
    if (layers) gl.texImage3D(target, 0, as[0], width, height, layers, 0, as[1], as[2], data ?? null);
    else gl.texImage2D(target, 0, as[0], width, height, 0, as[1], as[2], data ?? null);
    return { id, kind, width, height, layers, target, as };
  }

  write(t, data) {
    const { gl } = this;
    gl.bindTexture(t.target, t.id);
    if (t.layers) gl.texSubImage3D(t.target, 0, 0, 0, 0, t.width, t.height, t.layers, t.as[1], t.as[2], data);
    else gl.texSubImage2D(t.target, 0, 0, 0, t.width, t.height, t.as[1], t.as[2], data);
  }

  // Rows of ROW texels for `count` of them, filled up with zeros.
  array(kind, data, each) {
    const count = data.length / each, width = Math.min(count, ROW), height = Math.ceil(count / ROW);
    const all = width * height === count ? data : new data.constructor(width * height * each);
    if (all !== data) all.set(data);
    return this.texture(kind, width, height, 0, all);
  }

  target(...textures) {
    const { gl } = this, id = gl.createFramebuffer(), outputs = [];
    gl.bindFramebuffer(gl.FRAMEBUFFER, id);
    for (const t of textures)
      for (let layer = 0; layer < (t.layers || 1); layer++) {
        const place = gl.COLOR_ATTACHMENT0 + outputs.length;
        if (t.layers) gl.framebufferTextureLayer(gl.FRAMEBUFFER, place, t.id, 0, layer);
        else gl.framebufferTexture2D(gl.FRAMEBUFFER, place, gl.TEXTURE_2D, t.id, 0);
        outputs.push(place);
      }
    gl.drawBuffers(outputs);
    return { id, kind: textures[0].kind, width: textures[0].width, height: textures[0].height };
  }

  clear(target, outputs) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.id);
    for (let k = 0; k < outputs; k++)
      target.kind === "float" ? gl.clearBufferfv(gl.COLOR, k, [0, 0, 0, 0]) : gl.clearBufferuiv(gl.COLOR, k, [0, 0, 0, 0]);
  }

  // inputs: a number is a float, [type, ...] a uniform of that type, a texture itself.
  draw(program, target, inputs, width = target.width, height = target.height) {
    const { gl } = this;
    let unit = 0;
    gl.useProgram(program.made);
    for (const [name, value] of Object.entries(inputs)) {
      const place = program.place(name) ?? program.place(name + "[0]");
      if (place === null) continue;
      if (value.id) {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(value.target, value.id);
        gl.uniform1i(place, unit++);
      } else if (typeof value === "number") gl.uniform1f(place, value);
      else gl["uniform" + value[0]](place, ...value.slice(1));
    }
    gl.activeTexture(gl.TEXTURE0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.id);
    gl.viewport(0, 0, width, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  read(target, output = 0, width = target.width, height = target.height) {
    const { gl } = this, is_float = target.kind === "float", data = new (is_float ? Float32Array : Uint32Array)(4 * width * height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.id);
    gl.readBuffer(gl.COLOR_ATTACHMENT0 + output);
    gl.readPixels(0, 0, width, height, is_float ? gl.RGBA : gl.RGBA_INTEGER, is_float ? gl.FLOAT : gl.UNSIGNED_INT, data);
    return data;
  }

  // Words of several outputs, one after the other, in one wait.
  read_words(target, outputs, width, height) {
    const { gl } = this, each = 16 * width * height, buffer = gl.createBuffer(), data = new Uint32Array(outputs * each / 4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.id);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, outputs * each, gl.STREAM_READ);
    for (let k = 0; k < outputs; k++) {
      gl.readBuffer(gl.COLOR_ATTACHMENT0 + k);
      gl.readPixels(0, 0, width, height, gl.RGBA_INTEGER, gl.UNSIGNED_INT, k * each);
    }
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, data);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    gl.deleteBuffer(buffer);
    return data;
  }

  free(...things) {
    for (const t of things) t?.target ? this.gl.deleteTexture(t.id) : t && this.gl.deleteFramebuffer(t.id);
  }
}

// ---- the walks ----

// cg2007: one pass, one other particle (src/force/cg2007.c).
class Walk2007 {
  constructor(files, n, eps2 = 0) {
    this.program = gpu.program(files, "cg2007/acc_jerk_pot.frag");
    this.n = n, this.eps2 = eps2, this.width = 2 ** Math.ceil(Math.log2(Math.sqrt(n))), this.height = Math.ceil(n / this.width);
    const texture = () => gpu.texture("float", this.width, this.height, 0);
    Object.assign(this, { position: texture(), velocity: texture(), mass: texture() });
    this.sums = [0, 1].map(() => { const both = [texture(), texture()]; return { both, target: gpu.target(...both) }; });
    this.source = gpu.target(this.position);
  }
  begin(bodies) {
    const list = pick => { const all = new Float32Array(4 * this.width * this.height); bodies.forEach((b, k) => all.set(pick(b), 4 * k)); return all; };
    gpu.write(this.position, list(b => b.x));
    gpu.write(this.velocity, list(b => b.v));
    gpu.write(this.mass, list(b => [b.m]));
    gpu.clear(this.sums[0].target, 2);
    this.now = 0;
  }
  pass(p) {
    const [from, to] = [this.sums[this.now], this.sums[1 - this.now]];
    gpu.draw(this.program, to.target, { accTexture: from.both[0], jerkAndPotTexture: from.both[1], massTexture: this.mass,
      posTexture: this.position, velTexture: this.velocity, eps2: this.eps2, otherParticle: p, texSizeX: this.width,
      texSizeY: this.height, offset: this.width * this.height - this.n });
    this.now = 1 - this.now;
  }
  all(bodies) { this.begin(bodies); for (let p = 1; p < this.n; p++) this.pass(p); }
  read(output) { return gpu.read(this.sums[this.now].target, output); }
}

// bag: some sources a pass, in registers (src/pairs/pairs_bag.c). precision: 0 single, 1 compensated.
class WalkBag {
  constructor(files, precision, partial) {
    this.words = precision ? 4 : 2;
    const defines = { PRECISION: precision, I_EACH: 1, UNROLL: 1, PARTIAL: partial, RECORDS: 2, F_RECORDS: 2, J_SOURCE: 0 };
    this.first = gpu.program(files, "pairs/bag.frag", defines);
    this.later = () => this.later_one ??= gpu.program(files, "pairs/bag.frag", { ...defines, CONTINUES: 1 });
  }
  // The sources' texels, and the numbers of the sinks.
  set(records, sinks) {
    gpu.free(this.particles, this.sinks, ...(this.targets ?? []), ...(this.totals ?? []));
    this.n = records.length / 8, this.ni = sinks.length;
    this.particles = gpu.array("float", records, 4);
    this.sinks = gpu.array("int", Int32Array.from(sinks), 1);
    this.totals = [], this.targets = [], this.now = 0;
  }
  target(k) {
    this.totals[k] ??= gpu.texture("word", this.ni, 1, this.words);
    return this.targets[k] ??= gpu.target(this.totals[k]);
  }
  walk(eps2, bag = this.n) {
    for (let from = 0; from < this.n; from += bag) {
      const inputs = { particles: this.particles, points: this.particles, has_points: ["1i", 0], sinks: this.sinks, sink_count: ["1i", this.ni],
        source_count: ["1i", this.n], groups: ["1i", this.ni], segment_length: ["1i", this.n], bag: ["2i", from, from + bag],
        width: ["1i", this.ni], rows: ["1i", 1], token: ["1i", 0], parameter_high: ["4f", eps2, 0, 0, 0], parameter_low: ["4f", 0, 0, 0, 0] };
      if (from) inputs.before = this.totals[this.now];
      this.now = from ? 1 - this.now : 0;
      gpu.draw(from ? this.later() : this.first, this.target(this.now), inputs);
    }
  }
  // All words, texel after texel, word after word.
  read() { return gpu.read_words(this.targets[this.now], this.words, this.ni, 1); }
}

// Particles that stay there, predicted and corrected by shaders/hermite, forces by a bag; block time steps are the host's.
class Hermite {
  constructor(files, bodies, given) {
    Object.assign(this, { eps2: 0, nu: 0.02, longest: 1 / 16, least: 24, fixed: 0 }, given);
    const defines = { PRECISION: 1, RECORDS: 2, F_RECORDS: 2 };
    this.predictor = gpu.program(files, "hermite/predict.frag", defines);
    this.corrector = gpu.program(files, "hermite/correct.frag", defines);
    this.bag = new WalkBag(files, 1, 32);
    const n = this.n = bodies.length;
    this.mass = bodies.reduce((sum, b) => sum + b.m, 0);
    this.bodies = bodies.map(b => ({ m: b.m, t: 0, level: 0, phi: 0 }));
    this.state = gpu.texture("word", n, 1, 8);
    this.words = new Uint32Array(32 * n);
    this.records = gpu.texture("word", 2 * n, 1, 0);
    this.predicted = gpu.target(this.records);
    this.block = gpu.texture("word", n, 1, 8);
    this.corrected = gpu.target(this.block);
    bodies.forEach((b, k) => { this.put(k, 0, b.x, b.m); this.put(k, 2, b.v, 0); });
    gpu.write(this.state, this.words);
    this.t = 0, this.steps = 0;
    const all = bodies.map((_, k) => k), f = this.forces(0, all);
    all.forEach(k => {
      const a = [0, 1, 2].map(c => f.value(k, 0, c)), j = [0, 1, 2].map(c => f.value(k, 1, c));
      this.put(k, 4, a, 0);
      this.put(k, 6, j, 0);
      this.set_level(k, this.fixed || 0.25 * this.nu ** 0.5 * Math.hypot(...a) / Math.hypot(...j), true);
    });
    gpu.write(this.state, this.words);
  }
  put(k, layer, [x = 0, y = 0, z = 0], w) {
    const high = new Float32Array([x, y, z, w]), low = new Float32Array([x, y, z, w].map((q, c) => q - high[c]));
    this.words.set(words_of(high), 4 * (layer * this.n + k));
    this.words.set(words_of(low), 4 * ((layer + 1) * this.n + k));
    if (layer === 2) this.words[4 * (2 * this.n + k) + 3] = this.bodies[k].level;
  }
  value(k, layer, c) {
    const at = 4 * (layer * this.n + k) + c, f = floats_of(this.words);
    return f[at] + f[at + 4 * this.n];
  }
  x(k) { return [0, 1, 2].map(c => this.value(k, 0, c)); }
  v(k) { return [0, 1, 2].map(c => this.value(k, 2, c)); }
  step_of(k) { return this.fixed || this.longest / 2 ** this.bodies[k].level; }
  set_level(k, wanted, is_first) {
    const b = this.bodies[k];
    if (this.fixed) return;
    const fits = level => this.longest / 2 ** level <= wanted;
    let level = b.level;
    if (is_first) level = 0;
    else if (level > 0 && fits(level - 1) && Number.isInteger(this.t * 2 ** (level - 1) / this.longest)) level--;
    while (level < this.least && !fits(level)) level++;
    b.level = level;
    this.words[4 * (2 * this.n + k) + 3] = level;
  }
  since(t) {
    const all = new Float32Array(4 * 63);
    for (const b of this.bodies) {
      const dt = t - b.t, high = Math.fround(dt), third = Math.fround(dt / 3);
      all.set([high, dt - high, third, dt / 3 - third], 4 * b.level);
    }
    return words_of(all);
  }
  forces(t, sinks) {
    gpu.draw(this.predictor, this.predicted, { state: this.state, since: ["4uiv", this.since(t)], source_count: ["1i", this.n] });
    this.last = floats_of(gpu.read(this.predicted));
    this.bag.set(this.last, sinks);
    this.bag.walk(this.eps2);
    const words = this.bag.read(), f = floats_of(words), ni = sinks.length;
    return { words, count: k => words[4 * (ni + k) + 3], value: (k, r, c) => f[4 * (r * ni + k) + c] + f[4 * ((r + 2) * ni + k) + c] };
  }
  // One block; returns the numbers of its particles.
  step() {
    const next = Math.min(...this.bodies.map((b, k) => b.t + this.step_of(k)));
    const due = this.bodies.flatMap((b, k) => b.t + this.step_of(k) <= next ? [k] : []), ni = due.length;
    const f = this.forces(next, due), totals = gpu.array("word", f.words, 4), sinks = this.bag.sinks;
    gpu.draw(this.corrector, this.corrected, { state: this.state, since: ["4uiv", this.since(next)], sinks, totals, segments: ["1i", 1],
      groups: ["1i", ni], each: ["1i", 1], place: ["4i", ni, 1, 1, ni], first: ["1i", 0], sink_count: ["1i", ni], walked: ["1ui", this.n],
      eta: this.nu, noise: 0, mass: this.mass }, ni, 1);
    const layers = gpu.read_words(this.corrected, 8, ni, 1);
    for (let layer = 0; layer < 8; layer++) {
      const got = layers.subarray(4 * ni * layer, 4 * ni * (layer + 1));
      due.forEach((k, at) => {
        if (layer === 3) this.bodies[k].wanted = floats_of(got)[4 * at + 3];
        this.words.set(got.subarray(4 * at, 4 * at + (layer > 1 ? 3 : 4)), 4 * (layer * this.n + k));
      });
    }
    this.t = next;
    for (const k of due) {
      this.bodies[k].t = next;
      if (!(this.bodies[k].wanted > 0)) throw new Refused("A force is not a finite number, or sources are missing from a sum: the stars stand still.");
      this.set_level(k, this.bodies[k].wanted, false);
    }
    gpu.write(this.state, this.words);
    gpu.free(totals);
    this.steps += ni;
    return due;
  }
  // Kinetic energy, and the potential one by the shader's own phi; all particles must be at time t.
  energy() {
    const f = this.forces(this.t, this.bodies.map((_, k) => k));
    return this.bodies.reduce((sum, b, k) => sum + 0.5 * b.m * (this.v(k).reduce((s, q) => s + q * q, 0) + f.value(k, 0, 3)), 0);
  }
}

// ---- bodies ----

function random(seed) { // mulberry32
  return () => {
    seed = seed + 0x6d2b79f5 | 0;
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}
// Lamps on rings, as Holmberg laid them out: 1, 6, 8, 10, 12.
function lamps(center = 1, rest = 1) {
  const all = [];
  [1, 6, 8, 10, 12].forEach((count, ring) => {
    for (let k = 0; k < count; k++) {
      const angle = 2 * Math.PI * (k + 0.5 * (ring % 2)) / count, r = 0.25 * ring;
      all.push({ m: (ring ? rest * [1, 1, 1, 0.7, 0.5][ring] : center) / 28, x: [r * Math.cos(angle), r * Math.sin(angle), 0], v: [0, 0, 0], r });
    }
  });
  for (const b of all) { // on circles, by the mass within
    const within = all.reduce((sum, o) => sum + (o.r < b.r ? o.m : o.r === b.r ? o.m / 2 : 0), 0), speed = b.r && Math.sqrt(within / b.r);
    b.v = b.r ? [-b.x[1] / b.r * speed, b.x[0] / b.r * speed, 0] : [0, 0, 0];
  }
  return all;
}
// Plummer's sphere in virial equilibrium.
function cluster(n, seed = 7) {
  const u = random(seed), all = [];
  const direction = r => { const z = 2 * u() - 1, a = 2 * Math.PI * u(), s = Math.sqrt(1 - z * z); return [r * s * Math.cos(a), r * s * Math.sin(a), r * z]; };
  while (all.length < n) {
    const r = 1 / Math.sqrt((0.05 + 0.85 * u()) ** (-2 / 3) - 1);
    let q, g;
    do { q = u(); g = 0.1 * u(); } while (g > q * q * (1 - q * q) ** 3.5);
    all.push({ m: 1 / n, x: direction(0.589 * r), v: direction(q * Math.SQRT2 * (1 + r * r) ** -0.25 / Math.sqrt(0.589)) });
  }
  for (const what of ["x", "v"])
    for (let c = 0; c < 3; c++) { const mean = all.reduce((s, b) => s + b[what][c], 0) / n; for (const b of all) b[what][c] -= mean; }
  return all;
}
// At apocenter of an ellipse with a = 1, M = 1.
function pair(e, speed = 1) {
  const v = speed * Math.sqrt((1 - e) / (1 + e));
  return [[-0.5, 1], [0.5, -1]].map(([x, s]) => ({ m: 0.5, x: [2 * x * (1 + e) * 0.5, 0, 0], v: [0, -s * v / 2, 0] }));
}
// In double: the acceleration of sink i.
function direct(records, i, eps2) {
  const a = [0, 0, 0];
  for (let j = 0; j < records.length / 8; j++) {
    if (j === i) continue;
    const d = [0, 1, 2].map(c => records[8 * j + c] - records[8 * i + c]), r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
    const w = records[8 * j + 3] / (r2 * Math.sqrt(r2));
    for (let c = 0; c < 3; c++) a[c] += w * d[c];
  }
  return a;
}
const records_of = bodies => { const all = new Float32Array(8 * bodies.length); bodies.forEach((b, k) => { all.set([...b.x, b.m], 8 * k); all.set(b.v, 8 * k + 4); }); return all; };

// ---- drawing ----

let ink = {};
function inks(is_print) {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "text", "faint", "line", "a", "b", "star", "bad"]) ink[name] = style.getPropertyValue("--" + name).trim();
  if (is_print) Object.assign(ink, { ground: "#ffffff", text: "#000000", faint: "#444444", line: "#aaaaaa", star: "#7a5200", a: "#006a5e", b: "#a34a00" });
}
// The scale of the slides: blue below zero, dark at zero, orange above.
function tint(value, most) {
  if (!Number.isFinite(value)) return ink.bad;
  const q = Math.max(-1, Math.min(1, value / most)), s = Math.sqrt(Math.abs(q));
  const mix = (from, to) => Math.round(from + (to - from) * s);
  return q < 0 ? `rgb(${mix(24, 120)} ${mix(28, 200)} ${mix(44, 255)})` : `rgb(${mix(28, 255)} ${mix(26, 190)} ${mix(34, 90)})`;
}
// Black or white, whichever is read better over it.
function over(color) {
  const [r, g, b] = (color[0] === "#" ? [1, 3, 5].map(k => parseInt(color.slice(k, k + 2), 16)) : color.match(/[\d.]+/g)).map(x => (x / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}
class Pen {
  constructor(c, width, height) { Object.assign(this, { c, width, height }); }
  clear() { this.c.fillStyle = ink.ground; this.c.fillRect(0, 0, this.width, this.height); }
  // Smaller where it would leave the picture.
  text(x, y, what, { color = ink.text, size = 14, align = "left" } = {}) {
    const font = px => { this.c.font = `${px}px system-ui, sans-serif`; }, room = align === "left" ? this.width - x - 6 : align === "right" ? x - 6 : this.width;
    font(size);
    const wide = this.c.measureText(what).width;
    if (wide > room && room > 0) font(Math.max(9, size * room / wide));
    this.c.textAlign = align, this.c.fillStyle = color;
    this.c.fillText(what, x, y);
  }
  dot(x, y, r, color, is_hollow) {
    this.c.beginPath();
    this.c.arc(x, y, r, 0, 2 * Math.PI);
    if (is_hollow) { this.c.strokeStyle = color, this.c.lineWidth = 2; this.c.stroke(); } else { this.c.fillStyle = color; this.c.fill(); }
  }
  glow(x, y, r, color = ink.star) {
    const g = this.c.createRadialGradient(x, y, 0, x, y, 4 * r);
    g.addColorStop(0, color);
    g.addColorStop(0.25, color);
    g.addColorStop(0.3, color + "55");
    g.addColorStop(1, color + "00");
    this.c.fillStyle = g;
    this.c.fillRect(x - 4 * r, y - 4 * r, 8 * r, 8 * r);
  }
  line(points, color, width = 1.5, dash = []) {
    this.c.beginPath();
    points.forEach(([x, y], k) => k ? this.c.lineTo(x, y) : this.c.moveTo(x, y));
    this.c.strokeStyle = color, this.c.lineWidth = width;
    this.c.setLineDash(dash);
    this.c.stroke();
    this.c.setLineDash([]);
  }
  arrow(x, y, dx, dy, color, width = 2.5) {
    const length = Math.hypot(dx, dy);
    if (!(length > 2)) return;
    const [ux, uy] = [dx / length, dy / length], head = Math.min(9, length / 2);
    this.line([[x, y], [x + dx, y + dy]], color, width);
    this.line([[x + dx - head * (ux - 0.5 * uy), y + dy - head * (uy + 0.5 * ux)], [x + dx, y + dy],
      [x + dx - head * (ux + 0.5 * uy), y + dy - head * (uy - 0.5 * ux)]], color, width);
  }
  // To be seen on any color.
  frame(x, y, w, h, color) { this.box(x, y, w, h, color, 5); this.box(x, y, w, h, ink.ground, 2); }
  box(x, y, w, h, color, width = 2) { this.c.strokeStyle = color, this.c.lineWidth = width; this.c.strokeRect(x, y, w, h); }
  // A texture as a picture: `count` texels in `columns`, colored; numbers() adds those of the particles where there is room.
  grid(x, y, cell, columns, count, color, frame) {
    const rows = Math.ceil(count / columns);
    for (let k = 0; k < count; k++) {
      const left = x + k % columns * cell, top = y + Math.floor(k / columns) * cell;
      this.c.fillStyle = color(k);
      this.c.fillRect(left, top, cell - 1, cell - 1);
    }
    if (frame) this.box(x - 3, y - 3, columns * cell + 5, rows * cell + 5, frame, 3);
    const at = k => [x + (k % columns + 0.5) * cell, y + (Math.floor(k / columns) + 0.5) * cell];
    at.numbers = () => { // over whatever lines lead there
      for (let k = 0; k < count && cell >= 22; k++) this.text(at(k)[0], at(k)[1] + 4, k, { size: Math.min(13, cell / 2), align: "center", color: over(color(k)) });
    };
    return at;
  }
  scale(x, y, width, most) {
    for (let k = 0; k < width; k++) { this.c.fillStyle = tint(most * (2 * k / width - 1), most); this.c.fillRect(x + k, y, 1, 8); }
    this.text(x, y + 22, "\u2212" + digits(most, 2), { size: 12, color: ink.faint });
    this.text(x + width / 2, y + 22, "0", { size: 12, color: ink.faint, align: "center" });
    this.text(x + width, y + 22, digits(most, 2), { size: 12, color: ink.faint, align: "right" });
  }
}
// Square of the page's picture for positions, left or above, and what is beside or below it.
function halves(p, share = 0.5) {
  return p.width > 560 ? [[0, 0, p.width * share, p.height], [p.width * share, 0, p.width * (1 - share), p.height]]
    : [[0, 0, p.width, p.height * share], [0, p.height * share, p.width, p.height * (1 - share)]];
}
function map_of([x, y, w, h], extent) {
  const k = Math.min(w, h) / 2 / extent;
  return { to: ([a, b]) => [x + w / 2 + k * a, y + h / 2 - k * b], from: (a, b) => [(a - x - w / 2) / k, (y + h / 2 - b) / k], k };
}
const most_of = values => values.reduce((m, x) => Number.isFinite(x) ? Math.max(m, Math.abs(x)) : m, 1e-30);

// ---- chapters: begin() compiles and computes, draw(pen) shows, say() reads out; tick() where it moves by itself ----

const chapters = {};

chapters.hero = {
  moves: true, at: 0, followed: 12,
  begin(files) {
    this.walk = new Walk2007(files, 37, 0.01);
    this.bodies = lamps(28, 0.01); // they stay, and the scale with them
    this.force();
    this.trail = [];
  },
  force() {
    this.walk.all(this.bodies);
    const a = this.walk.read(0), j = this.walk.read(1);
    this.texels = gpu.read(this.walk.source);
    return this.bodies.map((_, k) => [a.subarray(4 * k, 4 * k + 3), j.subarray(4 * k, 4 * k + 3)]);
  },
  tick() { // eqs 3 to 8 by the host, as in 2007
    const dt = 1 / 24, before = this.now ?? this.force(), old = this.bodies;
    this.bodies = old.map((b, k) => {
      const [a, j] = before[k];
      return { ...b, x: b.x.map((x, c) => x + dt * (b.v[c] + dt / 2 * (a[c] + dt / 3 * j[c]))), v: b.v.map((v, c) => v + dt * (a[c] + dt / 2 * j[c])) };
    });
    const after = this.force();
    this.bodies = old.map((b, k) => {
      const [a, j] = before[k], [ap, jp] = after[k];
      const v = b.v.map((v, c) => v + dt / 2 * (a[c] + ap[c]) + dt * dt / 12 * (j[c] - jp[c]));
      return { ...b, v, x: b.x.map((x, c) => x + dt / 2 * (b.v[c] + v[c]) + dt * dt / 12 * (a[c] - ap[c])) };
    });
    this.now = after;
    if (this.bodies.some(b => Math.hypot(...b.x) > 1.25)) { this.bodies = lamps(28, 0.01); this.now = undefined; }
  },
  draw(p) {
    const extent = 1.25;
    const [left, right] = halves(p, 0.5), map = map_of(left, extent);
    const cell = Math.floor(Math.min((right[2] - 24) / 8, (right[3] - 130) / 5, 52)), gx = right[0] + (right[2] - 8 * cell) / 2, gy = right[1] + (right[3] - 5 * cell) / 2 - 24;
    const t = this.texels, k = this.followed, level = x => Math.round(255 * Math.max(0, Math.min(1, 0.5 + 0.52 * x / extent)));
    for (const b of this.bodies) { const [x, y] = map.to(b.x); p.glow(x, y, b.m > 0.5 ? 6 : 3.5); }
    const [[x0, y0], [x1, y1], [x2, y2]] = [[0, 0], [1.15, 0], [0, 1.15]].map(q => map.to(q)); // the axes
    p.line([[2 * x0 - x1, y0], [x1, y0]], ink.line, 1);
    p.line([[x0, 2 * y0 - y2], [x0, y2]], ink.line, 1);
    for (const one of [-1, 1]) {
      const name = String(one).replace("-", "\u2212");
      p.text(map.to([one, 0])[0], y0 + 16, name, { size: 13, color: ink.faint, align: "center" });
      p.text(x0 - 6, map.to([0, one])[1] + 4, name, { size: 13, color: ink.faint, align: "right" });
    }
    p.text(x1, y1 - 8, "x", { size: 14, color: ink.faint, align: "center" });
    p.text(x2 + 10, y2 + 4, "y", { size: 14, color: ink.faint });
    const at = p.grid(gx, gy, cell, 8, 37, k => `rgb(${level(t[4 * k])} ${level(t[4 * k + 1])} 0)`);
    const [sx, sy] = map.to([t[4 * k], t[4 * k + 1]]), [cx, cy] = [gx + k % 8 * cell, gy + Math.floor(k / 8) * cell];
    for (const [color, width, dash] of [[ink.ground, 5, []], [ink.text, 2, [5, 4]]]) // between two rows, over no number
      p.line([[sx, sy], [gx - 6, cy - 1], [cx + cell / 2, cy - 1]], color, width, dash);
    at.numbers();
    p.dot(sx, sy, 11, ink.text, true);
    p.frame(cx - 1, cy - 1, cell + 1, cell + 1, ink.text);
    p.c.fillStyle = ink.ground;
    p.c.fillRect(gx, gy - 28, 210, 20);
    p.text(gx, gy - 14, "the texture: one texel a star", { size: 15 });
    p.text(gx, gy + 5 * cell + 26, `texel ${k} holds the place of star ${k}:`, { size: 15 });
    p.text(gx, gy + 5 * cell + 48, `red x = ${t[4 * k].toFixed(2)}, green y = ${t[4 * k + 1].toFixed(2)}, blue z = 0`.replaceAll("-", "\u2212"), { size: 15 });
    p.text(gx, gy + 5 * cell + 70, "dark: \u22121, bright: 1", { size: 15, color: ink.faint });
    this.areas = { gx, gy, cell, map };
  },
  drag(x, y) {
    const { gx, gy, cell, map } = this.areas, column = Math.floor((x - gx) / cell), row = Math.floor((y - gy) / cell), k = 8 * row + column;
    if (column >= 0 && column < 8 && row >= 0 && k < 37) { this.followed = k; return; }
    const near = this.bodies.map((b, k) => [Math.hypot(...map.to(b.x).map((q, c) => q - [x, y][c])), k]).sort((a, b) => a[0] - b[0])[0];
    if (near[0] < 30) this.followed = near[1];
  },
  key(dx, dy) { this.followed = (this.followed + dx - 8 * dy + 37) % 37; },
  say() { const t = this.texels, k = this.followed; return `Texel ${k} holds star ${k}: x = ${digits(t[4 * k])}, y = ${digits(t[4 * k + 1])}, z = ${digits(t[4 * k + 2])}.`; },
};

chapters.lamps = {
  lamp: [1.25, 0], found: [],
  begin(files) {
    this.walk = new Walk2007(files, 3);
    this.found = [];
    const [x, y] = this.lamp, r = Math.hypot(x, y);
    for (let far = 3.2; far > r; far -= 0.1) { this.lamp = [x * far / r, y * far / r]; this.measure(); } // the curve has begun
    this.lamp = [x, y];
    this.measure();
  },
  measure() {
    this.walk.begin([{ x: [0, 0, 0], v: [0, 0, 0], m: 0 }, { x: [-2, 0, 0], v: [0, 0, 0], m: 1 }, { x: [...this.lamp, 0], v: [0, 0, 0], m: 1 }]);
    this.walk.pass(1);
    const one = this.walk.read(0).slice(0, 2);
    this.walk.pass(2);
    this.sum = this.walk.read(0).slice(0, 2);
    this.light = [Math.hypot(...one), Math.hypot(this.sum[0] - one[0], this.sum[1] - one[1])];
    this.found = [...this.found.slice(-400), [Math.hypot(...this.lamp), this.light[1]]];
  },
  draw(p) {
    const map = this.map = map_of([0, 0, p.width, p.height * 0.62], p.width > 560 ? 2.15 : 2.6), o = map.to([0, 0]), lamp = map.to(this.lamp), fixed = map.to([-2, 0]);
    for (const r of [1, 2]) {
      p.dot(...o, r * map.k, ink.line, true);
      p.text(o[0] + 4, o[1] - r * map.k + 15, r, { size: 13, color: ink.faint });
    }
    p.line([o, lamp], ink.line, 1.5, [4, 4]);
    p.glow(...fixed, 9);
    p.glow(...lamp, 9);
    p.dot(...lamp, 20, ink.text, true);
    p.c.fillStyle = ink.text;
    p.c.fillRect(o[0] - 7, o[1] - 7, 14, 14);
    p.arrow(...o, 90 * this.sum[0], -90 * this.sum[1], ink.b, 4);
    p.text(o[0], o[1] + 28, "photocell", { align: "center", color: ink.faint });
    p.text(lamp[0], lamp[1] - 28, "drag me", { align: "center" });
    // What was measured: light against distance.
    const [x, y, w, h] = [44, p.height * 0.66, p.width - 60, p.height * 0.26], top = Math.max(1.1, this.light[1] * 1.05);
    const at = ([r, l]) => [x + w * r / 3.4, y + h * (1 - Math.min(1, l / top))];
    p.line([[x, y], [x, y + h], [x + w, y + h]], ink.faint, 1);
    p.text(x - 6, y + 8, digits(top, 2), { size: 12, align: "right", color: ink.faint });
    for (const r of [1, 2, 3]) p.text(at([r, 0])[0], y + h + 16, r, { size: 12, align: "center", color: ink.faint });
    p.text(x + 6, y + 10, "light of your lamp", { size: 13, color: ink.faint });
    p.text(x + w, y + h + 16, "distance", { size: 13, align: "right", color: ink.faint });
    for (const f of this.found) p.dot(...at(f), 2, ink.b);
    p.dot(...at(this.found.at(-1)), 5, ink.text);
  },
  grab(x, y) { return Math.hypot(...this.map.to(this.lamp).map((q, c) => q - [x, y][c])) < 44; },
  drag(x, y) {
    const at = this.map.from(x, y), r = Math.hypot(...at), far = Math.max(0.4, Math.min(3.3, r));
    this.lamp = r ? at.map(q => Math.max(-3.2, Math.min(3.2, q * far / r))) : [0.4, 0];
    this.measure();
  },
  key(dx, dy) { this.lamp = [this.lamp[0] + dx / 20, this.lamp[1] + dy / 20]; if (Math.hypot(...this.lamp) < 0.4) this.lamp = [0.4, 0]; this.measure(); },
  say() { return `Distance ${Math.hypot(...this.lamp).toFixed(2)}: light ${digits(this.light[1])}. The fixed lamp: distance 2.00, light ${digits(this.light[0])}. Both together pull with (${digits(this.sum[0])}, ${digits(this.sum[1])}).`; },
};

chapters.pairs = {
  n: 8, at: [2, 5], held: 2,
  bodies: [[-0.8, 0.5], [-0.2, 0.9], [0.7, 0.6], [0.2, 0.1], [-0.7, -0.3], [-0.1, -0.8], [0.6, -0.6], [1, 0]].map(x => ({ x: [...x, 0], v: [0, 0, 0], m: 1 })),
  begin(files) {
    this.program = gpu.program(files, "pairs/matrix_pair.frag", { PRECISION: 0, I_EACH: 1, UNROLL: 1, PARTIAL: 1, RECORDS: 2, F_RECORDS: 2, J_SOURCE: 0 });
    this.target = gpu.target(gpu.texture("word", this.n, this.n, 2));
    this.sinks = gpu.array("int", Int32Array.from({ length: this.n }, (_, k) => k), 1);
    this.measure();
  },
  measure() {
    const particles = gpu.array("float", records_of(this.bodies), 4);
    gpu.draw(this.program, this.target, { particles, points: particles, has_points: ["1i", 0], sinks: this.sinks, origin: ["2i", 0, 0],
      token: ["1i", 0], parameter_high: ["4f", 0, 0, 0, 0], parameter_low: ["4f", 0, 0, 0, 0] });
    this.pulls = floats_of(gpu.read(this.target));
    gpu.free(particles);
  },
  draw(p) {
    const [left, right] = halves(p), n = this.n, map = map_of(left, 1.25), [i, j] = this.at;
    const cell = Math.floor(Math.min((right[2] - 60) / n, (right[3] - 90) / n)), gx = right[0] + (right[2] - n * cell) / 2 + 10, gy = right[1] + (right[3] - n * cell) / 2;
    const value = (i, j) => this.pulls[4 * (j * n + i) + 3], most = most_of(Array.from({ length: n * n }, (_, k) => value(k % n, k / n | 0)));
    this.bodies.forEach((b, k) => { const [x, y] = map.to(b.x); p.glow(x, y, 7); p.text(x + 10, y - 10, k, { size: 14 }); });
    const [from, to] = [map.to(this.bodies[i].x), map.to(this.bodies[j].x)];
    if (i !== j) p.arrow(...from, 0.7 * (to[0] - from[0]), 0.7 * (to[1] - from[1]), ink.b);
    p.dot(...from, 14, ink.b, true), p.dot(...to, 14, ink.a, true);
    for (let y = 0; y < n; y++)
      for (let x = 0; x < n; x++) {
        const v = value(x, y), left = gx + x * cell, top = gy + y * cell;
        p.c.fillStyle = x === y && v === 0 ? "transparent" : tint(v, most);
        p.c.fillRect(left, top, cell - 1, cell - 1);
        if (cell >= 30) p.text(left + cell / 2, top + cell / 2 + 4, x === y && v === 0 ? "\u2013" : Number.isFinite(v) ? v.toFixed(1).replaceAll("-", "\u2212") : "NaN",
          { size: Math.min(12, cell / 3), align: "center", color: x === y && v === 0 ? ink.faint : over(tint(v, most)) });
      }
    for (let k = 0; k < n; k++) {
      p.text(gx + (k + 0.5) * cell, gy - 8, k, { size: 13, align: "center", color: ink.b });
      p.text(gx - 8, gy + (k + 0.5) * cell + 4, k, { size: 13, align: "right", color: ink.a });
    }
    p.text(gx, gy - 26, "who is pulled \u2192", { size: 13, color: ink.b });
    p.text(gx - 24, gy - 8, "who pulls \u2193", { size: 13, color: ink.a, align: "right" });
    p.text(gx, gy + n * cell + 20, "in each texel: its potential", { size: 13, color: ink.faint });
    p.frame(gx + i * cell - 1, gy + j * cell - 1, cell + 1, cell + 1, ink.text);
    Object.assign(this, { map, area: [gx, gy, cell] });
  },
  grab(x, y) {
    const near = this.bodies.findIndex(b => Math.hypot(...this.map.to(b.x).map((q, c) => q - [x, y][c])) < 30);
    this.held = near;
    return true;
  },
  drag(x, y) {
    const [gx, gy, cell] = this.area, i = Math.floor((x - gx) / cell), j = Math.floor((y - gy) / cell);
    if (i >= 0 && j >= 0 && i < this.n && j < this.n) { this.at = [i, j]; return; }
    if (this.held < 0) return;
    if (this.at[0] !== this.held) this.at = [this.held, this.at[1] === this.held ? (this.held + 1) % this.n : this.at[1]];
    this.bodies[this.held].x = [...this.map.from(x, y).map(q => Math.max(-1.2, Math.min(1.2, q))), 0];
    this.measure();
  },
  key(dx, dy) { const b = this.bodies[this.at[0]]; b.x = [b.x[0] + dx / 40, b.x[1] + dy / 40, 0]; this.measure(); },
  say() {
    const [i, j] = this.at, at = 4 * (j * this.n + i);
    return `Texel in column ${i}, row ${j}: star ${j} pulls star ${i} with (${digits(this.pulls[at])}, ${digits(this.pulls[at + 1])}), potential ${digits(this.pulls[at + 3])}.`;
  },
};

chapters.passes = {
  n: 37, pass: 1, me: 5, playing: false,
  control: { name: "Pass", min: 1, max: 36, step: 1, get: c => c.pass, set: (c, value) => { c.pass = value; }, text: c => `${c.pass} of 36` },
  begin(files) {
    const walk = new Walk2007(files, this.n, 0.01), bodies = lamps();
    walk.begin(bodies);
    this.sums = [walk.read(0)];
    for (let p = 1; p < this.n; p++) { walk.pass(p); this.sums.push(walk.read(0)); }
    this.position = gpu.read(walk.source);
    const records = records_of(bodies);
    const off = bodies.map((_, k) => { const a = direct(records, k, 0.01); return [Math.hypot(...a.map((q, c) => q - this.sums.at(-1)[4 * k + c])), Math.hypot(...a)]; });
    this.error = Math.max(...off.map(o => o[0])) / Math.max(...off.map(o => o[1]));
  },
  tick() { this.wait = ((this.wait ?? 0) + 1) % 6; if (!this.wait) this.pass = this.pass % 36 + 1; },
  draw(p) {
    const other = (this.me + this.pass) % this.n, is_a = this.pass % 2 === 1;
    // Three side by side, the two sums below the positions, or all below each other: as large as the picture allows.
    const fits = [[24, 5, 90, 110], [16, 10, 64, 130], [8, 15, 40, 130]].map(([columns, rows, x, y]) => Math.min((p.width - x) / columns, (p.height - y) / rows));
    const cell = Math.floor(Math.max(...fits)), shape = fits.indexOf(Math.max(...fits)), wide = shape === 0, beside = 8 * cell + 24, below = 5 * cell + 34;
    const place = k => [[20 + k * beside, p.height / 2 - 2.5 * cell], [(p.width - 16 * cell - 24) / 2 + (k === 2) * beside, 30 + (k > 0) * below],
      [(p.width - 8 * cell) / 2, 30 + k * below]][shape];
    const most = most_of(this.sums.at(-1).filter((_, k) => k % 4 === 0)), before = this.sums[this.pass - 1], after = this.sums[this.pass];
    const grids = [["positions, x", this.position, 1.2, ink.line], [`sum so far, read: ${is_a ? "A" : "B"}`, before, most, is_a ? ink.a : ink.b],
      [`new sum, written: ${is_a ? "B" : "A"}`, after, most, is_a ? ink.b : ink.a]];
    const at = grids.map(([name, values, most, frame], k) => {
      const [x, y] = place(k);
      p.text(x, y - 10, name, { size: Math.min(15, cell), color: k ? frame : ink.text });
      return p.grid(x, y, cell, 8, this.n, k => tint(values[4 * k], most), frame);
    });
    const mark = (where, color) => p.frame(where[0] - cell / 2, where[1] - cell / 2, cell - 1, cell - 1, color);
    mark(at[0](this.me), ink.text), mark(at[0](other), ink.star), mark(at[1](this.me), ink.text), mark(at[2](this.me), ink.text);
    const gap = (k, texel, row) => { const [x, y] = place(k); return [x + (texel % 8 + 0.5) * cell, y + (Math.floor(texel / 8) + row) * cell - 0.5]; };
    const link = (k, texel, row, color, ...way) => { // between rows and beside textures, over no number
      const from = gap(k, texel, row), to = gap(2, this.me, row), all = [from, ...way.map(([x, y]) => [x, y ?? from[1]]), to];
      if (way.length) all.splice(-1, 0, [way.at(-1)[0], to[1]]);
      for (const [color_of, width, dash] of [[ink.ground, 5, []], [color, 2, [5, 4]]]) p.line(all, color_of, width, dash);
    };
    const right = place(0)[0] + 8 * cell + 8, foot = place(0)[1] + 5 * cell + 14;
    link(0, other, 1, ink.star, [right], ...wide ? [[right, foot], [place(2)[0] - 11, foot]] : []);
    link(1, this.me, 0, ink.text, ...shape === 2 ? [[place(1)[0] - 10]] : []);
    for (const one of at) one.numbers();
    p.scale(shape < 2 ? place(2)[0] : 20, p.height - 32, shape < 2 ? 8 * cell : p.width - 40, most);
    Object.assign(this, { cell, place });
  },
  drag(x, y) {
    for (let g = 0; g < 3; g++) {
      const [gx, gy] = this.place(g), column = Math.floor((x - gx) / this.cell), row = Math.floor((y - gy) / this.cell), k = 8 * row + column;
      if (column >= 0 && column < 8 && row >= 0 && k < this.n) this.me = k;
    }
  },
  key(dx, dy) { if (dx) this.pass = Math.max(1, Math.min(36, this.pass + dx)); if (dy) this.me = (this.me + dy + this.n) % this.n; },
  say() {
    const other = (this.me + this.pass) % this.n, a = this.pass % 2 ? ["A", "B"] : ["B", "A"];
    return `Pass ${this.pass}: texel ${this.me} reads its sum from ${a[0]}, feels number ${other}, and writes ${digits(this.sums[this.pass][4 * this.me])} to ${a[1]}. After 36 passes the sums are ${this.error < 1e-5 ? "right" : `wrong by ${digits(100 * this.error, 2)} %`}.`;
  },
};

chapters.sum = {
  exponent: 10, kinds: ["one float sum", "sums of 256, then their sum", "compensated"],
  control: { name: "Sources, N", min: 5, max: 15, step: 1, get: c => c.exponent, set: (c, value) => { c.exponent = value; c.measure(value); }, text: c => 2 ** c.exponent },
  begin(files) {
    this.walks = [new WalkBag(files, 0, 32768), new WalkBag(files, 0, 256), new WalkBag(files, 1, 1)];
    this.errors = [];
    this.measure(this.exponent);
    this.due = [6, 8, 12, 14, 7, 9, 11, 13];
  },
  moves: true, // until the curve is whole
  tick() { const k = this.due.pop(); if (k === undefined) return false; this.measure(k); },
  measure(exponent) {
    if (this.errors[exponent]) return;
    const n = 2 ** exponent, u = random(exponent), sinks = Array.from({ length: 16 }, (_, k) => k), records = new Float32Array(8 * n);
    for (let k = 0; k < n; k++) records.set([u() - 0.5, u() - 0.5, u() - 0.5, 1 / n], 8 * k);
    const exact = sinks.map(i => direct(records, i, 0.01));
    this.errors[exponent] = this.walks.map(walk => {
      walk.set(records, sinks);
      walk.walk(0.01);
      const f = floats_of(walk.read());
      return Math.sqrt(exact.reduce((sum, a, i) => {
        const off = a.map((q, c) => f[4 * i + c] + (walk.words > 2 ? f[4 * (2 * 16 + i) + c] : 0) - q);
        return sum + (off[0] ** 2 + off[1] ** 2 + off[2] ** 2) / (a[0] ** 2 + a[1] ** 2 + a[2] ** 2);
      }, 0) / 16);
    });
  },
  draw(p) {
    const [x, y, w, h] = [64, 64, p.width - 84, p.height - 108], at = (k, e) => [x + w * (k - 5) / 10, y + h * (-4 - Math.log10(Math.max(e, 1e-9))) / 4.6];
    const colors = [ink.b, ink.star, ink.a], is_wide = p.width > 720;
    for (let e = -5; e >= -8; e--) {
      p.line([[x, at(5, 10 ** e)[1]], [x + w, at(5, 10 ** e)[1]]], ink.line, 1);
      p.text(x - 8, at(5, 10 ** e)[1] + 4, `10${[..."\u207b" + "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[-e]].join("")}`, { size: 13, align: "right", color: ink.faint });
    }
    for (let k = 5; k <= 15; k += 2) p.text(at(k, 1)[0], y + h + 20, 2 ** k, { size: 13, align: "center", color: ink.faint });
    p.text(x, 24, "relative error of the sum", { size: 14, color: ink.faint });
    p.text(x + w, y + h + 38, "sources, N", { size: 13, align: "right", color: ink.faint });
    this.kinds.forEach((name, kind) => {
      const points = this.errors.flatMap((e, k) => e ? [at(k, e[kind])] : []);
      p.line(points, colors[kind], 2);
      points.forEach(q => p.dot(...q, 3, colors[kind]));
      p.dot(...at(this.exponent, this.errors[this.exponent][kind]), 8, colors[kind], true);
      p.text(x + (is_wide ? kind * w / 3 : 0), is_wide ? 48 : 44 + kind * 16, name, { size: 13, color: colors[kind] });
    });
    p.line([at(this.exponent, 1e-4), at(this.exponent, 4e-9)], ink.text, 1, [3, 4]);
    this.place = at;
    this.area = [x, w];
  },
  drag(x) { const [left, w] = this.area; this.control.set(this, Math.max(5, Math.min(15, Math.round(5 + 10 * (x - left) / w)))); },
  key(dx) { this.control.set(this, Math.max(5, Math.min(15, this.exponent + dx))); },
  say() { const e = this.errors[this.exponent]; return `N = ${2 ** this.exponent}: ${this.kinds.map((kind, k) => `${kind} ${digits(e[k], 2)}`).join(", ")}.`; },
};

chapters.bag = {
  n: 1024, exponent: 7,
  control: { name: "Sources in a bag", min: 5, max: 10, step: 1, get: c => c.exponent, set: (c, value) => { c.exponent = value; c.measure(); }, text: c => 2 ** c.exponent },
  begin(files) {
    this.walk = new WalkBag(files, 0, 32);
    this.records = records_of(cluster(this.n));
    this.sinks = Array.from({ length: 256 }, (_, k) => 4 * k);
    this.walk.set(this.records, this.sinks);
    this.walk.walk(0.01, 512), this.walk.read(); // compiled
    this.measure();
  },
  measure() {
    const begun = performance.now();
    this.walk.walk(0.01, 2 ** this.exponent);
    const words = this.walk.read();
    this.ms = performance.now() - begun;
    this.phi = floats_of(words).filter((_, k) => k % 4 === 3).slice(0, 256);
    this.count = words[4 * 256 + 3];
  },
  draw(p) {
    const passes = this.n / 2 ** this.exponent, [x, y, w, h] = [20, 46, p.width - 40, p.height - 150];
    p.text(x, 26, "a column is a texel, walking down its sources", { color: ink.faint });
    for (let k = 0; k < passes; k++) {
      p.c.fillStyle = k % 2 ? ink.b : ink.a;
      p.c.globalAlpha = 0.72;
      p.c.fillRect(x, y + h * k / passes, w, h / passes - (passes > 16 ? 1 : 2));
      p.c.globalAlpha = 1;
    }
    for (let k = 0; k <= 32; k++) p.line([[x + w * k / 32, y], [x + w * k / 32, y + h]], ink.ground, 1);
    for (let k = 0; k < passes && passes <= 16; k++) {
      const middle = y + h * (k + 0.5) / passes;
      p.c.fillStyle = ink.ground;
      p.c.fillRect(x + w / 2 - 92, middle - 9, 184, 18);
      p.text(x + w / 2, middle + 5, `pass ${k + 1}: bag ${k + 1}, sums to ${k % 2 ? "B" : "A"}`, { align: "center", size: 13 });
    }
    const most = most_of(this.phi), cell = w / 64;
    p.text(x, y + h + 22, "the totals (potential)", { size: 13, color: ink.faint });
    for (let k = 0; k < 64; k++) { p.c.fillStyle = tint(this.phi[4 * k], most); p.c.fillRect(x + k * cell, y + h + 30, Math.max(cell - 1, 1), 22); }
    p.scale(x, p.height - 38, Math.min(w, 260), most);
    this.area = [y, h];
  },
  drag(x, y) { const [top, h] = this.area, k = Math.round(5 + 5 * (y - top) / h); if (k !== this.exponent) this.control.set(this, Math.max(5, Math.min(10, k))); },
  key(dx, dy) { this.control.set(this, Math.max(5, Math.min(10, this.exponent + dx + dy))); },
  say() {
    return `${this.n / 2 ** this.exponent} passes for 1024 sources and 256 sinks, ${this.ms.toFixed(1)} ms here. ` + (this.count === this.n ? `Each sum counts ${this.count} sources: complete.`
      : `Each sum counts ${this.count} sources of ${this.n}: the host would say that the driver has dropped a draw.`);
  },
};

chapters.predict = {
  exponent: -1, e: 0.5,
  control: { name: "Step", min: -5, max: 1, step: 0.25, get: c => c.exponent, set: (c, value) => { c.exponent = value; c.restart(); }, text: c => digits(c.dt()) },
  dt() { return 2 ** this.exponent; },
  begin(files) { this.files = files; this.restart(); },
  restart() {
    this.run = new Hermite(this.files, pair(this.e), { fixed: this.dt() });
    this.path = [this.run.x(0)], this.guesses = [], this.errors = null;
    this.tick();
  },
  moves: true,
  // Star 0 on its ellipse, by Kepler's equation, from apocenter.
  exact(t) {
    const e = this.e, m = Math.PI + t;
    let E = m;
    for (let k = 0; k < 60; k++) E -= (E - e * Math.sin(E) - m) / (1 - e * Math.cos(E));
    return [0.5 * (Math.cos(E) - e), 0.5 * Math.sqrt(1 - e * e) * Math.sin(E)];
  },
  tick() {
    if (this.run.t > 13 || this.path.length > 220) return false;
    this.run.step();
    const guess = [...this.run.last.subarray(0, 2)], x = this.run.x(0), truth = this.exact(this.run.t), off = q => Math.hypot(q[0] - truth[0], q[1] - truth[1]);
    this.guesses.push(guess), this.path.push(x);
    this.errors ??= [off(guess), off(x)];
  },
  draw(p) {
    const map = map_of([0, 20, p.width, p.height - 40], p.width > 560 ? 0.62 : 0.95), shift = ([x, y]) => map.to([x + 0.25, y]);
    p.line(Array.from({ length: 129 }, (_, k) => shift(this.exact(2 * Math.PI * k / 128))), ink.faint, 1, [3, 4]);
    p.dot(...shift([0, 0]), 4, ink.faint);
    p.line(this.path.map(shift), ink.a, 2);
    this.guesses.slice(-40).forEach((g, k, all) => {
      const x = shift(g), y = shift(this.path[this.path.length - all.length + k]);
      p.line([x, y], ink.b, 1);
      p.dot(...x, 5, ink.b, true);
      p.dot(...y, 4, ink.a);
    });
    p.glow(...shift(this.path.at(-1)), 7);
    p.text(14, 24, "\u25cb predicted", { color: ink.b, size: 15 });
    p.text(130, 24, "\u25cf corrected", { color: ink.a, size: 15 });
    p.text(14, p.height - 14, "dotted: the true ellipse", { color: ink.faint, size: 14 });
  },
  drag(x, y, from) { this.control.set(this, Math.max(-5, Math.min(1, Math.round(4 * (from.value + (x - from.x) / 60)) / 4))); },
  grab(x) { return { value: this.exponent, x }; },
  key(dx, dy) { this.control.set(this, Math.max(-5, Math.min(1, this.exponent + (dx + dy) / 4))); },
  say() { return `Step ${digits(this.dt())}. After the first step the prediction is off by ${digits(this.errors[0])}, the corrected place by ${digits(this.errors[1])}.`; },
};

chapters.score = {
  exponent: -6, n: 24, span: 0.5,
  control: { name: "Accuracy, \u03bd", min: -10, max: -2, step: 0.5, get: c => c.exponent, set: (c, value) => { c.exponent = value; c.restart(); }, text: c => digits(2 ** c.exponent, 2) },
  begin(files) { this.files = files; this.restart(); },
  restart() {
    this.run = new Hermite(this.files, cluster(this.n, 5), { eps2: 1e-3, nu: 2 ** this.exponent, longest: 1 / 8 });
    this.notes = this.bodies_notes();
    this.blocks = 0, this.shortest = Infinity;
    this.order = this.run.bodies.map((b, k) => [b.level, k]).sort((a, b) => a[0] - b[0]).map(q => q[1]);
  },
  bodies_notes() { return this.run.bodies.map((b, k) => ({ k, from: 0, level: b.level, dt: this.run.step_of(k) })); },
  moves: true,
  tick() {
    if (this.run.t >= this.span) return false;
    for (let count = 0; count < 2 && this.run.t < this.span; count++) {
      for (const k of this.last = this.run.step()) {
        this.notes.push({ k, from: this.run.t, level: this.run.bodies[k].level, dt: this.run.step_of(k) });
        this.shortest = Math.min(this.shortest, this.run.step_of(k));
      }
      this.blocks++;
    }
  },
  draw(p) {
    const [x, y, w, h] = [40, 40, p.width - 56, p.height - 84], row = h / this.n, colors = ["#8ab8ff", "#6fd3c1", "#a6d96a", "#f2d45c", "#f2a65a", "#ef6f6c", "#d77bd8", "#b4a0ff"];
    const place = this.order.reduce((all, k, at) => { all[k] = at; return all; }, []), at = t => x + w * Math.min(1, t / this.span);
    p.text(x, 24, "one line a star, one note a step: as long as the step", { color: ink.faint });
    for (let k = 0; k < this.n; k++) p.line([[x, y + (k + 0.5) * row], [x + w, y + (k + 0.5) * row]], ink.line, 1);
    for (const note of this.notes) {
      const left = at(note.from), right = at(note.from + note.dt);
      p.c.fillStyle = colors[note.level % 8];
      p.c.fillRect(left, y + place[note.k] * row + row * 0.15, Math.max(right - left - 1, 1), row * 0.7);
    }
    p.line([[at(this.run.t), y - 6], [at(this.run.t), y + h]], ink.text, 2);
    for (let k = 0; k <= 4; k++) p.text(at(this.span * k / 4), y + h + 18, `${k}/8`, { size: 13, align: "center", color: ink.faint });
    const levels = [...new Set(this.notes.map(n => n.level))].sort((a, b) => a - b);
    levels.forEach((level, k) => { p.c.fillStyle = colors[level % 8]; p.c.fillRect(x + k * 62, y + h + 28, 12, 12); p.text(x + k * 62 + 16, y + h + 39, `1/${8 * 2 ** level}`, { size: 12, color: ink.faint }); });
  },
  drag(x, y, from) { this.control.set(this, Math.max(-10, Math.min(-2, Math.round(2 * (from.value + (x - from.x) / 60)) / 2))); },
  grab(x) { return { value: this.exponent, x }; },
  key(dx, dy) { this.control.set(this, Math.max(-10, Math.min(-2, this.exponent + (dx + dy) / 2))); },
  say() {
    const shared = this.shortest < Infinity ? Math.round(this.n * this.run.t / this.shortest) : 0;
    return `t = ${digits(this.run.t)}: ${this.blocks} blocks with ${this.run.steps} steps of stars. If all took the shortest step, ${shared}.`;
  },
};

chapters.energy = {
  speed: 1, moves: true,
  control: { name: "Speed at the start", min: 0.6, max: 1.3, step: 0.05, get: c => c.speed, set: (c, value) => { c.speed = value; c.restart(); }, text: c => digits(c.speed) },
  begin(files) { this.files = files; this.restart(); },
  restart() {
    this.run = new Hermite(this.files, pair(0.5, this.speed), { fixed: 1 / 64 });
    this.path = [this.run.x(0), this.run.x(1)].map(x => [x]);
    this.first = this.run.energy(), this.error = [];
    this.tick();
  },
  tick() {
    if (this.run.t > 20) return false;
    for (let k = 0; k < 4; k++) this.run.step();
    this.path.forEach((path, k) => path.push(this.run.x(k)));
    this.error.push([this.run.t, Math.abs(this.run.energy() / this.first - 1)]);
  },
  worst() { return Math.max(...this.error.map(e => e[1])); },
  draw(p) {
    const [left, right] = halves(p, 0.5), map = map_of(left, 1.1), [x, y, w, h] = [right[0] + 56, right[1] + 46, right[2] - 76, right[3] - 90];
    this.path.forEach((path, k) => { p.line(path.map(map.to), k ? ink.b : ink.a, 1.5); p.glow(...map.to(path.at(-1)), 7); });
    const start = map.to(this.path[0][0]);
    p.arrow(...start, 0, (this.speed * 46), ink.text, 3);
    p.text(x, y - 16, "error of the energy", { size: 14, color: ink.faint });
    const at = (t, e) => [x + w * t / 20, y + h * (-Math.log10(Math.max(e, 1e-9))) / 9];
    for (let e = 0; e >= -9; e -= 3) { p.line([at(0, 10 ** e), at(20, 10 ** e)], ink.line, 1); p.text(x - 8, at(0, 10 ** e)[1] + 4, e ? `10${["", "\u207b\u00b3", "\u207b\u2076", "\u207b\u2079"][-e / 3]}` : "1", { size: 13, align: "right", color: ink.faint }); }
    p.line(this.error.map(e => at(...e)), this.worst() < 1e-4 ? ink.a : ink.bad, 2);
    p.text(x + w, y + h + 20, "time", { size: 13, align: "right", color: ink.faint });
  },
  drag(x, y, from) { this.control.set(this, Math.max(0.6, Math.min(1.3, Math.round(20 * (from.value + (y - from.y) / 200)) / 20))); },
  grab(x, y) { return { value: this.speed, y }; },
  key(dx, dy) { this.control.set(this, Math.max(0.6, Math.min(1.3, this.speed + (dx + dy) / 20))); },
  say() { return `t = ${digits(this.run.t)}: the energy by this law's own potential is off by at most ${digits(this.worst(), 2)}: ${this.worst() < 1e-4 ? "force and potential agree" : "force and potential do not agree, or the jerk is wrong"}.`; },
};

// ---- the page ----

let gpu = null, shown = new Set(), next = 0;
const whole = [];

class Chapter {
  constructor(section) {
    this.section = section, this.canvas = $("canvas", section), this.out = $("output", section), this.said = $(".said", section);
    this.what = chapters[section.dataset.chapter];
    this.moves = !!this.what.moves && !still.matches;
    this.files = Object.create(FILES);
    this.is_ready = false;
    this.hear();
    if (this.what.control) this.slider();
    if (this.what.tick) this.player();
    if ($(".editor", section)) this.editor();
  }
  // Compiles and computes; a compiler's refusal is shown, and what ran before goes on.
  begin() {
    if (!gpu?.gl || gpu.gl.isContextLost()) return;
    const lacks = !gpu.has_floats && ["hero", "lamps", "passes"].includes(this.section.dataset.chapter)
      ? "This browser has no float targets: the kernel of 2007 cannot draw here, but the chapters on pairs and bags run."
      : gpu.buffers < 8 && ["predict", "score", "energy"].includes(this.section.dataset.chapter)
        ? `This device writes to ${gpu.buffers} textures at once, and the corrector needs 8: read on, this picture stays empty.` : "";
    if (lacks) { this.tell(lacks, true); return; }
    try {
      this.what.begin(this.files);
      this.is_ready = true;
      this.tell(this.is_edited ? "Compiled: it runs." : "");
    } catch (error) {
      if (gpu.gl.isContextLost()) return;
      this.tell(error instanceof Refused ? error.message : String(error), true);
      if (!(error instanceof Refused)) console.error(error);
    }
    this.show();
  }
  tell(text, is_bad = false) { if (this.said) { this.said.textContent = text; this.said.classList.toggle("bad", is_bad); } }
  show() {
    const box = this.canvas.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(box.width * scale), Math.round(box.height * scale)];
    if (!width) return;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const c = this.canvas.getContext("2d"), pen = new Pen(c, box.width, box.height);
    c.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clear();
    if (!this.is_ready) {
      pen.text(box.width / 2, box.height / 2, gpu?.gl ? "" : "No picture without WebGL 2.", { align: "center", color: ink.faint });
      return;
    }
    this.what.draw(pen);
    const text = this.what.say();
    if (this.out.textContent !== text) this.out.textContent = text;
    if (this.range) { this.range.value = this.what.control.get(this.what); this.range_text.textContent = this.what.control.text(this.what); this.range.setAttribute("aria-valuetext", this.range_text.textContent); }
  }
  frame() {
    if (!this.moves || !this.is_ready) return;
    try {
      if (this.what.tick() === false) this.set_moves(false);
    } catch (error) {
      this.set_moves(false);
      if (!gpu.gl.isContextLost()) this.tell(error.message, true);
    }
    this.show();
  }
  // For paper: what moves until it is done, or for a second.
  finish() {
    if (!this.is_ready) this.begin();
    const end = performance.now() + 1000;
    try {
      while (this.is_ready && this.what.moves && this.what !== chapters.hero && performance.now() < end && this.what.tick() !== false);
    } catch (error) {
      this.tell(error.message, true);
    }
  }
  attempt(act) {
    if (!this.is_ready || gpu.gl.isContextLost()) return;
    try { act(); } catch (error) { this.tell(error.message, true); }
    if (this.what.moves && !still.matches && this.section.dataset.chapter !== "hero") this.set_moves(true);
    this.show();
    wake();
  }
  set_moves(moves) {
    this.moves = moves;
    if (this.play) { this.play.textContent = moves ? "Pause" : "Play"; }
    wake();
  }
  hear() {
    const { canvas } = this, at = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    let held = null;
    canvas.addEventListener("pointerdown", event => {
      if (!this.is_ready) return;
      const [x, y] = at(event);
      held = this.what.grab ? this.what.grab(x, y) : true;
      if (!held) return;
      canvas.setPointerCapture(event.pointerId);
      if (held === true) this.attempt(() => this.what.drag(x, y));
    });
    canvas.addEventListener("pointermove", event => { if (held) this.attempt(() => this.what.drag(...at(event), held)); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
    canvas.addEventListener("keydown", event => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.attempt(() => this.what.key(...by));
    });
  }
  slider() {
    const { control } = this.what;
    this.range_text = element("span", { className: "value" });
    this.range = element("input", { type: "range", min: control.min, max: control.max, step: control.step, value: control.get(this.what) });
    this.range.addEventListener("input", () => this.attempt(() => control.set(this.what, Number(this.range.value))));
    $(".controls", this.section).append(element("label", {}, `${control.name} `, this.range_text, this.range));
  }
  player() {
    this.play = element("button", { type: "button", className: "play" });
    this.play.addEventListener("click", () => {
      if (!this.moves && this.what.restart && this.what.tick && this.what.run?.t > 0 && this.is_over()) this.attempt(() => this.what.restart());
      else this.set_moves(!this.moves);
    });
    $(".controls", this.section).append(this.play);
    this.set_moves(this.moves);
  }
  is_over() { return this.what.run.t >= (this.what.span ?? 13); }
  editor() {
    const { file, line, better } = this.section.dataset, code = $("textarea", this.section);
    const original = code.value, at = original.split("\n").findIndex(text => text.includes(line));
    const edge = k => `calc(0.7rem + ${1.5 * k}em)`; // as guide.css has its padding and lines
    code.style.backgroundImage = `linear-gradient(transparent ${edge(at)}, var(--mark) ${edge(at)} ${edge(at + 1)}, transparent ${edge(at + 1)})`;
    const put = () => {
      this.is_edited = code.value !== original;
      this.files[file] = FILES[file].replace(original, () => code.value);
      this.begin();
      if (!this.is_edited) this.tell("");
    };
    let timer = 0;
    code.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(put, 400); });
    code.addEventListener("keydown", event => { if (event.key === "Escape") $(".try", this.section).focus(); });
    $(".try", this.section).addEventListener("click", () => { code.value = original.replace(line, () => better); put(); });
    $(".undo", this.section).addEventListener("click", () => { code.value = original; put(); });
  }
}

function wake() { if (!next) next = requestAnimationFrame(frame); }
function frame() {
  next = 0;
  let moving = false;
  for (const chapter of shown) { chapter.frame(); moving = moving || chapter.moves && chapter.is_ready; }
  if (moving && !document.hidden) wake();
}

function questions() {
  for (const form of document.querySelectorAll("form.question")) {
    const answer = $(".answer", form);
    form.addEventListener("submit", event => {
      event.preventDefault();
      const typed = $("input[type=text]", form), chosen = $("input:checked", form);
      const number = typed && Number(typed.value.trim().replace(",", ".").replace(/^2\s*(\^|\*\*)\s*24$/, "16777216").replace(/^(\d{1,3})([ ']\d{3})+$/, x => x.replace(/[ ']/g, "")));
      const is_empty = typed ? !typed.value.trim() : !chosen;
      const is_right = typed ? Math.abs(number - form.dataset.value) <= (form.dataset.within || 0) : chosen?.value === form.dataset.value;
      answer.textContent = is_empty ? "An answer first." : is_right ? `Right. ${form.dataset.why}` : `Not yet. ${form.dataset.hint}`;
      answer.className = `answer ${is_empty ? "" : is_right ? "right" : "wrong"}`;
    });
  }
}

function start() {
  inks();
  const notice = $("#notice");
  const lost = () => { notice.textContent = "The graphics processor was taken away: the pictures stand still until it is back; text and questions go on."; };
  const back = () => { notice.textContent = "The graphics processor is back: the pictures have begun anew."; for (const c of whole) { c.is_ready = false; if (shown.has(c)) c.begin(); } wake(); };
  gpu = new Gpu(lost, back);
  if (!gpu.gl) notice.textContent = "This browser has no WebGL 2, so the pictures stay empty: the text, the code and the questions are all here.";
  else if (!gpu.has_floats) notice.textContent = "This browser has no float targets: the chapters that draw the kernel of 2007 stay empty, the others run.";
  for (const section of document.querySelectorAll("[data-chapter]")) whole.push(new Chapter(section));
  questions();
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const chapter = whole.find(c => c.section === entry.target.closest("[data-chapter]"));
      if (!entry.isIntersecting) { shown.delete(chapter); continue; }
      shown.add(chapter);
      if (!chapter.is_ready) chapter.begin();
      chapter.show();
    }
    wake();
  });
  for (const chapter of whole) watch.observe(chapter.canvas);
  const again = is_print => { inks(is_print); for (const c of whole) if (is_print ? c.is_ready : shown.has(c)) c.show(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => again(false));
  addEventListener("resize", () => again(false));
  addEventListener("beforeprint", () => { for (const c of whole) c.finish(); again(true); });
  addEventListener("afterprint", () => again(false));
  document.addEventListener("visibilitychange", wake);
  still.addEventListener("change", () => { for (const c of whole) if (c.what.moves) c.set_moves(!still.matches); });
  if (location.protocol === "file:") for (const a of document.querySelectorAll("a[href^='index.html']")) a.href = a.getAttribute("href").replace("index.html", "holmberg.html");
}
start();
