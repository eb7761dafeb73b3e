// Two lights: whether what must never be is so now, and how far the run is from what must be in the end.

import { DOWN, LEADER, UNDECIDED } from "./film.js";
import { attribute, h } from "./dom.js";
import { cutLinks } from "./tokens.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const safe = h("span", { class: "light" }), live = h("span", { class: "light" });
  element.append(safe, live);
  store.on(["film", "step"], ({ film, step }) => {
    if (!film) return;
    /** @type {string[]} */
    const leaders = [], terms = new Set();
    let up = 0, decided = 0;
    film.changesAt(step).forEach((change, p) => {
      const role = film.roleOf(p, step);
      if (change >= 0 && film.changes.status[change] === DOWN) return;
      up++;
      if (role !== UNDECIDED) decided++;
      if (role === LEADER) {
        leaders.push(film.name(p));
        terms.add(film.changes.term[change]);
      }
    });
    const wrong = film.head.wrong.find((w) => w.step <= step);
    // Where processes share a critical section, what becomes of that is the aim, and an election a means.
    const { sections } = film.head, [, waiting = 0, ...inside] = film.sectionAt(step);
    set(safe, wrong ? "bad" : (sections ? inside : leaders).length ? "gold" : sections ? "good" : "none", t.safety,
      wrong ? step > wrong.step ? t.atStep(wrong.step, wrong.why) : wrong.why : (sections
      ? t.safeInside(inside.map((p) => film.name(p))) : t.safeLead(leaders, terms.size > 1)));
    const reached = sections ? !waiting : decided === up;
    set(live, reached && up > 0 ? "good" : "pending", t.liveness, sections ? t.liveWaiting(waiting)
      : reached ? t.liveReached(up) : t.livePending(decided, up));
  });
}

/** A time during which two processes lead, whatever their Terms, as steps; behind is the step after which it is over.
 * @typedef {{since: number, behind: number, leaders: number[], why: string}} Rivalry */

/** The times during which two processes lead. @param {import("./film.js").Film} film @returns {Rivalry[]} */
export function rivals(film) {
  /** @type {Rivalry[]} */
  const all = [];
  const c = film.changes, until = new Map(); // of the leaders, when their leases end
  let next = 0, fault = "", open = /** @type {Rivalry | null} */ (null);
  for (let k = 1; k <= film.length; k++) {
    const what = film.what(k);
    if (what === "cut" || what === "pause" || what === "restart" || what === "recover") fault = what;
    for (; next < c.n && c.step[next] === k; next++) {
      if (c.role[next] === LEADER && c.status[next] !== DOWN) until.set(c.process[next], c.until[next] || Infinity);
      else until.delete(c.process[next]);
    }
    if (until.size < 2 && !open) continue;
    const leaders = [...until].filter(([, end]) => end > film.at(k)).map(([p]) => p);
    if (leaders.length > 1 && !open) all.push(open = { since: k, behind: film.length + 1, leaders, why: fault });
    else if (leaders.length < 2 && open) {
      open.behind = k;
      open = null;
    }
  }
  return all;
}

/** Says over the picture that two lead, where one should. @param {HTMLElement} element @param {Store} store */
export function banner(element, store) {
  /** @type {{film: import("./film.js").Film | null, all: Rivalry[]}} */
  let of = { film: null, all: [] };
  store.on(["film", "step", "catalog"], ({ film, step, catalog }) => {
    if (!film) return;
    const many = film.head.sections || catalog.find((a) => film.head.algorithm.startsWith(a.name))?.groups;
    if (of.film !== film) of = { film, all: rivals(film) };
    const now = of.all.find((r) => r.since <= step && step < r.behind);
    element.hidden = Boolean(many) || of.all.length === 0;
    // Its room is kept before that step, as the picture must not move while the run is played.
    element.style.visibility = now ? "" : "hidden";
    if (now) element.textContent = t.twoLead(now.leaders.map((p) => film.name(p)), now.since, film.at(now.since), now.why === "cut" && !cutLinks(film, step).size ? "healed" : now.why);
  });
}

/** @param {HTMLElement} light @param {string} state @param {string} name @param {string} words */
function set(light, state, name, words) {
  attribute(light, "data-state", state);
  attribute(light, "title", name);
  if (light.textContent !== words) light.textContent = words;
}
