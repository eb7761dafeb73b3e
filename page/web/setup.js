// The settings at the top of the page: which algorithm, how many processes, and what else makes the run.

import { h } from "./dom.js";
import { choice } from "./controls.js";
import { make, resize } from "./run.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Algorithm} Algorithm */

/** @param {Algorithm} a */
export const nameOf = (a) => (a.variant ? `${a.name}/${a.variant}` : a.name);

/** The algorithm of a name, as "lcr/participant" or "lcr". @param {Algorithm[]} catalog @param {string} name */
export function find(catalog, name) {
  return catalog.find((a) => nameOf(a) === name) ?? catalog.find((a) => a.name === name);
}

const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  store.on(["catalog"], ({ catalog }) => {
    if (catalog.length === 0) return;
    element.replaceChildren(algorithms(store), size(store), order(store), more(store));
  });
}

/** @param {Store} store @param {any} change */
function change(store, change) {
  return make(store, { ...store.state.sugar, ...change });
}

/** @param {Store} store */
function algorithms(store) {
  /** @type {Map<string, Algorithm[]>} */
  const packages = new Map();
  for (const a of store.state.catalog) packages.set(a.name, [...(packages.get(a.name) ?? []), a]);
  const other = h("option", { hidden: true }); // of a run that was opened: it cannot be chosen
  const select = h("select", { onchange: () => {
    // What belongs to one algorithm only does not go over to another.
    const { order, seed } = store.state.sugar, n = store.state.film?.n;
    const a = find(store.state.catalog, select.value);
    make(store, { algorithm: select.value, n: a?.defaults?.n ?? n, order, seed,
      params: a?.defaults?.params });
  } }, [...packages].map(([name, list]) => h("optgroup", { label: name },
    list.map((a) => h("option", { value: nameOf(a) }, nameOf(a))))), other);
  store.on(["film", "sugar"], ({ film, sugar }) => {
    const name = film?.head.algorithm ?? sugar.algorithm, a = find(store.state.catalog, name);
    if (!a) other.textContent = name;
    select.value = a ? nameOf(a) : name;
  });
  return h("label", { class: "choice strong" }, h("span", {}, t.algorithm), select);
}

/** @param {Store} store */
function size(store) {
  const range = h("input", { type: "range", min: 0, max: sizes.length - 1, step: 1,
    oninput: () => (number.value = String(sizes[Number(range.value)])),
    onchange: () => resize(store, sizes[Number(range.value)]) });
  range.setAttribute("aria-label", t.size);
  const number = h("input", { type: "number", min: 1, max: 1024, "aria-label": t.size,
    onchange: () => resize(store, Math.max(1, Math.min(1024, Math.round(Number(number.value) || 1)))) });
  store.on(["film", "sugar"], ({ film }) => {
    if (!film) return;
    number.value = String(film.n);
    const near = sizes.findIndex((n) => n >= film.n);
    range.value = String(near < 0 ? sizes.length - 1 : near);
  });
  return h("div", { class: "choice size" }, h("span", {}, t.size), range, number);
}

/** @param {Store} store */
function order(store) {
  const label = choice(t.order, Object.entries(t.orders), store.state.sugar.order ?? "random",
    (value) => change(store, { order: value }));
  const again = h("button", { class: "quiet", title: t.again, "aria-label": t.again,
    onclick: () => change(store, { seed: 1 + Math.floor(Math.random() * 999999) }) }, "↻");
  const select = /** @type {HTMLSelectElement} */ (label.querySelector("select"));
  store.on(["sugar"], ({ sugar }) => (select.value = sugar.order ?? "random"));
  return h("div", { class: "pair" }, label, again);
}

/** @param {Store} store */
function more(store) {
  const form = h("form", { class: "more", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const details = h("details", { class: "menu" }, h("summary", {}, t.more), form);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    details.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (details.open && event.target instanceof Node && !details.contains(event.target)) details.open = false;
  });
  store.on(["sugar", "catalog"], ({ sugar, catalog }) => {
    const a = find(catalog, sugar.algorithm), name = a ? nameOf(a) : sugar.algorithm; // one of the museum
    if (form.contains(document.activeElement) && form.dataset.of === name) return;
    form.dataset.of = name;
    const d = sugar.delay, delay = d?.max ? `${d.min}-${d.max}` : typeof d === "object" ? "random" : d ?? "unit";
    form.replaceChildren(
      field(t.links, "text", sugar.links ?? "", t.linksHint, (v) => {
        // A grid and a hypercube determine the number of processes. Go reads no larger number than that.
        const [all, rows, columns, cube] = /(\d+)x(\d+)|cube:(\d+)/.exec(v) ?? [];
        change(store, { links: v || undefined, ...all && { n: Math.min(2 ** 53, cube ? 2 ** +cube : +rows * +columns) } });
      }),
      choice(t.delays,
        [...new Set(["unit", "random", "1-3", "1-10", delay])].map((v) => [v, t.delayNames[v] ?? v]), delay,
        (v) => change(store, { delay: v })),
      field(t.seed, "number", sugar.seed ?? "", "1", (v) => change(store, { seed: v || undefined })),
      field(t.starters, "text", [sugar.initiators ?? []].flat().join(", "), t.all, (v) => change(store,
        { initiators: /^(all|none)$/.test(v) ? v : v.match(/[^\s,]+/g) ?? undefined })),
      ...(a?.params ?? []).map((p) => parameter(store, p)));
  });
  return details;
}

/** @param {string} label @param {string} type @param {any} value @param {string} hint
 * @param {(value: string) => void} changed */
function field(label, type, value, hint, changed) {
  const input = h("input", { type, value, placeholder: hint, onchange: () => changed(input.value) });
  return h("label", { class: "choice" }, h("span", {}, label), input);
}

/** A parameter, as the command line takes it: Go reads the text. @param {Store} store
 * @param {Algorithm["params"][number]} p */
function parameter(store, p) {
  const set = (/** @type {string} */ text) => {
    const { [p.name]: old, ...params } = store.state.sugar.params ?? {};
    change(store, { params: text.trim() ? { ...params, [p.name]: text } : params });
  };
  const now = typed(store.state.sugar.params?.[p.name] ?? "");
  const label = p.kind === "choice" ? choice(p.name, [["", `${t.asDefault}: ${p.default}`],
    ...(p.choices ?? []).map((c) => /** @type {[string, string]} */ ([c, c]))], now, set)
    : field(p.name, "text", now, String(p.default ?? ""), set);
  label.append(h("small", {}, p.meaning));
  return label;
}

/** A value of a file as the command line has it. @param {any} v @returns {string} */
const typed = (v) => typeof v === "object"
  ? Object.entries(v).map(([id, of]) => `${id}:${[of].flat().join("/")}`).join() : String(v);
