// A simulation at work: in a worker, or where the browser has none that can draw, in the page. It takes messages and posts what
// they come to; src/web/page.c does the rest.
"use strict";

const TEXTS = ["error", "choices", "device", "reload", "title", "running", "texel", "warning", "row", "doing"]; // what these return

// Emscripten's own ccall takes every call for the one that sleeps.
function bound(module, prefix) { // eslint-disable-line no-unused-vars
  const engine = {};
  for (const [symbol, call] of Object.entries(module).filter(([k]) => k.startsWith(prefix))) {
    const name = symbol.slice(prefix.length), isText = TEXTS.includes(name) || name.endsWith("_name");
    engine[name] = (...given) => {
      const texts = given.filter(x => typeof x === "string").map(module.allocateUTF8);
      let k = 0;
      const result = call(...given.map(x => typeof x === "string" ? texts[k++] : x));
      texts.forEach(module._free);
      return isText ? module.UTF8ToString(result) : result;
    };
  }
  return engine;
}

function computer(post) {
  const STOPPED = 75; // as HB_ERR_STOPPED
  const TURN_SECONDS = 0.012; // of a picture's 1/60 s
  const ENDED = { step: /advance/, change: /advance|measure|go_on|from|resize/, anew: /advance|measure|go_on|from|resize|start_over/, all: /./ };
  let module, engine, running = null, paused = true, isLost = false, free = false, until = null, waits = false, held = false, hasEnded = false, speed = 0.1, due = 0, before = 0;
  let unseen = 0, unheard = false, wasBehind = false, hasNews = false, wasIdle = false, size = null, told = "", begun = false;
  let spare = null; // of a state that was seen: a new one for each picture would wait for the browser's garbage collection

  const numbers = () => Array.from(module.HEAPF64.subarray(engine.numbers() / 8, engine.numbers() / 8 + 14));

  // ---- long calls: one at a time, and they sleep while others have their turn ----

  // What it does once nothing runs, in the same turn: of several that wait for one call, one goes on, and the others see what it
  // begins. Some calls are ended before: a step comes to the same when it is done again, a change is overtaken by another one, and a
  // new model by a newer one.
  async function alone(ended, work) {
    while (running) {
      if (ENDED[ended].test(running.name)) engine.stop();
      await running;
    }
    return work();
  }

  async function begin(name, ...given) {
    engine.may_sleep();
    running = module.ccall("page_" + name, "number", given.map(x => typeof x), given, { async: true });
    running.name = name;
    const status = await running;
    running = null;
    return status;
  }

  const atLength = (name, ...given) => alone("step", () => begin(name, ...given));
  const apply = set => set?.forEach(([name, value]) => engine.set(name, value));

  // What they do meanwhile, for src/web/web_turn.c. A device says that it is done only to those who come back.
  async function sleep(gl) {
    const fence = gl && gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl?.flush();
    do await turn(fence ? 1 : 0); // a device that is a processor needs it
    while (fence && !gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED);
    if (fence) gl.deleteSync(fence);
  }

  // By one timer that ticks, at once where it is late: of each that is set, and of each message to oneself, a browser keeps half a
  // kilobyte until it looks for garbage, which in a worker may take half an hour.
  let waiting = [], beat = 0, timer;
  const tick = () => {
    const now = performance.now(), all = waiting;
    waiting = [];
    for (const each of all) now >= each.due ? each.wake() : waiting.push(each);
  };
  const turn = milliseconds => new Promise(wake => waiting.push({ wake, due: performance.now() + milliseconds }));

  function ticks(milliseconds) {
    if (beat === milliseconds) return;
    beat = milliseconds;
    clearInterval(timer);
    timer = setInterval(tick, beat);
  }

  // The stars that come are seen before their forces are known.
  async function picture() {
    show(true);
    await turn(0);
  }

  // ---- what others see ----

  // One that has not been seen yet is not overtaken.
  function show(begins) {
    if (engine.state()) return;
    const n = numbers()[2], at = engine.room(n) / 8, state = spare?.length === 7 * n ? spare : new Float64Array(7 * n), t = engine.state_time();
    state.set(module.HEAPF64.subarray(at, at + 7 * n));
    spare = null;
    unseen++;
    hasNews = false;
    post({ state, n, t, begins, numbers: numbers() }, [state.buffer]);
  }

  function inspect() {
    if (!size) return;
    const canvas = module.canvas;
    if (canvas.width !== size.width || canvas.height !== size.height) [canvas.width, canvas.height] = [size.width, size.height];
    if (engine.draw(size.width, size.height, size.scale)) post({ failed: engine.error() });
    const title = engine.title(), line = engine.running();
    if (told !== title + line) post({ title, running: line });
    told = title + line;
  }

  // Now and then, for one twentieth of the time.
  function rarely(work) {
    let at = 0;
    return async () => {
      const start = performance.now();
      if (start < at) return;
      await work();
      at = performance.now() + Math.max(500, 20 * (performance.now() - start));
    };
  }

  // What the calls of WebGL and messages leave behind is found when JavaScript's own memory grows, and a run's does not: an array that
  // nobody fills makes a browser look.
  const COLLECT_MS = 30000;
  let collected = 0;
  function collect(now) {
    if (now < collected + COLLECT_MS) return;
    collected = now;
    try {
      new ArrayBuffer(1 << 26);
    } catch {} // there is no room for it: then it looks anyway
  }

  const measure = rarely(() => atLength("measure", 0)); // energies are exact, a sum over all pairs
  const keep = rarely(() => engine.keep());

  // ---- steps ----

  async function advance() {
    const now = performance.now();
    due = until ?? (free ? Infinity : due + Math.min(0.1, (now - before) / 1000) * speed);
    before = now;
    const steps = numbers()[3], status = await atLength("advance", due, TURN_SECONDS);
    if (status && status !== STOPPED) {
      paused = true;
      return isLost || post({ failed: engine.error(), pauses: true });
    }
    if (status) return;
    hasNews ||= numbers()[3] !== steps;
    await keep();
    await measure();
    collect(now);
    const x = numbers(), reached = until !== null && x[1] > until, behind = until === null && !free && due - x[0] > speed && x[1] <= due;
    if (behind || reached) due = x[0];
    if (reached) until = null, held = waits, paused ||= held; // until the page, which knows it later, says so
    tell(x, behind, reached, engine.warning());
  }

  // What the page has not listened to yet is not followed by more of it: on a slow machine they would pile up.
  function tell(x, behind, reached, warning) {
    wasBehind ||= behind;
    if (unheard && !reached && !warning) return;
    post({ numbers: x, behind: wasBehind, reached, warning });
    unheard = true;
    wasBehind = false;
  }

  async function loop() {
    while (!hasEnded) {
      const isIdle = !begun || paused || isLost || running;
      if (!isIdle) await advance();
      if (begun && hasNews && !unseen && !isLost && !running) show(false);
      if (begun && size && !isLost && !running) inspect();
      const rests = isIdle && !running && (!hasNews || isLost);
      if (rests && !wasIdle) post({ idle: true, numbers: begun ? numbers() : null });
      wasIdle = rests;
      ticks(!rests ? 4 : size ? 15 : 100); // less than 4 ms browsers do not grant
      await turn(isIdle ? 15 : free || numbers()[1] <= due ? 0 : 8);
    }
    clearInterval(timer);
  }

  // ---- messages ----

  async function begins(status) {
    if (status) return status;
    begun = true;
    due = numbers()[0];
    before = performance.now();
    return status;
  }

  const answers = {
    async open({ wasm, canvas, scripts }) {
      module = await Holmberg({
        canvas, sleep, picture, printErr: text => console.warn(text),
        instantiateWasm: (imports, done) => { WebAssembly.instantiate(wasm, imports).then(made => done(made, wasm)); return {}; },
      });
      engine = { ...bound(module, "_show_"), ...bound(module, "_page_") };
      canvas.addEventListener("webglcontextlost", onLost);
      canvas.addEventListener("webglcontextrestored", onRestored);
      const status = engine.open();
      loop();
      return status;
    },
    call: ({ name, given }) => engine[name](...given),
    async long({ name, given, ends, fresh, set, n, until: to = null, waits: stops = false }) {
      if (name === "begin") until = null, paused &&= !held, held = false; // those were of the run before
      const status = await alone(ends || "step", () => {
        apply(set);
        return begin(name === "go_on" && n && n !== numbers()[2] ? "resize" : name, ...given);
      });
      if (/check|card|measure/.test(name)) return status;
      if (name === "advance") hasNews = true;
      else if (!status) {
        if (name === "begin") until = to, waits = stops;
        await begins(0);
        show(Boolean(fresh));
      }
      return status;
    },
    async from({ state, n, t, to = t, fresh = false, set }) {
      const status = await alone("all", () => {
        apply(set);
        const at = engine.room(n) / 8; // before the heap is looked at, which may grow
        module.HEAPF64.set(state, at);
        return begin("from", n, t, to);
      });
      if (!status) {
        await begins(0);
        show(fresh);
      }
      return status;
    },
    async load({ path, bytes }) {
      module.FS.writeFile(path, bytes);
      const status = await begins(await atLength("load", path));
      module.FS.unlink(path);
      if (!status) show(true);
      return status;
    },
    save: () => alone("step", () => engine.save("/snapshot.txt") || module.FS.readFile("/snapshot.txt")),
    write({ file, text }) {
      module.FS.writeFile("/shaders/" + file, text);
      return [engine.reload(), engine.is_dated()];
    },
    pace(given) {
      if (given.paused !== undefined && paused !== given.paused && begun) due = numbers()[0];
      if (given.paused !== undefined) held &&= !given.paused, paused = given.paused || held;
      if (given.speed) speed = given.speed;
      if (given.free !== undefined) {
        free = given.free;
        if (!free && begun) due = numbers()[0];
      }
    },
    heard({ state }) {
      unheard = false;
      if (state) unseen = 0, spare = state;
    },
    size(given) { size = given.width ? given : null; told = ""; },
    end() { hasEnded = paused = true; },
  };

  async function onLost(event) {
    event.preventDefault(); // so that it may come back
    isLost = true;
    post({ lost: true });
    await alone("all", engine.keep); // a step that sleeps may have moved some of the stars
  }

  async function onRestored() {
    const status = await atLength("restored");
    isLost = false;
    if (status) return post({ failed: engine.error() });
    await begins(0);
    post({ back: numbers()[0] });
    show(false);
  }

  return async message => {
    let value, error = "";
    wasIdle = false; // to be said again
    if (module) ticks(4);
    try {
      value = await answers[message.do](message);
      if (typeof value === "number" && value && value !== STOPPED && message.status !== false) error = engine.error();
    } catch (failure) {
      value = 1;
      error = String(failure);
    }
    if (message.id) post({ id: message.id, value, error, numbers: begun ? numbers() : null });
  };
}

if (typeof document === "undefined") {
  const answer = computer((message, lent) => postMessage(message, lent || []));
  onmessage = event => answer(event.data);
}
