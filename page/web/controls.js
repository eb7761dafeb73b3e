// The controls under the picture: the scrubber with what happened when, and the buttons.

import { circle, fit, star } from "./canvas.js";
import { h, perFrame, s } from "./dom.js";
import { go, move, play, second, setScale, toggle } from "./run.js";
import { colours } from "./theme.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** @type {import("./run.js").Stride} */
let stride = "event";

const icons = {
  first: "M6 5v14M19 5l-10 7 10 7z", back: "M17 5l-10 7 10 7z", play: "M7 4l13 8-13 8z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z", on: "M7 5l10 7-10 7z", last: "M18 5v14M5 5l10 7-10 7z",
};

/** @param {keyof typeof icons} name */
function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: icons[name] }));
}

/** @param {keyof typeof icons} name @param {() => void} press */
function button(name, press) {
  const words = t.transport[name];
  return h("button", { class: `icon ${name}`, title: words, "aria-label": words, onclick: press }, icon(name));
}

/** The large button that plays a run from its beginning. @param {Store} store */
export const starter = (store) => h("button", { class: "start", hidden: true, onclick: () => {
  play(store);
  /** @type {HTMLElement | null} */ (document.querySelector(".icon.play"))?.focus({ preventScroll: true });
} }, icon("play"), h("span", {}, t.begin));

/** A choice among some values. @param {string} label @param {[string, string][]} options @param {string} value
 * @param {(value: string) => void} change */
export function choice(label, options, value, change) {
  const select = h("select", { onchange: () => change(select.value) },
    options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const run = button("play", () => toggle(store));
  const where = h("output", { class: "where" });
  const by = choice(t.stride, Object.entries(t.strides), stride, (value) => {
    stride = /** @type {import("./run.js").Stride} */ (value);
    if (stride === "process" && store.state.process < 0) store.set({ process: 0 });
  });
  const speed = choice(t.speed, speeds.map((v) => [String(v), v < 1 ? `1/${1 / v}×` : `${v}×`]), "1",
    (value) => store.set({ speed: Number(value) }));
  const scale = choice(t.scale, Object.entries(t.scales), "time",
    (value) => setScale(store, /** @type {"time"|"steps"} */ (value)));
  element.append(scrubber(store), h("div", { class: "buttons" },
    h("div", { class: "side" }, where),
    h("div", { class: "transport", role: "group", "aria-label": t.transport.play },
      button("first", () => go(store, 0)), button("back", () => move(store, stride, -1)), run,
      button("on", () => move(store, stride, 1)),
      button("last", () => go(store, store.state.film?.length ?? 0))),
    h("div", { class: "side end" }, by, speed, scale)));
  store.on(["scale"], (state) => {
    scale.hidden = state.scale === "clock";
    if (!scale.hidden) /** @type {HTMLSelectElement} */ (scale.querySelector("select")).value = state.scale;
  });
  store.on(["speed"], (state) => (
    /** @type {HTMLSelectElement} */ (speed.querySelector("select")).value = String(state.speed)));
  store.on(["playing"], ({ playing }) => {
    const name = playing ? "pause" : "play";
    run.replaceChildren(icon(name));
    run.setAttribute("aria-label", t.transport[name]);
    run.title = t.transport[name];
  });
  store.on(["film", "step", "cursor", "view"], ({ film, axis, step, cursor, view }) => {
    if (!film || !axis) return;
    const words = view === "service" ? t.serviceWhere(axis.timeAt(cursor) / second)
      : t.stepOf(step, film.length, film.at(step));
    if (where.textContent !== words) where.textContent = words;
  });
}

/** @param {Store} store */
function scrubber(store) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const range = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": t.scrubber,
    oninput: () => go(store, Number(range.value)) });
  const bar = h("div", { class: "scrubber" }, canvas, range);
  const pad = 9;
  const draw = perFrame(() => {
    const { film, axis, cursor } = store.state;
    const { width, height } = bar.getBoundingClientRect();
    if (!film || !axis || width < 2 * pad) return;
    const g = fit(canvas, width, height), all = colours(), base = height - 12, inner = width - 2 * pad;
    const x = (/** @type {number} */ place) => pad + (place / axis.end) * inner;
    const bins = histogram(film, axis, Math.max(1, Math.min(240, Math.round(inner / 5))));
    const most = Math.max(1, ...bins), now = x(cursor);
    bins.forEach((n, i) => {
      if (n === 0) return;
      const left = pad + (i / bins.length) * inner, tall = 2 + (n / most) * (base - 14);
      g.fillStyle = left <= now ? all.sky : all.faint;
      g.fillRect(left, base - tall, Math.max(1.2, inner / bins.length - 1.2), tall);
    });
    g.fillStyle = all.faint;
    g.fillRect(pad, base + 1, inner, 2);
    g.fillStyle = all.ink;
    g.fillRect(pad, base + 1, now - pad, 2);
    g.fillStyle = all.green;
    for (const k of film.decisions) if (!film.crowned.has(k)) g.fillRect(x(axis.placeOf(k)) - 1, 6, 2, 4);
    g.fillStyle = all.gold;
    for (const k of film.crowned) star(g, x(axis.placeOf(k)), 6, 5.5);
    g.fillStyle = all.red;
    for (const at of film.ends) { // a leader stops to lead
      const on = x(axis.placeAt(at));
      g.beginPath();
      g.moveTo(on - 4.5, 2);
      g.lineTo(on + 4.5, 2);
      g.lineTo(on, 10);
      g.fill();
    }
    for (const k of film.faults) if (film.what(k) !== "lose") g.fillRect(x(axis.placeOf(k)) - 1, 1, 2, 9);
    for (const { step } of film.forbidden) g.fillRect(x(axis.placeOf(step)) - 2, 1, 4, base - 2);
    g.fillStyle = all.ink;
    circle(g, now, base + 2, 6.5);
    g.fill();
  });
  const seek = (/** @type {PointerEvent} */ event) => {
    const { axis } = store.state;
    if (!axis) return;
    const { left, width } = bar.getBoundingClientRect();
    const part = Math.max(0, Math.min(1, (event.clientX - left - pad) / (width - 2 * pad)));
    const cursor = part * axis.end;
    store.set({ cursor, step: axis.stepAt(cursor), cause: 0 });
  };
  let resume = false;
  bar.addEventListener("pointerdown", (event) => {
    resume = store.state.playing;
    store.set({ playing: false });
    bar.setPointerCapture(event.pointerId);
    range.focus();
    seek(event);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) seek(event);
  });
  bar.addEventListener("lostpointercapture", () => {
    if (resume && store.state.step < (store.state.film?.length ?? 0)) play(store);
  });
  store.on(["film", "step"], ({ film, step }) => {
    range.max = String(film?.length ?? 0);
    range.value = String(step);
    if (film) range.setAttribute("aria-valuetext", t.stepOf(step, film.length, film.at(step)));
  });
  store.on(["film", "cursor", "axis", "paint"], draw);
  new ResizeObserver(draw).observe(bar);
  return bar;
}

/** @type {{film: any, axis: any, bins: number[]}} */
let last = { film: null, axis: null, bins: [] };

/** How many steps there are in each part of the axis.
 * @param {import("./film.js").Film} film @param {import("./axis.js").Axis} axis @param {number} n */
function histogram(film, axis, n) {
  if (last.film === film && last.axis === axis && last.bins.length === n) return last.bins;
  const bins = new Array(n).fill(0);
  for (let k = 1; k <= film.length; k++) bins[Math.min(n - 1, Math.floor((axis.places[k] / axis.end) * n))]++;
  last = { film, axis, bins };
  return bins;
}
