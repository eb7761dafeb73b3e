// A race: two to four algorithms among the same processes, under one clock, and how their messages grow.

import { Axis } from "./axis.js";
import { ask, call, hurry } from "./bridge.js";
import { fit, pen } from "./canvas.js";
import { choice } from "./controls.js";
import { closer, h, openModal, perFrame, s } from "./dom.js";
import { DOWN, Film, FOLLOWER, LEADER } from "./film.js";
import { outlineOf } from "./graph.js";
import { plot } from "./plot.js";
import { failure, open } from "./run.js";
import { layout } from "./layout.js";
import { find, nameOf } from "./setup.js";
import { colours, series, shapes, signPath, signs } from "./theme.js";
import { drawLinks, drawTokens, treeAt } from "./tokens.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{name: string, film: Film, axis: Axis, end: number, card: HTMLElement,
 *   canvas: HTMLCanvasElement, count: HTMLElement, note: HTMLElement}} Runner */

const fewest = 2, most = 4, largest = 128;
const length = 12; // seconds that a race takes

/** Opens the race. @param {Store} store */
export function openDialog(store) {
  const { catalog, sugar, film, view } = store.state;
  if (document.querySelector("dialog") || catalog.length === 0) return;
  // What is shown, and others on the same links: first algorithms for the same end, each from a package of its own. A service,
  // which elects again and again, reaches no end: instead of it, algorithms on a ring race.
  const present = find(catalog, film?.head.algorithm ?? "");
  const own = present && !present.endless && view !== "service" ? present : catalog[0];
  /** @type {{n: number, order: string, seed: number}} */
  const set = { n: own === present && film ? film.n : own.defaults.n, order: "worst", seed: sugar.seed ?? 4 };
  set.n = Math.max(2, Math.min(64, set.n));
  const rank = (/** @type {import("./store.js").Algorithm} */ a) => (a === own ? 0 : a.wins === own.wins ? 1 : 2);
  const others = catalog.filter((a) => a.shape === own.shape && !a.endless && (a === own || a.name !== own.name
    || a.wins === "none")).sort((a, b) => rank(a) - rank(b));
  let names = others.filter((a, i) => a.wins === "none" || i === others.findIndex((b) => b.name === a.name)).map(nameOf)
    .slice(0, 3);
  /** @type {Runner[]} */
  let runners = [];
  let now = 0, playing = false, latest = 0;
  /** the messages of each algorithm that were measured, by number of processes
   * @type {Map<string, Map<number, number>>} */
  const measured = new Map();

  const cards = h("div", { class: "cards" });
  const chart = h("canvas", { role: "img", "aria-label": t.plots.messages }), below = h("div", { class: "curves" }, chart);
  const n = h("input", { type: "range", min: 2, max: 64, value: set.n, "aria-label": t.size, oninput: () => {
    set.n = Number(n.value);
    shown.textContent = n.value;
    run(false);
  } });
  const shown = h("output", {}, String(set.n));
  const clock = h("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": t.raceClock, oninput: () => {
    playing = false;
    now = (Number(clock.value) / 1000) * end();
    draw();
  } });
  const time = h("output", {}), go = h("button", { class: "plain strong", onclick: () => {
    playing = !playing;
    if (playing && now >= end()) now = 0;
    if (playing) play();
    draw();
  } }, t.transport.play);
  const add = h("select", { "aria-label": t.raceAdd, onchange: () => {
    if (names.length < most && add.value) names = [...names, add.value];
    add.value = "";
    run(true);
  } });
  let chosen = false, orders = /** @type {HTMLElement | null} */ (null);
  const dialog = openModal(t.raceTitle, [h("header", { class: "row wrap" }, h("h2", {}, t.raceTitle), h("label", { class: "choice" },
    h("span", {}, t.size), h("span", { class: "row" }, n, shown)),
  orders = choice(t.order, Object.entries(t.orders), set.order, (v) => {
    set.order = v;
    chosen = true;
    measured.clear();
    run(true);
  }), h("button", { class: "quiet", title: t.again, "aria-label": t.again, onclick: () => {
    set.seed = 1 + Math.floor(Math.random() * 99999);
    measured.clear();
    run(true);
  } }, "↻"), h("label", { class: "choice" }, h("span", {}, t.raceAdd), add),
  closer()), cards, h("div", { class: "row clock" }, go, clock, time), below], { class: "race", onclose: () => {
    playing = false;
    latest++;
  } });

  const end = () => Math.max(1, ...runners.map((r) => r.end));
  const draw = perFrame(() => {
    // The words of all take their place first: what is left is the size of the pictures.
    const steps = runners.map((r) => say(r, now, now >= end()));
    runners.forEach((r, i) => network(r, now, steps[i]));
    clock.value = String(Math.round((now / end()) * 1000));
    time.textContent = t.raceAt(now);
    go.textContent = playing ? t.transport.pause : t.transport.play;
    const { width, height } = below.getBoundingClientRect(), marks = signs(names);
    const lists = names.map((name) => [...measured.get(name) ?? []].sort((a, b) => a[0] - b[0]));
    const last = Math.min(65, Math.ceil(Math.max(8, set.n, ...lists.flat().map(([k]) => k)) * 1.15));
    let high = Math.max(10, ...lists.flat().map(([, v]) => v * 1.25));
    const curves = names.map((name, i) => {
      const { ns = [], messages = [] } = theory.get(name) ?? {};
      const of = (/** @type {"mean"|"worst"} */ which) => messages.find((c) => c.names.includes(which));
      const mean = of("mean"), known = mean ?? of("worst");
      const line = ns.flatMap((k, j) => (k <= last && known?.at[j] ? [[k, known.at[j]]] : []));
      if (mean) high = Math.max(high, ...line.map(([, v]) => v)); // a worst case may lie far above the scale
      return { ...marks[i + 1], name: mean || !known ? name : `≤ ${name}`, points: lists[i], line };
    });
    plot(fit(chart, width, height), { width, height, n: set.n, last, words: t.raceAxis, high }, curves);
  });
  const play = () => {
    let before = performance.now();
    const frame = (/** @type {number} */ at) => {
      if (!playing) return;
      now = Math.min(end(), now + (Math.min(100, Math.max(0, at - before)) / 1000) * Math.max(1.2, end() / length));
      before = at;
      playing = now < end();
      draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };

  /** @type {Map<string, import("./theory.js").Theory>} */
  const theory = new Map();
  /** The head of a card. @param {string} name @param {any} [scenario] */
  const title = (name, scenario, i = names.indexOf(name)) => h("header", { class: "row" }, s("svg", { width: 20,
    height: 14, "aria-hidden": "true" }, s("path", { d: signPath(shapes[i], 13, 7, 5), fill: `var(--${series[i]})` })),
    h("button", { class: "quiet", title: t.raceShow, disabled: !scenario, onclick: () =>
      open(store, scenario, { play: true }) }, name, scenario && scenario.ids.length !== set.n ? ` (n = ${scenario.ids.length})` : ""), names.length > fewest
      ? h("button", { class: "quiet", "aria-label": t.raceLeave(name), onclick: () => {
        names = names.filter((one) => one !== name);
        run(true);
      } }, "×") : "");

  /** Makes the films. @param {boolean} start whether the race starts from its beginning */
  const run = async (start) => {
    if (!store.state.busy) hurry(); // a run that is still to come is no film of this race
    const mine = ++latest, made = [], /** @type {HTMLElement[]} */ all = [];
    add.replaceChildren(h("option", { value: "" }, "…"), ...catalog.map(nameOf).filter((name) =>
      !names.includes(name)).map((name) => h("option", { value: name }, name)));
    add.disabled = names.length >= most;
    for (const name of names) {
      try {
        const scenario = await ask("scenario", { algorithm: name, ...set }).catch((why) => {
          if (chosen || set.order !== "worst") throw why;
        });
        if (mine !== latest) return;
        if (!scenario) { // not every algorithm has a worst order that is known
          set.order = "random";
          /** @type {HTMLSelectElement} */ (orders?.querySelector("select")).value = set.order;
          measured.clear();
          return run(start);
        }
        const { data } = await call("film", { scenario });
        if (mine !== latest) return;
        if (!theory.has(name)) {
          const ns = Array.from({ length: largest / 2 }, (_, i) => i + 2);
          theory.set(name, await ask("theory", { algorithm: name, ns }));
          if (mine !== latest) return;
        }
        const one = runner(store, name, new Film(/** @type {ArrayBuffer} */ (data)), title(name, scenario));
        made.push(one);
        all.push(one.card);
      } catch (why) {
        if (mine !== latest) return;
        all.push(h("section", { class: "card" }, title(name), failure(why)));
      }
    }
    if (mine !== latest) return;
    for (const { name, film } of made) {
      const known = measured.get(name) ?? new Map();
      measured.set(name, known.set(film.n, film.sent[film.length]));
    }
    runners = made;
    cards.replaceChildren(...all);
    if (start) now = 0;
    playing = start ? !store.state.still : playing;
    now = start ? 0 : end();
    if (playing && start) play();
    draw();
  };
  new ResizeObserver(draw).observe(cards);
  store.on(["paint"], () => dialog.isConnected && draw());
  run(true);
}

