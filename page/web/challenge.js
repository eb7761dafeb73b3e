// Challenges: algorithms with a known mistake, each to be led by hand to where it fails. The library is the judge.

import { call } from "./bridge.js";
import { h } from "./dom.js";
import { open, reason } from "./run.js";
import { t } from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{id: string, package: string, name: string, hint?: string, grade: string, scenario: any,
 *   property?: string, par?: number}} Challenge */

/** @param {Store} _store @param {Challenge[]} all @param {(chosen: Challenge) => void} choose @returns {Node[]} */
export function list(_store, all, choose) {
  if (all.length === 0) return [];
  /** @type {Map<string, Challenge[]>} */
  const groups = new Map();
  for (const c of all) groups.set(`${c.package}: ${c.name}`, [...groups.get(`${c.package}: ${c.name}`) ?? [], c]);
  return [h("h2", {}, t.learn.challenges), h("p", { class: "note" }, t.learn.challengesHint),
    h("ul", { class: "lessons" }, [...groups].map(([name, list]) => h("li", { class: "challenge" }, h("b", {}, name),
      h("span", { class: "row wrap" }, list.map((c) => h("button", { type: "button", class: "plain",
        onclick: () => choose(c) }, t.learn.grades[c.grade] ?? c.grade))))))];
}

/** @param {HTMLElement} element @param {Store} store @param {Challenge} c @param {() => void} home */
export async function play(element, store, c, home) {
  if (!(await open(store, c.scenario, { step: 0, title: c.name }))) return;
  const verdict = h("div", { class: "verdict", role: "status" });
  const facts = [c.property ? t.learn.against(c.property) : "", c.grade === "par" && c.par ? t.learn.par(c.par) : ""];
  element.replaceChildren(
    h("div", { class: "row lesson-head" }, h("h2", {}, c.name), h("button", { type: "button", class: "quiet",
      onclick: () => {
        watched = "";
        home();
      } }, t.learn.leave)),
    h("p", {}, t.learn.task), h("p", { class: "note" }, facts.filter(Boolean).join(" ")),
    c.grade === "hint" && c.hint ? h("p", { class: "rule" }, h("span", { class: "tag" }, t.learn.hint), c.hint) : "",
    h("div", { class: "row wrap" }, h("button", { type: "button", class: "plain strong", onclick: () =>
      store.set({ panel: "acts" }) }, t.learn.act), h("button", { type: "button", class: "plain", onclick: () =>
      open(store, c.scenario, { step: 0, title: c.name }) }, t.learn.again)), verdict);
  watched = c.id;
  judge(store, c, verdict);
}

let watched = ""; // the challenge that is played

/** Judges each run that the reader makes. @param {Store} store @param {Challenge} c @param {HTMLElement} verdict */
function judge(store, c, verdict) {
  store.on(["film"], async ({ scenario, film }) => {
    if (watched !== c.id || !verdict.isConnected || !film) return;
    try {
      const { json } = await call("judge", { challenge: c.id, scenario });
      if (store.state.scenario !== scenario) return;
      verdict.dataset.solved = String(json.solved);
      verdict.replaceChildren(h("p", {}, h("b", {}, json.solved ? t.learn.solved(json.steps, json.par) : t.learn.notYet),
        ` ${json.words ?? ""}`));
      if (json.solved) store.set({ panel: "learn" });
    } catch (error) {
      verdict.replaceChildren(h("p", { class: "note" }, reason(error)));
    }
  });
}
