// Draws links and the messages in flight on the picture of the network.

import { arrow, circle, cross, line, pen } from "./canvas.js";
import { underWay } from "./layout.js";
import * as t from "./texts.js";
import { colours, fillSign } from "./theme.js";

const most = 640; // of a complete network more links would be a grey disc

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
 * @param {[number, number, number][]} tree the links of a tree, which stand out */
export function drawLinks(g, film, l, cut, tree) {
  const all = colours(), head = film.head;
  const thick = Math.max(3, Math.min(9, l.radius / 2)), thin = film.n > 64 ? 0.8 : 1.5;
  g.strokeStyle = all.goldfill;
  g.lineWidth = thick;
  const grown = new Set(tree.flatMap(([, p, q]) => {
    link(g, l, p, q);
    return [`${p} ${q}`, `${q} ${p}`];
  }));
  g.lineWidth = thin;
  if (l.round && !cut.size) {
    g.strokeStyle = all.link;
    circle(g, l.cx, l.cy, l.big);
    if (film.n > 20) g.stroke();
  }
  if (head.shape === "complete" && head.links.length > most) return;
  for (const [p, port, q, back] of head.links) {
    const a = l.points[p], b = l.points[q], there = cut.has(`${p} ${port}`), here = cut.has(`${q} ${back}`);
    const gone = there || here;
    if (!a || !b || p === q || (l.round && film.n > 20 && !cut.size) || !gone && grown.has(`${p} ${q}`)) continue;
    g.strokeStyle = gone ? all.red : all.link;
    g.setLineDash(gone ? [3, 5] : []);
    link(g, l, p, q);
    g.setLineDash([]);
    // The cross stands at the end that a message does not reach.
    for (const [is, from, to] of /** @type {const} */ ([[there, p, q], [here, q, p]])) {
      const { x, y } = underWay(l, from, to, 0.7);
      if (is) cross(g, x, y, 5, all.red);
    }
    if (gone || !head.oneWay || film.n > 20) continue;
    g.fillStyle = all.mid;
    const angle = Math.atan2(b.y - a.y, b.x - a.x);
    arrow(g, (a.x + b.x) / 2 + 5 * Math.cos(angle), (a.y + b.y) / 2 + 5 * Math.sin(angle), angle);
  }
}

/** Draws a link, or both ends of one that leads around a torus.
 * @param {CanvasRenderingContext2D} g @param {Layout} l @param {number} p @param {number} q */
function link(g, l, p, q) {
  const a = l.points[p], b = l.points[q];
  if (Math.hypot(a.x - b.x, a.y - b.y) <= l.around) return line(g, a.x, a.y, b.x, b.y);
  for (const [from, to] of [[p, q], [q, p]]) {
    const end = underWay(l, from, to, 0.49);
    line(g, l.points[from].x, l.points[from].y, end.x, end.y);
  }
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
  for (const { from, until, groups, oneWay } of film.head.cuts ?? []) {
    const at = film.at(k);
    if (at < from || until && at >= until) continue;
    for (const [p, port, q, back] of film.head.links) {
      const a = groups[p], b = groups[q];
      if (a < b || a > b && !oneWay) cut.add(`${p} ${port}`);
      if (b < a || b > a && !oneWay) cut.add(`${q} ${back}`);
    }
  }
  return cut;
}

/** A message in flight. Several of one kind that travel together are drawn once, with their number in count; count is
 * 0 for the others. @typedef {{journey: import("./film.js").Journey, x: number, y: number, lit: boolean, count: number}} Token */

/** Draws the messages that are in flight, and returns where they are.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis
 * @param {Layout} l @param {import("./theme.js").Sign[]} signs
 * @param {{step: number, cursor: number, cause: number}} at @returns {Token[]} */
