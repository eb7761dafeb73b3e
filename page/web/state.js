// The state of processes after a step, as the library shows it.

import { ask } from "./bridge.js";

/** @typedef {{name: string, value: string}} Field */
/** @typedef {{type: string, fields: Field[], timers?: {timer: number, name: string, due: number}[]}} Machine */

/** @type {WeakMap<import("./film.js").Film, Map<string, Promise<Machine[]>>>} */
const kept = new WeakMap();
const most = 400; // states that are kept of a film

/** The machines of a process after a step.
 * @param {import("./film.js").Film} film @param {any} scenario @param {number} step @param {number} p
 * @returns {Promise<Machine[]>} */
export function machines(film, scenario, step, p) {
  let all = kept.get(film);
  if (!all || all.size > most) kept.set(film, (all = new Map()));
  const key = `${step} ${p}`;
  let found = all.get(key);
  if (!found) {
    const list = all;
    // Without a scenario it is the trace that was read last, which the library replays.
    found = ask("fields", { scenario: scenario ?? undefined, step, process: film.head.ids[p] })
      .then((json) => json[0]?.machines ?? []);
    found.catch(() => list.delete(key));
    all.set(key, found);
  }
  return found;
}

const rest = 300; // milliseconds between two steps that are shown whole while the run is played
let rests = 0, last = 0;

/** The step that the panels show whole. While the run is played, steps pass too fast: then it is the present one
 * now and then, and the same for all panels. @param {import("./store.js").State} state */
export function shownStep({ playing, step }) {
  if (!playing || performance.now() > rests) {
    last = step;
    rests = performance.now() + rest;
  }
  return last;
}

/** @type {Record<string, {consts?: Record<string, [string, string][]>}>} */
let packages = {};

/** Takes over what the source says of constants. @param {any} doc */
export function know(doc) {
  packages = doc?.packages ?? {};
}

/** The value of a field. The library writes a constant as "echo.state(1)"; it has its name once the source is here.
 * @param {Field} field */
export const valueOf = (field) => field.value.replace(/(\w+)\.(\w+)\((-?\d+)\)/g, (_, name, type, value) =>
  packages[name]?.consts?.[type]?.find(([of]) => of === value)?.[1] ?? value);

/** The field of the state before, if it has another value now. @param {Machine | undefined} before
 * @param {Field} field */
export function changedFrom(before, field) {
  const old = before?.fields.find((f) => f.name === field.name);
  return old && valueOf(old) !== valueOf(field) ? old : undefined;
}
