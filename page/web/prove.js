// Proofs: everything that can happen, from the beginning or from the present step, tried by the model checker in a worker
// of its own.

import { ask, callLong, stopLong } from "./bridge.js";
import { help } from "./challenge.js";
import { choice } from "./controls.js";
import { h } from "./dom.js";
import { failure, open, reason, resize, rootOf, since, setScale } from "./run.js";
import * as states from "./states.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

const faults = Object.keys(t.proveFaults);
const small = 5; // processes of which all orders can be tried within the budget, more or less

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  /** @type {{[name: string]: any}} */
  const budget = {};
  const result = h("div", { class: "result", "aria-live": "polite" }), graph = h("div", { class: "states" });
  const less = (/** @type {number} */ n) => h("button", { class: "plain", onclick: () => resize(store, n) },
    t.proveFewer(n));
  const note = h("p", { class: "note" }), large = h("div", { class: "row wrap" }, note, less(4));
  const counts = faults.map((name) => choice(t.proveFaults[name], ["0", "1", "2"].map((v) => [v, v]), "0",
    (v) => (budget[name] = Number(v))));
  const any = h("input", { type: "checkbox", onchange: () => (budget.any = any.checked) });
  const all = h("button", { class: "plain strong", onclick: () => run(question(-1)) }, t.proveAll);
  const here = h("button", { class: "plain", onclick: () => run(question(store.state.step)) }, t.proveHere);
  const map = h("button", { class: "plain", onclick: () => draw() }, t.proveMap);
  element.append(h("p", {}, t.proveAbout), large,
    h("div", { class: "counts" }, counts), h("label", { class: "tick" }, any, t.proveAny),
    h("div", { class: "row wrap" }, all, map, here), result, graph);

  // The states have the middle column, where the picture in time stands otherwise, until the reader wants that back.
  const wide = matchMedia("(min-width: 901px)");
  let away = false;
  const back = h("button", { class: "plain", onclick: () => {
    away = !away;
    place();
  } });
  const place = () => {
    const { panel, view } = store.state, shown = graph.childElementCount > 0;
    const column = wide.matches && shown && !away && panel === "prove" && view === "run" ? document.querySelector("#column") : null;
    const home = column ?? element;
    if (graph.parentElement !== home) home.append(graph);
    back.textContent = column ? t.proveMapBeside : t.proveMapMiddle;
    back.hidden = !wide.matches;
    if (shown && !back.isConnected) graph.prepend(back);
  };
  wide.addEventListener("change", place);

  let running = 0;
  /** What was asked of, a film and the first of the runs to which it belongs, and what paints the states.
   * @type {any[]} */
  let [film, root, paint] = [];
  /** Asks in the second worker; stop ends it. @param {string} name @param {any} args @param {number} mine */
  const search = (name, args, mine) => callLong(name, args, (p) => mine === running && p.states
    && progress.replaceChildren(t.proveProgress(p.states, p.depth)));
  const progress = h("span", {}), stop = h("button", { class: "plain", onclick: () =>
    clear(h("p", { class: "note" }, t.proveStopped)) }, t.proveStop);
  /** Stops what runs, and shows this in place of what was found. @param {Node[]} shown */
  const clear = (...shown) => {
    if (running % 2) stopLong();
    running += 2 - running % 2; // odd while a check runs
    film = paint = null;
    result.replaceChildren(...shown);
    graph.replaceChildren();
    place();
  };
  const begin = () => {
    progress.textContent = t.proveRunning;
    clear(h("p", { class: "row running" }, progress, stop));
    film = store.state.film;
    root = rootOf(store);
    return ++running;
  };
  /** @param {number} after */
  const question = (after) => ({ scenario: store.state.scenario, budget: { ...budget },
    ...(after >= 0 ? { after } : {}) });

  /** Asks, and shows the answer unless another question has come in between.
   * @param {string} name @param {any} asked @param {(json: any) => HTMLElement} show */
  const find = async (name, asked, show) => {
    const mine = begin();
    let shown = /** @type {HTMLElement} */ (result);
    try {
      const { json } = await search(name, asked, mine);
      if (mine === running) shown = show(json);
    } catch (error) {
      if (mine === running) result.replaceChildren(failure(error));
    }
    if (mine !== running) return;
    running++;
    shown.scrollIntoView({ block: "nearest" });
  };
  /** @param {any} asked @param {number} branch of which it is asked */
  const run = (asked, branch = store.state.branch) => find("check", asked, (json) => {
    result.replaceChildren(named(), ...verdicts(store, json, branch, asked), ...json.more
      ? [h("button", { class: "plain", onclick: () => run({ ...asked, budget: { ...asked.budget,
        states: json.more } }, branch) }, t.proveMore(json.more)), less(film.n - 1)] : []);
    return result;
  });
  const draw = (asked = question(-1), branch = store.state.branch) => find("graph", asked, (json) => {
    result.replaceChildren(named());
    paint = states.mount(graph, json, film, async (state) => {
      const now = running, wanted = since(), path = await callLong("path", { ...asked, state })
        .catch((error) => void (now === running && store.set({ error: reason(error) })));
      if (!path || now !== running || !wanted()) return;
      help(path.json);
      await open(store, path.json, { step: Infinity, parent: branch, after: 0,
        title: t.proveState(json.states[state].depth) });
    });
    away = false;
    place();
    return graph;
  });
  /** What was asked of. */
  const named = () => h("p", { class: "note" }, `${film.head.algorithm}, ${t.countOf(film.n)}`);
  store.on(["budget"], ({ budget: allowed }) => {
    faults.forEach((name, i) => {
      const select = /** @type {HTMLSelectElement} */ (counts[i].querySelector("select"));
      select.value = String(budget[name] = allowed[name] ?? 0);
    });
    any.checked = budget.any = Boolean(allowed.any);
    budget.until = allowed.until;
  });
  let warm = false, of = ""; // the algorithm to which the faults belong
  store.on(["panel"], ({ panel }) => {
    if (warm || panel !== "prove") return;
    warm = true;
    warmUp();
  });
  // A result belongs to the run for which it was asked, and to the runs that come from it.
  store.on(["branches", "branch"], () => {
    if (rootOf(store) !== root) clear();
  });
  store.on(["paint"], () => paint?.());
  store.on(["panel", "view"], place);
  store.on(["film"], ({ film, scenario }) => {
    const n = film?.n ?? 0;
    // What was allowed to one algorithm, or by a challenge, is not for others.
    const before = of;
    of = film?.head.algorithm ?? "";
    if (of !== before) store.set({ budget: {} });
    note.textContent = t.proveLarge(n);
    large.hidden = n <= small;
    for (const b of [all, here, map]) b.disabled = !scenario;
  });
}

