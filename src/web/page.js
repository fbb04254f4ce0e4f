// The page around simulations: controls, keys, pointers, files. A runner (runner.js) computes, in a thread of its own where the
// browser allows it; src/web/show.c draws what it has posted, and all that is remembered of it.
"use strict";

const $ = id => document.getElementById(id);
let canvas = $("canvas");
const DEFAULTS = { model: "plummer", n: "", scheme: "bag", precision: "", transfer: "", eps: "", nu: "", neighbors: "", speed: "" };
const LOOKS = ["textures", "trails", "t", "pause", "view", "race", "shader", "watch"]; // what else a link may hold
const FEW = 16; // bodies whose paths can be told apart: HB_VIEW_FEW
const HISTORY_BYTES = 6.4e7; // of what is remembered

let module, show, runner, choices, started = performance.now();
const state = { ...DEFAULTS };
let wish = {}; // what the address or somebody has set, and a link holds; some schemes cannot have all of it
let paused = false, resolution = 1, trails = null /* as by the number of bodies */, isFlat = false /* no WebGL 2: dots */;

// ---- what is said ----

// For a while, or until something else is said.
function say(text, stays) {
  $("message").textContent = text;
  clearTimeout(say.timer);
  if (text && !stays) say.timer = setTimeout(() => say(""), 8000);
}

// What has failed, of an answer of the runner: true when it has not.
function done({ error, value }, pauses = true) {
  if (error && !error.includes("lost")) {
    say(error, true);
    if (pauses) setPaused(true);
  }
  return !error && !(typeof value === "number" && value);
}

const atLength = async (name, given, more) => done(await runner.long(name, given, more));

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
    case "textures": case "trails": case "pause": return among(["1", "0"]) && "1 or 0";
    case "t": return within(0, 1e5);
    case "watch": return location.protocol === "file:" ? "it in an address that `holmberg run --watch` has printed" : "";
    case "view": return views.read(value) ? "" : "a camera's seven numbers";
    case "race": return racersOf(value) ? "" : "two to four of " + choices.schemes.map(s => s.name).join(", ");
    default: return within(own.low, own.high);
  }
}


const settings = () => ["model", "scheme", "precision", "transfer", "n", "eps", "nu", "neighbors"].map(name => [fieldOf(name), String(state[name])]);

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
  $("trails").checked = hasTrails();
  pace();
  writeLink();
  return gone.length ? `scheme ${state.scheme} has no ${gone.map(k => `${k} ${wish[k]}`).join(", no ")}: going on with ${state.precision}` : "";

  function writeLink() {
    const isTold = ([k, v]) => v !== "" && k in wish && !gone.includes(k) && !(isFile && (k === "model" || k === "n"));
    const words = Object.entries(state).filter(isTold).map(([k, v]) => k + "=" + v);
    if (trails !== null) words.push(`trails=${+trails}`);
    if (race) words.push(`race=${race.map(r => r.scheme)}`);
    if (edited) words.push(`shader=${edited}`);
    history.replaceState(null, "", words.length ? "#" + words.join("&") : location.pathname + location.search);
  }
}

// The words of an address, each once; and a sentence for each that it cannot mean.
function wordsOf(text) {
  const said = {}, complaints = [];
  const complain = (word, wanted, rest) => complaints.push(`The address says ${word.slice(0, 60)}; expected ${wanted}${rest ?? ""}.`);
  for (const word of text.split("&").filter(Boolean)) {
    try {
      const [name, ...value] = decodeURIComponent(word).split("=");
      if (!Object.hasOwn(DEFAULTS, name) && !LOOKS.includes(name)) complain(word, "one of " + [...Object.keys(DEFAULTS), ...LOOKS].join(", "));
      else if (Object.hasOwn(said, name)) complain(word, `${name} once`, ": going on with the first");
      else said[name] = value.join("=").trim();
    } catch {
      complain(word, "two digits after each %");
    }
  }
  return { said, complaints, complain };
}

// What the address says becomes the state. Returns what is not in it: a sentence, and how it is looked at.
async function readLink(text) {
  const { said, complaints, complain } = wordsOf(text), looks = {};
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
  for (const name of LOOKS.filter(k => k in said && k !== "shader")) {
    const wanted = expected(name, said[name]);
    if (!wanted) looks[name] = said[name];
    else complain(`${name}=${said[name]}`, wanted, `: going on ${{ textures: "with 0", t: "from the beginning" }[name] ?? "without it"}`);
  }
  if ("shader" in said) {
    looks.shader = await shadersOf(said.shader);
    if (!looks.shader) complain(`shader=${said.shader}`, "files of this page's shaders, as its links have them", ": going on with the page's own");
  }
  return { complaint: complaints.join(" "), looks };
}

async function shadersOf(word) {
  try {
    const files = await packed.read(word);
    return Object.entries(files).every(([file, text]) => listed.includes(file) && typeof text === "string") ? files : null;
  } catch {
    return null;
  }
}

// All of it, as of now: also the time, the camera, the pass on show and edited shaders.
async function link() {
  const words = [], t = shownTime();
  if (isPressed("inspect")) words.push("textures=1");
  if (t > 0 && state.model !== "file") words.push(`t=${+t.toPrecision(12)}`);
  if (paused) words.push("pause=1");
  if (isMoved) words.push("view=" + views.write(camera()));
  const [page, hash] = location.href.split("#");
  return [page, [hash, ...words].filter(Boolean).join("&")].filter(Boolean).join("#");
}

