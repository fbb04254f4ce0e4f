// The page around the engine: controls, keys, pointers, files. All that computes or draws is src/web/page.c, whose functions
// have the same names here: page_set is engine.set.
"use strict";

const $ = id => document.getElementById(id);
const canvas = $("canvas");
const DEFAULTS = { model: "plummer", n: "", scheme: "bag", precision: "", transfer: "", eps: "", nu: "", neighbors: "", speed: "" };
const STOPPED = 75; // as HB_ERR_STOPPED
const ADVANCE_SECONDS = 0.012; // of a picture's 1/60 s

let module, engine = {}, choices, started = performance.now();
const state = { ...DEFAULTS };
let wish = {}; // what the address or somebody has set, and a link holds; some schemes cannot have all of it
let paused = false, lost = false, due = 0, resolution = 1;

// ---- the engine ----

const TEXTS = ["error", "choices", "device", "reload", "title", "running", "texel", "warning", "row", "doing"]; // what these return

// Emscripten's own ccall takes every call for the one that sleeps.
function bind() {
  for (const [symbol, call] of Object.entries(module).filter(([k]) => k.startsWith("_page_"))) {
    const name = symbol.slice(6), isText = TEXTS.includes(name);
    engine[name] = (...given) => {
      const texts = given.filter(x => typeof x === "string").map(module.allocateUTF8);
      let k = 0;
      const result = call(...given.map(x => typeof x === "string" ? texts[k++] : x));
      texts.forEach(module._free);
      return isText ? module.UTF8ToString(result) : result;
    };
  }
}

const numbers = () => module.HEAPF64.subarray(engine.numbers() / 8, engine.numbers() / 8 + 11);

// A call that may take long, one at a time: it sleeps while the page has its turn. True when it has not failed.
let running = null;

async function atLength(name, ...given) {
  if (running) await idle();
  const types = given.map(x => typeof x);
  engine.may_sleep();
  running = module.ccall("page_" + name, "number", types, given, { async: true });
  running.since = performance.now();
  running.name = name;
  const status = await running;
  running = null;
  return done(status, name !== "load"); // a file that cannot be read leaves what there was
}

// What it does meanwhile, for src/web/web_turn.c. A device says that it is done only to those who come back.
async function sleep(gl) {
  const fence = gl && gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl?.flush();
  do await new Promise(wake => setTimeout(wake, 0));
  while (fence && !gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED);
  if (fence) gl.deleteSync(fence);
}

// The next one, or a while: a hidden page has none.
const pictureDrawn = () => new Promise(wake => {
  touched = true;
  onPicture = () => setTimeout(wake, 0); // when it is on the screen
  setTimeout(wake, 1000);
});

// Until nothing runs. Some calls are ended before: a step comes to the same when it is done again, a change is overtaken by
// another one, and a new model by a newer one.
const STEP = /advance/, BEGIN = /begin|load|go_on|resize|start_over/, CHANGE = /advance|measure|go_on|resize|start_over/, ANY = /./;

async function idle(ended = STEP) {
  while (running) {
    if (ended.test(running.name)) engine.stop();
    await running;
  }
}

// For a while, or until something else is said.
function say(text, stays) {
  $("message").textContent = text;
  clearTimeout(say.timer);
  if (text && !stays) say.timer = setTimeout(() => say(""), 8000);
}

// A call that may fail: true when it has not. A lost context has a message of its own.
function done(status, pauses = true) {
  if (status && status !== STOPPED && !canvas.getContext("webgl2")?.isContextLost()) {
    say(engine.error(), true);
    if (pauses) setPaused(true);
  }
  return !status;
}

// ---- settings, and the link that holds them ----

const schemeOf = name => choices.schemes.find(s => s.name === name);
const modelOf = name => choices.models.find(m => m.name === name);
const fieldOf = name => name === "nu" ? "eta" : name; // of hb_sim_params
const settingOf = name => choices.settings[fieldOf(name)];
const speed = () => +state.speed || modelOf(state.model)?.speed || 0.1; // time units a second

