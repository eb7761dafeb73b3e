// Draws the service view: a lane for each member, with its lease as a thick bar and its vote as a thin one, and the
// register below, with the writes that arrive there.

import { circle, cross, fit, line, pen } from "./canvas.js";
import { DOWN, LEADER, PAUSED } from "./film.js";
import { colours } from "./theme.js";
import * as t from "./texts.js";

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./service.js").Story} Story */
/** @typedef {{left: number, right: number, top: number, row: number, register: number, foot: number, width: number,
 *   height: number, seconds: number, rowOf: (p: number) => number}} Layout */

const foot = 84; // of the register

/** Where everything stands. @param {Film} film @param {number} width @param {number} height @returns {Layout} */
export function layout(film, width, height) {
  const left = film.n > 17 ? width < 560 ? 44 : 60 : width < 560 ? 96 : 172, top = 30, right = width - 14;
  const row = Math.min(64, (height - top - foot - 8) / film.n), register = top + row * film.n + 8;
  return { left, right, top, row, register, foot, width, height, seconds: Math.max(1.6, Math.min(6, (right - left) / 170)),
    rowOf: (p) => top + p * row };
}

/** When the lease of a leader ends, as it is known after a step; without leases, never. @param {Film} film
 * @param {number} p @param {number} step */
export function valid(film, p, step) {
  const j = film.changesAt(step)[p];
  if (j < 0 || film.changes.role[j] !== LEADER) return 0;
  return film.changes.until[j] || Infinity;
}

/** @param {HTMLCanvasElement} canvas @param {Film} film @param {Story} story @param {Layout} f @param {number} now
 * @param {number} step @param {number} chosen @param {boolean} playing */