// ---- what runs ----

let isMoved = false, touched = false, seenIn = "", race = null, isHidden = document.hidden, isAway = null /* reaching a link's time */;
const lines = new Line($("lines"), ["--error", "--virial"], -16, 1);

function begun() {
  meter.begin();
  lines.clear();
}

function pace(more) {
  if (!runner) return;
  const stands = paused || isHidden || shown !== null || Boolean(race || watched);
  runner.tell({ do: "pace", speed: speed(), paused: stands, ...more });
}

// away: of a link with a time, which the new run is to reach; not the one before, which may be beyond it.
async function begin(away = null) {
  endRace();
  settle();
  isMoved = false;
  isAway = null;
  if (!await atLength("begin", [], { ends: "all", fresh: true, set: settings(), until: away && +away.t, waits: away?.pause === "1" })) return false;
  isAway = away;
  say("");
  begun();
  return true;
}

// What the address says.
async function follow() {
  const number = ++links, text = location.hash.slice(1);
  endRace(); // which writes an address
  const { complaint, looks } = await readLink(text);
  await revert();
  say(complaint, true); // what was said is of the run before
  trails = looks.trails === undefined ? null : looks.trails === "1";
  setPaused(false);
  let broken = "";
  for (const [file, text] of Object.entries(looks.shader ?? {})) broken ||= await writeShader(file, text, true);
  if (broken) await revert();
  else if (looks.shader) {
    $("file").value = Object.keys(looks.shader)[0];
    showShader();
    $("shader").open = true;
  }
  if (looks.watch !== undefined) return watch(looks.watch);
  const away = looks.t > 0 ? looks : null;
  if (isFlat) wish.scheme = state.scheme = "host";
  let isBegun = await begin(away);
  if (!isBegun && looks.shader) {
    broken = $("message").textContent;
    await revert();
    setPaused(false);
    isBegun = await begin(away);
  }
  if (!isBegun) return;
  if (looks.view) look(views.read(looks.view));
  if (looks.textures === "1" || isPressed("inspect")) inspect(looks.textures === "1");
  if (looks.pause === "1" && !isAway) setPaused(true);
  if (looks.race) await beginRace(racersOf(looks.race));
  if (broken) say(`The shader of the address does not compile: going on with the page's own. ${broken}`, true);
  else if (isFlat || complaint) say([flatSentence, complaint].filter(Boolean).join(". "), true);
  else if (looks.shader) say(`with a shader of the address: ${Object.keys(looks.shader).join(", ")}`, true);
  else if (isAway) say(`running up to t = ${looks.t}`, true);
  followed = number;
  touch();
}

// The time of a link is reached.
function arrive() {
  if (isAway?.pause === "1") setPaused(true);
  if (isAway && $("message").textContent.startsWith("running up to")) say("");
  isAway = null;
}

// With other settings, or other shaders, from the same state; or from the moment that the bar shows.
async function goOn(name) {
  const gone = settle();
  if (shown !== null) return startHere(gone);
  if (!await atLength("go_on", [], { ends: "change", set: settings(), n: modelOf(state.model) ? +state.n : 0 })) return;
  say(name === "scheme" ? gone : "");
  begun();
}

