// What the page can do with a run: make it, open it, go to a step, play it.

import { Axis } from "./axis.js";
import { ask, call, hurry } from "./bridge.js";
import { h } from "./dom.js";
import { Film, upTo } from "./film.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

/** The reason of an error, in one line. @param {unknown} error */
export function reason(error) {
  return error instanceof Error ? error.message : String(error);
}

/** What stands in place of what cannot be shown. @param {unknown} error */
export const failure = (error) => h("p", { class: "wrong", role: "alert" }, reason(error));

let latest = 0;

/** Returns what says whether the reader has wanted no other run since now. */
export function since() {
  const mine = latest;
  return () => mine === latest;
}

/** Lets no run come that is on its way. */
function cancel() {
  hurry();
  latest++;
}

/** Does what shows another run, in place of one that is still to come. If there is none to be shown, and none waits for
 * its turn, the settings of the run that is shown return.
 * @param {Store} store @param {(wanted: () => boolean) => Promise<boolean | undefined>} work wanted says whether the
 *   reader has wanted nothing else since
 * @param {string} [of] what it comes from, as an error says it
 * @returns {Promise<boolean | undefined>} whether it is shown */
export async function wish(store, work, of = "") {
  cancel();
  const wanted = since();
  let shown;
  store.set({ busy: true, playing: false });
  try {
    shown = await work(wanted);
  } catch (error) {
    if (wanted()) store.set({ error: of + reason(error) });
  }
  if (wanted()) store.set({ busy: false, sugar: !waits && branchOf(store)?.sugar || store.state.sugar });
  return shown;
}

/** What the reader does is done in turn. Acting is false while another run is on its way; waits is the last one that
 * has not had its turn. */
let queue = /** @type {Promise<unknown>} */ (Promise.resolve()), acting = false,
  waits = /** @type {any} */ (0);

/** Does something to the run that is shown, or to one that comes of it, after what the reader has done before. It is
 * left out if another run has come. @param {Store} store @param {() => Promise<unknown>} work */
export function here(store, work) {
  const root = rootOf(store);
  return inTurn(store, async () => (acting = root === rootOf(store)) && work());
}

/** @param {Store} store @param {() => Promise<unknown>} work @returns {Promise<unknown>} */
export const inTurn = (store, work) => (queue = queue.then(work).catch((error) => store.set({ error: reason(error) })));

/** Opens another run after what the reader has done before. Other runs that are on their way do not come, but what
 * is done to the run that is shown is kept, as there may be no other. @param {Store} store
 * @param {() => Promise<unknown>} work */
export function instead(store, work) {
  if (!acting) cancel();
  document.querySelector("dialog")?.close(); // it would lie over the run
  const mine = waits = {};
  return inTurn(store, async () => {
    if (mine !== waits) return;
    acting = false;
    waits = 0;
    return work();
  });
}

/** Makes the run that the settings describe, and shows it from its beginning.
 * @param {Store} store @param {any} sugar */
export function make(store, sugar) {
  store.set({ sugar });
  return open(store, ask("scenario", sugar), { play: true, sugar });
}

/** Makes a run of another number of processes: what names processes or their links does not go over.
 * @param {Store} store @param {number} n */
export const resize = (store, n) => make(store, { ...only(store.state.sugar,
  "algorithm order links delay params seed"), n });

/** Some fields of an object. @param {any} of @param {string} names @returns {any} */
export const only = (of, names) => Object.fromEntries(names.split(" ").map((name) => [name, of[name]]));

/** Shows the run of a scenario in its turn, see openNow. @param {Store} store @param {any} scenario @param {How} [how]
 * @returns {Promise<any>} whether it is shown */
export function open(store, scenario, how = {}) {
  Promise.resolve(scenario).catch(() => {}); // it may not come to its turn
  return (how.parent ? here : instead)(store, () => openNow(store, scenario, how));
}

/** @typedef {{step?: number | ((film: Film) => number), play?: boolean, parent?: number, after?: number, title?: string,
 *   sugar?: any, record?: boolean}} How record tells that it is the record of a run, which the algorithm repeats; parent is the branch that it comes from, after the step after which it differs; without them
 *   it is a new beginning, made from the settings in sugar */

/** Shows the run of a scenario, and keeps it as a branch. This is for what has its turn.
 * @param {Store} store @param {any} scenario which may be still to come @param {How} [how] */
