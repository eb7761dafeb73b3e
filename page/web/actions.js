// What a reader can do to a run. Each is an act of the library, done after the present step; it makes a branch.

import { ask } from "./bridge.js";
import { DOWN, PAUSED } from "./film.js";
import { branchOf, here, instead, only, openNow, showBranch, wish } from "./run.js";
import * as t from "./texts.js";
import { cutLinks } from "./tokens.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./film.js").Film} Film */
/** Something that can be done: key is the key that does it.
 * @typedef {{key?: string, words: string, title?: string, act: any, then?: any, longer?: number, outside?: string,
 *   refused?: string}} Action then is a second act, and longer how long the run lasts after it at least */
/** What may happen next, as the library lists it.
 * @typedef {{act: any, due: number, from: number, to: number, words: string, outside?: string, refused?: string,
 *   message?: {kind: string, id: number|string}}} Pending */

/** Whether nothing moves but what the reader chooses. @param {Store} store */
export const byHand = (store) => store.state.scenario?.schedule === "hand";

let asked = "", answer = /** @type {Promise<Pending[]>} */ (Promise.resolve([]));

/** What may happen after the present step, in the order in which it would. @param {Store} store */
export function pending(store) {
  const { film, scenario, step } = store.state;
  if (!film || !scenario) return Promise.resolve([]);
  const key = `${film.head.hash} ${JSON.stringify(scenario)} ${step}`;
  if (key === asked) return answer;
  asked = key;
  answer = ask("pending", { scenario, step });
  answer.catch(() => (asked = ""));
  return answer;
}

/** The same, unless another step is shown when they are known: nothing is played meanwhile. @param {Store} store */
export async function presentOf(store) {
  if (!store.state.embed) store.set({ playing: false });
  const { film, step } = store.state, list = await pending(store).catch(() => []);
  return film === store.state.film && step === store.state.step ? list : undefined;
}

/** The ID of a process as the library reads it: a number, or a text where that would be rounded.
 * @param {Film} film @param {number} p */
