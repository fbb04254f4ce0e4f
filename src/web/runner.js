// What the page has around a simulation: the thread it runs in, its numbers, lines that grow with it, and the words of links.
"use strict";

// The program, compiled once, and the scripts of a worker.
const workers = {
  async prepare() {
    const inside = typeof HOLMBERG_WASM === "string";
    const bytes = inside ? Uint8Array.from(atob(HOLMBERG_WASM), c => c.charCodeAt(0)) : await (await fetch("holmberg.wasm")).arrayBuffer();
    this.wasm = await WebAssembly.compile(bytes);
    if (!this.areAble()) return;
    const scripts = [...document.querySelectorAll("script[data-worker]")];
    const texts = await Promise.all(scripts.map(async s => s.src ? (await fetch(s.src)).text() : s.textContent));
    this.url = URL.createObjectURL(new Blob(texts.map(text => text + "\n;"), { type: "text/javascript" }));
  },
  // Those that can draw.
  areAble() {
    try {
      const canvas = new OffscreenCanvas(1, 1), gl = canvas.getContext("webgl2");
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
      return Boolean(gl && HTMLCanvasElement.prototype.transferControlToOffscreen);
    } catch {
      return false;
    }
  },
};

// A simulation in a worker, or in the page, which asks it by messages. `element` is where its textures are drawn, or null.
class Runner {
  constructor(pane, element) {
    Object.assign(this, { pane, numbers: new Array(14).fill(0), waiting: new Map(), last: 0, under: null, unseen: null, isBusy: false, beat: 0, onEvent: () => {} });
    let canvas = element ?? document.createElement("canvas");
    try {
      if (workers.url) this.worker = new Worker(workers.url);
    } catch {
      workers.url = null; // this browser allows none
    }
    if (workers.url) {
      canvas = element ? element.transferControlToOffscreen() : new OffscreenCanvas(1, 1);
      this.worker.onmessage = event => this.take(event.data);
      this.worker.onerror = event => this.onEvent({ failed: event.message || "the browser ended the calculation" });
      this.post = (message, lent) => this.worker.postMessage(message, lent);
    } else {
      const answer = computer(message => this.take(message));
      this.post = message => answer(message);
    }
    this.ready = this.ask({ do: "open", wasm: workers.wasm, canvas }, [canvas]);
  }

  // A promise of { value, error }.
  ask(message, lent) {
    const id = ++this.last;
    this.isBusy = true;
    this.beat = performance.now();
    return new Promise(done => {
      this.waiting.set(id, done);
      this.post({ ...message, id }, workers.url && lent || []);
    });
  }

  async call(name, ...given) { return (await this.ask({ do: "call", name, given, status: false })).value; }

  async long(name, given = [], more = {}) {
    const under = this.under = { name, since: performance.now() };
    const answer = await this.ask({ do: "long", name, given, ...more });
    if (this.under === under) this.under = null;
    return answer;
  }

  tell(message, lent) {
    if (message.do === "pace" && message.paused === false) [this.isBusy, this.beat] = [true, performance.now()];
    this.post(message, workers.url && lent || []);
  }

  take(message) {
    if (message.numbers) [this.numbers, this.beat] = [message.numbers, performance.now()];
    if (message.idle) this.isBusy = false;
    if (!message.id) {
      this.hasSpoken ||= !message.idle; // an answer to that would be answered
      return this.onEvent(message);
    }
    this.waiting.get(message.id)?.(message);
    this.waiting.delete(message.id);
  }

  // Once a picture: what it has said is known, and the state that was drawn goes back.
  listen(isDrawn) {
    const state = isDrawn && this.unseen;
    if (state) this.tell({ do: "heard", state }, [state.buffer]);
    else if (this.hasSpoken) this.tell({ do: "heard" });
    if (state) this.unseen = null;
    this.hasSpoken = false;
  }

  end() {
    this.onEvent = () => {};
    if (this.worker) this.worker.terminate();
    else this.post({ do: "end" });
  }
}

// Numbers that grow with time, over a logarithmic axis. There are never more than a bounded number.
class Line {
  constructor(canvas, series, low, high) {
    Object.assign(this, { canvas, series, low, high, most: 400 });
    this.clear();
  }

  clear() { this.points = []; }

  add(t, ...values) {
    while (this.points.length && this.points.at(-1)[0] >= t) this.points.pop();
    this.points.push([t, ...values]);
    if (this.points.length > this.most) this.points = this.points.filter((p, k) => k % 2 === 0 || k === this.points.length - 1);
    this.isOld = true;
  }

  // A few times a second: on a slow machine it costs as much as the stars.
  show(now) {
    if (!this.isOld || now < (this.drawnAt ?? 0) + 250) return;
    this.drawnAt = now;
    this.draw();
  }