function fill(select, items, value) {
  const listed = [...select.options].map(o => o.value);
  if (String(listed) !== String(items)) select.replaceChildren(...items.map(i => new Option(i, i))); // else somebody may be typing in it
  select.value = items.includes(value) ? value : items[0];
  return select.value;
}

// On the device there are no doubles.
const precisionsOf = scheme => scheme.precisions.split(" ").filter(p => !scheme.textures || p !== "double");

// Single steps collapse where stars begin at rest or eps is 0.
const usual = precisions => precisions.includes("ds") ? "ds" : precisions[0];

// What was expected in place of a value, or "".
function expected(name, value) {
  const among = names => names.includes(value) ? "" : "one of " + names.join(", ");
  const within = (least, most) => value.trim() && +value >= +least && +value <= +most ? "" : +least === +most ? least : `a number from ${least} to ${most}`;
  const model = modelOf(state.model), field = $(name), own = settingOf(name);
  switch (name) {
    case "model": return among(choices.models.map(m => m.name)) && (value === "file" ? "a model (open the file again)" : "one of the list Model");
    case "scheme": return among(choices.schemes.map(s => s.name));
    case "precision": return among(precisionsOf(schemeOf(state.scheme)));
    case "transfer": return among(["", "block"]) ? "block or nothing" : value && state.scheme !== "bag" ? "it with scheme bag alone" : "";
    case "n": return within(model.least, model.most) || (+value % 1 ? "a whole number" : "");
    case "eps": return value === "" ? "" : within(0, own.high); // "": the model's
    case "neighbors": return value === "" || value === "0" ? "" : within(own.low, own.high) && "0, nothing, or " + within(own.low, own.high) || (+value % 1 ? "a whole number" : "");
    case "speed": return within(10 ** field.min, 10 ** field.max);
    default: return within(own.low, own.high);
  }
}

// The controls and the address show what is. Returns a sentence about what others have made impossible.
function settle() {
  const model = modelOf(state.model), scheme = schemeOf(state.scheme), isFile = !model;
  if (model) state.n = +state.n || model.n;
  fill($("model"), [...choices.models.map(m => m.name), ...(isFile ? ["file"] : [])], state.model);
  fill($("scheme"), choices.schemes.map(s => s.name), state.scheme);
  const precisions = precisionsOf(scheme);
  state.precision = fill($("precision"), precisions, precisions.includes(wish.precision) ? wish.precision : usual(precisions));
  state.transfer = state.scheme === "bag" && wish.transfer || "";
  state.neighbors = state.transfer || +wish.neighbors >= (model ? +state.n : Infinity) ? "" : wish.neighbors ?? "";
  const gone = ["precision", "transfer"].filter(k => wish[k] && wish[k] !== state[k]);
  for (const name of ["n", "eps", "nu", "transfer", "neighbors"]) $(name).value = state[name];
  $("n").disabled = isFile || model.least === model.most;
  $("transfer").disabled = state.scheme !== "bag";
  $("neighbors").disabled = state.transfer !== "";
  $("summary").textContent = model ? model.summary : "the particles of a file";
  $("inspect").disabled = !scheme.textures;
  $("speed").value = Math.log10(speed());
  $("speed_text").textContent = speed().toPrecision(2) + " time units a second";
  for (const name of ["model", "scheme", "precision", "transfer", "n", "eps", "nu", "neighbors"]) engine.set(fieldOf(name), String(state[name]));
  const isTold = ([k, v]) => v !== "" && k in wish && !gone.includes(k) && !(isFile && (k === "model" || k === "n"));
  const link = Object.entries(state).filter(isTold).map(([k, v]) => k + "=" + v).join("&");
  history.replaceState(null, "", link ? "#" + link : location.pathname + location.search);
  return gone.length ? `scheme ${state.scheme} has no ${gone.map(k => `${k} ${wish[k]}`).join(", no ")}: going on with ${state.precision}` : "";
}