async function startOver() {
  endRace();
  if (!await atLength("start_over", [], { ends: "anew", fresh: true })) return;
  leaveBar();
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

// What a runner posts.
function takeState(pane, message, bytes) {
  const at = show.room(message.n) / 8; // before the heap is looked at, which may grow
  module.HEAPF64.set(message.state, at);
  const isNew = message.begins || show.n(pane) !== message.n;
  const status = isNew ? show.begin(pane, message.n, message.numbers[12] || message.n, message.t, bytes) : show.add(pane, message.t);
  if (status) say(show.error(), true);
  if (isNew && pane === 0) {
    [seenIn, shown] = ["", null];
    $("trails").checked = hasTrails();
  }
  touch();
}

function onEvent(message) {
  if (message.state) {
    takeState(0, message, HISTORY_BYTES);
    runner.unseen = message.state;
  }
  if ("title" in message) showPass(message);
  if (message.failed && !message.failed.includes("lost")) {
    say(message.failed, true);
    if (message.pauses) setPaused(true);
  }
  if (message.warning && !Object.keys(originals).length) say(message.warning, true); // an edited shader means what it does
  if (message.reached) arrive();
  if (message.idle) wake();
  if (message.behind) meter.isBehind = true;
  const x = message.numbers;
  if (x?.[10] && x[13] > (lines.points.at(-1)?.[0] ?? -1)) lines.add(x[13], Math.abs(x[7]), x[11]);
  if (message.lost) say("the browser has taken the graphics processor away; the stars are kept, and go on when it is back", true);
  if ("back" in message) say(`the graphics processor is back: going on from t = ${message.back.toFixed(4)}`);
}

// ---- the loop ----

// A step that takes long has the rate of the last ones until it is over. What is watched comes with its own clock.
const meter = {
  reset() { Object.assign(this, { since: performance.now(), pictures: 0, isBehind: false }); },
  count() { Object.assign(this, { counted: performance.now(), t: runner.numbers[0], steps: runner.numbers[3], pairs: runner.numbers[5], busy: runner.numbers[8] }); },
  begin() {
    this.reached = undefined;
    this.reset();
    this.count();
  },
  show(now) {
    const x = runner.numbers, seconds = (now - this.since) / 1000;
    if (seconds < 0.5) return;
    const steps = x[3] - this.steps, own = watched ? x[8] - this.busy : (now - this.counted) / 1000;
    const moves = !paused && !isAway && !race && shown === null && !runner.under;
    if (moves && steps > 0) this.reached = (x[0] - this.t) / own;
    $("error").textContent = x[10] ? x[7].toExponential(1) : "-";
    if (steps || stands()) {
      $("steps").textContent = rate(steps > 0 ? steps / own : 0);
      $("pairs").textContent = x[8] > this.busy ? rate((x[5] - this.pairs) / (x[8] - this.busy)) : "0";
      this.count();
    }
    $("pictures").textContent = rate(this.pictures / seconds);
    $("numbers").dataset.pairs = x[4] ? x[5] / x[4] : 0; // of a particle's step
    const isLate = moves && this.reached !== undefined && (this.isBehind || this.reached < 0.8 * speed());
    $("speed_text").textContent = speed().toPrecision(2) + " time units a second" + (isLate ? `; this machine reaches ${this.reached.toPrecision(2)}` : "");
    adapt(this.pictures / seconds);
    this.reset();
  },
};

// No step is under way, nor will be.
const stands = () => watched ? watch.hasEnded : !runner.isBusy;

const rate = k => k.toLocaleString("en", { maximumSignificantDigits: 3, notation: k > 1e6 ? "compact" : "standard" });

// Fewer pixels where pictures come too slowly.
function adapt(rate) {
  if (paused) return;
  if (rate < 20 && resolution > 0.5) resolution = Math.max(0.5, resolution * 0.8);
  else if (rate > 50 && resolution < 1) resolution = Math.min(1, resolution * 1.1);
}

// All stars in it, as long as nobody has turned or moved them.
function see() {
  show.fit(canvas.clientWidth / canvas.clientHeight);
  isMoved = false;
  touch();
}

const camera = () => Array.from(module.HEAPF64.subarray(show.camera() / 8, show.camera() / 8 + 13));

function look(at) {
  see(); // for what a link does not hold
  module.HEAPF64.set(at, show.camera() / 8);
  isMoved = true;
  touch();
}

const hasTrails = () => trails ?? (show ? show.n(0) : 0) <= FEW;

// In time units: what was on the screen in the last seconds.
function trailLength() {
  const n = show.n(0), seconds = n <= FEW ? 6 : 1;
  return hasTrails() ? seconds * Math.min(speed(), race ? 1 : Math.max(meter.reached || speed(), 0.1 * speed())) : 0;
}

// The runs side by side, or the one there is, in pixels of the canvas from its lower left corner.
function panes(scale) {
  const box = canvas.getBoundingClientRect();
  if (!race) return [[0, 0, canvas.width, canvas.height]];
  return race.map(({ element }) => {
    const b = element.getBoundingClientRect(), x = Math.round((b.left - box.left) * scale), y = Math.round((box.bottom - b.bottom) * scale);
    return [x, y, Math.max(1, Math.min(canvas.width - x, Math.round(b.width * scale))), Math.max(1, Math.min(canvas.height - y, Math.round(b.height * scale)))];
  });
}

function draw() {
  const scale = Math.min(devicePixelRatio, 2) * (paused ? 1 : resolution), size = `${canvas.clientWidth} x ${canvas.clientHeight}`;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (size !== seenIn && !isMoved) see();
  seenIn = size;
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  panes(scale).forEach((box, k) => {
    const t = k || race ? Infinity : shown ?? Infinity;
    if (isFlat) drawDots(k, t, box);
    else if (show.draw(k, t, trailLength(), ...box, width, height)) say(show.error(), true);
  });
}

// Without WebGL 2: a dot for each star.
function drawDots(k, t, [left, bottom, width, height]) {
  const at = canvas.getContext("2d"), n = show.n(k), x = show.placed(k, t) / 8, c = camera();
  if (!n) return;
  at.fillStyle = "#05060a";
  at.fillRect(left, canvas.height - bottom - height, width, height);
  at.fillStyle = "#f4f0e0";
  const dot = Math.max(1.5, Math.min(4, 60 / Math.sqrt(n)));
  for (let i = 0; i < n; i++) {
    const d = [0, 1, 2].map(j => module.HEAPF64[x + 3 * i + j] - c[j]);
    const [right, up, back] = [3, 6, 9].map(j => c[j] * d[0] + c[j + 1] * d[1] + c[j + 2] * d[2]), depth = c[12] - back;
    if (depth > 0) at.fillRect(left + width / 2 + right / depth * 2 * height, canvas.height - bottom - height / 2 - up / depth * 2 * height, dot, dot);
  }
}

// The pass on show, and the line of the shader that makes it another one than the last.
function showPass({ title, running }) {
  const [, file, input] = /^(\S+) ((\w+) = .*)?$/.exec(running) || [];
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


let before = 0, drawnAt = 0, isAsked = false; // the last turn of the browser's pictures; the last picture
let drawn = 0, links = 0, followed = 0; // pictures; links, and which of them the run on a picture is of

// A turn of the browser's pictures costs a laptop's battery though nothing changes in it: asked for when there is news, and now and then.
function wake() {
  if (!isAsked) requestAnimationFrame(frame);
  isAsked = true;
}

function touch() {
  touched = true;
  wake();
}

function frame(now) {
  isAsked = false;
  const seconds = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (isHidden || isLost) return;
  if (shown !== null && !paused && !race) replay(seconds);
  const draws = (touched || now > drawnAt + 500) && show.count(0) > 0;
  if (draws) {
    touched = false;
    drawnAt = now;
    draw();
    meter.pictures++;
    Object.assign(canvas.dataset, { pictures: ++drawn, links, followed });
  }
  for (const each of race ?? [runner]) {
    each.listen(draws);
    (each.line ?? lines).show(now);
  }
  showLong();
  showBar();
  if (race) showRace(seconds);
  meter.show(now);
  if (race?.isOn && !paused) wake();
}

// What takes long. Its line keeps its place, so that what is below does not jump.
function showLong() {
  if ($("numbers").ariaBusy !== String(runner.isBusy)) $("numbers").ariaBusy = runner.isBusy;
  const since = runner.under && /begin|load|go_on|from|resize|start_over/.test(runner.under.name) ? runner.under.since : runner.isBusy ? runner.beat : performance.now();
  const seconds = race ? 0 : (performance.now() - since) / 1000, isLong = seconds > 0.5, begins = isLong && Boolean(runner.under);
  write($("under"), isLong ? seconds.toFixed(0) + " s" : "");
  write($("what"), begins ? "first forces and energies" : "long step under way");
  $("what").style.visibility = isLong ? "visible" : "hidden";
  if (begins && !$("message").textContent) say("the stars stand still until their first forces and energies are known", true);
}

// ---- the bar: back and forth in time ----

let shown = null; // the time on show; null: the present

const present = () => show.count(0) ? show.time(0, show.count(0) - 1) : 0;
const shownTime = () => shown ?? present();

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showBar() {
  const count = show.count(0);
  if (!count) return;
  const first = show.time(0, 0), last = present(), t = shownTime();
  $("bar").disabled = count < 2 || Boolean(race);
  if (document.activeElement !== $("bar") || shown === null) $("bar").value = last > first ? 1000 * (t - first) / (last - first) : 1000;
  const text = `t = ${t.toFixed(3)}`;
  write($("bar_time"), text);
  write($("time"), t.toFixed(4));
  if ($("bar").ariaValueText !== text) $("bar").ariaValueText = text;
  $("here").hidden = shown === null;
}

function moveBar() {
  const first = show.time(0, 0), last = present(), value = +$("bar").value;
  shown = value >= 1000 ? null : first + value / 1000 * (last - first);
  touch();
  if (!paused) setPaused(true);
}

function leaveBar() {
  shown = null;
  touch();
  pace();
}

// What is remembered, up to the present, where the run goes on.
function replay(seconds) {
  shown += seconds * speed();
  touch();
  if (shown >= present()) leaveBar();
}

// What is remembered of the last time before t: masses, places, velocities.
function keptAt(t) {
  const n = show.n(0), k = show.before(0, t), from = show.state(0, k) / 8;
  return { n, t: show.time(0, k), state: module.HEAPF64.slice(from, from + 7 * n) };
}

// A run of its own from the moment on show, by what is chosen now; what was later is forgotten. The cubic between two kept states
// knows nothing of what close stars did meanwhile: the way from the last one to the moment is run.
async function startHere(gone) {
  const to = shown;
  if (!done(await runner.long("from", [to], { ...keptAt(to), do: "from", to, set: settings() }))) return;
  leaveBar();
  begun();
  say(gone || `a new run from t = ${to.toFixed(4)}, by ${state.scheme}, at energy ${runner.numbers[6].toPrecision(6)}`);
}

// ---- the race: the same stars by several schemes ----

const GHOSTS = 4; // the machines of 2007

function racersOf(text) {
  const names = text.split(",");
  return names.length >= 2 && names.length <= 4 && new Set(names).size === names.length && names.every(schemeOf) ? names : null;
}

function racerSettings(name) {
  const precisions = precisionsOf(schemeOf(name)), precision = precisions.includes(wish.precision) ? wish.precision : usual(precisions);
  const other = { scheme: name, precision, transfer: "", neighbors: wish.neighbors ?? "0" };
  return settings().map(([k, v]) => [k, k in other ? other[k] : v]);
}

async function beginRace(names) {
  if (race) endRace();
  const { n, t } = base = keptAt(shownTime());
  if (isPressed("inspect")) inspect(false);
  race = names.map((scheme, pane) => beginRacer(scheme, pane, base));
  race.t = t;
  race.seconds = 0;
  race.ghosts = Array.from({ length: GHOSTS }, (_, k) => ({ name: show.ghost_name(k), unit: Math.abs(show.ghost(k, n)), is: show.ghost(k, n) > 0 ? "2007" : "2007 by its model" }));
  $("panes").dataset.count = names.length;
  for (const box of document.querySelectorAll("[name=racer]")) box.checked = names.includes(box.value);
  $("tracks").replaceChildren(...[...race, ...race.ghosts].map(trackOf));
  document.body.classList.add("racing");
  $("race").textContent = "End race";
  $("race_part").open = true;
  $("race_part").scrollIntoView({ block: "nearest" });
  seenIn = "";
  canvas.width = 0; // where no run is drawn nothing of the one before is left
  touch();
  settle();
  const all = race, answers = await Promise.all(race.map(each => each.begun));
  if (race !== all) return;
  const failed = answers.find(a => a.error);
  if (failed) {
    endRace();
    return say(failed.error, true);
  }
  race.isOn = true;
  paceRace();
}

let base = null; // where the race began, and what goes on after it

function beginRacer(scheme, pane, from) {
  const racer = new Runner(pane, null), element = $("pane").content.firstElementChild.cloneNode(true);
  $("panes").append(element);
  Object.assign(racer, { scheme, element, name: scheme, line: new Line(element.querySelector("canvas"), ["--error"], -16, 0), steps: 0 });
  racer.onEvent = message => {
    if (message.state) {
      takeState(pane, message, HISTORY_BYTES / 16);
      racer.unseen = message.state;
    }
    if (message.failed) say(`${scheme}: ${message.failed}`, true);
    if (message.warning) racer.warning = message.warning.split(":")[0];
    const x = message.numbers;
    if (x?.[10] && x[13] > (racer.line.points.at(-1)?.[0] ?? -1)) racer.line.add(x[13], Math.abs(x[7]) || 1e-16);
  };
  racer.begun = racer.ready.then(async opened => {
    if (opened.error) return opened;
    for (const [file, text] of Object.entries(edits())) await racer.ask({ do: "write", file, text });
    return racer.ask({ do: "from", ...from, fresh: true, set: racerSettings(scheme) });
  });
  return racer;
}

function trackOf({ name, is }) {
  const row = $("track").content.firstElementChild.cloneNode(true);
  row.querySelector("b").textContent = is ? `${name}, ${is}` : name;
  return row;
}

function paceRace() {
  for (const racer of race ?? []) racer.tell({ do: "pace", paused: paused || isHidden || !race.isOn, free: !wish.speed, speed: speed() });
}

function endRace() {
  if (!race) return;
  for (const racer of race) {
    racer.end();
    show.end(racer.pane);
  }
  race = null;
  $("panes").replaceChildren();
  $("tracks").replaceChildren();
  document.body.classList.remove("racing");
  $("race").textContent = "Race";
  seenIn = "";
  if (base) runner.ask({ do: "from", ...base, fresh: true, set: settings() }).then(begun);
  base = null;
  settle();
}

// Clocks, once in a while: how far each is, beside what 2007 had reached in as many seconds.
function showRace(seconds) {
  if (race.isOn && !paused) race.seconds += seconds;
  const now = performance.now();
  if (now < (race.shownAt ?? 0) + 250) return;
  race.shownAt = now;
  const reached = [...race.map(r => r.numbers[0] - race.t), ...race.ghosts.map(g => race.seconds / g.unit)], most = Math.max(1e-9, ...reached);
  race.forEach((racer, k) => {
    const x = racer.numbers, text = `${racer.scheme}  t = ${x[0].toFixed(4)}\n${rate(x[3])} block steps, ${x[8] > 0 ? rate(x[5] / x[8]) : 0} pairs a second\n`
      + `energy error ${x[10] ? `${x[7].toExponential(1)} at t = ${x[13].toFixed(4)}` : "-"}${racer.warning ? "\n" + racer.warning : ""}`;
    write(racer.element.querySelector("p"), text);
  });
  [...$("tracks").children].forEach((row, k) => {
    row.querySelector("i").style.width = `${100 * Math.max(0, reached[k]) / most}%`;
    write(row.querySelector("span"), `t = ${(race.t + reached[k]).toPrecision(4)}`);
  });
}

function toggleRace() {
  if (race) return endRace();
  const names = [...document.querySelectorAll("[name=racer]:checked")].map(box => box.value);
  if (names.length < 2) return say("a race needs two schemes or more");
  return beginRace(names);
}

// ---- a run of the command line, elsewhere ----

let watched = null; // its name

// As src/run/run_serve.c has it: ten doubles, and floats.
async function watch(name) {
  watched = name || "a run";
  watch.hasEnded = false;
  document.body.classList.add("watching");
  setPaused(false);
  say(`watching ${watched}`, true);
  const ends = sentence => {
    watch.hasEnded = true;
    say(sentence, true);
  };
  for (let first = true, wait = 0; watched; await new Promise(wake => setTimeout(wake, wait))) {
    const begun = performance.now();
    let bytes;
    try {
      const answer = await fetch(location.pathname.replace(/[^/]*$/, "state"), { cache: "no-cache" });
      if (answer.status !== 503 && !answer.ok) throw new Error();
      bytes = answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0);
    } catch {
      return ends(first ? "nothing that could be watched is served here" : `${watched} does not answer any more; what was seen is in the bar`);
    }
    wait = Math.max(100, 10 * (performance.now() - begun));
    if (bytes.byteLength < 80 || isHidden) continue;
    const [layout, n, t, steps, all, pairs, error, isLast, at] = new Float64Array(bytes, 0, 10);
    if (layout !== 1 || bytes.byteLength !== 80 + 28 * n) return ends("the run is served by another release than this page is of");
    const isNew = first || t > present();
    runner.numbers = [t, t, n, steps, all, pairs, 0, error, at, 0, 1, NaN, n, t];
    if (isNew) takeState(0, { begins: first, n, t, numbers: runner.numbers, state: new Float32Array(bytes, 80) }, HISTORY_BYTES);
    if (isNew) onEvent({ numbers: runner.numbers });
    if (first) taken();
    first = false;
    if (isLast) return ends(`${watched} has ended at t = ${t}`);
  }

  function taken() {
    state.model = "file";
    state.n = runner.numbers[2];
    $("n").value = state.n;
    begun();
  }
}

// ---- actions ----

function setPaused(value) {
  paused = value;
  if (watched && value) shown ??= present();
  else if (watched) shown = null;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  touch();
  pace();
  paceRace();
}

async function oneStep() {
  leaveBar();
  setPaused(true);
  if (await atLength("advance", [runner.numbers[1], 0.001])) await atLength("measure", [0]);
}

function inspect(open) {
  $("inspect").setAttribute("aria-pressed", open);
  $("inspect").textContent = open ? "Hide textures" : "Show textures";
  $("textures").open ||= open;
  runner.call("inspect", +open);
  document.body.classList.toggle("inspecting", open);
  resizePasses();
  seenIn = "";
  touch();
  if (open && !schemeOf(state.scheme).textures) say("the host computes: there are no textures; choose scheme bag or cg2007");
}

function resizePasses() {
  const scale = Math.min(devicePixelRatio, 2), passes = $("passes"), isOpen = isPressed("inspect");
  runner.tell({ do: "size", width: isOpen ? Math.round(passes.clientWidth * scale) : 0, height: Math.round(passes.clientHeight * scale), scale: Math.max(1, Math.round(scale)) });
}

const isPressed = id => $(id).getAttribute("aria-pressed") === "true";

function playPasses() {
  const plays = !isPressed("play");
  $("play").setAttribute("aria-pressed", plays);
  runner.call("play_passes", +plays);
}

const pass = by => runner.call("pass", by);

function setTrails(value) {
  trails = value;
  settle();
  touch();
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const name = extension => `holmberg_${state.model}_t${shownTime().toFixed(3)}.${extension}`;

function savePicture() {
  draw();
  const both = document.createElement("canvas"), at = both.getContext("2d"), passes = $("passes"), open = isPressed("inspect");
  both.width = canvas.width + (open ? passes.width : 0);
  both.height = Math.max(canvas.height, open ? passes.height : 0);
  at.drawImage(canvas, 0, 0);
  if (open) at.drawImage(passes, canvas.width, 0);
  both.toBlob(blob => download(blob, name("png")));
}

// Of the moment on show.
async function saveSnapshot() {
  if (shown !== null) {
    if (!show.save(0, shown, "/shown.txt")) download(new Blob([module.FS.readFile("/shown.txt")], { type: "text/plain" }), name("txt"));
    return;
  }
  const answer = await runner.ask({ do: "save" });
  if (done(answer)) download(new Blob([answer.value], { type: "text/plain" }), name("txt"));
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

async function openFiles(files) {
  if (files.length > 1) return openSeries([...files]);
  const [file] = files;
  if (!file) return;
  endRace();
  const path = "/opened " + file.name.replaceAll("/", "_");
  let bytes;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    return say(`${file.name} cannot be read: ${error.message}`, true);
  }
  isMoved = false;
  if (!done(await runner.ask({ do: "load", path, bytes }), false)) return; // what there was goes on
  takenFile();
  say(`${file.name}: ${runner.numbers[2]} particles`);
}

function takenFile() {
  state.model = "file";
  state.n = runner.numbers[2];
  settle();
  begun();
}

// Snapshots of a run, in order of their times: in the bar, and going on from the last one.
async function openSeries(files) {
  const states = [];
  for (const file of files) {
    const path = "/opened " + file.name.replaceAll("/", "_");
    const bytes = await file.arrayBuffer().catch(error => say(`${file.name} cannot be read: ${error.message}`, true));
    if (!bytes) return;
    module.FS.writeFile(path, new Uint8Array(bytes));
    const status = show.read(path), n = show.state_n(), at = show.room(n) / 8;
    module.FS.unlink(path);
    if (status) return say(show.error(), true);
    states.push({ n, t: show.state_time(), state: module.HEAPF64.slice(at, at + 7 * n), name: file.name });
  }
  states.sort((a, b) => a.t - b.t);
  const other = states.find(s => s.n !== states[0].n);
  if (other) return say(`${other.name} has ${other.n} particles, ${states[0].name} has ${states[0].n}: snapshots of one run have as many`, true);
  await recall(states);
  say(`${files.length} snapshots from t = ${states[0].t} to ${states.at(-1).t}: the bar goes through them, and Go on from the last`, true);
}

// States as what is remembered: paused, at the first.
async function recall(states) {
  endRace();
  const last = states.at(-1);
  setPaused(true);
  if (!done(await runner.ask({ do: "from", state: last.state, n: last.n, t: last.t, fresh: true, set: settings() }))) return;
  states.forEach((each, k) => {
    const at = show.room(each.n) / 8;
    module.HEAPF64.set(each.state, at);
    if (k) show.add(0, each.t);
    else show.begin(0, each.n, each.n, each.t, HISTORY_BYTES);
  });
  isMoved = false;
  seenIn = "";
  takenFile();
  shown = states.length > 1 ? states[0].t : null;
  touch();
}

// ---- what the browser keeps ----

async function stored(action) {
  try {
    return await action();
  } catch (error) {
    say(`this browser keeps nothing for this page (${error?.message ?? error}): Snapshot saves a state as a file instead`, true);
    return null;
  }
}

async function listRuns() {
  const names = await storage.names().catch(() => []);
  fill($("kept"), names.length ? names : ["no run is kept"], $("kept").value);
  for (const id of ["recall", "forget"]) $(id).disabled = !names.length;
}

async function keepRun() {
  const n = show.n(0), states = Array.from({ length: show.count(0) }, (_, k) => keptAt(show.time(0, k)));
  const key = `${state.model}, N = ${n}, t = ${states[0].t.toFixed(2)} to ${states.at(-1).t.toFixed(2)}, ${state.scheme}`;
  if (await stored(async () => (await storage.put({ name: key, states, state: { ...state }, wish: { ...wish } }), true))) say(`kept in this browser: ${key}`);
  await listRuns();
  $("kept").value = key;
}

async function recallRun() {
  const run = await stored(() => storage.get($("kept").value));
  if (!run) return;
  Object.assign(state, DEFAULTS, run.state);
  wish = { ...run.wish };
  await recall(run.states);
  say(`${run.name}: the bar goes through it`);
}

async function forgetRun() {
  await stored(() => storage.remove($("kept").value));
  await listRuns();
}

async function copyLink() {
  const text = await link(), without = state.model === "file" ? "; the particles of the file are not in it" : "";
  try {
    await navigator.clipboard.writeText(text);
    say("copied: " + text + without, true);
  } catch {
    say(text + without, true);
  }
}

// What this device can do. The row is seen before it is copied.
async function measureDevice() {
  $("card").disabled = true;
  setPaused(true);
  const told = setInterval(async () => say("measuring " + (await runner.call("doing") || "the device"), true), 200);
  const measured = await atLength("card");
  clearInterval(told);
  $("card").disabled = false;
  if (!measured) return;
  say("");
  $("row").value = await runner.call("row");
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
let originals = {}, listed = [], edited = ""; // edited: what is, as a word of links

function listShaders(folder = "") {
  return module.FS.readdir(FOLDER + folder).filter(f => f[0] !== ".").sort().flatMap(f =>
    module.FS.isDir(module.FS.stat(FOLDER + folder + f).mode) ? listShaders(folder + f + "/") : [folder + f]);
}

const readShader = file => module.FS.readFile(FOLDER + file, { encoding: "utf8" });
const edits = () => Object.fromEntries(Object.keys(originals).filter(f => readShader(f) !== originals[f]).map(f => [f, readShader(f)]));

// "" or what the compiler says, with the file's own line.
async function writeShader(file, text, isQuiet) {
  originals[file] ??= readShader(file);
  module.FS.writeFile(FOLDER + file, text);
  const number = writeShader.last = (writeShader.last ?? 0) + 1, own = isFlat ? "" : show.reload();
  const [said, isDated] = (await runner.ask({ do: "write", file, text })).value;
  for (const racer of race ?? []) racer.ask({ do: "write", file, text });
  if (number !== writeShader.last) return own || said;
  if (!isQuiet) $("compiler").textContent = own || said || `compiled, in use since t = ${runner.numbers[0].toFixed(4)}`;
  $("compiler").classList.toggle("bad", Boolean(own || said));
  const now = edits();
  edited = Object.keys(now).length ? await packed.write(now) : "";
  if (isQuiet) return own || said;
  settle();
  if (!said && isDated) goOn("shader");
  else if (paused && isPressed("inspect")) atLength("measure", [0]);
  return own || said;
}

// The forces of the shaders as they are now against sums in double.
async function compare() {
  const answer = await runner.long("check");
  if (!done(answer)) return;
  $("compiler").classList.remove("bad");
  $("compiler").textContent = `acceleration by ${state.scheme}, ${state.precision}: relative error ${answer.numbers[9].toExponential(1)}`;
}

function showShader() {
  $("source").value = readShader($("file").value);
  $("source").setAttribute("aria-label", "Source of " + $("file").value);
}

async function revert() {
  for (const [file, text] of Object.entries(originals)) await writeShader(file, text, true);
  originals = {};
  edited = "";
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
  history.replaceState(null, "", "#" + button.dataset.state);
  await follow();
  $("file").value = file;
  for (const diff of diffs) await writeShader(file, patched(readShader(file), diff.slice(2)), diff !== diffs.at(-1));
  showShader();
  $("shader").open = true;
}

// ---- keys and pointers ----

const KEYS = {
  " ": () => setPaused(!paused), o: oneStep, r: startOver,
  i: () => inspect(!isPressed("inspect")), ",": () => pass(-1), ".": () => pass(1), p: savePicture, t: () => setTrails(!hasTrails()),
  "+": () => change("speed", Math.min(100, speed() * 1.26)), "-": () => change("speed", Math.max(1e-4, speed() / 1.26)),
  h: () => { $("help").open = !$("help").open; $("help").scrollIntoView(); }, f: () => see(),
  ArrowLeft: () => turn(-0.03, 0), ArrowRight: () => turn(0.03, 0), ArrowUp: () => turn(0, 0.03), ArrowDown: () => turn(0, -0.03),
};

function turn(dx, dy) {
  isMoved = true;
  touch();
  show.drag(dx, dy);
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  if (watched && "ori,.".includes(event.key)) return; // it can only be looked at
  if (event.target.closest("input, select, textarea") || (event.key === " " && event.target.closest("button, summary"))) return;
  event.preventDefault();
  KEYS[event.key]();
}

const fingers = new Map();

async function showTexel(event) {
  const passes = $("passes"), box = passes.getBoundingClientRect(), scale = Math.min(devicePixelRatio, 2);
  $("texel").textContent = await runner.call("texel", Math.round((event.clientX - box.left) * scale), Math.round((event.clientY - box.top) * scale));
}

function onMove(event) {
  const last = fingers.get(event.pointerId);
  if (!last) return;
  const dx = (event.clientX - last.clientX) / canvas.clientHeight, dy = (last.clientY - event.clientY) / canvas.clientHeight;
  isMoved = true;
  touch();
  if (fingers.size === 1) (event.shiftKey ? show.pan : show.drag)(dx, dy);
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(f => f !== last), from = f => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
    show.pan(dx / 2, dy / 2);
    if (from(last) > 0) show.zoom(from(event) / from(last));
  }
  fingers.set(event.pointerId, event);
}

function listen() {
  const clicks = {
    pause: KEYS[" "], step: oneStep, over: KEYS.r, inspect: KEYS.i, back: KEYS[","], forth: KEYS["."], play: playPasses, race: toggleRace,
    revert: () => revert().then(() => goOn("shader")), compare, picture: savePicture, movie, snapshot: saveSnapshot, link: copyLink, card: measureDevice, copy: copyRow,
    here: () => startHere(), keep: keepRun, recall: recallRun, forget: forgetRun,
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  for (const id of ["model", "scheme", "precision", "transfer", "n", "eps", "nu", "neighbors"])
    $(id).addEventListener("change", () => change(id, $(id).value));
  $("speed").addEventListener("input", () => change("speed", 10 ** $("speed").value));
  $("bar").addEventListener("input", moveBar);
  $("trails").addEventListener("change", () => setTrails($("trails").checked));
  $("shader").addEventListener("toggle", () => markLine.again?.());
  $("file").addEventListener("change", showShader);
  $("source").addEventListener("input", () => writeShader($("file").value, $("source").value));
  $("open").addEventListener("change", () => {
    const files = [...$("open").files];
    $("open").value = ""; // so that the same may be opened again
    openFiles(files);
  });
  for (const button of document.querySelectorAll("[data-exercise]")) button.addEventListener("click", () => solve(button));
  addEventListener("keydown", onKey);
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); });
  canvas.addEventListener("pointermove", onMove);
  $("passes").addEventListener("pointermove", showTexel);
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", event => { event.preventDefault(); isMoved = true; touch(); show.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15); }, { passive: false });
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", event => { event.preventDefault(); document.body.classList.remove("dropping"); openFiles(event.dataTransfer.files); });
  addEventListener("hashchange", follow);
  document.addEventListener("visibilitychange", onVisible);
  new ResizeObserver(() => { resizePasses(); lines.draw(); touch(); }).observe($("view"));
  canvas.addEventListener("webglcontextlost", onLost);
  canvas.addEventListener("webglcontextrestored", onRestored);
}

