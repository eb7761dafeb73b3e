// The messages of this run beside the closed forms of its algorithm, over the number of processes.

import { call } from "./bridge.js";
import { fit, h, perFrame } from "./dom.js";
import { reason } from "./run.js";
import { colours } from "./theme.js";
import { t } from "./texts.js";

/** @typedef {{ns: number[], best?: number[], mean?: number[], worst?: number[]}} Theory */

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const canvas = h("canvas", { role: "img" }), facts = h("dl", { class: "facts" });
  const note = h("p", { class: "note" });
  const plot = h("div", { class: "plot" }, canvas);
  element.append(facts, plot, note);
  /** @type {Theory | null} */
  let theory = null;
  let asked = "";

  const draw = perFrame(() => {
    const { film, step } = store.state;
    const { width, height } = plot.getBoundingClientRect();
    if (!film || width < 40) return;
    const g = fit(canvas, width, height);
    if (theory) curves(g, theory, film.n, film.sentAfter(step), width, height);
  });

  store.on(["film", "panel"], async ({ film, panel }) => {
    if (!film || panel !== "theory") return;
    const { algorithm, scenario } = film.head, key = JSON.stringify([algorithm, scenario.params, film.n]);
    if (key === asked) return draw();
    asked = key;
    const ns = sizes(film.n);
    try {
      const { json } = await call("theory", { algorithm, params: scenario.params, ns });
      if (asked !== key) return;
      theory = json;
      note.textContent = usable(theory) ? t.theoryAxis : t.noTheory;
    } catch (error) {
      theory = null;
      note.textContent = reason(error);
    }
    draw();
  });
  store.on(["film", "step"], ({ film, step, catalog }) => {
    if (!film) return;
    const a = catalog.find((c) => `${c.name}/${c.variant}` === film.head.algorithm || c.name === film.head.algorithm);
    const rows = [[t.thisRun, t.figure(film.sentAfter(step))]];
    for (const name of /** @type {("best"|"mean"|"worst")[]} */ (["best", "mean", "worst"])) {
      if (a?.[name]) rows.push([t.cases[name], a[name]]);
    }
    if (film.head.bits) rows.push([t.bits, t.figure(film.head.bits)]);
    rows.push([t.time, t.units(film.head.time)]);
    facts.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    canvas.setAttribute("aria-label", rows.map((row) => row.join(" ")).join(", "));
    draw();
  });
  store.on(["paint"], draw);
  new ResizeObserver(draw).observe(plot);
}

/** The sizes for which the closed forms are drawn. @param {number} n */
function sizes(n) {
  const most = Math.max(8, Math.min(1024, Math.ceil(n * 1.5))), by = Math.max(1, Math.ceil(most / 48));
  const all = [];
  for (let k = 1; k <= most; k += by) all.push(k);
  return all.includes(n) ? all : [...all, n].sort((a, b) => a - b);
}

/** @param {Theory | null} theory */
function usable(theory) {
  return Boolean(theory && (theory.best?.length || theory.mean?.length || theory.worst?.length));
}

/** @typedef {"best"|"mean"|"worst"} Case */

/** The curves from the lowest to the highest; equal ones are one.
 * @param {Theory} theory @param {[Case, string][]} list */
function merged(theory, list) {
  /** @type {{names: Case[], series: number[], colour: string, dash: number[]}[]} */
  const all = [];
  for (const [name, colour] of list) {
    const series = theory[name];
    if (!series?.length) continue;
    const same = all.find((c) => c.series.every((v, i) => v === series[i]));
    if (same) same.names.push(name);
    else all.push({ names: [name], series, colour, dash: name === "mean" ? [5, 3] : name === "best" ? [2, 3] : [] });
  }
  return all.sort((a, b) => (a.series.at(-1) ?? 0) - (b.series.at(-1) ?? 0));
}

/** @param {CanvasRenderingContext2D} g @param {Theory} theory @param {number} n @param {number} messages
 * @param {number} width @param {number} height */
function curves(g, theory, n, messages, width, height) {
  const all = colours(), left = 44, right = 62, top = 12, base = height - 22;
  const list = /** @type {[Case, string][]} */ ([["best", all.green], ["mean", all.blue],
    ["worst", all.orange]]);
  const values = list.flatMap(([name]) => theory[name] ?? []).filter(Number.isFinite);
  const most = Math.max(messages, 1, ...values), last = theory.ns[theory.ns.length - 1];
  const x = (/** @type {number} */ k) => left + (k / last) * (width - left - right);
  const y = (/** @type {number} */ v) => base - (v / most) * (base - top);
  g.strokeStyle = all.faint;
  g.lineWidth = 1;
  g.strokeRect(left, top, width - left - right, base - top);
  g.fillStyle = all.grey;
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "right";
  g.fillText(String(Math.round(most)), left - 6, top + 8);
  g.fillText("0", left - 6, base);
  g.fillText(`n = ${last}`, x(last), base + 15); // left of the names of the curves
  g.textAlign = "center";
  if (last > 1.3 * n) g.fillText(String(n), x(n), base + 15);
  let before = -Infinity;
  for (const { names, series, colour, dash } of merged(theory, list).reverse()) {
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = 2;
    g.setLineDash(dash);
    g.beginPath();
    theory.ns.forEach((k, i) => Number.isFinite(series[i]) && g.lineTo(x(k), y(series[i])));
    g.stroke();
    g.setLineDash([]);
    g.textAlign = "left";
    // From the highest to the lowest, each label below the one before.
    before = Math.max(before + 13, Math.max(top + 8, y(series[series.length - 1]) + 4));
    g.fillText(names.map((name) => t.cases[name]).join(" = "), x(last) + 5, before);
  }
  g.fillStyle = all.gold;
  g.beginPath();
  g.arc(x(n), y(messages), 5.5, 0, 2 * Math.PI);
  g.fill();
  g.strokeStyle = all.paper;
  g.lineWidth = 1.5;
  g.stroke();
}