// What the address says becomes the state; returns a sentence for each thing that it cannot mean.
function readLink() {
  const said = {}, complaints = [];
  const complain = (word, wanted, rest) => complaints.push(`The address says ${word.slice(0, 60)}; expected ${wanted}${rest ?? ""}.`);
  for (const word of location.hash.slice(1).split("&").filter(Boolean)) {
    try {
      const [name, ...value] = decodeURIComponent(word).split("=");
      if (name !== "textures" && !Object.hasOwn(DEFAULTS, name)) complain(word, "one of " + Object.keys(DEFAULTS).join(", ") + ", textures");
      else if (Object.hasOwn(said, name)) complain(word, `${name} once`, ": going on with the first");
      else said[name] = value.join("=").trim();
    } catch {
      complain(word, "two digits after each %");
    }
  }
  Object.assign(state, DEFAULTS);
  wish = {};
  for (const name of Object.keys(DEFAULTS).filter(k => k in said)) {
    const wanted = expected(name, said[name]);
    if (!wanted) wish[name] = state[name] = said[name];
    else {
      const instead = DEFAULTS[name] || { precision: usual(precisionsOf(schemeOf(state.scheme))), transfer: "nothing", neighbors: "auto" }[name] || "the model's";
      complain(`${name}=${said[name]}`, wanted, `: going on with ${instead}`);
    }
  }
  if (!["1", "0", undefined].includes(said.textures)) complain(`textures=${said.textures}`, "1 or 0", ": going on with 0");
  return { complaint: complaints.join(" "), textures: said.textures === "1" };
}

function begun() {
  due = numbers()[0];
  meter.reset();
}

async function begin() {
  await idle(ANY);
  settle();
  isMoved = false;
  if (!await atLength("begin")) return false;
  say("");
  begun();
  return true;
}

async function follow() {
  const { complaint, textures } = readLink();
  if (complaint) say(complaint, true);
  if (!await begin()) return;
  if (textures || isPressed("inspect")) inspect(textures);
  if (complaint) say(complaint, true);
}

// With other settings, or other shaders, from the same state.
async function goOn(name) {
  do await idle(CHANGE);
  while (running); // a model that waited, too
  const gone = settle();
  const resizes = modelOf(state.model) && numbers()[2] && +state.n !== numbers()[2];
  if (!await atLength(resizes ? "resize" : "go_on")) return;
  say(name === "scheme" ? gone : "");
  begun();
}

async function startOver() {
  await idle(CHANGE);
  if (!await atLength("start_over")) return;
  say("");
  begun();
}

async function change(name, value) {
  const wanted = expected(name, String(value));
  if (wanted) {
    say(`${name}=${value}: expected ${wanted}`, true);
    return settle();
  }
  wish[name] = state[name] = value;
  if (name === "speed") return settle();
  if (name !== "model") return goOn(name);
  for (const other of ["n", "speed"]) {
    state[other] = "";
    delete wish[other];
  }
  return begin();
}

// ---- the loop ----

const meter = {
  reset() { Object.assign(this, { since: performance.now(), pictures: 0, steps: numbers()[3], pairs: numbers()[5], busy: numbers()[8], t: numbers()[0] }); },
  show(now) {
    const x = numbers(), seconds = (now - this.since) / 1000;
    if (seconds < 0.5) return;
    const rate = k => k.toLocaleString("en", { maximumSignificantDigits: 3, notation: k > 1e6 ? "compact" : "standard" });
    $("time").textContent = x[0].toFixed(4);
    $("error").textContent = x[10] ? x[7].toExponential(1) : "-";
    $("steps").textContent = rate((x[3] - this.steps) / seconds);
    $("pairs").textContent = x[8] > this.busy ? rate((x[5] - this.pairs) / (x[8] - this.busy)) : "0";
    $("pictures").textContent = rate(this.pictures / seconds);
    $("numbers").dataset.pairs = x[4] ? x[5] / x[4] : 0; // of a particle's step
    const moves = !paused && !(running && BEGIN.test(running.name));
    const reached = (x[0] - this.t) / seconds, behind = moves && due - x[0] > 2 * speed() * seconds;
    if (behind) due = x[0];
    $("speed_text").textContent = speed().toPrecision(2) + " time units a second" + (behind || moves && reached < 0.8 * speed() ? `; this machine reaches ${reached.toPrecision(2)}` : "");
    adapt(this.pictures / seconds);
    this.reset();
  },
};

