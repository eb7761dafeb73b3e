// The keys. They work everywhere but in fields in which the reader writes.

import * as acts from "./acts.js";
import { closer, h, openModal } from "./dom.js";
import * as doors from "./doors.js";
import { go, light, move, toggle } from "./run.js";
import { openDialog as share } from "./share.js";
import * as t from "./texts.js";
import { zoomBy } from "./time.js";

/** @typedef {import("./store.js").Store} Store */

/** What a key does, and how the list of keys says it.
 * @typedef {{keys: string[], shown?: string, words: string, press: (store: Store, key: string) => void}} Key */

/** @type {[import("./run.js").Stride, string, string][]} */
const strides = [["event", "ArrowRight", "ArrowLeft"], ["instant", "Shift+ArrowRight", "Shift+ArrowLeft"],
  ["decision", "n", "N"], ["fault", "f", "F"], ["process", ".", ","]];

/** @type {Key[]} */
export const keys = [
  { keys: [" "], words: t.keyMoves.play, press: toggle },
  ...strides.flatMap(([stride, on, back]) => [
    { keys: [on], words: t.keyMoves[stride], press: (/** @type {Store} */ store) => move(store, stride, 1) },
    { keys: [back], words: t.keyBack[stride], press: (/** @type {Store} */ store) => move(store, stride, -1) },
  ]),
  { keys: ["Home"], words: t.keyMoves.home, press: (store) => go(store, 0) },
  { keys: ["End"], words: t.keyMoves.end, press: (store) => go(store, store.state.film?.length ?? 0) },
  { keys: ["l"], words: t.keyMoves.causes, press: (store) => light(store, store.state.cause ? 0
    : store.state.step) },
  ...Object.entries(t.keyActs).map(([letter, words]) => (letter === "digits"
    ? { keys: [..."123456789"], shown: "1–9", words, press: acts.press }
    : { keys: [letter], words, press: acts.press })),
  { keys: ["u"], words: t.keyMoves.undo, press: acts.undo },
  { keys: ["U"], words: t.keyMoves.redo, press: acts.redo },
  { keys: ["+"], words: t.keyMoves.longer, press: (store) => zoomBy(store, 1.25) },
  { keys: ["-"], words: t.keyMoves.shorter, press: (store) => zoomBy(store, 0.8) },
  { keys: ["S"], words: t.keyMoves.share, press: share },
  { keys: ["?"], words: t.keyMoves.list, press: openDialog },
  { keys: ["Escape"], words: t.keyMoves.all, press: (store) => light(store, 0) },
];

/** Lists the keys, and leads back to the start cards. @param {Store} store */
export function openDialog(store) {
  if (document.querySelector("dialog")) return;
  openModal(t.keys, [h("h2", {}, t.keys), h("dl", { class: "keys" }, keys.map((key) => h("div", {}, h("dt", {},
    (key.shown ? [key.shown] : key.keys).map((k) => h("kbd", {}, t.keyNames[k] ?? k))), h("dd", {}, key.words)))),
  h("p", { class: "note" }, t.marks), h("div", { class: "row ends" }, h("button", { class: "plain", onclick: () => {
    document.querySelector("dialog")?.close();
    doors.show(store);
  } }, t.doorsShow), closer())]);
}

/** @param {KeyboardEvent} event */
function nameOf(event) {
  return event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
}

/** @param {Store} store */
export function mount(store) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("dialog, textarea, input:not([type=range]), select")) return;
    // A button takes the space key itself, and tabs and the number of processes the keys that move them.
    if (event.key === " " && target.closest("button, summary, a")) return;
    if (target.closest("[role=tablist], .size") && /^(Arrow|Home|End)/.test(event.key)) return;
    const name = nameOf(event), key = keys.find((k) => k.keys.includes(name));
    if (!key) return;
    key.press(store, name);
    event.preventDefault();
  });
}
