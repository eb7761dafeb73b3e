// The timer of each process that is due next, from the events of a film.

import { upTo } from "./film.js";

/** The steps after which another timer of a process is due next; set and due are its times, and due is 0 if none runs.
 * @typedef {{step: number[], set: number[], due: number[]}} Next */

/** @type {WeakMap<import("./film.js").Film, Next[]>} */
const known = new WeakMap();

/** The timer of a process that is due next after step k, or null. @param {import("./film.js").Film} film
 * @param {number} p @param {number} k @returns {{set: number, due: number} | null} */
export function nextTimer(film, p, k) {
  let all = known.get(film);
  if (!all) known.set(film, (all = find(film)));
  const { step, set, due } = all[p], i = upTo(step, (s) => s <= k);
  return i >= 0 && due[i] > 0 ? { set: set[i], due: due[i] } : null;
}

/** @param {import("./film.js").Film} film @returns {Next[]} */
function find(film) {
  const e = film.events, name = film.head.does.map((does) => does);
  const key = (/** @type {number} */ i) => e.layer[i] * 256 + e.timer[i];
  /** When a timer that was set by an event is due: if chance decides, that is known of one that has fired.
   * @type {Map<number, number>} */
  const fires = new Map();
  /** @type {Map<number, number>[]} by process, the events that have set the timers that run */
  const runs = film.head.ids.map(() => new Map());
  for (let i = 0; i < e.n; i++) {
    const what = name[e.do[i]], running = runs[e.process[i]];
    if (what === "set") running.set(key(i), i);
    else if (what === "timeout") {
      const by = running.get(key(i));
      if (by !== undefined) fires.set(by, e.at[i]);
    }
  }
  /** @type {Next[]} */
  const all = film.head.ids.map(() => ({ step: [], set: [], due: [] }));
  for (const running of runs) running.clear();
  for (let k = 1; k <= film.length; k++) {
    const [first, behind] = film.eventsOf(k), p = film.processOf(k), running = runs[p];
    let changed = false;
    for (let i = first; i < behind; i++) {
      const what = name[e.do[i]];
      if (what === "set") running.set(key(i), i);
      else if (what === "stop" || what === "timeout") running.delete(key(i));
      else if (what === "crash") running.clear();
      else if (what === "stop_all") for (const one of running.keys()) if (one >> 8 === e.layer[i]) running.delete(one);
      changed ||= /set|stop|timeout|crash/.test(what);
    }
    if (!changed) continue;
    let set = 0, due = 0;
    for (const i of running.values()) {
      const at = fires.get(i) ?? e.at[i] + e.max[i];
      if (!due || at < due) [set, due] = [e.at[i], at];
    }
    all[p].step.push(k);
    all[p].set.push(set);
    all[p].due.push(due);
  }
  return all;
}