// Fewer pixels where pictures come too slowly.
function adapt(rate) {
  if (rate < 20 && resolution > 0.5) resolution = Math.max(0.5, resolution * 0.8);
  else if (rate > 50 && resolution < 1) resolution = Math.min(1, resolution * 1.1);
}

// The canvas in its own pixels, and the part of it that the stars have: the left, or on a phone the upper one.
function picture() {
  const open = isPressed("inspect"), whole = paused || open; // letters need all pixels
  const scale = Math.min(devicePixelRatio, 2) * (whole ? 1 : resolution);
  const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
  const beside = width > height;
  return {
    scale, canvasWidth: width, canvasHeight: height,
    width: open && beside ? Math.round(0.4 * width) : width, height: open && !beside ? Math.round(0.25 * height) : height,
  };
}

// All stars in it, as long as nobody has turned or moved them.
let isMoved = false, touched = false, onPicture = null, seenIn = "";

function see() {
  engine.fit(picture().width / picture().height);
  isMoved = false;
}

function draw() {
  const p = picture(), size = `${canvas.clientWidth} x ${canvas.clientHeight}`;
  if (size !== seenIn && !isMoved) see();
  seenIn = size;
  if (canvas.width !== p.canvasWidth || canvas.height !== p.canvasHeight) {
    canvas.width = p.canvasWidth;
    canvas.height = p.canvasHeight;
  }
  return done(engine.draw(p.canvasWidth, p.canvasHeight, p.width, p.height, Math.max(1, Math.round(p.scale))));
}

// The pass on show, and the line of the shader that makes it another one than the last.
function showPass() {
  const title = engine.title(), [, file, input] = /^(\S+) ((\w+) = .*)?$/.exec(engine.running()) || [];
  if (showPass.title === title + file) return;
  showPass.title = title + file;
  const line = title && input ? lineOf(file, input.split(" ")[0]) : 0;
  $("title").textContent = title + (line ? `; line ${line} of ${file} runs with ${input}` : "");
  if (line) markLine(file, line);
  else {
    markLine.again = null;
    $("source").style.removeProperty("--line");
  }
}

// Where main uses an input, from 1; 0: nowhere.
function lineOf(file, input) {
  const lines = readShader(file).split("\n").map(l => l.replace(/\/\/.*/, ""));
  const main = lines.findIndex(l => /^void main/.test(l)), uses = new RegExp(`\\b${input}\\b`);
  return lines.findIndex((l, k) => k > main && uses.test(l)) + 1;
}

// In the editor, unless somebody writes in it.
function markLine(file, line) {
  markLine.again = () => markLine(file, line);
  const source = $("source");
  if (document.activeElement === source && $("file").value !== file) return;
  if ($("file").value !== file) {
    $("file").value = file;
    showShader();
  }
  source.style.setProperty("--line", line - 1);
  if (document.activeElement === source) return;
  const height = parseFloat(getComputedStyle(source).lineHeight);
  source.scrollTop = (line - 0.5) * height - source.clientHeight / 2;
}

let before = 0; // the last turn of the browser's pictures

// Now and then, for one twentieth of the time.
function rarely(work) {
  let at = 0;
  return async now => {
    if (now < at) return;
    const start = performance.now();
    await work();
    at = performance.now() + Math.max(500, 20 * (performance.now() - start));
  };
}

const measure = rarely(() => atLength("measure", 0)); // energies are exact, a sum over all pairs
const keep = rarely(() => state.transfer && engine.keep()); // else the host has the state

async function advance(now) {
  if (!await atLength("advance", due, ADVANCE_SECONDS) || paused) return;
  await keep(now);
  await measure(now);
  warn();
}

// An edited shader means what it does.
function warn() {
  const warning = Object.keys(originals).length ? "" : engine.warning();
  if (warning) say(warning, true);
}

let again = 0; // when a long step, whose stars stay where they are, is drawn next