/** @param {Store} store @param {string} name @param {Film} film @param {HTMLElement} title @returns {Runner} */
function runner(store, name, film, title) {
  const axis = new Axis(film, "time"), a = find(store.state.catalog, name);
  const last = film.decisions.at(-1) ?? film.length;
  const canvas = h("canvas", { "aria-hidden": "true" }), count = h("b", {}), note = h("span", {});
  const card = h("section", { class: "card", "aria-label": name, "data-name": name },
    title, h("div", { class: "net" }, canvas), h("p", { class: "score" }, count, note));
  return { name, film, axis, end: a?.endless ? film.at(last) + 1 : film.at(film.length), card, canvas, count, note };
}

/** Says how far a runner is, and returns its step. @param {Runner} r @param {number} now @param {boolean} over */
function say(r, now, over) {
  const { film, axis } = r;
  const step = axis.stepAt(over && now >= r.end ? axis.placeAt(r.end) + 1 : axis.placeAt(Math.min(now, r.end)));
  r.count.textContent = t.figure(film.sent[step]);
  const lead = film.head.ids.flatMap((_, p) => (film.roleOf(p, step) === LEADER ? [film.name(p)] : []));
  r.note.textContent = ` ${t.messages(film.sent[step])}${lead.length ? `, ${t.safeLead(lead)}` : ""}${now >= r.end
    ? `, ${t.units(r.end)}` : ""}`;
  r.card.classList.toggle("done", now >= r.end);
  return step;
}

