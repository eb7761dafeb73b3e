// How the messages of the algorithms of a race grow with the number of processes: what was measured as points, and
// what is expected as lines.

import { colours, dashes, series } from "./theme.js";
import { t } from "./texts.js";

/** @param {CanvasRenderingContext2D} g
 * @param {{width: number, height: number, n: number, names: string[], measured: Map<string, Map<number, number>>,
 *   theory: Map<string, import("./theory.js").Theory>}} what */
export function curves(g, { width, height, n, names, measured, theory }) {
  const all = colours(), left = 52, right = 120, top = 16, base = height - 24;
  const widest = Math.max(8, n, ...names.flatMap((name) => [...(measured.get(name)?.keys() ?? [])]));
  const last = Math.min(65, Math.ceil(widest * 1.15));
  const points = names.map((name) => [...(measured.get(name) ?? [])].sort((a, b) => a[0] - b[0]));
  /** The mean, or the worst case. @param {string} name */
  const expected = (name) => theory.get(name)?.messages.find((c, _, all) => c.names.includes(
    all.some((one) => one.names.includes("mean")) ? "mean" : "worst"));
  const lines = names.map((name) => {
    const at = expected(name)?.at;
    return (theory.get(name)?.ns ?? []).flatMap((k, i) => (k <= last && at?.[i] != null ? [[k, at[i]]] : []));
  });
  // The largest that was measured gives the scale: a worst case may lie far above it.
  const high = Math.max(10, ...points.flat().map(([, v]) => v * 1.25));
  const x = (/** @type {number} */ k) => left + (k / last) * (width - left - right);
  const y = (/** @type {number} */ v) => base - (v / high) * (base - top);
  g.font = "12px system-ui, sans-serif";
  g.fillStyle = all.grey;
  g.strokeStyle = all.pale;
  g.lineWidth = 1;
  const third = high / 3, ten = 10 ** Math.floor(Math.log10(third));
  for (let v = 0; v <= high; v += ten * (third >= 5 * ten ? 5 : third >= 2 * ten ? 2 : 1)) {
    g.beginPath();
    g.moveTo(left, y(v));
    g.lineTo(width - right, y(v));
    g.stroke();
    g.textAlign = "right";
    g.fillText(t.figure(v), left - 8, y(v) + 4);
  }
  g.textAlign = "center";
  g.fillText(`n = ${n}`, x(n), base + 17);
  g.strokeStyle = all.faint;
  g.beginPath();
  g.moveTo(x(n), top);
  g.lineTo(x(n), base);
  g.stroke();
  g.save();
  g.beginPath();
  g.rect(left, top - 6, width - left, base - top + 12);
  g.clip();
  /** @type {{y: number, i: number}[]} */
  const labels = [];
  names.forEach((name, i) => {
    g.strokeStyle = g.fillStyle = all[series[i]];
    g.lineWidth = 1.5;
    g.globalAlpha = 0.55;
    g.setLineDash(dashes[i]);
    g.beginPath();
    for (const [k, v] of lines[i]) g.lineTo(x(k), y(v));
    g.stroke();
    g.setLineDash([]);
    g.globalAlpha = 1;
    for (const [k, v] of points[i]) {
      g.beginPath();
      if (i % 2) g.rect(x(k) - 3, y(v) - 3, 6, 6);
      else g.arc(x(k), y(v), 3.2, 0, 2 * Math.PI);
      g.fill();
    }
    const end = lines[i].at(-1) ?? points[i].at(-1);
    if (end) labels.push({ y: y(end[1]), i });
  });
  g.restore();
  g.textAlign = "left";
  labels.sort((a, b) => a.y - b.y);
  let before = -Infinity;
  for (const label of labels) {
    const at = Math.max(before + 15, top + 6, label.y + 4);
    g.fillStyle = all[series[label.i]];
    const name = names[label.i];
    g.fillText(expected(name)?.names.includes("mean") ? name : `≤ ${name}`, width - right + 8, at);
    before = at;
  }
  g.fillStyle = all.grey;
  g.fillText(t.race.axis, left, top - 4);
}
