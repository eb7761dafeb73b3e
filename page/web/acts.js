// The panel from which the reader interferes: with the chosen process, with what may happen next, with links;
// and the tree of all runs that came of it.

import {
  act, byHand, heal, ofLinks, ofMessage, ofProcess, pending, presentOf, redo, setHand, suspicions, undo, whyNot,
} from "./actions.js";
import * as branches from "./branches.js";
import { attribute, h } from "./dom.js";
import { branchOf, chooseProcess, rootOf } from "./run.js";
import { leaderOf } from "./service.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./actions.js").Action} Action */
/** @typedef {import("./actions.js").Pending} Pending */

const most = 60; // entries of the list of what may happen next

/** @param {Store} store @param {Action} action @param {string} [words] */
function button(store, action, words = action.words) {
  return h("button", { class: action.outside ? "plain leaves" : "plain", title: action.refused
    ?? action.outside, disabled: Boolean(action.refused), onclick: () => act(store, action) }, words,
  action.key ? h("kbd", {}, action.key) : "");
}

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const hand = h("input", { type: "checkbox", role: "switch", onchange: () => setHand(store, hand.checked)
    .then(() => (hand.checked = byHand(store))) });
  const who = h("div", { class: "group" }), next = h("ol", { class: "next" }), links = h("div", { class: "group" });
  const nextTitle = h("h2", {}), tree = h("div", { class: "branches" });
  const record = h("p", { class: "note" }, t.actReplayed), parts = h("div", {},
    h("label", { class: "switch" }, hand, h("span", {}, h("b", {}, t.actHand), ` ${t.actHandHint}`)),
    who, nextTitle, next, links);
  element.append(record, parts, tree);
  store.on(["panel"], ({ panel }) => panel === "acts" && store.set({ playing: false }));
  branches.mount(tree, store);
  store.on(["film", "step", "process", "playing", "panel"], async (state) => {
    const { film, process, playing, panel, scenario } = state;
    next.inert = playing; // what may happen next is another thing with each step
    if (!film || playing || panel !== "acts") return;
    hand.checked = byHand(store);
    hand.disabled = !scenario;
    record.hidden = Boolean(scenario);
    parts.hidden = !scenario;
    const list = await presentOf(store);
    if (!list) return;
    who.replaceChildren(...ofWho(store, process, list));
    nextTitle.textContent = list.length ? t.actNext(list.length) : t.actNothing;
    next.replaceChildren(...list.slice(0, most).map((n, i) => entry(store, n, i)),
      list[most] ? h("li", {}, t.actAndMore(list.length - most)) : "");
    links.replaceChildren(...ofGroup(store, process, film));
  });
}

/** @param {Store} store @param {number} p @param {Pending[]} list @returns {Node[]} */
function ofWho(store, p, list) {
  const film = store.state.film;
  if (!film) return [];
  if (p < 0) {
    const select = h("select", { onchange: () => chooseProcess(store, Number(select.value)) },
      h("option", { value: -1 }, t.actChoose), film.head.ids.map((_, q) => h("option", { value: q }, film.name(q))));
    return [h("h2", {}, t.actWho), h("label", {}, h("span", { class: "spoken" }, t.actChoose), select),
      h("p", { class: "note" }, t.actWhoHint)];
  }
  const suspects = suspicions(store, p);
  return [h("h2", {}, t.process(film.name(p))), ...ofProcess(store, p, list).map((a) => button(store, a)),
    suspects.length ? h("p", { class: "row wrap" }, h("span", {}, t.actSuspects), ...suspects.map((a) =>
      button(store, a))) : h("span", {})];
}

const group = new Set(); // the processes that are cut off together, besides the chosen one
let grouped = /** @type {unknown} */ (null); // the root of the runs for which they were chosen

/** Cuts of the chosen process, and of more processes. @param {Store} store @param {number} chosen
 * @param {import("./film.js").Film} film @returns {Node[]} */