function frame(now) {
  requestAnimationFrame(frame);
  const seconds = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (lost || document.hidden) return;
  if (!running || touched || now > again) {
    const isSeen = draw() && numbers()[2] > 0;
    meter.pictures += isSeen;
    again = now + 500;
    touched = false;
    if (isSeen) onPicture?.();
  }
  if (!paused && !running) {
    due += seconds * speed();
    advance(now);
  }
  showLong();
  meter.show(now);
  showPass();
}

// What takes long. Its line keeps its place, so that what is below does not jump.
function showLong() {
  const seconds = running ? (performance.now() - running.since) / 1000 : 0, isLong = seconds > 0.5, begins = isLong && BEGIN.test(running.name);
  $("under").textContent = isLong ? seconds.toFixed(0) + " s" : "";
  $("what").textContent = begins ? "first forces and energies" : "long step under way";
  $("what").style.visibility = isLong ? "visible" : "hidden";
  if (begins && !$("message").textContent) say("the stars stand still until their first forces and energies are known", true);
}

// ---- actions ----

function setPaused(value) {
  paused = value;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  due = numbers()[0];
}

async function oneStep() {
  setPaused(true);
  if (await atLength("advance", numbers()[1], 0.001)) await atLength("measure", 0);
}

function inspect(open) {
  showPass.title = "";
  $("inspect").setAttribute("aria-pressed", open);
  $("inspect").textContent = open ? "Hide textures" : "Show textures";
  $("textures").open ||= open;
  done(engine.inspect(+open));
  see();
  if (open && !schemeOf(state.scheme).textures) say("the host computes: there are no textures; choose scheme bag or cg2007");
}

const isPressed = id => $(id).getAttribute("aria-pressed") === "true";

