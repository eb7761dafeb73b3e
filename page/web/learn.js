// Lessons, which lead through a run stop by stop, and challenges, in which the reader looks for a run that fails.

import { ask, load } from "./bridge.js";
import * as challenge from "./challenge.js";
import { h } from "./dom.js";
import { scene } from "./graph.js";
import { failure, go, instead, open, showBranch } from "./run.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{step: number, text: string, rule?: number, highlight?: {processes?: number[]},
 *   question?: {ask: string, choices: string[], answer: number, why: string}}} Stop */
/** @typedef {{id: string, title: string, package: string, about?: string, scenario: any, stops: Stop[]}} Lesson */

/** @type {Promise<Lesson[]> | undefined} */
let read;

/** Reads the lessons, once. */
export function lessons() {
  read ??= load("lessons.json").then(JSON.parse);
  return read;
}

const ended = new Set(); // the lessons whose last stop was reached

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const home = async () => {
    mark([]);
    hide(store, false);
    const shown = await ask("challenges").catch(() => []);
    // The simplest come first, as in the list of algorithms.
    const place = (/** @type {Lesson} */ l) => store.state.catalog.findIndex(({ name }) => name === l.package);
    const all = await lessons().then((list) => h("ul", { class: "lessons" }, list.sort((a, b) => place(a) - place(b))
      .map((lesson) => h("li", {}, h("button", { class: "does", onclick: () => play(lesson) }, h("span", {},
        h("b", {}, ended.has(lesson.id) ? t.learnRead : "", lesson.title), h("small", {}, t.learnStops(lesson.stops.length))))))),
    failure);
    element.replaceChildren(h("h2", {}, t.learnLessons), all,
      ...challenge.list(shown, (chosen) => challenge.play(element, store, chosen, home)));
  };
  /** @param {Lesson} lesson */
  const play = async (lesson) => {
    if (!(await open(store, ask("scenario", lesson.scenario), { title: lesson.title }))) return;
    const film = /** @type {import("./film.js").Film} */ (store.state.film);
    const own = store.state.branches.find((b) => b.film === film);
    const at = async (/** @type {number} */ i) => {
      // The reader may have made runs of their own meanwhile, or have left this one.
      if (!own || !store.state.branches.includes(own)) return play(lesson);
      if (store.state.branch !== own.id && !await instead(store, () => showBranch(store, own.id))) return;
      const stop = lesson.stops[i];
      // A question is asked before its step shows the answer.
      go(store, stop.question ? stop.step - 1 : stop.step);
      mark((stop.highlight?.processes ?? []).map((id) => film.head.ids.indexOf(String(id))));
      if (i + 1 === lesson.stops.length) ended.add(lesson.id);
      const next = i + 1 < lesson.stops.length ? h("button", { class: "plain strong next-stop",
        onclick: () => at(i + 1) }, t.learnNext) : h("button", { class: "plain strong", onclick: home },
      t.learnDone);
      const body = h("div", { class: "stop", "aria-live": "polite" });
      const text = [h("p", { class: "sentence" }, stop.text), rule(store, lesson.package, stop.rule)];
      if (stop.question) {
        question(body, stop.question, next, () => {
          hide(store, false);
          if (store.state.film === own.film) go(store, stop.step);
          return text;
        });
      } else body.append(...text);
      next.disabled = Boolean(stop.question);
      hide(store, next.disabled);
      const back = h("button", { class: "plain", disabled: i === 0, onclick: () => at(i - 1) },
        t.learnBack);
      element.replaceChildren(
        h("div", { class: "row lesson-head" }, h("h2", {}, lesson.title), h("button", { class: "quiet",
          onclick: home }, t.learnLeave)),
        h("progress", { max: lesson.stops.length, value: i + 1, "aria-label": t.learnAt(i + 1, lesson.stops.length) }),
        i === 0 && lesson.about ? h("p", { class: "note" }, lesson.about) : "",
        body, h("div", { class: "row ends" }, h("small", {}, t.learnAt(i + 1, lesson.stops.length)), back, next));
      body.scrollIntoView({ block: "nearest" });
      if (!next.disabled) next.focus({ preventScroll: true });
    };
    at(0);
  };
  let begun = false;
  store.on(["panel"], ({ panel }) => {
    if (panel !== "learn" || begun) return;
    begun = true;
    home();
  });
  store.on(["film", "branches"], ({ branches }) => {
    mark([]);
    if (branches.length === 1) hide(store, false);
  });
}

/** Hides what the run comes to while the reader is asked. @param {Store} store @param {boolean} asking */
function hide(store, asking) {
  const root = document.documentElement;
  if (root.hasAttribute("data-asking") === asking) return;
  root.toggleAttribute("data-asking", asking);
  store.set({ paint: store.state.paint + 1 });
}

/** Asks before the text is shown. @param {HTMLElement} body @param {NonNullable<Stop["question"]>} q
 * @param {HTMLButtonElement} next @param {() => Node[]} answered */
function question(body, q, next, answered) {
  const answer = h("div", {}), buttons = q.choices.map((words, i) => h("button", { class: "plain",
    onclick: () => {
      buttons.forEach((b, j) => {
        b.disabled = true;
        b.classList.toggle("right", j === q.answer);
        b.classList.toggle("missed", j === i && i !== q.answer);
      });
      answer.replaceChildren(h("p", { class: "why" }, h("b", {}, i === q.answer ? t.learnRight : t.learnWrong),
        ` ${q.why}`), ...answered());
      next.disabled = false;
      next.focus({ preventScroll: true });
      answer.scrollIntoView({ block: "nearest" });
    } }, words));
  body.append(h("p", { class: "ask" }, h("small", {}, t.learnPredict), q.ask), h("div", { class: "choices" }, buttons),
    answer);
}

/** The rule of the paper beside a stop. @param {Store} store @param {string} name @param {number | undefined} n */
function rule(store, name, n) {
  const found = store.state.doc?.packages?.[name]?.rules?.find((/** @type {any} */ r) => r.n === n);
  return found ? h("p", { class: "rule" }, h("span", { class: "tag" }, `${t.rule} ${n}`), found.text) : h("span", {});
}

/** Marks processes in the picture. @param {number[]} places */
function mark(places) {
  for (const node of scene.nodes.querySelectorAll("[data-process]")) {
    node.classList.toggle("lit", places.includes(Number(node.getAttribute("data-process"))));
  }
}
