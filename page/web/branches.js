// All runs that the reader has made: a tree, in which each run hangs under the one from which it comes.

import { ask } from "./bridge.js";
import { h } from "./dom.js";
import { branchOf, reason } from "./run.js";
import { redo, undo, visit } from "./actions.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Branch} Branch */

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const tree = h("ul", { class: "tree" });
  const back = h("button", { class: "plain", onclick: () => undo(store) }, t.actUndo,
    h("kbd", {}, "u"));
  const on = h("button", { class: "plain", onclick: () => redo(store) }, t.actRedo, h("kbd", {}, "U"));
  element.append(h("h2", {}, t.actRuns), h("div", { class: "row" }, back, on), tree);
  store.on(["branches", "branch", "compare"], ({ branches, branch, compare }) => {
    const now = branchOf(store);
    element.hidden = branches.length < 2;
    back.disabled = !now || now.parent < 0;
    on.disabled = !branches.some((b) => b.parent === branch);
    tree.replaceChildren(...under(store, branches, -1, branch, compare));
    const here = tree.querySelector("[aria-current]");
    if (here instanceof HTMLElement) tree.scrollTop = here.offsetTop - tree.offsetTop - tree.clientHeight / 2;
  });
}

/** The branches that come from one, and the branches that come from these. A chain of acts stays in one column; only
 * where runs part they are set in. @param {Store} store @param {Branch[]} all @param {number} parent
 * @param {number} branch @param {number} compare @returns {Node[]} */
function under(store, all, parent, branch, compare) {
  const next = all.filter((b) => b.parent === parent);
  const chains = next.map((b) => [row(store, b, branch, compare), ...under(store, all, b.id, branch, compare)]);
  return chains.length < 2 ? chains.flat() : chains.map((chain) => h("li", {}, h("ul", {}, chain)));
}

/** @param {Store} store @param {Branch} b @param {number} branch @param {number} compare */
function row(store, b, branch, compare) {
  const now = b.id === branch, wrong = b.wrong;
  return h("li", { class: "branch" },
    h("button", { class: "does", "aria-current": now ? "true" : null, onclick: () => visit(store, b) },
      h("span", {}, b.title), b.parent >= 0 ? h("small", {}, t.actAfter(b.after)) : "",
      wrong ? h("small", { class: "wrong" }, wrong) : ""),
    now ? "" : h("button", { class: "quiet", "aria-pressed": String(b.id === compare),
      "aria-label": t.actCompareWith(b.title), title: t.actCompareWith(b.title),
      onclick: () => store.set({ compare: b.id === compare ? 0 : b.id }) }, "⇄"));
}

/** The first difference of two runs. @param {any} a @param {any} b
 * @returns {Promise<{step: number, words: string} | null>} */
export async function difference(a, b) {
  try {
    return await ask("diff", { a, b });
  } catch (error) {
    return { step: 0, words: reason(error) };
  }
}
