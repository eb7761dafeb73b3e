// Draws the run as lines of processes, downwards in time, with messages as arrows between them.

import { arrow, circle, cross, line, pen, star } from "./canvas.js";
import { DOWN, FOLLOWER, faulty, LEADER, PAUSED } from "./film.js";
import { cutLinks } from "./tokens.js";
import * as t from "./texts.js";
import { colours, fillSign } from "./theme.js";

/** @typedef {import("./film.js").Film} Film */
/** Where the picture stands: columns in pixels, and the pixels of a unit of the axis.
 * @typedef {{left: number, column: number, unit: number, top: number, wrap: boolean}} Frame */

/** The middle of a process's column. @param {Frame} f @param {number} p */
export const xOf = (f, p) => f.left + (p + 0.5) * f.column;
/** @param {Frame} f @param {number} place */
export const yOf = (f, place) => f.top + place * f.unit;
/** The pixels of a unit of the axis: all of the run in a height, but no less than can be read. In a large network
 * a unit is as high as a column is wide: then messages that go round stand out as lines.
 * @param {import("./axis.js").Axis} axis @param {number} n @param {number} column @param {number} height */
export function unitOf(axis, n, column, height) {
  const [least, most] = axis.scale === "steps" ? [n > 32 ? 3 : 10, 26] : [Math.max(3, Math.min(44, column)), 180];
  return Math.max(least, Math.min(most, (height - 64) / axis.end));
}

/**
 * Draws what lies between two heights of the picture, into a canvas that begins at the first.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {import("./theme.js").Sign[]} signs @param {{from: number, to: number, width: number}} part
 * @param {Int32Array | null} past the causal past that is lit; null if all is
 */
export function draw(g, film, axis, f, signs, part, past) {
  g.save();
  g.translate(0, -part.from);
  placed = [];
  const first = Math.max(0, axis.stepAt((part.from - f.top) / f.unit - 0.01) - 1);
  const last = Math.min(film.length, axis.stepAt((part.to - f.top) / f.unit) + 1);
  ticks(g, axis, f, part);
  lifelines(g, film, axis, f, part, past);
  loans(g, film, axis, f, part, past);
  gaps(g, axis, f, part);
  for (const journey of film.between(first, last)) {
    const lit = !past || (journey.last >= 0 && !journey.lost && journey.end <= past[journey.to]);
    g.globalAlpha = lit ? clear(film.busy[journey.begin]) : 0.12;
    message(g, axis, f, film, journey, signs[journey.kind] ?? signs[0]);
  }
  for (const [x, y, of, alpha] of placed) {
    g.globalAlpha = alpha;
    g.fillStyle = of.colour;
    fillSign(g, of.shape, x, y, 6.2, false);
    g.fillStyle = colours().paper;
    pen(g, "700 8.5");
    g.fillText(of.letter, x, y + 0.5);
  }
  for (let k = Math.max(1, first); k <= last; k++) {
    g.globalAlpha = !past || k <= past[film.processOf(k)] ? 1 : 0.12;
    sign(g, film, axis, f, k);
  }
  g.globalAlpha = 1;
  cuts(g, film, axis, f);
  sections(g, film, axis, f);
  outside(g, film, axis, f);
  g.restore();
}

/** How clear a message is among others, which it must not cover. @param {number} others */
const clear = (others) => Math.max(0.12, Math.min(1, Math.sqrt(few / Math.max(1, others))));
const few = 45; // messages in flight, each of which can be told from the others

/** @param {CanvasRenderingContext2D} g @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {{from: number, to: number, width: number}} part */
function ticks(g, axis, f, part) {
  const all = colours();
  pen(g, "11", "right");
  g.lineWidth = 1;
  const round = axis.scale === "steps" ? 0 : [1, 2, 5, 10, 20, 50, 100].find((r) => r * f.unit >= 26) ?? 200;
  let before = -Infinity;
  for (const { place, at } of axis.ticks(round)) {
    const y = yOf(f, place);
    if (y < part.from - 20 || y - before < 20) continue;
    if (y > part.to + 20) break;
    before = y;
    g.strokeStyle = all.pale;
    line(g, f.left - 6, y, part.width, y);
    g.fillStyle = all.grey;
    g.fillText(String(t.short(at)), f.left - 10, y, f.left - 12);
  }
}

/** The waits that are cut out, over all else.
 * @param {CanvasRenderingContext2D} g @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {{from: number, to: number, width: number}} part */
function gaps(g, axis, f, part) {
  const all = colours();
  pen(g, "11");
  g.lineWidth = 1;
  for (const gap of axis.gaps) {
    const y = yOf(f, (gap.from + gap.to) / 2);
    if (y < part.from - 40 || y > part.to + 40) continue;
    zigzag(g, f.left - 4, part.width, y + f.unit * 0.15, all);
    const text = t.units(gap.units), middle = (f.left + part.width) / 2;
    g.fillStyle = all.paper;
    g.fillRect(middle - 40, y + f.unit * 0.15 - 9, 80, 18);
    g.fillStyle = all.grey;
    g.fillText(text, middle, y + f.unit * 0.15);
  }
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} to @param {number} y
 * @param {import("./theme.js").Palette} all */