export function openNow(store, scenario, how = {}) {
  return wish(store, async (wanted) => {
    scenario = await scenario;
    if (!wanted()) return;
    const { data } = await call("film", { scenario });
    if (!wanted()) return;
    const film = new Film(/** @type {ArrayBuffer} */ (data));
    const story = store.state.view === "service" ? await ask("service", { scenario: film.head.scenario }) : null;
    if (!wanted()) return;
    scenario = film.head.scenario; // without what it says of its run, if that is not so
    const parent = how.parent ?? -1; // the first branch is 1
    const branches = parent < 0 ? [] : store.state.branches;
    const id = 1 + branches.reduce((most, b) => Math.max(most, b.id), 0);
    const sugar = how.sugar ?? branchOf(store, parent)?.sugar;
    const branch = { id, parent, after: how.after ?? 0, title: how.title ?? film.head.title, scenario, film, seen: 0,
      wrong: wrong(film), sugar, story, record: how.record };
    show(store, branch, how.step ?? 0, { branches: [...branches, branch],
      compare: parent < 0 ? 0 : store.state.compare });
    if (sugar?.n && sugar.n !== film.n) store.set({ error: t.otherSize(film.n, sugar.n) });
    if (how.play && !store.state.still) play(store);
    return true;
  });
}

/** The settings from which a run like this one is made: what the reader changes next is changed of this run.
 * @param {Film} film */
function settings(film) {
  // The settings make another run: what this one did, or was to do, does not belong to it.
  const { scenario, algorithm } = film.head, { schedule } = scenario;
  return { ...scenario, ...only({}, "name steps acts draws expect property any_schedule schedule"), algorithm,
    n: scenario.ids ? undefined : film.n,
    order: film.head.ids.every((id, p) => Number(id) === p + 1) ? "sorted" : "random",
    delay: schedule === "random" ? scenario.delay ?? schedule : undefined };
}

const kept = 12; // films in addition to the ones that are shown: a reader who has made many runs returns to few

/** Drops the films that were seen least recently; they are made again when they are wanted. What the list of runs
 * says of them stays. @param {Store} store */
function forget(store) {
  const { branches, branch, compare } = store.state;
  const old = branches.filter((b) => b.film && b.id !== branch && b.id !== compare && b.scenario)
    .sort((a, b) => b.seen - a.seen).slice(kept);
  for (const b of old) b.film = null;
}

/** Makes the film of a branch again, if it was dropped. @param {import("./store.js").Branch} branch */
export async function restore(branch) {
  if (branch.film) return;
  const { data } = await call("film", { scenario: branch.scenario });
  if (data) branch.wrong = wrong(branch.film ??= new Film(data));
}

/** The step that is meant; an address may hold anything. @param {Film} film @param {number} step */
const within = (film, step) => Math.max(0, Math.min(film.length, Math.trunc(step) || 0));

let seen = 0; // grows with each look at a branch

const served = /^(lease|storelease|bully)$/; // algorithms that a service may run

/** Turns to a view. @param {Store} store @param {"run"|"service"} view */
export function look(store, view) {
  const service = view === "service";
  if (store.state.view === view) return;
  store.set({ view, speed: service ? 0.5 : 1, process: -1 });
  setScale(store, service ? "clock" : "time");
}

/** Shows a branch whose film is there. Settings that wait for their turn stay. @param {Store} store
 * @param {import("./store.js").Branch} branch @param {number | ((film: Film) => number)} step
 * @param {Partial<import("./store.js").State>} [change] */
export function show(store, branch, step, change) {
  const film = /** @type {Film} */ (branch.film);
  if (!served.test(branch.scenario?.algorithm)) look(store, "run");
  const axis = new Axis(film, store.state.scale);
  const at = within(film, typeof step === "function" ? step(film) : step);
  branch.seen = ++seen;
  branch.sugar ??= settings(film);
  store.set({ ...change, branch: branch.id, scenario: branch.scenario, film, story: branch.story ?? null, axis, step: at, cursor: axis.placeOf(at),
    cause: 0, busy: false, error: "", process: store.state.process < film.n ? store.state.process : -1,
    sugar: waits ? store.state.sugar : branch.sugar });
  forget(store);
}

/** A branch, by default the one that is shown.
 * @param {Store} store @returns {import("./store.js").Branch | undefined} */
export const branchOf = ({ state }, id = state.branch) => state.branches.find((b) => b.id === id);

/** What a run is blamed for in the list of runs. One by hand, or by the checker's steps, is not over: it fails only
 * by what the checker has found, of which a run that never ends shows nothing else.
 * @param {Film} film */
function wrong(film) {
  const { steps, schedule, property, expect } = film.head.scenario;
  return film.head.outside.length ? t.actOutsideShort
    : property === "ends" || !film.head.ok && schedule !== "hand" && (!steps || property || expect) ? t.actFails : "";
}