function playPasses() {
  const plays = !isPressed("play");
  $("play").setAttribute("aria-pressed", plays);
  engine.play_passes(+plays);
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const name = extension => `holmberg_${state.model}_t${numbers()[0].toFixed(3)}.${extension}`;

function savePicture() {
  draw();
  canvas.toBlob(blob => download(blob, name("png")));
}

async function saveSnapshot() {
  await idle();
  if (!done(engine.save("/snapshot.txt"))) return;
  download(new Blob([module.FS.readFile("/snapshot.txt")], { type: "text/plain" }), name("txt"));
}

let recorder;

function movie() {
  if (recorder) return recorder.stop();
  if (!window.MediaRecorder) return say("this browser does not record movies");
  const pieces = [];
  recorder = new MediaRecorder(canvas.captureStream(30));
  recorder.ondataavailable = event => pieces.push(event.data);
  recorder.onstop = () => {
    download(new Blob(pieces, { type: recorder.mimeType }), name("webm"));
    recorder = null;
    $("movie").setAttribute("aria-pressed", "false");
    $("movie").textContent = "Movie";
  };
  recorder.start();
  $("movie").setAttribute("aria-pressed", "true");
  $("movie").textContent = "End movie";
}

async function openFile(file) {
  if (!file) return;
  const path = "/opened " + file.name.replaceAll("/", "_");
  try {
    module.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    return say(`${file.name} cannot be read: ${error.message}`, true);
  }
  await idle();
  isMoved = false;
  if (await atLength("load", path)) {
    state.model = "file";
    state.n = numbers()[2];
    settle();
    begun();
    say(`${file.name}: ${numbers()[2]} particles`);
  }
  module.FS.unlink(path);
}

async function copyLink() {
  const without = state.model === "file" ? "; the particles of the file are not in it" : "";
  try {
    await navigator.clipboard.writeText(location.href);
    say("copied: " + location.href + without);
  } catch {
    say(location.href + without);
  }
}

// What this device can do. The row is seen before it is copied.
async function measureDevice() {
  $("card").disabled = true;
  setPaused(true);
  await idle();
  const told = setInterval(() => say("measuring " + (engine.doing() || "the device"), true), 200);
  const measured = await atLength("card");
  clearInterval(told);
  $("card").disabled = false;
  if (!measured) return;
  say("");
  $("row").value = engine.row();
  $("row").hidden = $("copy").disabled = false;
}

async function copyRow() {
  $("row").select();
  try {
    await navigator.clipboard.writeText($("row").value);
    say("copied");
  } catch {
    say("selected: copy it by the keyboard");
  }
}

// ---- shaders ----

const FOLDER = "/shaders/";
let originals = {};

function listShaders(folder = "") {
  return module.FS.readdir(FOLDER + folder).filter(f => f[0] !== ".").sort().flatMap(f =>
    module.FS.isDir(module.FS.stat(FOLDER + folder + f).mode) ? listShaders(folder + f + "/") : [folder + f]);
}

const readShader = file => module.FS.readFile(FOLDER + file, { encoding: "utf8" });

// "" or what the compiler says, with the file's own line.
function writeShader(file, text) {
  originals[file] ??= readShader(file);
  module.FS.writeFile(FOLDER + file, text);
  const said = engine.reload();
  $("compiler").textContent = said || `compiled, in use since t = ${numbers()[0].toFixed(4)}`;
  $("compiler").classList.toggle("bad", Boolean(said));
  if (!said && engine.is_dated()) goOn("shader");
  else if (paused && isPressed("inspect") && !running) atLength("measure", 0);
  return said;
}

// The forces of the shaders as they are now against sums in double.
async function compare() {
  await idle();
  if (!done(engine.check())) return;
  $("compiler").classList.remove("bad");
  $("compiler").textContent = `acceleration by ${state.scheme}, ${state.precision}: relative error ${numbers()[9].toExponential(1)}`;
}

function showShader() {
  $("source").value = readShader($("file").value);
  $("source").setAttribute("aria-label", "Source of " + $("file").value);
}

function revert() {
  for (const [file, text] of Object.entries(originals)) writeShader(file, text);
  originals = {};
  $("compiler").textContent = "";
  showShader();
}

// A unified diff of one file, whose lines may have moved.
function patched(text, diff) {
  let rest = text;
  for (const hunk of diff.join("\n").split(/^@@.*@@.*\n/m).slice(1)) {
    const lines = hunk.replace(/\n$/, "").split("\n"), side = sign => lines.filter(l => l[0] !== sign).map(l => l.slice(1)).join("\n");
    if (!rest.includes(side("+"))) throw new Error("the exercise does not fit the shader");
    rest = rest.replace(side("+"), () => side("-"));
  }
  return rest;
}

async function solve(button) {
  const number = button.dataset.exercise; // 3b is done on top of 3
  const diffs = [...new Set([number[0], number])].map(k => $("exercise" + k).textContent.trim().split("\n"));
  const file = diffs[0][0].replace(/^--- a\//, "");
  await idle();
  revert();
  history.replaceState(null, "", "#" + button.dataset.state);
  await follow();
  setPaused(false);
  $("file").value = file;
  for (const diff of diffs) writeShader(file, patched(readShader(file), diff.slice(2)));
  showShader();
  $("shader").open = true;
}

// ---- keys and pointers ----

const KEYS = {
  " ": () => setPaused(!paused), o: oneStep, r: startOver,
  i: () => inspect(!isPressed("inspect")), ",": () => engine.pass(-1), ".": () => engine.pass(1), p: savePicture,
  "+": () => change("speed", Math.min(100, speed() * 1.26)), "-": () => change("speed", Math.max(1e-4, speed() / 1.26)),
  h: () => { $("help").open = !$("help").open; $("help").scrollIntoView(); }, f: () => see(),
  ArrowLeft: () => turn(-0.03, 0), ArrowRight: () => turn(0.03, 0), ArrowUp: () => turn(0, 0.03), ArrowDown: () => turn(0, -0.03),
};

function turn(dx, dy) {
  isMoved = touched = true;
  engine.drag(dx, dy);
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  if (event.target.closest("input, select, textarea") || (event.key === " " && event.target.closest("button, summary"))) return;
  event.preventDefault();
  KEYS[event.key]();
}

const fingers = new Map();

function showTexel(event) {
  const box = canvas.getBoundingClientRect();
  const text = engine.texel(Math.round((event.clientX - box.left) / box.width * canvas.width),
    Math.round((event.clientY - box.top) / box.height * canvas.height));
  $("texel").textContent = text;
}

function onMove(event) {
  const last = fingers.get(event.pointerId);
  if (!last) {
    if (isPressed("inspect")) showTexel(event);
    return;
  }
  const dx = (event.clientX - last.clientX) / canvas.clientHeight, dy = (last.clientY - event.clientY) / canvas.clientHeight;
  isMoved = touched = true;
  if (fingers.size === 1) (event.shiftKey ? engine.pan : engine.drag)(dx, dy);
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(f => f !== last), from = f => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
    engine.pan(dx / 2, dy / 2);
    if (from(last) > 0) engine.zoom(from(event) / from(last));
  }
  fingers.set(event.pointerId, event);
}

function listen() {
  const clicks = {
    pause: KEYS[" "], step: oneStep, over: KEYS.r, inspect: KEYS.i, back: KEYS[","], forth: KEYS["."], play: playPasses,
    revert, compare, picture: savePicture, movie, snapshot: saveSnapshot, link: copyLink, card: measureDevice, copy: copyRow,
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  for (const id of ["model", "scheme", "precision", "transfer", "n", "eps", "nu", "neighbors"])
    $(id).addEventListener("change", () => change(id, $(id).value));
  $("speed").addEventListener("input", () => change("speed", 10 ** $("speed").value));
  $("shader").addEventListener("toggle", () => markLine.again?.());
  $("file").addEventListener("change", showShader);
  $("source").addEventListener("input", () => writeShader($("file").value, $("source").value));
  $("open").addEventListener("change", () => openFile($("open").files[0]));
  for (const button of document.querySelectorAll("[data-exercise]")) button.addEventListener("click", () => solve(button));
  addEventListener("keydown", onKey);
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); });
  canvas.addEventListener("pointermove", onMove);
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", event => { event.preventDefault(); isMoved = touched = true; engine.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15); }, { passive: false });
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", event => { event.preventDefault(); document.body.classList.remove("dropping"); openFile(event.dataTransfer.files[0]); });
  addEventListener("hashchange", follow);
  canvas.addEventListener("webglcontextlost", onLost);
  canvas.addEventListener("webglcontextrestored", onRestored);
}