function ofGroup(store, chosen, film) {
  const root = rootOf(store);
  if (grouped !== root) group.clear();
  grouped = root;
  const cuts = h("div", { class: "group" });
  const fill = () => cuts.replaceChildren(...ofLinks(store, [...new Set([...group, ...chosen < 0 ? [] : [chosen]])]
    .sort((a, b) => a - b)).map((a) => button(store, a)), button(store, heal));
  fill();
  const chip = (/** @type {number} */ p) => {
    const one = h("button", { class: "chip", "aria-pressed": String(group.has(p) || p === chosen),
      disabled: p === chosen, onclick: () => {
        if (!group.delete(p)) group.add(p);
        one.setAttribute("aria-pressed", String(group.has(p)));
        fill();
      } }, film.name(p));
    return one;
  };
  // Of many processes the reader writes the names, or from which to which.
  const some = h("input", { type: "text", "aria-label": t.actGroup, placeholder: "3, 10-20",
    value: [...group].map((p) => film.name(p)).join(", "), onchange: () => {
      group.clear();
      for (const part of some.value.match(/\d+(-\d+)?/g) ?? []) {
        const [low, high = low] = part.split("-").map(BigInt);
        film.head.ids.forEach((id, p) => low <= BigInt(id) && BigInt(id) <= high && group.add(p));
      }
      fill();
    } });
  return [h("h2", {}, t.actLinks), h("p", { class: "note" }, t.actLasso),
    film.n > 32 ? some : h("div", { class: "chips", role: "group", "aria-label": t.actGroup },
      film.head.ids.map((_, p) => chip(p))), cuts];
}

/** @param {Store} store @param {Pending} n @param {number} i */
function entry(store, n, i) {
  const message = n.act.do === "deliver";
  // One object for each button: a second click on it is known by that.
  const first = { ...message ? ofMessage(store, n)[0] : { act: n.act }, words: n.words };
  return h("li", { class: n.outside ? "leaves" : "" },
    h("button", { class: "does", title: n.refused ?? n.outside, disabled: Boolean(n.refused),
      onclick: () => act(store, first) },
    i < 9 ? h("kbd", {}, i + 1) : h("span", {}), h("span", {}, n.words),
    byHand(store) || n.refused ? "" : h("small", {}, t.actAt(n.due))),
    message ? h("span", { class: "more-acts" }, ofMessage(store, n).slice(1).map((a) => {
      const title = a.words = t.actAbout(a.words, n.words), sign = t.actSigns[a.act.do];
      return h("button", { class: "quiet", title, "aria-label": `${sign} ${title}`, onclick: () => act(store, a) }, sign);
    })) : "");
}

/** Says that the run is one for which its algorithm is not made, or that a record is what the algorithm does. @param {HTMLElement} element @param {Store} store */
export function warning(element, store) {
  store.on(["film", "step"], ({ film, step, scenario }) => {
    const all = film?.head.outside ?? [], past = all.filter((o) => o.step <= step);
    const holds = all.length === 0 && branchOf(store)?.record;
    element.hidden = all.length === 0 && !holds;
    attribute(element, "data-state", holds ? "good" : "");
    if (film && holds) {
      element.style.visibility = "";
      element.replaceChildren(h("b", {}, t.actHolds), ` ${t.actHeld(film.length)}`);
      return;
    }
    // Its room is kept before that step: the picture must not move while the run is played.
    element.style.visibility = past.length ? "" : "hidden";
    if (all.length) element.replaceChildren(h("b", {}, scenario ? t.actOutside : t.actNotDone),
      ` ${t.actSince(all[0].step, all[0].why.split(": {")[0])}`,
      past.length > 1 ? ` ${t.actAndMore(past.length - 1)}` : "");
  });
}

/** Does what a key says to the chosen process, or to the links. @param {Store} store @param {string} key */
export function press(store, key) {
  const { embed, film, step, view } = store.state;
  if (embed) return; // there is no way back
  const { process: chosen } = store.state;
  const process = chosen < 0 && film && view === "service" ? leaderOf(film, step) : chosen; // who is meant there
  return act(store, async (then) => {
    const not = (/** @type {string} */ notice) => void store.set({ notice });
    if (key === "h") return heal;
    const list = await pending(then).catch(() => []);
    if (/^[1-9]$/.test(key)) {
      const n = list[Number(key) - 1];
      return n && !n.refused ? { words: n.words, act: n.act } : not(whyNot(then, key, process, list));
    }
    if (process < 0 && view !== "service") return void store.set({ panel: "acts", error: t.actChooseFirst });
    return [...ofProcess(then, process, list), ...process < 0 ? [] : ofLinks(then, [process])].find((a) => a.key === key)
      ?? not(whyNot(then, key, process, list));
  });
}

export { redo, undo };
