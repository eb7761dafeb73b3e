// Menus on the picture of the network: of a process, of a message in flight, and of processes that the reader
// has drawn a line around.

import { act, heal, ofLinks, ofMessage, ofProcess, presentOf, suspicions } from "./actions.js";
import { h, s } from "./dom.js";
import { processAt, scene } from "./graph.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./actions.js").Action} Action */

const near = 15; // pixels within which a message is hit
const most = 6; // lines of a menu
const menu = h("div", { class: "popup", role: "menu", hidden: true });
/** @type {Element | null} */
let before = null;

function close() {
  if (menu.hidden) return;
  menu.hidden = true;
  if (menu.contains(document.activeElement) && before instanceof SVGElement) before.focus();
}

/** Opens the menu. What has no room in it comes after its last line. @param {Store} store @param {string} title @param {Action[]} list @param {number} x
 * @param {number} y */
function show(store, title, list, x, y) {
  if (list.length === 0 || store.state.embed) return;
  store.set({ playing: false }); // else it would be over with the next step
  if (!menu.contains(document.activeElement)) before = document.activeElement;
  const all = list.length > most, more = h("button", { role: "menuitem", tabindex: -1, "aria-haspopup": "menu",
    onclick: () => show(store, title, list.slice(most - 1), x, y) }, h("span", {}, t.actMore));
  menu.setAttribute("aria-label", title);
  menu.replaceChildren(h("p", { "aria-hidden": "true" }, title), ...list.slice(0, all ? most - 1 : most).map((action) => h("button", {
    role: "menuitem", tabindex: -1, disabled: Boolean(action.refused), title: action.refused ?? action.outside,
    class: action.outside ? "leaves" : "", onclick: () => {
      close();
      act(store, action);
    } }, h("span", {}, action.words), action.key ? h("kbd", {}, action.key) : "")), all ? more : "");
  menu.hidden = false;
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
  menu.querySelector("button")?.focus();
}

/** @param {Store} store @param {number} p @param {number} x @param {number} y */
async function processMenu(store, p, x, y) {
  const film = store.state.film;
  if (!film) return;
  store.set({ process: p }); // to which the keys are
  const next = await presentOf(store), who = suspicions(store, p);
  if (!next) return;
  const suspects = who.length > 4 ? [] : who.map((a) => ({ ...a, words: a.title ?? "" }));
  const all = [...ofProcess(store, p, next), ...ofLinks(store, [p])], first = all.filter(({ key }) => key);
  show(store, t.process(film.name(p)), [...first, ...all.filter((a) => !first.includes(a)), ...suspects], x, y);
}

/** The entry of the library's list that is a message of the picture. @param {Store} store
 * @param {import("./film.js").Journey} journey @param {import("./actions.js").Pending[]} next */
export function pendingOf(store, journey, next) {
  const film = store.state.film;
  if (!film) return undefined;
  const e = film.events, same = (/** @type {import("./film.js").Journey} */ a) => a.from === journey.from
    && a.to === journey.to && a.kind === journey.kind && e.rank[a.send] === e.rank[journey.send];
  const equal = film.underWay(store.state.step).filter(same).sort((a, b) => a.end - b.end || a.begin - b.begin);
  const list = next.filter((n) => n.act.do === "deliver" && n.from === journey.from && n.to === journey.to);
  const exact = list.filter((n) => n.message?.kind === film.head.kinds[journey.kind - 1]
    && BigInt(n.message.id) === e.rank[journey.send]);
  return exact[equal.indexOf(journey)] ?? exact[0] ?? list[0];
}

/** @param {Store} store @param {MouseEvent} event @returns {boolean} whether a message is there */
function messageMenu(store, event) {
  const { left, top } = scene.stage.getBoundingClientRect();
  const x = event.clientX - left, y = event.clientY - top;
  const away = (/** @type {{x: number, y: number}} */ a) => Math.hypot(a.x - x, a.y - y);
  const token = scene.tokens.reduce((/** @type {typeof scene.tokens[0] | null} */ best, one) =>
    (away(one) < near && (!best || away(one) < away(best)) ? one : best), null);
  if (!token) return false;
  presentOf(store).then((next) => {
    const n = next && pendingOf(store, token.journey, next);
    if (n) show(store, n.words, ofMessage(store, n), event.clientX + 8, event.clientY + 8);
  });
  return true;
}

let drawn = false; // the click that follows belongs to a line

/** Draws a line around processes. @param {Store} store @param {PointerEvent} event */
function lasso(store, event) {
  const { left, top } = scene.stage.getBoundingClientRect();
  /** @type {[number, number][]} */
  const line = [[event.clientX - left, event.clientY - top]];
  const path = s("path", { class: "lasso" });
  scene.nodes.append(path);
  const move = (/** @type {PointerEvent} */ e) => {
    line.push([e.clientX - left, e.clientY - top]);
    path.setAttribute("d", `M${line.join("L")}`);
  };
  const over = () => {
    for (const what of ["pointerup", "pointercancel"]) removeEventListener(what, /** @type {any} */ (end));
    removeEventListener("pointermove", move);
    path.remove();
  };
  const end = (/** @type {PointerEvent} */ e) => {
    over();
    if (e.type === "pointercancel") return; // the page is scrolled
    const inside = (scene.placed?.points ?? []).flatMap((p, i) => (within(p, line) ? [i] : []));
    drawn = line.length > 2;
    const list = ofLinks(store, inside);
    if (list.length) show(store, t.actAround(inside.length), [...list, heal], e.clientX + 8, e.clientY + 8);
    else if (inside.length) store.set({ notice: t.whyAll });
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** Whether a point lies inside a line that is closed. @param {{x: number, y: number}} p
 * @param {[number, number][]} line */
function within({ x, y }, line) {
  let inside = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [ax, ay] = line[i], [bx, by] = line[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** @param {Store} store */
export function mount(store) {
  document.querySelector("main")?.append(menu);
  menu.addEventListener("keydown", (event) => {
    const all = [...menu.querySelectorAll("button:enabled")];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    const at = all.indexOf(/** @type {Element} */ (document.activeElement));
    if (by) /** @type {HTMLElement | undefined} */ (all[(at + by + all.length) % all.length])?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key === "Enter" || event.key === " ") return event.stopPropagation();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) close();
  });
  scene.nodes.addEventListener("contextmenu", (event) => {
    const p = processAt(event);
    if (p < 0 && !messageMenu(store, event)) return;
    event.preventDefault();
    if (p < 0) return;
    const { left, top, width, height } = /** @type {Element} */ (event.target).getBoundingClientRect();
    const keys = event.clientX === 0 && event.clientY === 0; // the menu key has no position
    processMenu(store, p, keys ? left + width : event.clientX + 4, keys ? top + height : event.clientY + 4);
  });
  scene.nodes.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && processAt(event) < 0) lasso(store, event);
  });
  scene.nodes.addEventListener("click", (event) => {
    if (processAt(event) < 0 && !drawn) messageMenu(store, event);
    drawn = false;
  });
  store.on(["film", "step"], close);
}
