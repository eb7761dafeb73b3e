// Challenges: algorithms with a known mistake, each to be led by hand to a failure. The library is the judge.

import { begun } from "./actions.js";
import { ask } from "./bridge.js";
import { h } from "./dom.js";
import { open, reason } from "./run.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{id: string, package: string, name: string, wrong?: string, setting?: string, hint?: string,
 *   scenario: any, property?: string, words?: string, par?: number, budget?: {[fault: string]: number}}} Challenge */

/** How hard a challenge is, from 0 to 2: by the fewest steps that show the mistake, or in between if messages count.
 * @param {Challenge} c */
const level = ({ property, par = 0 }) => (!property ? 1 : par <= 4 ? 0 : par <= 8 ? 1 : 2);

/** @param {Challenge[]} all @param {(chosen: Challenge) => void} choose @returns {Node[]} */
export function list(all, choose) {
  if (all.length === 0) return [];
  /** @type {Map<string, Challenge[]>} */
  const packages = new Map();
  for (const c of all) packages.set(c.package, [...packages.get(c.package) ?? [], c]);
  return [h("h2", {}, t.learnChallenges), h("p", { class: "note" }, t.learnChallengesHint),
    ...[...packages].map(([name, list], i) => h("details", { class: "package", open: i === 0 },
      h("summary", {}, name, h("small", {}, `${list.filter((c) => earned[c.id]).length} / ${list.length}`)),
      h("ul", { class: "lessons" }, list.sort((a, b) => level(a) - level(b)).map((c) => h("li", {},
        h("button", { class: "does challenge", "data-id": c.id, onclick: () => choose(c) }, h("span", {}, c.name),
          earned[c.id] ? stars(earned[c.id]) : "", h("small", { "data-level": level(c) }, t.learnLevels[level(c)])))))))];
}

/** The best grade of each challenge that was solved, since the page was opened. @type {{[id: string]: number}} */
const earned = {};

/** @param {number} grade */
const stars = (grade) => h("span", { class: "stars", role: "img", "aria-label": t.learnGrade(grade) },
  "★★★".slice(0, grade), h("i", {}, "★★★".slice(grade)));

/** What may go wrong in a challenge. @param {Challenge} c */
function allowed(c) {
  const faults = Object.entries(t.proveFaults).filter(([name]) => (c.budget?.[name] ?? 0) > 0)
    .map(([name, words]) => `${words.toLowerCase()}: ${c.budget?.[name]}`);
  return faults.length ? `${t.learnAllowed} ${faults.join(", ")}` : "";
}

let played = ""; // the challenge that is played
const helped = new Set(); // the challenges of which the hint was read, or the checker's way seen

const seen = new WeakSet(); // the runs whose verdict the reader has seen

/** Notes that the checker shows the reader a way. A challenge has the name of a variant. @param {any} scenario */
export const help = (scenario) => void helped.add(scenario.variant);

/** @param {HTMLElement} element @param {Store} store @param {Challenge} c @param {() => void} home */
export async function play(element, store, c, home) {
  const begin = async () => {
    const there = await open(store, c.scenario, { step: begun, title: c.name });
    if (there) store.set({ budget: { ...c.budget } });
    return there;
  };
  if (!await begin()) return;
  const verdict = h("div", { class: "verdict", role: "status" });
  const hint = h("p", { class: "rule", hidden: !helped.has(c.id) },
    h("span", { class: "tag" }, t.learnHint), c.hint ?? "");
  const show = h("button", { class: "plain", hidden: !c.hint || !hint.hidden, onclick: () => {
    helped.add(c.id);
    hint.hidden = false;
    show.hidden = true;
    judge(store, c, verdict);
  } }, t.learnShowHint);
  element.replaceChildren(
    h("div", { class: "row lesson-head" }, h("h2", {}, c.name), h("button", { class: "quiet",
      onclick: () => {
        played = "";
        home();
      } }, t.learnLeave)),
    h("p", {}, h("small", { "data-level": level(c) }, t.learnLevels[level(c)]), " ", c.property ? t.learnTask : "", t.learnJudged),
    h("p", { class: "note" }, [c.words, c.setting, allowed(c)].filter(Boolean).map((words) =>
      t.sentence(words ?? "").replace("..", ".")).join(" ")), hint,
    h("div", { class: "row wrap" }, h("button", { class: "plain strong", onclick: () =>
      store.set({ panel: "acts" }) }, t.panels.acts), h("button", { class: "plain", onclick: begin }, t.learnAgain), show), verdict);
  played = c.id;
  store.on(["film"], () => judge(store, c, verdict));
}

/** Judges the run that is shown. @param {Store} store @param {Challenge} c @param {HTMLElement} verdict */
async function judge(store, c, verdict) {
  const { scenario } = store.state;
  if (played !== c.id || !verdict.isConnected || !scenario) return;
  try {
    const json = await ask("judge", { challenge: c.id, scenario, hinted: helped.has(c.id)
      || store.state.sugar.order === "worst" });
    if (store.state.scenario !== scenario) return;
    if (json.solved) earned[c.id] = Math.max(earned[c.id] ?? 0, json.grade);
    verdict.dataset.solved = String(json.solved);
    verdict.replaceChildren(h("p", {}, json.solved ? stars(json.grade) : "",
    h("b", {}, json.solved ? t.learnSolved : t.learnNotYet), ` ${t.sentence(json.words ?? "")}`),
    json.solved ? h("p", { class: "note" }, t.learnNeeds(json.steps, json.par, Boolean(c.property))) : "",
    json.solved && c.wrong ? h("p", { class: "rule" }, h("span", { class: "tag" }, t.learnMistake), c.wrong) : "");
    verdict.scrollIntoView({ block: "nearest" });
    if (json.solved && !seen.has(scenario)) store.set({ panel: "learn" });
    seen.add(scenario);
  } catch (error) {
    verdict.replaceChildren(h("p", { class: "note" }, reason(error)));
  }
}