// A page in the background draws nothing, and its runs stand still.
function onVisible() {
  const seconds = (performance.now() - (onVisible.since ?? performance.now())) / 1000;
  isHidden = document.hidden;
  if (isHidden) onVisible.since = performance.now();
  pace();
  paceRace();
  if (isHidden || seconds < 5 || paused) return;
  const away = seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} minutes`;
  say(`the page was in the background for ${away}: ${watched ? "it looks again" : `${race ? "the race" : "the run"} stood still, and goes on`}`, true);
}

// ---- a lost context: what is remembered is not in it ----

let isLost = false;

function onLost(event) {
  event.preventDefault(); // so that it may come back
  isLost = true;
  say("the browser has taken the graphics processor away; the stars are kept, and go on when it is back", true);
}

function onRestored() {
  isLost = false;
  if (show.restored()) return say(show.error(), true);
  touch();
  say(`the graphics processor is back: going on from t = ${runner.numbers[0].toFixed(4)}`);
}

// ---- the beginning ----

let flatSentence = "";

async function main() {
  await workers.prepare();
  module = await Holmberg({
    canvas, printErr: text => console.warn(text),
    instantiateWasm: (imports, begun) => { WebAssembly.instantiate(workers.wasm, imports).then(made => begun(made, workers.wasm)); return {}; },
  });
  const engine = bound(module, "_page_");
  show = { ...bound(module, "_show_"), error: engine.error };
  engine.open(); // its shaders, to be read and edited
  if (show.open()) {
    flatSentence = `${show.error()}: the host computes, and stars are dots`;
    isFlat = true;
    const flat = canvas.cloneNode(); // one that has no context yet
    canvas.replaceWith(flat);
    canvas = flat;
  }
  runner = new Runner(0, $("passes"));
  runner.onEvent = onEvent;
  if (!done(await runner.ready)) return;
  choices = JSON.parse(engine.choices());
  for (const name of ["eps", "nu", "neighbors"]) Object.assign($(name), { min: name === "nu" ? settingOf(name).low : 0, max: settingOf(name).high, title: settingOf(name).help });
  DEFAULTS.nu = settingOf("nu").is;
  listed = listShaders();
  fill($("file"), listed, "cg2007/acc_jerk_pot.frag");
  showShader();
  listen();
  listRuns();
  meter.begin();
  wake();
  setInterval(wake, 250);
  await follow();
  if (document.wasDiscarded) say("the browser had closed this page in the background, to have its memory: the run begins again; what Keep this run has kept is there", true);
  $("device").textContent = "On " + (isFlat ? "this processor" : await runner.call("device"));
  setTimeout(() => $("hint").classList.add("gone"), 4000);
  document.documentElement.dataset.ready = Math.round(performance.now() - started);
}

main().catch(error => say(location.protocol === "file:" && typeof HOLMBERG_WASM !== "string"
  ? "a browser loads no second file from a disk: open holmberg.html" : String(error), true));