/** Carries out a small check while the reader reads. The browser compiles a function as it is first called, and
 * better after some calls: the first check would take five times as long as a later one. */
async function warmUp() {
  try {
    await callLong("check", { scenario: await ask("scenario", { algorithm: "lcr", n: 4 }), budget: {} });
  } catch {} // the reader's own check, which waits behind this one, reports the error
}

/** What a check has found. @param {Store} store @param {any} found @param {number} branch of which it was asked
 * @param {{budget: any, after?: number}} asked @returns {Node[]} */
function verdicts(store, found, branch, { budget, after = -1 }) {
  const list = h("ul", { class: "verdicts" }, found.verdicts.map((/** @type {any} */ v) => h("li", { class:
    v.holds === null ? "open" : v.holds ? "holds" : "fails" }, h("span", { "aria-hidden": "true" }, v.holds === null
    ? "?" : v.holds ? "✓" : "✗"), h("span", {}, h("span", { class: "spoken" }, t.proveVerdict(v.holds)), v.words))));
  const parts = [h("p", { class: "sum" }, h("b", {}, t.proveSum(after, budget, found.property ? t.proveWrong
    : found.exhausted ? t.proveRight : t.proveSoFar)), ` ${found.words}`)];
  if (found.stopped) parts.push(h("p", { class: "note" }, t.sentence(found.stopped.split(": ")[1])));
  if (found.outside) parts.push(h("p", { class: "leaves" }, `${t.actOutside} ${found.outside}.`));
  const scenario = found.counterexample;
  if (scenario) {
    const show = async (/** @type {any} */ s, /** @type {string} */ title) => {
      help(s);
      // Most of its steps have the same time.
      if (await open(store, s, { step: Infinity, parent: branch, after: Math.max(0, after), title }))
        setScale(store, "steps");
    };
    const shrink = h("button", { class: "plain", onclick: async () => {
      const wanted = since();
      shrink.disabled = true;
      try {
        const { json } = await callLong("shrink", { scenario, property: found.property });
        const n = json.steps.length;
        if (n >= scenario.steps.length) return shrink.replaceChildren(t.proveShortest);
        if (shrink.isConnected && wanted()) await show(json, t.proveShrunk(n));
      } catch (error) {
        if (shrink.isConnected) store.set({ error: reason(error) });
      }
      shrink.disabled = false;
    } }, t.proveShrink);
    parts.push(h("div", { class: "counter" }, h("p", {}, t.sentence(found.reason)), h("div", { class: "row wrap" },
      h("button", { class: "plain strong", onclick: () => show(scenario, t.proveTitle(found.violated)) },
        t.proveOpen(found.length)), shrink)));
  }
  return [...parts, list];
}
