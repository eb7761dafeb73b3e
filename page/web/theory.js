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
    const key = film.head.algorithm + film.n;
    if (key === asked) return draw();
    asked = key;
    const ns = sizes(film.n);
    try {
      const { json } = await call("theory", { algorithm: film.head.algorithm, params: film.head.scenario?.params, ns });
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
    const rows = [[t.thisRun, String(film.sentAfter(step))]];
    for (const name of /** @type {("best"|"mean"|"worst")[]} */ (["best", "mean", "worst"])) {
      if (a?.[name]) rows.push([t.cases[name], a[name]]);
    }
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

/** @param {CanvasRenderingContext2D} g @param {Theory} theory @param {number} n @param {number} messages
 * @param {number} width @param {number} height */
function curves(g, theory, n, messages, width, height) {
  const all = colours(), left = 44, right = 48, top = 12, base = height - 22;
  const list = /** @type {["best"|"mean"|"worst", string][]} */ ([["best", all.green], ["mean", all.blue],
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
  g.textAlign = "center";
  g.fillText(`n = ${last}`, x(last), base + 15);
  g.fillText(String(n), x(n), base + 15);
  let before = Infinity;
  for (const [name, colour] of list) {
    const series = theory[name];
    if (!series?.length) continue;
    g.strokeStyle = colour;
    g.lineWidth = 2;
    g.setLineDash(name === "mean" ? [5, 3] : name === "best" ? [2, 3] : []);
    g.beginPath();
    theory.ns.forEach((k, i) => Number.isFinite(series[i]) && g.lineTo(x(k), y(series[i])));
    g.stroke();
    g.setLineDash([]);
    g.fillStyle = colour;
    g.textAlign = "left";
    const at = Math.min(before - 13, y(series[series.length - 1]) + 4);
    if (name !== "best" || at > top) g.fillText(t.cases[name], x(last) + 5, Math.max(top + 8, at));
    before = Math.max(top + 8, at);
  }
  g.fillStyle = all.gold;
  g.beginPath();
  g.arc(x(n), y(messages), 5.5, 0, 2 * Math.PI);
  g.fill();
  g.strokeStyle = all.paper;
  g.lineWidth = 1.5;
  g.stroke();
}
