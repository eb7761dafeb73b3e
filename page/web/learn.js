// Lessons, which lead through a run stop by stop, and challenges, in which the reader looks for a run that fails.

import { ask, load } from "./bridge.js";
import * as challenge from "./challenge.js";
import { h } from "./dom.js";
import { scene } from "./graph.js";
import { failure, go, instead, open, showBranch } from "./run.js";
import { keep } from "./service.js";
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

/** The lessons in an order of learning: a course for each heading. Each lesson builds on the lessons before it in its course,
 * and all on the first course. */
export const courses = {
  first: ["lcr", "bully", "bully-split", "lease-split"],
  leases: ["lease", "storelease", "lease-five", "lease-lists"],
  rings: ["hs", "franklin", "peterson", "dkr", "itairodeh"],
  complete: ["inquiry", "modbully", "invitation", "afekgafni", "lmw"],
  graphs: ["floodmax", "echo", "treeelect", "yoyo", "ghs", "hypercube", "mesh"],
  sections: ["mutex"],
};

/** The lessons of each course. @param {Lesson[]} all @returns {[keyof typeof courses, Lesson[]][]} */
const inCourses = (all) => /** @type {[keyof typeof courses, string[]][]} */ (Object.entries(courses))
  .map(([course, ids]) => [course, ids.flatMap((id) => all.find((l) => l.id === id) ?? [])]);

const ended = new Set(); // the lessons whose last stop was reached

let panel = /** @type {HTMLElement} */ (document.body); // in which the lessons are

/** Opens the first lesson. @param {Store} store */
export async function begin(store) {
  keep(store);
  begun = true;
  store.set({ panel: "learn" });
  const [first] = inCourses(await lessons().catch(() => [])).flatMap(([, list]) => list);
  return first ? play(store, first) : home(store);
}

/** Lists the lessons and the challenges. @param {Store} store */
async function home(store) {
  mark([]);
  hide(store, false);
  const shown = await ask("challenges").catch(() => []);
  let number = 0;
  const one = (/** @type {Lesson} */ lesson) => h("li", {}, h("button", { class: "does", "data-lesson": lesson.id,
    onclick: () => play(store, lesson) }, h("small", {}, ++number), h("span", {},
    h("b", {}, ended.has(lesson.id) ? t.learnRead : "", lesson.title), h("small", {}, t.learnStops(lesson.stops.length)))));
  const all = await lessons().then((list) => inCourses(list).filter(([, some]) => some.length).flatMap(([course, some]) =>
    [h("h3", {}, t.learnCourses[course]), h("ol", { class: "lessons" }, some.map(one))]), (error) => [failure(error)]);
  panel.replaceChildren(h("h2", {}, t.learnLessons), ...all,
    ...challenge.list(shown, (chosen) => challenge.play(panel, store, chosen, () => home(store))));
}

/** Leads through a lesson. @param {Store} store @param {Lesson} lesson */
async function play(store, lesson) {
  if (!(await open(store, ask("scenario", lesson.scenario), { title: lesson.title }))) return;
  const film = /** @type {import("./film.js").Film} */ (store.state.film);
  const own = store.state.branches.find((b) => b.film === film);
  const list = inCourses(await lessons()).flatMap(([, some]) => some), following = list[list.indexOf(lesson) + 1];
  const at = async (/** @type {number} */ i) => {
    // The reader may have made runs of their own meanwhile, or have left this one.
    if (!own || !store.state.branches.includes(own)) return play(store, lesson);
    if (store.state.branch !== own.id && !await instead(store, () => showBranch(store, own.id))) return;
    const stop = lesson.stops[i], last = i + 1 === lesson.stops.length;
    // A question is asked before its step shows the answer.
    go(store, stop.question ? stop.step - 1 : stop.step);
    mark((stop.highlight?.processes ?? []).map((id) => film.head.ids.indexOf(String(id))));
    if (last) ended.add(lesson.id);
    const done = (/** @type {string} */ look) => h("button", { class: `plain ${look}`, onclick: () => home(store) }, t.learnDone);
    const next = !last ? h("button", { class: "plain strong next-stop", onclick: () => at(i + 1) }, t.learnNext)
      : !following ? done("strong") : h("button", { class: "plain strong", title: following.title, "data-lesson": following.id,
        onclick: () => play(store, following) }, t.learnFollowing);
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
    panel.replaceChildren(
      h("div", { class: "row lesson-head" }, h("h2", {}, lesson.title), h("button", { class: "quiet",
        onclick: () => home(store) }, t.learnLeave)),
      h("progress", { max: lesson.stops.length, value: i + 1, "aria-label": t.learnAt(i + 1, lesson.stops.length) }),
      i === 0 && lesson.about ? h("p", { class: "note" }, lesson.about) : "",
      body, h("div", { class: "row ends" }, h("small", {}, t.learnAt(i + 1, lesson.stops.length)), back,
        last && following ? done("") : "", next));
    body.scrollIntoView({ block: "nearest" });
    if (!next.disabled) next.focus({ preventScroll: true });
  };
  at(0);
}

let begun = false;

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  panel = element;
  store.on(["panel"], ({ panel }) => {
    if (panel !== "learn" || begun) return;
    begun = true;
    home(store);
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

/** The rule of the paper for a stop. @param {Store} store @param {string} name @param {number | undefined} n */
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
