// Two lights: whether what must never be is so now, and how far the run is from what must be in the end.

import { DOWN, LEADER, UNDECIDED } from "./film.js";
import { attribute, h } from "./dom.js";
import * as t from "./texts.js";

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
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
    set(safe, wrong ? "bad" : (sections ? inside : leaders).length ? "gold" : "good", t.safety,
      wrong ? step > wrong.step ? t.atStep(wrong.step, wrong.why) : wrong.why : (sections
      ? t.safeInside(inside.map((p) => film.name(p))) : t.safeLead(leaders, terms.size > 1)));
    const reached = sections ? !waiting : decided === up;
    set(live, reached && up > 0 ? "good" : "pending", t.liveness, sections ? t.liveWaiting(waiting)
      : reached ? t.liveReached(up) : t.livePending(decided, up));
  });
}

/** @param {HTMLElement} light @param {string} state @param {string} name @param {string} words */
function set(light, state, name, words) {
  attribute(light, "data-state", state);
  attribute(light, "title", name);
  if (light.textContent !== words) light.textContent = words;
}
