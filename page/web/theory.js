// The messages of this run next to the closed forms of its algorithm, over the number of processes.

import { ask } from "./bridge.js";
import { fit } from "./canvas.js";
import { h, perFrame } from "./dom.js";
import { plot } from "./plot.js";
import { reason } from "./run.js";
import { find } from "./setup.js";
import { colours, dashes } from "./theme.js";
import * as t from "./texts.js";

/** @typedef {"best"|"mean"|"worst"|"measured"} Case */
/** @typedef {{names: Case[], at: number[]}} Curve closed forms that are equal */
/** @typedef {{ns: number[], ports: number[], messages: Curve[], bits: Curve[], time: Curve[]}} Theory ports are those of
 * the usual links of each size, in all */

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const facts = h("dl", { class: "facts" }), note = h("p", { class: "note" });
  const plots = /** @type {("messages"|"bits"|"time")[]} */ (["messages", "bits", "time"]).map((what) => {
    const canvas = h("canvas", { role: "img" }), box = h("div", { class: "plot" }, canvas);
    return { what, canvas, box, whole: h("figure", {}, h("figcaption", { class: "note" }, t.plots[what]), box) };
  });
  element.append(facts, ...plots.map((p) => p.whole), note);
  /** @type {Theory | null} */
  let theory = null;
  let asked = "", known = ""; // of which run it is asked, and known
  const keyOf = (/** @type {import("./film.js").Film} */ { head: { algorithm, scenario }, n }) =>
    JSON.stringify([algorithm, scenario.params, n]);
  /** The value of a closed form for this run, if its links are the usual ones: "35", or "≤ 35" of a bound.
   * @param {Case} name @param {string} form */
  const valueOf = (name, form) => {
    const { film } = store.state;
    if (!film || !theory || known !== keyOf(film)) return "";
    const i = theory.ns.indexOf(film.n), value = theory.messages.find(({ names }) => names.includes(name))?.at[i] ?? null;
    const links = film.head.links.length || film.n * (film.n - 1) / 2; // all are linked, if they are too many for a list
    return value === null || 2 * links !== theory.ports[i] ? "" : `${form.startsWith("≤") ? "≤ " : ""}${t.figure(value)}`;
  };

  const draw = perFrame(() => {
    const { film, step } = store.state;
    for (const { what, canvas, box, whole } of plots) {
      whole.hidden = !theory?.[what].length;
      const { width, height } = box.getBoundingClientRect();
      if (!film || !theory || width < 40) continue;
      const all = colours(), now = what === "messages" ? film.sent[step] : film.head[what], { ns } = theory;
      const styles = { best: all.green, mean: all.blue, worst: all.orange, measured: all.blue };
      const curves = theory[what].map(({ names, at }, i) => ({ name: names.map((name) => t.cases[name]).join(" = "),
        colour: styles[names[0]], dash: dashes[i], line: ns.map((n, k) => [n, at[k]])
          .filter(([, v]) => v !== null) }));
      plot(fit(canvas, width, height), { width, height, n: film.n, last: ns[ns.length - 1],
        high: Math.max(now, 1, ...theory[what].flatMap((c) => c.at)) }, [...curves,
        { name: "", colour: all.gold, points: now ? [[film.n, now]] : [] }]);
    }
  });

  store.on(["film", "panel"], async ({ film, panel }) => {
    if (!film || panel !== "theory") return;
    const { algorithm, scenario } = film.head, key = keyOf(film);
    if (key === asked) return draw();
    asked = key;
    try {
      const json = await ask("theory", { algorithm, params: scenario.params, n: film.n });
      if (asked !== key) return;
      theory = json;
      known = key;
      note.textContent = json.messages.length ? "" : t.noTheory;
    } catch (error) {
      theory = null;
      note.textContent = reason(error);
    }
    list();
  });
  const list = () => {
    const { film, step, catalog, panel } = store.state;
    if (!film || panel !== "theory") return;
    const a = find(catalog, film.head.algorithm);
    const rows = [[t.thisRun, t.figure(film.sent[step])]];
    for (const name of /** @type {Case[]} */ (["best", "mean", "worst"])) {
      if (a?.[name]) rows.push([t.cases[name], valueOf(name, a[name]), a[name]]);
    }
    if (film.head.bits) rows.push([t.bits, t.figure(film.head.bits)]);
    rows.push([t.time, t.units(film.head.time)]);
    facts.replaceChildren(...rows.flatMap(([name, value, form = ""]) => [h("dt", {}, name),
      h("dd", {}, value, form && h("small", {}, value ? ` ${t.theoryForm(form.replace(/^≤ /, ""))}` : form))]));
    for (const { canvas } of plots) canvas.setAttribute("aria-label", rows.map((row) => row.join(" ")).join(", "));
    draw();
  };
  store.on(["film", "step", "panel"], list);
  store.on(["paint"], draw);
  new ResizeObserver(draw).observe(element);
}