function zigzag(g, x, to, y, all) {
  g.strokeStyle = all.faint;
  g.beginPath();
  for (let i = 0; x + i * 6 < to; i++) g.lineTo(x + i * 6, y + (i % 2 ? 3 : -3));
  g.stroke();
}

/** @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {{from: number, to: number}} part @param {Int32Array | null} past */
function lifelines(g, film, axis, f, part, past) {
  const all = colours(), c = film.changes, thick = Math.min(1, f.column / 14);
  const end = Math.min(part.to, yOf(f, axis.end));
  for (let p = 0; p < film.n; p++) {
    const x = xOf(f, p), list = film.changesOf[p];
    let y = Math.max(part.from, yOf(f, 0)), role = 0, status = 0, until = 0;
    const reach = (/** @type {number} */ to) => {
      if (to <= y) return;
      g.setLineDash(status === DOWN ? [2, 6] : status === PAUSED ? [6, 4] : []);
      g.strokeStyle = status === DOWN ? all.red : role === LEADER ? all.gold : role === FOLLOWER ? all.greenfill
        : all.link;
      g.lineWidth = thick * (status === DOWN ? 1.5 : role === LEADER ? 7 : role === FOLLOWER ? 3.5 : 1.5);
      line(g, x, y, x, Math.min(to, end));
      y = to;
    };
    g.globalAlpha = past && past[p] === 0 ? 0.2 : 1;
    for (let i = 0; i <= list.length; i++) {
      const next = i < list.length ? yOf(f, axis.placeOf(c.step[list[i]])) : end;
      if (until) { // the line of a leader ends with its lease
        reach(Math.min(next, yOf(f, axis.placeAt(until))));
        role = 0;
      }
      reach(next);
      if (i < list.length) [role, status, until] = [c.role[list[i]], c.status[list[i]], c.until[list[i]]];
      if (y >= end) break;
    }
  }
  g.setLineDash([]);
  g.globalAlpha = 1;
}

/** A thin bar next to the line of a process while its vote is lent.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {{from: number, to: number}} part @param {Int32Array | null} past */
function loans(g, film, axis, f, part, past) {
  const wide = Math.max(1, Math.min(4, f.column / 9)), aside = Math.min(5.5, f.column / 4);
  g.fillStyle = colours().gold;
  for (const loan of film.head.loans ?? []) {
    const from = Math.max(part.from, yOf(f, axis.placeAt(loan.from)));
    const end = Math.min(part.to, yOf(f, axis.placeAt(loan.end)));
    g.globalAlpha = past && past[loan.of] === 0 ? 0.2 : 0.85;
    if (end > from) g.fillRect(xOf(f, loan.of) + aside, from, wide, end - from);
  }
  g.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} g @param {import("./axis.js").Axis} axis @param {Frame} f @param {Film} film
 * @param {import("./film.js").Journey} j @param {import("./theme.js").Sign} sign */
function message(g, axis, f, film, j, sign) {
  const y0 = yOf(f, axis.placeOf(j.begin)), y1 = yOf(f, axis.placeOf(j.end));
  g.strokeStyle = g.fillStyle = sign.colour;
  g.lineWidth = f.column > 24 ? 1.6 : f.column > 8 ? 1 : 0.6;
  const around = f.wrap && Math.abs(j.to - j.from) === film.n - 1;
  const x0 = xOf(f, j.from), x1 = xOf(f, j.to);
  // A long way has room for signs if columns are narrow, unless there are too many others.
  const far = !around && film.busiest <= few ? Math.abs(x1 - x0) : f.column;
  g.setLineDash(far > 8 ? sign.dash : []);
  const whole = far > 12;
  if (!around) {
    // Messages of several kinds may go together: their signs stand at different parts of the way.
    const part = 0.5 + 0.16 * ((j.kind % 3) - 1);
    way(g, x0, y0, x1, y1, whole && j.last >= 0 && !j.lost);
    mark(g, x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, f, j, sign, far);
    return;
  }
  // A message round the end of the ring leaves the picture on one side and comes in on the other.
  const right = j.from > j.to ? 1 : -1, middle = (y0 + y1) / 2;
  way(g, x0, y0, x0 + (right * f.column) / 2, middle, false);
  way(g, x1 - (right * f.column) / 2, middle, x1, y1, whole && j.last >= 0 && !j.lost);
  mark(g, x0 + (right * f.column) / 4, y0 + (middle - y0) / 2, f, j, sign, far);
}

/** @param {CanvasRenderingContext2D} g @param {number} x0 @param {number} y0 @param {number} x1
 * @param {number} y1 @param {boolean} ends whether it has a head */
function way(g, x0, y0, x1, y1, ends) {
  g.beginPath();
  if (x0 === x1) g.bezierCurveTo(x0 + 18, y0, x0 + 18, y1, x1, y1);
  else g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
  g.setLineDash([]);
  if (ends) arrow(g, x1, y1, Math.atan2(y1 - y0, x1 - x0));
}

/** @type {[number, number, import("./theme.js").Sign, number][]} where signs stand, and how clear they are */
let placed = [];