export function draw(canvas, film, story, f, now, step, chosen, playing) {
  const g = fit(canvas, f.width, f.height), c = colours(), second = story.second;
  const window = f.seconds * second, first = Math.max(0, now - 0.72 * window), last = first + window;
  const x = (/** @type {number} */ at) => f.left + ((at - first) / window) * (f.right - f.left);
  const inside = (/** @type {number} */ at) => Math.max(f.left, Math.min(f.right, x(at)));
  const seen = (/** @type {{from: number}} */ one, /** @type {number} */ until) => one.from <= now && until >= first;
  const middle = (/** @type {number} */ p) => f.rowOf(p) + f.row / 2;
  const few = f.row >= 22, thick = few ? Math.min(22, f.row * 0.5) : Math.max(1, f.row * 0.8);
  const words = (/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ y, /** @type {string} */ colour,
    size = "600 12.5", /** @type {CanvasTextAlign} */ align = "left") => {
    pen(g, size, align);
    g.lineWidth = 4;
    g.lineJoin = "round";
    g.strokeStyle = c.paper;
    g.strokeText(text, at, y);
    g.fillStyle = colour;
    g.fillText(text, at, y);
  };

  // Lanes.
  for (let p = 0; p < film.n; p++) {
    if (p === chosen) {
      g.fillStyle = c.pale;
      g.fillRect(0, f.rowOf(p), f.width, f.row);
    }
    if (few || p === 0) {
      g.strokeStyle = c.pale;
      g.lineWidth = 1;
      line(g, 0, f.rowOf(p) + 0.5, f.width, f.rowOf(p) + 0.5);
    }
  }
  g.fillStyle = c.ground;
  g.fillRect(0, f.register, f.width, f.foot);

  // The clock.
  g.lineWidth = 1;
  const tick = f.seconds > 4 ? 1 : 0.5;
  for (let at = Math.ceil(first / second / tick) * tick; at * second <= last; at += tick) {
    g.strokeStyle = c.pale;
    g.lineWidth = 1;
    line(g, x(at * second), f.top - 6, x(at * second), f.register + f.foot);
    if (Math.abs(x(at * second) - x(now)) > 46) words(t.serviceAt(at), x(at * second), 12, c.grey, "12", "center");
  }

  g.save();
  g.beginPath();
  g.rect(f.left, 0, f.right - f.left + 14, f.height);
  g.clip();

  // Where a member is down, paused or cut off.
  /** @type {[string, number, number, string, string][]} */
  const names = []; // over what comes later
  const bands = [[story.cuts, c.orange, t.serviceCut], [story.pauses, c.blue, t.servicePaused],
    [story.downs, c.red, t.serviceDown]];
  for (const [spans, colour, name] of /** @type {[import("./service.js").Span[], string, string][]} */ (bands)) {
    for (const one of spans) {
      if (!seen(one, one.until)) continue;
      const from = inside(one.from), until = inside(Math.min(one.until, now));
      g.globalAlpha = 0.13;
      g.fillStyle = colour;
      g.fillRect(from, f.rowOf(one.process) + 1, until - from, f.row - 1);
      g.globalAlpha = 1;
      g.fillStyle = colour;
      g.fillRect(from, f.rowOf(one.process) + 1, few ? 2 : 1, f.row - 1);
      if (f.row >= 40 && until - from > 70) names.push([name, from + 7, f.rowOf(one.process) + f.row - (f.row < 52 ? 9 : 20), colour, "600 12"]);
    }
  }

  // Votes that are lent, or the record of a store.
  const slim = few ? 6 : Math.max(1, f.row * 0.4);
  let begun = /** @type {any} */ (null);
  const lent = new Map(); // by voter, the last loan, to which later ones of the same kind belong
  for (const v of story.votes) {
    if (!seen(v, v.end)) continue;
    const y = few ? f.rowOf(v.of) + f.row - slim - 5 : f.rowOf(v.of) + (f.row - slim) / 2;
    g.fillStyle = c.goldfill;
    g.globalAlpha = 0.62;
    const from = inside(v.from), until = inside(Math.min(v.end, now));
    g.fillRect(from, y, until - from, slim);
    if (v.end > now && v.until > now) {
      g.globalAlpha = 0.26;
      g.fillRect(until, y, inside(v.until) - until, slim);
    }
    g.globalAlpha = 1;
    begun = lent.get(v.of);
    if (!begun || begun.to !== v.to || begun.term !== v.term || v.from > begun.end + 0.001) lent.set(v.of, { ...v });
    else begun.end = v.end;
    if (few && lent.get(v.of).from === v.from && v.to !== v.of) {
      lent.get(v.of).label = [Math.max(from, f.left) + 2, y - 8];
    }
  }

  // Leads.
  for (const l of story.leads) {
    if (!seen(l, Math.max(l.until, l.thinks))) continue;
    const y = few ? f.rowOf(l.process) + 6 : middle(l.process) - thick / 2;
    const from = inside(l.from), until = inside(Math.min(l.until, now));
    g.fillStyle = c.goldfill;
    g.fillRect(from, y, Math.max(1.5, until - from), thick);
    if (l.until > now) { // what is known now of its end
      const ends = valid(film, l.process, step);
      g.globalAlpha = 0.3;
      if (ends !== Infinity) g.fillRect(until, y, Math.max(0, inside(ends) - until), thick);
      g.globalAlpha = 1;
      if (few && ends !== Infinity && ends > now) {
        words(t.serviceLeft((ends - now) / second), Math.min(inside(ends) + 5, f.right - 66), y + thick / 2, c.gold, "12");
      }
    } else if (l.thinks > l.until + 3) {
      const end = inside(Math.min(l.thinks, now));
      g.strokeStyle = c.red;
      g.lineWidth = 1.5;
      g.setLineDash([4, 3]);
      if (end > until) g.strokeRect(until, y + 0.75, end - until, thick - 1.5);
      g.setLineDash([]);
      if (few && end - until > 130) words(t.serviceThinks, until + 7, y + thick / 2, c.red, "12");
    }
    if (few && until - from > 60) {
      pen(g, "600 12.5", "left");
      g.fillStyle = "#241a00";
      const text = t.serviceLeads(l.term);
      if (g.measureText(text).width < until - from - 12) g.fillText(text, from + 8, y + thick / 2 + 0.5);
    }
  }
  if (few) {
    for (const v of lent.values()) {
      if (!v.label || inside(Math.min(v.end, now)) - v.label[0] < 74) continue;
      words(v.of === story.store ? t.serviceRecord(film.name(v.to), v.term) : t.serviceLent(film.name(v.to)), ...
        /** @type {[number, number]} */ (v.label), c.grey, "11.5");
    }
  }

  // Two that lead.
  for (const r of story.rivals) {
    if (!seen(r, r.until)) continue;
    const from = inside(r.from), until = Math.max(from + 2, inside(Math.min(r.until, now)));
    g.globalAlpha = 0.2;
    g.fillStyle = c.red;
    g.fillRect(from, f.top, until - from, f.register - f.top);
    g.globalAlpha = 1;
    g.strokeStyle = c.red;
    g.lineWidth = 2;
    g.strokeRect(from, f.top, until - from, f.register - f.top);
  }

  // What was done to a leader, and how long it took.
  for (const d of story.troubles) {
    if (d.at > now || d.at < first) continue;
    if (few && d.do === "crash") cross(g, x(d.at), f.rowOf(d.process) + 6 + thick / 2, 5, c.red);
  }
  for (const d of story.troubles) {
    if (d.next < 0 || d.from > now || d.from < first || !few) continue;
    const text = t.serviceAfter((d.from - d.at) / second);
    pen(g, "700 13");
    if (x(d.from) - 7 - g.measureText(text).width < f.left) continue;
    words(text, x(d.from) - 7, f.rowOf(d.next) + 6 + thick / 2, c.ink, "700 13", "right");
  }

  // Writes.
  const base = f.register + 26;
  g.strokeStyle = c.faint;
  g.lineWidth = 2;
  line(g, f.left, base, inside(now), base);
  /** @type {{token: number, seen: number, n: number, x: number}[]} */
  const refusals = [];
  let told = -Infinity;
  for (const w of story.writes) {
    if (w.sent > now || w.arrives < first - second) continue;
    const y = few ? f.rowOf(w.process) + 6 + thick : middle(w.process), there = w.arrives <= now;
    const colour = w.refused ? c.red : w.late ? c.orange : c.green;
    g.strokeStyle = colour;
    g.globalAlpha = w.refused || w.late ? 0.9 : 0.28;
    g.lineWidth = w.refused || w.late ? 1.6 : 1;
    const held = w.arrives - w.sent > 20; // also if it never arrives
    if (held) g.setLineDash([3, 4]);
    const part = Math.min(1, (now - w.sent) / (w.arrives - w.sent));
    const x1 = x(w.sent) + (x(w.arrives) - x(w.sent)) * part;
    if (held) { // it waits next to its sender, and then goes
      const goes = x(w.arrives - 3);
      line(g, x(w.sent), y + 3, Math.min(goes, x(now)), y + 3);
      if (there || now > w.arrives - 3) line(g, goes, y + 3, x(Math.min(now, w.arrives)), base);
    } else line(g, x(w.sent), y, x1, y + (base - y) * part);
    g.setLineDash([]);
    g.globalAlpha = 1;
    g.fillStyle = colour;
    if (!there) {
      circle(g, held ? Math.min(x(w.arrives - 3), x(now)) : x1, held ? y + 3 : y + (base - y) * part, 3);
      g.fill();
      continue;
    }
    if (w.refused) cross(g, x(w.arrives), base, 6, c.red);
    else {
      circle(g, x(w.arrives), base, 4);
      g.fill();
    }
    if (w.token !== w.seen && !w.refused && x(w.arrives) > f.left) {
      words(t.serviceToken(w.token), x(w.arrives) - 3, base - 15, c.green, "600 12");
    }
    if (!w.refused) continue;
    const run = refusals.at(-1);
    if (run && run.token === w.token && x(w.arrives) - run.x < 40) run.n++;
    else refusals.push({ token: w.token, seen: w.seen, n: 1, x: x(w.arrives) });
  }
  for (const name of names) words(...name);
  for (const r of refusals) {
    const text = t.serviceRefused(r.n, r.token, r.seen);
    pen(g, "700 13", "left");
    const wide = g.measureText(text).width, at = Math.max(f.left + 2, Math.min(r.x - 6, f.right - wide));
    words(text, at, base + (at < told ? 38 : 20), c.red, "700 13");
    told = at + wide;
  }
  g.restore();

  words(t.serviceRegister, 12, f.register + (f.left > 90 ? 18 : f.foot - 12), c.ink, "600 13");
  const largest = story.writes.reduce((most, w) => (w.arrives <= now && !w.refused ? Math.max(most, w.token) : most), 0);
  if (f.left > 90) words(largest ? t.serviceLargest(largest) : t.serviceEmpty, 12, f.register + 38, c.grey, "12");

  // Many members have no labels of their own. Members that lead, or for which something is wrong, come first; others have
  // a label if there is room.
  if (!few || film.n > 17) {
    const { status } = film.changes, changes = film.changesAt(step), all = film.head.ids.map((_, p) => p);
    const is = (/** @type {number} */ p) => status[changes[p]];
    const leads = (/** @type {number} */ p) => film.roleOf(p, step) === LEADER && is(p) !== DOWN;
    const cut = new Set(story.cuts.filter((one) => one.from <= now && now < one.until).map((one) => one.process));
    const matters = (/** @type {number} */ p) => p === chosen || leads(p) || is(p) === DOWN || is(p) === PAUSED || cut.has(p);
    /** @type {number[]} */
    const taken = [];
    for (const p of new Set([chosen, ...all.filter(leads), ...all.filter(matters), story.store, ...all.filter((p) =>
      p % Math.ceil(16 / f.row) === 0)])) {
      const y = p < 0 ? undefined : (matters(p) ? [0, -13, 13] : [0]).map((by) => middle(p) + by)
        .find((one) => taken.every((other) => Math.abs(other - one) >= 13));
      if (y === undefined) continue;
      taken.push(y);
      words(p === story.store ? t.serviceStore : film.name(p), 12, y, leads(p) ? c.gold : is(p) === DOWN ? c.red
        : is(p) === PAUSED ? c.blue : cut.has(p) ? c.orange : p === chosen ? c.ink : c.grey, matters(p) ? "700 12" : "11.5");
    }
  }

  // Now.
  g.strokeStyle = c.ink;
  g.lineWidth = 1.5;
  line(g, x(now), f.top - 8, x(now), f.register + f.foot);
  g.fillStyle = c.ink;
  const label = t.serviceNow(now / second);
  pen(g, "700 12");
  const half = g.measureText(label).width / 2 + 6, at = Math.max(f.left, x(now));
  g.fillRect(at - half, 2, 2 * half, 20);
  g.fillStyle = c.paper;
  g.fillText(label, at, 12.5);
}
