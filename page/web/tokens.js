// Draws links and the messages under way on the picture of the network.

import { isFault } from "./film.js";
import { underWay } from "./layout.js";
import { colours, fillSign } from "./theme.js";

const most = 320; // of a complete network more links would be a grey disc

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./layout.js").Layout} Layout */

/** The links of the tree that the algorithm has made after step k, each by its ends. @param {Film} film
 * @param {number} k */
export function treeAt(film, k) {
  const grown = film.head.tree.filter(([step]) => step <= k);
  return grown.slice(1 + grown.findLastIndex(([, p]) => p < 0)); // the last election begins a new tree
}

/** Draws the links. @param {CanvasRenderingContext2D} g @param {Film} film @param {Layout} l
 * @param {Set<string>} cut the links that carry nothing, as "process port"
 * @param {[number, number, number][]} tree those of a tree, which stand out */
export function drawLinks(g, film, l, cut, tree) {
  const all = colours(), head = film.head;
  g.strokeStyle = all.goldfill;
  g.lineWidth = Math.max(3, Math.min(9, l.radius / 2));
  for (const [, p, q] of tree) {
    g.beginPath();
    g.moveTo(l.points[p].x, l.points[p].y);
    g.lineTo(l.points[q].x, l.points[q].y);
    g.stroke();
  }
  g.lineWidth = film.n > 64 ? 0.8 : 1.5;
  if (l.round && !cut.size) {
    g.strokeStyle = all.link;
    g.beginPath();
    g.arc(l.cx, l.cy, l.big, 0, 2 * Math.PI);
    if (film.n > 20) g.stroke();
  }
  if (head.links.length > 2 * most) return;
  for (const [p, port, q, back] of head.links) {
    const a = l.points[p], b = l.points[q], there = cut.has(`${p} ${port}`), here = cut.has(`${q} ${back}`);
    const gone = there || here;
    if (!a || !b || p === q || (l.round && film.n > 20 && !cut.size)) continue;
    g.strokeStyle = gone ? all.red : all.link;
    g.setLineDash(gone ? [3, 5] : []);
    g.beginPath();
    g.moveTo(a.x, a.y);
    g.lineTo(b.x, b.y);
    g.stroke();
    g.setLineDash([]);
    // The cross stands at the end that a message does not reach.
    if (there) cross(g, (a.x + 2 * b.x) / 3, (a.y + 2 * b.y) / 3, 5, all.red);
    if (here) cross(g, (2 * a.x + b.x) / 3, (2 * a.y + b.y) / 3, 5, all.red);
    if (!gone && head.oneWay && film.n <= 20) arrow(g, a, b, all.mid);
  }
}

/** An arrow head in the middle of a one-way link.
 * @param {CanvasRenderingContext2D} g @param {{x: number, y: number}} a @param {{x: number, y: number}} b
 * @param {string} colour */
function arrow(g, a, b, colour) {
  const angle = Math.atan2(b.y - a.y, b.x - a.x), x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
  g.fillStyle = colour;
  g.beginPath();
  g.moveTo(x + 5 * Math.cos(angle), y + 5 * Math.sin(angle));
  g.lineTo(x + 5 * Math.cos(angle + 2.5), y + 5 * Math.sin(angle + 2.5));
  g.lineTo(x + 5 * Math.cos(angle - 2.5), y + 5 * Math.sin(angle - 2.5));
  g.fill();
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} r
 * @param {string} colour */
export function cross(g, x, y, r, colour) {
  g.strokeStyle = colour;
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(x - r, y - r);
  g.lineTo(x + r, y + r);
  g.moveTo(x + r, y - r);
  g.lineTo(x - r, y + r);
  g.stroke();
}

/** The links that are cut after step k, as "process port". @param {Film} film @param {number} k */
export function cutLinks(film, k) {
  /** @type {Set<string>} */
  const cut = new Set();
  for (const step of film.faults) {
    if (step > k) break;
    const [first] = film.eventsOf(step), what = film.what(step);
    if (what !== "cut" && what !== "heal") continue;
    const link = `${film.events.process[first]} ${film.events.port[first]}`;
    if (what === "cut") cut.add(link);
    else cut.delete(link);
  }
  return cut;
}

/** @typedef {{journey: import("./film.js").Journey, x: number, y: number}} Token */

/** Draws the messages that are under way, and returns where they are.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis
 * @param {Layout} l @param {import("./theme.js").Sign[]} signs
 * @param {{step: number, cursor: number, cause: number}} at @returns {Token[]} */
export function drawTokens(g, film, axis, l, signs, at) {
  const all = colours();
  const r = Math.max(2.6, Math.min(8.5, l.radius * 0.46, 8.5 * Math.sqrt(60 / Math.max(1, film.busiest))));
  const past = at.cause > 0 ? film.past(at.cause) : null;
  /** @type {Token[]} */
  const tokens = [];
  for (const journey of film.underWay(at.step)) {
    const begin = axis.placeOf(journey.begin), end = axis.placeOf(journey.end);
    const part = end > begin ? Math.max(0, Math.min(1, (at.cursor - begin) / (end - begin))) : 0;
    const { x, y } = underWay(l, journey.from, journey.to, part);
    const sign = signs[journey.kind] ?? signs[0];
    tokens.push({ journey, x, y });
    g.globalAlpha = past && (journey.lost || journey.end > past[journey.to]) ? 0.15 : 1;
    g.fillStyle = sign.colour;
    g.strokeStyle = all.paper;
    g.lineWidth = r > 4 ? 2.5 : 1;
    fillSign(g, sign.shape, x, y, r, true);
    if (r > 6) {
      g.fillStyle = all.paper;
      g.font = "700 9.5px system-ui, sans-serif";
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText(sign.letter, x, y + 0.5);
      if (film.busiest <= 40) carried(g, film, l, journey, x, y, r);
    }
  }
  g.globalAlpha = 1;
  drawLosses(g, film, axis, l, at);
  return tokens;
}

/** Writes whose ID a message carries beside it, where no process is in the way.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {Layout} l
 * @param {import("./film.js").Journey} journey @param {number} x @param {number} y @param {number} r */
function carried(g, film, l, journey, x, y, r) {
  const p = film.processWith(film.events.rank[journey.send]);
  if (p < 0) return;
  const name = film.name(p), away = r + 3 + 4 * name.length;
  const ends = [l.points[journey.from], l.points[journey.to]];
  const free = [[away, 0.5], [-away, 0.5], [0, r + 9], [0, -r - 8]].find(([dx, dy]) => ends.every((end) =>
    Math.hypot(x + dx - end.x, y + dy - end.y) > l.radius + 7)) ?? [away, 0.5];
  g.font = "600 12px system-ui, sans-serif";
  g.lineWidth = 3;
  g.strokeText(name, x + free[0], y + free[1]);
  g.fillStyle = colours().ink;
  g.fillText(name, x + free[0], y + free[1]);
}

/** Marks the messages that were lost a moment ago.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis
 * @param {Layout} l @param {{step: number, cursor: number}} at */
function drawLosses(g, film, axis, l, at) {
  for (let k = at.step; k > 0 && axis.placeOf(k) > at.cursor - 0.6; k--) {
    if (!isFault(film.what(k)) || film.what(k) !== "lose") continue;
    const [first] = film.eventsOf(k), j = film.ended[first];
    if (j < 0) continue;
    const { x, y } = underWay(l, film.journeys[j].from, film.journeys[j].to, 0.6);
    cross(g, x, y, 6, colours().red);
  }
}