export function drawTokens(g, film, axis, l, signs, at) {
  const all = colours();
  const r = Math.max(2.6, Math.min(8.5, l.radius * 0.46, 8.5 * Math.sqrt(60 / Math.max(1, film.busiest))
    * Math.min(1, Math.min(l.cx, l.cy) / 160)));
  const past = at.cause > 0 ? film.past(at.cause) : null;
  /** @type {Token[]} */
  const tokens = [];
  /** @type {Map<number, {x: number, y: number, token: Token}>} the last message of each link and way */
  const before = new Map();
  for (const journey of film.underWay(at.step)) {
    const begin = axis.placeOf(journey.begin), end = axis.placeOf(journey.end);
    const part = end > begin ? Math.max(0, Math.min(1, (at.cursor - begin) / (end - begin))) : 0;
    let { x, y, angle } = underWay(l, journey.from, journey.to, part);
    const sign = signs[journey.kind] ?? signs[0];
    const lit = !past || !journey.lost && journey.end <= past[journey.to];
    /** @type {Token} */
    const token = { journey, x, y, lit, count: 1 };
    if (r > 4) { // messages that go together go side by side; of thousands that would take too long
      const way = journey.from * film.n + journey.to, one = before.get(way), first = one?.token;
      const apart = one ? Math.hypot(x - one.x, y - one.y) : 2 * r;
      if (first && apart < 1 && first.journey.kind === journey.kind && first.lit === lit) {
        first.count++;
        tokens.push({ ...token, x: first.x, y: first.y, count: 0 });
        continue;
      }
      if (first && apart < 2 * r) {
        token.x = first.x - 2.2 * r * Math.sin(angle);
        token.y = first.y + 2.2 * r * Math.cos(angle);
      }
      before.set(way, { x, y, token });
      ({ x, y } = token);
    }
    tokens.push(token);
    g.globalAlpha = lit ? 1 : 0.15;
    g.fillStyle = sign.colour;
    g.strokeStyle = all.paper;
    g.lineWidth = r > 4 ? 2.5 : 1;
    // Signs of six pixels look alike, and thousands of squares are drawn in half the time.
    if (r < 3) g.fillRect(x - r, y - r, 2 * r, 2 * r);
    else fillSign(g, sign.shape, x, y, r, true);
    if (r > 6) {
      g.fillStyle = all.paper;
      pen(g, "700 9.5");
      g.fillText(sign.letter, x, y + 0.5);
    }
  }
  g.globalAlpha = 1;
  if (r > 6 && film.busiest <= 40) carried(g, film, l, tokens, r);
  drawLosses(g, film, axis, l, at);
  return tokens;
}

/** Writes whose ID a message carries next to it, where nothing else is in the way.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {Layout} l @param {Token[]} tokens
 * @param {number} r the radius of a token */
function carried(g, film, l, tokens, r) {
  /** @type {[number, number, number, number][]} what is there already: its middle, and half its width and height */
  const taken = [...tokens.map((one) => /** @type {[number, number, number, number]} */ ([one.x, one.y, 1.3 * r, r])),
    ...l.points.map((p) => /** @type {[number, number, number, number]} */ ([p.x, p.y, l.radius, l.radius]))];
  for (const { journey: { from, to } } of film.head.oneWay ? tokens : []) { // the arrow of the link
    taken.push([(l.points[from].x + l.points[to].x) / 2, (l.points[from].y + l.points[to].y) / 2, 5, 5]);
  }
  pen(g, "600 12");
  g.lineWidth = 3;
  g.strokeStyle = colours().paper;
  g.fillStyle = colours().ink;
  for (const { journey, x, y, lit, count } of tokens) {
    const p = film.processWith(film.events.rank[journey.send]);
    if (!count || !lit || p < 0 && count < 2) continue;
    const name = count > 1 ? t.times(count) : film.name(p), w = 4 * name.length, side = 1.3 * r + 2 + w, up = r + 8;
    for (const [dx, dy] of [[side, 0.5], [-side, 0.5], [0, up], [0, -up], [side, up], [-side, up], [side, -up],
      [-side, -up]]) {
      if (taken.some(([a, b, v, u]) => Math.abs(x + dx - a) < v + w && Math.abs(y + dy - b) < u + 5)) continue;
      taken.push([x + dx, y + dy, w, 5]);
      g.strokeText(name, x + dx, y + dy);
      g.fillText(name, x + dx, y + dy);
      break;
    }
  }
}

/** Marks the messages that were lost a moment ago.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis
 * @param {Layout} l @param {{step: number, cursor: number}} at */
function drawLosses(g, film, axis, l, at) {
  for (let k = at.step; k > 0 && axis.placeOf(k) > at.cursor - 0.6; k--) {
    if (film.what(k) !== "lose") continue;
    const [first] = film.eventsOf(k), j = film.ended[first];
    if (j < 0) continue;
    const { x, y } = underWay(l, film.journeys[j].from, film.journeys[j].to, 0.6);
    cross(g, x, y, 6, colours().red);
  }
}