/** The run from which a branch has come, over others; by default that which is shown.
 * @param {Store} store @returns {import("./store.js").Branch | undefined} */
export function rootOf(store, id = store.state.branch) {
  const branch = branchOf(store, id);
  return branch && branch.parent > 0 ? rootOf(store, branch.parent) : branch;
}

/** Shows a branch, at the present step if no other is given. @param {Store} store @param {number} id
 * @param {number | ((film: Film) => number)} [step] */
export function showBranch(store, id, step = store.state.step) {
  return wish(store, async (wanted) => {
    const branch = branchOf(store, id);
    if (branch && !branch.film) await restore(branch);
    if (!branch?.film || !wanted()) return;
    show(store, branch, step);
    return true;
  });
}

/** Goes to a step. @param {Store} store @param {number} step */
export function go(store, step) {
  const { film, axis } = store.state;
  if (!film || !axis) return;
  const at = within(film, step);
  store.set({ step: at, cursor: axis.placeOf(at), playing: false, cause: at === store.state.step
    ? store.state.cause : 0 });
}

/** @typedef {"event"|"instant"|"decision"|"fault"|"process"} Stride */

/** Goes on or back by a stride. @param {Store} store @param {Stride} stride @param {1|-1} way */
export function move(store, stride, way) {
  const { film, step, process } = store.state;
  if (film) go(store, target(film, step, stride, way, process));
}

/** The step to which a stride leads. @param {Film} film @param {number} step @param {Stride} stride
 * @param {1|-1} way @param {number} process */
export function target(film, step, stride, way, process) {
  if (stride === "event") return step + way;
  if (stride === "instant") {
    // Forward to the end of the next instant, back to the end of the one before.
    const at = film.at(way > 0 ? Math.min(film.length, step + 1) : step);
    let k = way > 0 ? step + 1 : step;
    while (way > 0 ? k < film.length && film.at(k + 1) === at : k > 0 && film.at(k) === at) k += way;
    return Math.min(k, film.length);
  }
  const list = stride === "decision" ? film.decisions : stride === "fault" ? film.faults
    : film.stepsOf[process] ?? [];
  if (!list.length) return step;
  const i = upTo(list, (k) => (way > 0 ? k <= step : k < step));
  return way > 0 ? list[i + 1] ?? film.length : list[i] ?? 0;
}

/** Lights what may have caused a step; 0 lights everything. @param {Store} store @param {number} step */
export function light(store, step) {
  store.set({ cause: step });
}

/** Chooses a process, or none if it is chosen already. @param {Store} store @param {number} p */
export function chooseProcess(store, p) {
  if (p >= 0) store.set({ process: p === store.state.process ? -1 : p, error: "" });
}

/** @param {Store} store @param {import("./store.js").Scale} scale */
export function setScale(store, scale) {
  const { film, step } = store.state;
  if (!film) return store.set({ scale });
  const axis = new Axis(film, scale);
  store.set({ scale, axis, cursor: axis.placeOf(step) });
}

const longest = 24; // seconds that a run takes at speed 1
const calm = 1.1; // units of the axis in a second that a short run takes
export const second = 1000 / 7.5; // units of a second of a service

/** Plays the run; at its end it starts again. @param {Store} store */
export function play(store) {
  const { film, axis } = store.state;
  if (!film || !axis) return;
  if (store.state.step >= film.length) store.set({ step: 0, cursor: 0 });
  store.set({ playing: true, cause: 0 });
  let before = performance.now(), cursor = store.state.cursor, on = axis;
  const frame = (/** @type {number} */ now) => {
    const s = store.state, line = s.axis;
    if (!s.playing || s.film !== film || !line) return;
    // A page in the background gets no frames: it continues at its step.
    const passed = Math.min(0.1, Math.max(0, now - before) / 1000);
    before = now;
    const pace = (line.scale === "clock" ? second
      : Math.max(line.scale === "steps" ? 3 : calm, line.end / longest)) * s.speed;
    if (line !== on) cursor = s.cursor; // another axis has another place for this moment
    on = line;
    cursor = Math.min(line.end, cursor + passed * pace);
    const step = line.stepAt(cursor);
    // A reader who prefers less motion sees one step after another, and nothing between them.
    store.set({ step, cursor: s.still ? line.placeOf(step) : cursor, playing: cursor < line.end });
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** @param {Store} store */
export function toggle(store) {
  if (store.state.playing) store.set({ playing: false });
  else play(store);
}