export function idOf(film, p) {
  const id = film.head.ids[p];
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** What can be done to a process. @param {Store} store @param {number} p @param {Pending[]} next @returns {Action[]} */
export function ofProcess(store, p, next) {
  const film = store.state.film;
  if (!film?.head.ids[p]) return [];
  const process = idOf(film, p), name = film.name(p), { status } = film.condition(p, store.state.step);
  const one = (/** @type {string} */ key, /** @type {string} */ words, /** @type {string} */ does, more = {}) =>
    ({ key, words, act: { do: does, process, ...more } });
  if (status === DOWN) return [one("r", t.actRecover(name), "recover"), one("R", t.actRestart(name), "restart")];
  const list = [one("c", t.actCrash(name), "crash"),
    status === PAUSED ? one("p", t.actResume(name), "resume") : one("p", t.actPause(name), "pause")];
  const own = (/** @type {string} */ does, refused = false) => next.filter((n) => n.to === p && n.act.do === does
    && !n.refused === !refused);
  if (status !== PAUSED && !own("start", true)[0]) list.push(one("s", t.actStart(name), "start"));
  const timers = own("timeout");
  timers.forEach((n, i) => list.push({ key: i === 0 ? "t" : "", words: t.actTimer(n.words), act: n.act }));
  return list;
}

/** The neighbours that a process can suspect. @param {Store} store @param {number} p @returns {Action[]} */
export function suspicions(store, p) {
  const film = store.state.film;
  if (!film || p < 0 || film.condition(p, store.state.step).status === DOWN) return [];
  /** @type {Action[]} */
  const list = [];
  for (const [a, port, b, back] of film.head.links) {
    const [mine, other] = a === p ? [port, b] : b === p && back >= 0 ? [back, a] : [-1, -1];
    if (other < 0 || other === p || list.some((x) => x.act.port === mine)) continue;
    list.push({ words: film.name(other), title: t.actSuspect(film.name(p), film.name(other)),
      act: { do: "suspect", process: idOf(film, p), port: mine } });
  }
  return list;
}

/** What can be done to a message on its way. By hand it has no time of its own that could be another.
 * @param {Store} store @param {Pending} n @returns {Action[]} */
export function ofMessage(store, n) {
  const as = (/** @type {string} */ does, more = {}) => ({ ...n.act, ...more, do: does });
  return [
    { words: t.actDeliver, act: n.act, outside: n.outside, refused: n.refused },
    { words: t.actLose, act: as("lose") }, { words: t.actDuplicate, act: as("duplicate") },
    { words: t.actDelay, act: as("delay", { by: 1 }) },
  ].slice(0, byHand(store) ? 3 : 4);
}

/** How the links of some processes can be cut. @param {Store} store @param {number[]} inside @returns {Action[]} */
export function ofLinks(store, inside) {
  const film = store.state.film;
  if (!film || inside.length === 0 || inside.length === film.n) return [];
  const group = inside.map((p) => idOf(film, p));
  const others = film.head.ids.map((_, p) => p).filter((p) => !inside.includes(p)).map((p) => idOf(film, p));
  const who = inside.length === 1 ? film.name(inside[0]) : inside.length <= 4
    ? inside.map((p) => film.name(p)).join(", ") : t.countOf(inside.length);
  return [
    { key: inside.length === 1 ? "x" : "", words: t.actCut(who), act: { do: "cut", groups: [group] } },
    { words: t.actMute(who), act: { do: "cut", groups: [group], one_way: true } },
    { words: t.actDeaf(who), act: { do: "cut", groups: [others], one_way: true } },
  ];
}

/** Why nothing comes of a key. @param {Store} store @param {string} key @param {number} p @param {Pending[]} next */
export function whyNot(store, key, p, next) {
  const { film, step } = store.state;
  if (!film) return "";
  const entry = next[Number(key) - 1];
  if (/\d/.test(key)) return entry?.refused ?? t.whyNoEntry(key);
  if (p < 0) return t.whyNobody;
  const name = film.name(p), { status } = film.condition(p, step);
  if (status === DOWN && key !== "x") return t.whyDown(name);
  if (/r/i.test(key)) return t.whyUp(name);
  if (key === "x") return t.whyAlone;
  if (status === PAUSED) return t.whyPaused(name);
  return key === "t" ? t.whyNoTimer(name)
    : next.find((n) => n.to === p && n.act.do === "start")?.refused ?? t.whyStarted(name);
}

/** Why an act on links changes none of them, if it does not. @param {Film} film @param {number} step @param {any} act */
function inVain(film, step, act) {
  const cut = cutLinks(film, step);
  if (act.do === "heal") return cut.size ? "" : t.whyNoCut;
  if (act.do !== "cut" || film.head.links.length === 0) return ""; // the links of many are not listed
  const inside = film.head.ids.map((_, p) => act.groups[0].includes(idOf(film, p)));
  const free = (/** @type {number} */ from, /** @type {number} */ port, /** @type {number} */ to) => port >= 0
    && inside[from] !== inside[to] && (inside[from] || !act.one_way) && !cut.has(`${from} ${port}`);
  return film.head.links.some(([p, port, q, back]) => free(p, port, q) || free(q, back, p)) ? "" : t.whyCut;
}

/** @type {Action} */
export const heal = { key: "h", words: t.actHeal, act: { do: "heal" } };

let done = /** @type {unknown} */ (null);

/** Does something after the present step, also if the reader has gone on meanwhile. What is done while another act
 * is on its way comes after that, and is chosen only then if it is a choice: from a store as it was.
 * @param {Store} store @param {Action | ((then: Store) => Promise<Action | undefined>)} action */
export function act(store, action) {
  const { scenario, step } = store.state, again = action === done;
  done = action;
  if (scenario) store.set({ playing: false }); // it is after this step, however long it takes
  return here(store, async () => {
    const same = store.state.scenario === scenario;
    const then = same ? /** @type {any} */ ({ state: { ...store.state, step } }) : store;
    return carryOut(store, then, typeof action === "function" ? await action(then)
      // What was the next to happen may be another thing now. A second click on anything was too many.
      : same || !again && !/^(deliver|lose|duplicate|delay|timeout|start)/.test(action.act.do) ? action
        : undefined);
  });
}

/** @param {Store} store @param {Store} then @param {Action} [action] */
async function carryOut(store, then, action) {
  const { scenario, step, branch, film } = then.state;
  if (!action || !film) return;
  if (!scenario) return store.set({ error: t.actReplayed });
  const vain = inVain(film, step, action.act);
  if (vain) return store.set({ notice: vain });
  const shown = await wish(store, async (wanted) => {
    const made = await ask("do", { scenario, step, act: action.act }), last = made.scenario.acts.at(-1);
    if (action.then) {
      Object.assign(made, await ask("do", { scenario: made.scenario, step: last.after + 1, act: action.then }));
    }
    if (action.longer) made.scenario.until = Math.max(made.scenario.until, film.at(step) + action.longer);
    return wanted() ? openNow(store, made.scenario, { step: (film) => stepOf(film, last), parent: branch,
      after: last.after ?? begun(film), title: action.title ?? action.words }) : undefined;
  });
  if (shown) store.set({ notice: atRest(store) ? t.whyRest : "" });
}

/** Whether an act was the last thing that happens in its run. @param {Store} store */
function atRest(store) {
  const { film, step } = store.state;
  return Boolean(film) && !byHand(store) && step === film?.length;
}

/** The last step of an act. @param {Film} film @param {{after?: number, do: string}} act */
function stepOf(film, act) {
  let k = Math.max(act.after ?? 0, begun(film)) + 1;
  // A cut happens link by link.
  if (act.do === "cut" || act.do === "heal") while (k < film.length && film.what(k + 1) === act.do) k++;
  return k;
}

/** The step after which all processes have begun: nothing can be done sooner. @param {Film} film */
export function begun(film) {
  let k = 0;
  while (k < film.length && film.what(k + 1) === "init") k++;
  return k;
}

/** Takes the schedule away; going off shows the run from which the one by hand comes, if there is one.
 * @param {Store} store @param {boolean} hand */
export const setHand = (store, hand) => here(store, async () => {
  const { scenario, branch, branches } = store.state;
  if (!scenario) return; // of a record
  if (!hand) {
    let b = branchOf(store);
    while (b?.scenario?.schedule === "hand") b = branchOf(store, b.parent);
    if (b) return showBranch(store, b.id, 0);
  }
  const plain = only(scenario, "algorithm variant topology ids priorities crashed draws initiators params seed");
  await openNow(store, ask("scenario", { ...plain, delay: hand ? "hand" : "unit" }), { step: hand ? begun : 0,
    parent: branches.length ? branch : -1, title: hand ? t.actHand : undefined });
});

/** Back to the branch from which the present one comes, at the step after which they differ. @param {Store} store */
export const undo = (store) => here(store, async () => {
  const now = branchOf(store);
  if (now && now.parent >= 0) await showBranch(store, now.parent, now.after);
  else store.set({ notice: t.whyNoUndo });
});

/** To the last branch that comes from the present one. @param {Store} store */
export const redo = (store) => here(store, async () => {
  const { branches, branch } = store.state, next = branches.filter((b) => b.parent === branch).at(-1);
  if (next) await showAct(store, next);
  else store.set({ notice: t.whyNoRedo });
});

/** Shows a branch of the list, after what the reader has done before.
 * @param {Store} store @param {import("./store.js").Branch} branch */
export const visit = (store, branch) => instead(store, () => showAct(store, branch));

/** Shows a branch where it begins: at its act, if it comes of one.
 * @param {Store} store @param {import("./store.js").Branch} branch */
function showAct(store, branch) {
  const last = branch.parent < 0 ? null : branch.scenario?.acts?.at(-1);
  return showBranch(store, branch.id, last && ((/** @type {Film} */ film) => stepOf(film, last)));
}