  draw() {
    this.isOld = false;
    const { canvas, points, low, high } = this, scale = Math.min(devicePixelRatio, 2), style = getComputedStyle(canvas);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
    const at = canvas.getContext("2d"), left = 46 * scale, foot = 16 * scale, first = points[0]?.[0] ?? 0, last = points.at(-1)?.[0] ?? 1;
    const x = t => left + (width - left - 4 * scale) * (t - first) / (last - first || 1);
    const y = v => 6 * scale + (height - foot - 6 * scale) * (1 - (Math.log10(Math.max(10 ** low, Math.min(10 ** high, v))) - low) / (high - low));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height]; // new memory
    at.clearRect(0, 0, width, height);
    at.font = `${11 * scale}px system-ui, sans-serif`;
    at.fillStyle = style.color;
    at.strokeStyle = style.getPropertyValue("--line") || "#888";
    at.lineWidth = scale;
    for (let power = high; power >= low; power -= Math.max(2, Math.ceil((high - low) / 4))) {
      at.beginPath();
      at.moveTo(left, y(10 ** power));
      at.lineTo(width, y(10 ** power));
      at.stroke();
      at.fillText(power ? `1e${power}` : "1", 2 * scale, y(10 ** power) + 4 * scale);
    }
    at.fillText(`t = ${first.toPrecision(3)}`, left, height - 3 * scale);
    const end = last.toPrecision(4);
    at.fillText(end, width - at.measureText(end).width - 4 * scale, height - 3 * scale);
    this.series.forEach((color, k) => {
      at.strokeStyle = style.getPropertyValue(color) || color;
      at.lineWidth = 1.6 * scale;
      at.beginPath();
      points.filter(p => p[k + 1] > 0).forEach((p, i) => at[i ? "lineTo" : "moveTo"](x(p[0]), y(p[k + 1])));
      at.stroke();
    });
  }
}

// ---- words of links ----

// Texts as JSON, deflated, in the letters that an address may have. A link that was made to be long ends at a bound.
const packed = {
  async flow(bytes, stream, most) {
    const pieces = [], reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    let size = 0;
    for (let piece; !(piece = await reader.read()).done; pieces.push(piece.value))
      if ((size += piece.value.length) > most) throw new Error("too long");
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  },
  async write(value) {
    const bytes = await this.flow(JSON.stringify(value), new CompressionStream("deflate-raw"), 1e9);
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  },
  async read(word) {
    const bytes = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await this.flow(bytes, new DecompressionStream("deflate-raw"), 500000)));
  },
};

// The camera's axes, as a turn about (x y z) by twice the arc sine of its length, its distance and its center; and back.
const views = {
  write(camera) {
    const [center, a, distance] = [camera.slice(0, 3), camera.slice(3, 12), camera[12]];
    const w = Math.sqrt(Math.max(0, 1 + a[0] + a[4] + a[8])) / 2, signed = (size, by) => Math.sqrt(Math.max(0, size)) / 2 * (by < 0 ? -1 : 1);
    const turn = w > 1e-3 ? [a[5] - a[7], a[6] - a[2], a[1] - a[3]].map(d => d / (4 * w))
      : a[0] > a[4] && a[0] > a[8] ? [signed(1 + a[0] - a[4] - a[8], 1), signed(1 - a[0] + a[4] - a[8], a[1] + a[3]), signed(1 - a[0] - a[4] + a[8], a[2] + a[6])]
        : a[4] > a[8] ? [signed(1 + a[0] - a[4] - a[8], a[1] + a[3]), signed(1 - a[0] + a[4] - a[8], 1), signed(1 - a[0] - a[4] + a[8], a[5] + a[7])]
          : [signed(1 + a[0] - a[4] - a[8], a[2] + a[6]), signed(1 - a[0] + a[4] - a[8], a[5] + a[7]), signed(1 - a[0] - a[4] + a[8], 1)];
    return [...turn, distance, ...center].map(x => +x.toPrecision(7)).join(",");
  },
  read(text) {
    const v = text.split(",").map(x => x.trim() === "" ? NaN : +x), [x, y, z, distance, ...center] = v, square = x * x + y * y + z * z;
    if (v.length !== 7 || !v.every(k => Math.abs(k) <= 1e9) || square > 1.001 || !(distance > 1e-6)) return null;
    const w = Math.sqrt(Math.max(0, 1 - square));
    return [...center,
      1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), distance];
  },
};

// ---- what the browser keeps: whole runs ----

const storage = {
  open() {
    return new Promise((done, fail) => {
      const asked = indexedDB.open("holmberg", 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore("runs", { keyPath: "name" });
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => fail(asked.error);
      asked.onblocked = () => fail(new Error("another page holds it"));
    });
  },
  async use(mode, action) {
    const base = await this.open();
    try {
      return await new Promise((done, fail) => {
        const work = base.transaction("runs", mode), asked = action(work.objectStore("runs"));
        work.oncomplete = () => done(asked.result);
        work.onerror = work.onabort = () => fail(work.error);
      });
    } finally {
      base.close();
    }
  },
  names() { return this.use("readonly", runs => runs.getAllKeys()); },
  get(name) { return this.use("readonly", runs => runs.get(name)); },
  put(run) { return this.use("readwrite", runs => runs.put(run)); },
  remove(name) { return this.use("readwrite", runs => runs.delete(name)); },
};