/** A cross if the message is lost; else the sign of its kind, over all arrows, where it touches no other.
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {Frame} f
 * @param {import("./film.js").Journey} j @param {import("./theme.js").Sign} sign @param {number} far its way */
function mark(g, x, y, f, j, sign, far) {
  if (j.lost) cross(g, x, y, 4, colours().red);
  else if (far > 34 && f.unit > 12 && !placed.slice(-99).some(([a, b]) => Math.hypot(a - x, b - y) < 12)) {
    placed.push([x, y, sign, g.globalAlpha]);
  }
}

/** A red band next to the axis while links are cut, with the processes that are cut off.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f */
function cuts(g, film, axis, f) {
  const band = (/** @type {number} */ from, /** @type {number} */ to) => {
    const y = yOf(f, from), long = (to - from) * f.unit;
    g.fillStyle = colours().red;
    g.fillRect(f.left - 5, y, 4, long);
    pen(g, "600 12", "left");
    const words = t.timeCut(isolated(film, axis.stepAt(from)));
    if (f.column < 24 || long < g.measureText(words).width + 10) return;
    g.save();
    g.translate(f.left + 7, y + 5);
    g.rotate(Math.PI / 2);
    g.lineWidth = 3;
    g.strokeStyle = colours().paper;
    g.strokeText(words, 0, 0);
    g.fillText(words, 0, 0);
    g.restore();
  };
  let from = -1;
  for (const k of film.faults.filter((k) => /cut|heal/.test(film.what(k)))) {
    const place = axis.placeOf(k), some = cutLinks(film, k).size > 0;
    if (!some && from >= 0) band(from, place);
    from = !some ? -1 : from < 0 ? place : from;
  }
  if (from >= 0) band(from, axis.end);
  for (const cut of film.head.cuts ?? []) { // of the plan
    band(axis.placeAt(cut.from), cut.until ? axis.placeAt(cut.until) : axis.end);
  }
}

/** The names of the processes that reach no other, and are reached by none, when all of a cut is made, of which step k
 * is the first. @param {Film} film @param {number} k */
function isolated(film, k) {
  while (k < film.length && film.what(k + 1) === "cut") k++; // a cut happens link by link
  const cut = cutLinks(film, k), linked = new Set();
  for (const [p, port, q, back] of film.head.links) {
    if (!cut.has(`${p} ${port}`) || back >= 0 && !cut.has(`${q} ${back}`)) linked.add(p).add(q);
  }
  return film.head.ids.flatMap((_, p) => (linked.has(p) ? [] : [film.name(p)]));
}

/** A line on both sides of a process while it is in the critical section, as the box in the network.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f */
function sections(g, film, axis, f) {
  g.fillStyle = colours().pink;
  film.head.sections?.forEach(([step, , ...inside], i, all) => {
    const y = yOf(f, axis.placeOf(step)), to = yOf(f, axis.placeOf(all[i + 1]?.[0] ?? film.length));
    for (const p of inside) for (const side of [-6, 4]) g.fillRect(xOf(f, p) + side, y, 2, to - y);
  });
}

/** A red ring around a step that the model of the algorithm does not allow, or that must never be.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f */
function outside(g, film, axis, f) {
  g.strokeStyle = colours().red;
  g.lineWidth = 2.5;
  for (const { step } of film.forbidden) {
    if (step < 1 || step > film.length) continue;
    circle(g, xOf(f, film.processOf(step)), yOf(f, axis.placeOf(step)), Math.max(6, Math.min(12, f.column / 3)));
    g.stroke();
  }
}

/** What matters of a step, at its place: a start, a timer that runs out, a fault, a decision.
 * @param {CanvasRenderingContext2D} g @param {Film} film @param {import("./axis.js").Axis} axis @param {Frame} f
 * @param {number} k */
function sign(g, film, axis, f, k) {
  const p = film.processOf(k), what = film.what(k), all = colours();
  const x = xOf(f, p), y = yOf(f, axis.placeOf(k)), r = Math.max(1.5, Math.min(4.5, f.column / 5));
  if (film.crowned.has(k) && f.column > 5) {
    g.fillStyle = all.gold;
    star(g, x, y, r * 2.2);
  } else if (what === "crash") cross(g, x, y, r * 1.2, all.red);
  else if (faulty.has(what) && !/lose|cut|heal/.test(what)) dot(g, x, y, r, all.red, all.paper);
  else if (what === "start") dot(g, x, y, r, all.ink, all.ink);
  else if (what === "timeout") {
    dot(g, x, y, r + 0.5, all.ink, all.paper);
    if (r > 3) {
      g.beginPath();
      g.moveTo(x, y - r * 0.7);
      g.lineTo(x, y);
      g.lineTo(x + r * 0.6, y);
      g.stroke();
    }
  }
}

/** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} r @param {string} line
 * @param {string} fill */
function dot(g, x, y, r, line, fill) {
  g.strokeStyle = line;
  g.fillStyle = fill;
  g.lineWidth = 1.2;
  circle(g, x, y, r);
  g.fill();
  g.stroke();
}
