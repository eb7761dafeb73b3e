// The graph of all states: those of one depth stand in one row, and a line between two has the colour of the
// process that moves.

import { fit, h, perFrame } from "./dom.js";
import { colours, series } from "./theme.js";
import { t } from "./texts.js";

export const most = 5000; // states

/** @typedef {{states: {depth: number, leaders: string[], done: boolean, last: boolean, violated?: string,
 *   reason?: string}[], edges: [number, number, number][], words: string[], processes: string[],
 *   truncated: boolean}} Graph */

/** Where each state stands, from 0 to 1: rows by depth, and in a row near those from which it comes.
 * @param {Graph} graph */
export function arrange(graph) {
  const n = graph.states.length, x = new Float64Array(n), sum = new Float64Array(n), from = new Uint32Array(n);
  /** @type {number[][]} */
  const rows = [];
  graph.states.forEach((s, i) => (rows[s.depth] ??= []).push(i));
  for (const [a, b] of graph.edges) if (graph.states[a].depth < graph.states[b].depth) from[b]++;
  /** @type {Map<number, number[]>} */
  const next = new Map();
  for (const [a, b] of graph.edges) {
    if (graph.states[a].depth >= graph.states[b].depth) continue;
    const list = next.get(a);
    if (list) list.push(b);
    else next.set(a, [b]);
  }
  for (const row of rows.filter(Boolean)) {
    const key = (/** @type {number} */ i) => sum[i] / Math.max(1, from[i]);
    row.sort((a, b) => key(a) - key(b) || a - b);
    row.forEach((i, k) => {
      x[i] = (k + 0.5) / row.length;
      for (const j of next.get(i) ?? []) sum[j] += x[i];
    });
  }
  const widest = Math.max(1, ...rows.map((row) => row?.length ?? 0));
  return { x, depth: Math.max(1, rows.length - 1), widest };
}

/** Shows a graph; what it returns paints it anew. @param {HTMLElement} element @param {Graph} graph
 * @param {import("./film.js").Film} film of the processes @param {(state: number) => void} visit */
export function mount(element, graph, film, visit) {
  const placed = arrange(graph), n = graph.states.length;
  const canvas = h("canvas", { role: "img", "aria-label": t.prove.graph(n, graph.edges.length) });
  const box = h("div", { class: "map" }, canvas), words = h("p", { class: "note", role: "status" },
    `${t.prove.graph(n, graph.edges.length)}${graph.truncated ? ` ${t.prove.truncated(most)}` : ""}`);
  const place = (/** @type {number} */ i, width = box.clientWidth, height = box.clientHeight) => ({
    x: 10 + placed.x[i] * (width - 20), y: 10 + (graph.states[i].depth / placed.depth) * (height - 20) });
  let hit = -1;
  const paint = perFrame(() => {
    const width = box.clientWidth, height = box.clientHeight;
    if (width < 30) return;
    const g = fit(canvas, width, height), all = colours();
    g.lineWidth = n > 800 ? 0.5 : 1;
    g.globalAlpha = n > 800 ? 0.25 : n > 150 ? 0.5 : 0.8;
    for (const [a, b, move] of graph.edges) {
      const p = place(a, width, height), q = place(b, width, height);
      g.strokeStyle = all[series[Math.max(0, film.head.ids.indexOf(graph.processes[move])) % series.length]];
      g.beginPath();
      g.moveTo(p.x, p.y);
      g.lineTo(q.x, q.y);
      g.stroke();
    }
    g.globalAlpha = 1;
    const r = Math.max(1.4, Math.min(5, (width / placed.widest) * 0.4, (height / placed.depth) * 0.3));
    graph.states.forEach((s, i) => {
      const { x, y } = place(i, width, height), bad = Boolean(s.violated);
      g.fillStyle = bad ? all.red : s.leaders.length ? all.goldfill : s.last ? all.ink : all.mid;
      const size = (bad ? 1.8 : s.last ? 1.4 : 1) * r;
      g.beginPath();
      if (bad) g.rect(x - size, y - size, 2 * size, 2 * size);
      else g.arc(x, y, size, 0, 2 * Math.PI);
      g.fill();
      if (i !== hit) return;
      g.strokeStyle = all.select;
      g.lineWidth = 2;
      g.beginPath();
      g.arc(x, y, size + 4, 0, 2 * Math.PI);
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
  canvas.addEventListener("pointermove", (event) => {
    const i = find(event);
    if (i === hit) return;
    hit = i;
    canvas.style.cursor = i < 0 ? "" : "pointer";
    if (i >= 0) words.textContent = says(graph, i);
    paint();
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
  const ends = outcomes(graph).map(({ state, words, bad }) =>
    h("button", { class: bad ? "plain leaves" : "plain", onclick: () => visit(state) }, words));
  element.replaceChildren(h("div", { class: "row wrap" }, t.processes, key), box, words,
    h("div", { class: "row wrap" }, ends));
  new ResizeObserver(paint).observe(box);
  return paint;
}

/** @param {Graph} graph @param {number} i */
function says(graph, i) {
  const s = graph.states[i], into = graph.edges.find(([, b]) => b === i);
  return t.prove.says(s.depth, s.leaders, s.last, into ? graph.words[into[2]] : "", s.reason ?? s.violated ?? "");
}

/** The ways in which a run can end, with a state for each. @param {Graph} graph */
function outcomes(graph) {
  /** @type {Map<string, {state: number, count: number, bad: boolean, words: string}>} */
  const found = new Map();
  graph.states.forEach((s, i) => {
    if (!s.last && !s.violated) return;
    const key = s.violated ?? `leads ${s.leaders.join(" ")}`, known = found.get(key);
    if (known) known.count++;
    else found.set(key, { state: i, count: 1, bad: Boolean(s.violated), words: "" });
  });
  return [...found].slice(0, 12).map(([, f]) => ({ ...f, words: t.prove.ends(graph.states[f.state].leaders,
    graph.states[f.state].violated ?? "", f.count) }));
}
