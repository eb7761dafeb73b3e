// The messages of this run beside the closed forms of its algorithm, over the number of processes.

import { call } from "./bridge.js";
import { fit, h, perFrame } from "./dom.js";
import { reason } from "./run.js";
import { colours } from "./theme.js";
import { t } from "./texts.js";

/** @typedef {"best"|"mean"|"worst"} Case */
/** @typedef {{names: Case[], at: number[]}} Curve closed forms that are equal */
/** @typedef {{ns: number[], messages: Curve[], bits: Curve[]}} Theory */

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const facts = h("dl", { class: "facts" }), note = h("p", { class: "note" });
  const plots = /** @type {("messages"|"bits")[]} */ (["messages", "bits"]).map((what) => {
    const canvas = h("canvas", { role: "img" }), box = h("div", { class: "plot" }, canvas);
    return { what, canvas, box, whole: h("figure", {}, h("figcaption", { class: "note" }, t.plots[what]), box) };
  });
  element.append(facts, note, ...plots.map((p) => p.whole));
  /** @type {Theory | null} */
  let theory = null;
  let asked = "";

  const draw = perFrame(() => {
    const { film, step } = store.state;
    for (const { what, canvas, box, whole } of plots) {
      whole.hidden = !theory?.[what].length;
      const { width, height } = box.getBoundingClientRect();
      if (film && theory && width > 40) {
        curves(fit(canvas, width, height), theory.ns, theory[what], film.n,
          what === "bits" ? film.head.bits ?? 0 : film.sentAfter(step), width, height);
      }
    }
  });

  store.on(["film", "panel"], async ({ film, panel }) => {
    if (!film || panel !== "theory") return;
    const { algorithm, scenario } = film.head, key = JSON.stringify([algorithm, scenario.params, film.n]);
    if (key === asked) return draw();
    asked = key;
    try {
      const { json } = await call("theory", { algorithm, params: scenario.params, n: film.n });
      if (asked !== key) return;
      theory = json;
      note.textContent = json.messages.length ? "" : t.noTheory;
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
    for (const name of /** @type {Case[]} */ (["best", "mean", "worst"])) {
      if (a?.[name]) rows.push([t.cases[name], a[name]]);
    }
    if (film.head.bits) rows.push([t.bits, t.figure(film.head.bits)]);
    rows.push([t.time, t.units(film.head.time)]);
    facts.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    for (const { canvas } of plots) canvas.setAttribute("aria-label", rows.map((row) => row.join(" ")).join(", "));
    draw();
  });
  store.on(["paint"], draw);
  new ResizeObserver(draw).observe(element);
}

/** @param {CanvasRenderingContext2D} g @param {number[]} ns @param {Curve[]} list from the lowest to the highest
 * @param {number} n @param {number} value of this run @param {number} width @param {number} height */
function curves(g, ns, list, n, value, width, height) {
  const all = colours(), left = 44, right = 62, top = 12, base = height - 22;
  const most = Math.max(value, 1, ...list.flatMap((c) => c.at)), last = ns[ns.length - 1];
  const x = (/** @type {number} */ k) => left + (k / last) * (width - left - right);
  const y = (/** @type {number} */ v) => base - (v / most) * (base - top);
  g.strokeStyle = all.faint;
  g.lineWidth = 1;
  g.strokeRect(left, top, width - left - right, base - top);
  g.fillStyle = all.grey;
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "right";
  g.fillText(t.figure(Math.round(most)), left - 6, top + 8, left - 6);
  g.fillText("0", left - 6, base);
  g.fillText(`n = ${last}`, x(last), base + 15); // left of the names of the curves
  g.textAlign = "center";
  if (last > 1.3 * n) g.fillText(String(n), x(n), base + 15);
  const styles = { best: { colour: all.green, dash: [2, 3] }, mean: { colour: all.blue, dash: [5, 3] },
    worst: { colour: all.orange, dash: [] } };
  let before = -Infinity;
  for (const { names, at } of [...list].reverse()) {
    const { colour, dash } = styles[names[0]];
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = 2;
    g.setLineDash(dash);
    g.beginPath();
    ns.forEach((k, i) => at[i] !== null && g.lineTo(x(k), y(at[i])));
    g.stroke();
    g.setLineDash([]);
    g.textAlign = "left";
    // From the highest to the lowest, each label below the one before.
    before = Math.max(before + 13, Math.max(top + 8, y(at[at.length - 1]) + 4));
    g.fillText(names.map((name) => t.cases[name]).join(" = "), x(last) + 5, before, right - 5);
  }
  g.fillStyle = all.gold;
  g.beginPath();
  g.arc(x(n), y(value), 5.5, 0, 2 * Math.PI);
  g.fill();
  g.strokeStyle = all.paper;
  g.lineWidth = 1.5;
  g.stroke();
}