// ---- a lost context ----

async function onLost(event) {
  event.preventDefault(); // so that it may come back
  lost = true;
  say("the browser has taken the graphics processor away; the stars are kept, and go on when it is back", true);
  await idle(); // a step that sleeps may have moved some of the stars
  engine.keep();
}

async function onRestored() {
  const isBack = await atLength("restored");
  lost = false;
  if (!isBack) return;
  begun();
  say(`the graphics processor is back: going on from t = ${numbers()[0].toFixed(4)}`);
}

// ---- the beginning ----

function decoded(base64) {
  return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
}

async function main() {
  const options = { canvas, sleep, picture: pictureDrawn, printErr: text => console.warn(text) };
  if (typeof HOLMBERG_WASM === "string") options.wasmBinary = decoded(HOLMBERG_WASM);
  module = await Holmberg(options);
  bind();
  if (!done(engine.open())) return;
  choices = JSON.parse(engine.choices());
  for (const name of ["eps", "nu", "neighbors"]) Object.assign($(name), { min: name === "nu" ? settingOf(name).low : 0, max: settingOf(name).high, title: settingOf(name).help });
  DEFAULTS.nu = settingOf("nu").is;
  fill($("file"), listShaders(), "cg2007/acc_jerk_pot.frag");
  showShader();
  listen();
  meter.reset();
  requestAnimationFrame(frame);
  await follow();
  $("device").textContent = "On " + engine.device();
  setTimeout(() => $("hint").classList.add("gone"), 4000);
  document.documentElement.dataset.ready = Math.round(performance.now() - started);
}

main().catch(error => say(location.protocol === "file:" && typeof HOLMBERG_WASM !== "string"
  ? "a browser loads no second file from a disk: open holmberg.html" : String(error), true));
