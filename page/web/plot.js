// Curves over the number of processes: what is expected as lines, what was measured as points.

import { line, pen } from "./canvas.js";
import { colours, fillSign } from "./theme.js";
import * as t from "./texts.js";

/** @typedef {{name: string, colour: string, dash?: number[], line?: number[][], points?: number[][],
 *   shape?: string}} Curve a place is the number of processes, and the value there */

/** @param {CanvasRenderingContext2D} g @param {{width: number, height: number, n: number, last: number, high: number,
 *   words?: string}} frame n is where the reader stands, last the largest number of processes, and high the largest
 *   value @param {Curve[]} curves */
export function plot(g, { width, height, n, last, high, words = "" }, curves) {
  pen(g, "12", "right");
  const all = colours(), top = 16, base = height - 24, left = 16 + g.measureText(t.figure(Math.round(high))).width;
  const right = width - 14 - Math.max(...curves.map(({ name }) => g.measureText(name).width));
  const x = (/** @type {number} */ k) => left + (k / last) * (right - left);
  const y = (/** @type {number} */ v) => base - (v / high) * (base - top);
  const third = high / 3, ten = 10 ** Math.floor(Math.log10(third));
  g.lineWidth = 1;
  g.fillStyle = all.grey;
  g.strokeStyle = all.pale;
  for (let v = 0; v <= high; v += ten * (third >= 5 * ten ? 5 : third >= 2 * ten ? 2 : 1)) {
    line(g, left, y(v), right, y(v));
    g.fillText(t.figure(v), left - 8, y(v));
  }
  g.strokeStyle = all.faint;
  line(g, x(n), top, x(n), base);
  g.textAlign = "center";
  g.fillText(`n = ${t.figure(n)}`, Math.min(x(n), right - 30), base + 13);
  if (x(n) < right - 70) g.fillText(t.figure(last), right - 14, base + 13);
  g.textAlign = "left";
  g.fillText(words, left, top - 8);
  g.save();
  g.beginPath();
  g.rect(left, top - 6, width - left, base - top + 12);
  g.clip();
  g.lineWidth = 1.8;
  for (const { colour, dash = [], line: way = [], points = [], shape = "circle" } of curves) {
    g.strokeStyle = g.fillStyle = colour;
    g.setLineDash(dash);
    g.beginPath();
    for (const [k, v] of way) g.lineTo(x(k), y(v));
    g.stroke();
    g.setLineDash([]);
    for (const [k, v] of points) fillSign(g, shape, x(k), y(v), 4, false);
  }
  g.restore();
  // From the highest end to the lowest, each name below the one before.
  const ends = curves.flatMap(({ name, colour, line: way = [], points = [] }) => {
    const end = way.at(-1) ?? points.at(-1);
    return name && end ? { name, colour, y: y(end[1]) } : [];
  }).sort((a, b) => a.y - b.y);
  const least = left + g.measureText(words).width > right ? top + 8 : top + 2; // below the words
  let before = -Infinity;
  for (const end of ends) {
    before = Math.max(before + 15, least, end.y);
    g.fillStyle = end.colour;
    g.fillText(end.name, right + 8, before);
  }
}