/** Draws what a network is at a time. @param {Runner} r @param {number} now @param {number} step */
function network(r, now, step) {
  const { film, axis, canvas } = r, cursor = axis.placeAt(Math.min(now, r.end));
  const { width, height } = /** @type {HTMLElement} */ (canvas.parentElement).getBoundingClientRect();
  if (width < 10) return;
  const g = fit(canvas, width, height), l = layout(film.head, width, height), all = colours();
  drawLinks(g, film, l, new Set(), treeAt(film, step));
  drawTokens(g, film, axis, l, signs(film.head.kinds), { step, cursor, cause: 0 });
  pen(g, String(Math.min(12, 1.1 * l.radius)));
  l.points.forEach(({ x, y }, p) => {
    const role = film.roleOf(p, step), { status } = film.condition(p, step);
    const shape = new Path2D(outlineOf(role, l.radius));
    g.fillStyle = role === LEADER ? all.goldfill : role === FOLLOWER ? all.greensoft : all.paper;
    g.strokeStyle = status === DOWN ? all.red : role === LEADER ? all.gold : role === FOLLOWER ? all.greenfill : all.mid;
    g.lineWidth = 1.5;
    g.translate(x, y);
    g.fill(shape);
    g.stroke(shape);
    g.translate(-x, -y);
    if (l.radius < 8) return;
    g.fillStyle = role === LEADER ? "#241a00" : all.ink;
    g.fillText(film.name(p), x, y, 2 * l.radius);
  });
}
