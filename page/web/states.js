// The graph of all states: states of one depth stand in one row, and a line between two has the colour of the
// process that moves.

import { circle, fit, line } from "./canvas.js";
import { h, perFrame } from "./dom.js";
import { colours, series } from "./theme.js";
import * as t from "./texts.js";

/** @typedef {{x: number, depth: number, leaders: string[], last: boolean, by?: string, violated?: string,
 *   reason?: string}} State */
/** @typedef {{states: State[], edges: [number, number, number][], ends: {state: number, count: number}[],
 *   deep: number, wide: number, truncated: boolean}} Graph */

/** Shows a graph; what it returns paints it again. @param {HTMLElement} element @param {Graph} graph
 * @param {import("./film.js").Film} film of the processes @param {(state: number) => void} visit */
export function mount(element, graph, film, visit) {
  const n = graph.states.length;
  const canvas = h("canvas", { role: "img", tabindex: 0,
    "aria-label": t.proveGraph(n, graph.edges.length) });
  const box = h("div", { class: "map" }, canvas), words = h("p", { class: "note", role: "status" },
    `${t.proveGraph(n, graph.edges.length)}${graph.truncated ? ` ${t.proveTruncated(n)}` : ""}`);
  const place = (/** @type {number} */ i, width = box.clientWidth, height = box.clientHeight) => ({
    x: 10 + graph.states[i].x * (width - 20),
    y: 10 + (graph.states[i].depth / Math.max(1, graph.deep)) * (height - 20) });
  let hit = -1;
  const paint = perFrame(() => {
    const width = box.clientWidth, height = box.clientHeight;
    if (width < 30) return;
    const g = fit(canvas, width, height), all = colours();
    g.lineWidth = n > 800 ? 0.5 : 1;
    g.globalAlpha = n > 800 ? 0.25 : n > 150 ? 0.5 : 0.8;
    for (const [a, b, who] of graph.edges) {
      const p = place(a, width, height), q = place(b, width, height);
      g.strokeStyle = who < 0 ? all.mid : all[series[who % series.length]];
      line(g, p.x, p.y, q.x, q.y);
    }
    g.globalAlpha = 1;
    const r = Math.max(1.4, Math.min(5, (width / graph.wide) * 0.4, (height / graph.deep) * 0.3));
    graph.states.forEach((s, i) => {
      const { x, y } = place(i, width, height), bad = Boolean(s.violated);
      g.fillStyle = bad ? all.red : s.leaders.length ? all.goldfill : s.last ? all.ink : all.mid;
      const size = (bad ? 1.8 : s.last ? 1.4 : 1) * r;
      if (bad || s.leaders.length) g.fillRect(x - size, y - size, 2 * size, 2 * size);
      circle(g, x, y, size);
      g.fill();
      if (i !== hit) return;
      g.strokeStyle = all.select;
      g.lineWidth = 2;
      circle(g, x, y, size + 4);
      g.stroke();
    });
  });
  const find = (/** @type {MouseEvent} */ event) => {
    let best = -1, near = 144;
    for (let i = 0; i < n; i++) {
      const { x, y } = place(i), away = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
      if (away < near) [best, near] = [i, away];
    }
    return best;
  };
  const point = (/** @type {number} */ i) => {
    if (i === hit) return;
    hit = i;
    canvas.style.cursor = i < 0 ? "" : "pointer";
    if (i >= 0) words.textContent = t.proveSays(graph.states[i]);
    paint();
  };
  canvas.addEventListener("pointermove", (event) => point(find(event)));
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Enter" && hit >= 0) visit(hit);
    if (!way) return;
    event.preventDefault(); // keys that are used here do nothing else
    // The nearest state of the same row, or of the next one.
    const { x, depth } = graph.states[Math.max(0, hit)], away = (/** @type {number} */ i) =>
      (i < 0 ? 9 : Math.abs(graph.states[i].x - x));
    const next = graph.states.reduce((best, s, i) => (s.depth === depth + way[1] && (way[1] || (s.x - x) * way[0] > 0)
      && away(i) < away(best) ? i : best), -1);
    if (next >= 0) point(next);
  });
  canvas.addEventListener("click", (event) => {
    const i = find(event);
    if (i >= 0) visit(i);
  });
  const key = series.slice(0, film.n).map((colour, i) => {
    const line = h("b", {}, "━ ");
    line.style.color = `var(--${colour})`;
    const names = film.head.ids.flatMap((_, p) => (p % series.length === i ? film.name(p) : []));
    return h("span", {}, line, names.join(", "));
  });
  // The words stand below the picture, and have room: it must not move when they get longer.
  const ends = graph.ends.map(({ state, count }) => h("button", { onclick: () => visit(state),
    class: graph.states[state].violated ? "plain leaves" : "plain" }, t.proveEnds(graph.states[state], count)));
  element.replaceChildren(h("div", { class: "row wrap" }, t.processes, key), box, words,
    h("div", { class: "row wrap" }, ends));
  new ResizeObserver(paint).observe(box);
  return paint;
}
