// The picture of the network: processes, links, and the messages in flight.

import { DOWN, FOLLOWER, LEADER, PAUSED, UNDECIDED } from "./film.js";
import { fit, line } from "./canvas.js";
import { starter } from "./controls.js";
import { attribute, h, perFrame, s } from "./dom.js";
import { layout } from "./layout.js";
import { chooseProcess } from "./run.js";
import { colours, signPath, signs } from "./theme.js";
import { nextTimer } from "./timers.js";
import { cutLinks, drawLinks, drawTokens, treeAt } from "./tokens.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{group: SVGGElement, shape: SVGPathElement, label: SVGTextElement, cross: SVGPathElement,
 *   key: string}} Drawn key says what is drawn */

/** What stands where, for what the reader points at.
 * @type {{stage: HTMLElement, nodes: SVGSVGElement, placed: import("./layout.js").Layout | null,
 *   tokens: import("./tokens.js").Token[]}} */
export const scene = { stage: h("div", { class: "stage" }),
  nodes: s("svg", { role: "group", "aria-label": t.processes, class: "nodes" }), placed: null, tokens: [] };

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const below = h("canvas", { "aria-hidden": "true" }), above = h("canvas", { "aria-hidden": "true" });
  const { stage, nodes } = scene;
  const count = h("b"), noun = h("span"), hud = h("div", { class: "hud", "aria-hidden": "true" }, count, noun);
  const start = starter(store);
  stage.append(below, nodes, above, hud, start);
  element.append(stage);
  wire(nodes, store);
  /** @type {Drawn[]} */
  let drawn = [];
  /** @type {import("./layout.js").Layout | null} */
  let placed = null;

  const place = () => {
    const { film } = store.state;
    if (!film) return;
    const { width, height } = stage.getBoundingClientRect();
    placed = layout(film.head, width, height);
    const middle = placed.big > 80 && placed.round && film.n > 3, r = placed.radius;
    hud.classList.toggle("middle", middle);
    // The number of messages stands in a corner: if a process is there, all stand higher.
    if (!middle && placed.points.some(({ x, y }) => x < 168 + r && y > height - 40 - r)) {
      placed = layout(film.head, width, height - 28);
    }
    scene.placed = placed;
    if (drawn.length !== film.n) drawn = build(nodes, film.n);
    const size = placed.radius;
    nodes.classList.toggle("small", size < 8); // few of the names have room next to their processes
    drawn.forEach((node, p) => {
      const { x, y } = /** @type {import("./layout.js").Layout} */ (placed).points[p];
      node.key = "";
      attribute(node.group, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      const name = node.label.textContent = film.name(p);
      // The name of a small process is next to it, towards the middle.
      const far = size < 8 ? 18 : 0, angle = Math.atan2(height / 2 - y, width / 2 - x);
      attribute(node.label, "x", String(far * Math.cos(angle)));
      attribute(node.label, "y", String(far * Math.sin(angle)));
      attribute(node.label, "font-size", String(Math.round(Math.min(15, (size * 1.9) / Math.max(2, name.length * 0.7)))));
      attribute(node.cross, "d", `M${-size},${-size}L${size},${size}M${size},${-size}L${-size},${size}`);
    });
    links();
    processes();
    move();
  };

  let linked = "";
  const links = (again = true) => {
    const { film, step } = store.state;
    if (!film || !placed) return;
    const cut = cutLinks(film, step), tree = treeAt(film, step), now = `${tree.join()} ${[...cut].join()}`;
    if (!again && now === linked) return;
    linked = now;
    const { width, height } = stage.getBoundingClientRect();
    const g = fit(below, width, height);
    drawLinks(g, film, placed, cut, tree);
    ranks(g, film, placed);
  };

  const processes = () => {
    const { film, step, process, cause } = store.state;
    if (!film || !placed) return;
    const acting = film.processOf(step);
    links(false);
    const past = cause > 0 ? film.past(cause) : null;
    const changes = film.changesAt(step), inside = film.sectionAt(step).slice(2);
    for (let p = 0; p < film.n; p++) {
      const { group, shape, cross } = drawn[p], dim = past !== null && past[p] === 0;
      // Of many processes one or two change in a step.
      const is = film.roleOf(p, step);
      const key = `${changes[p]} ${p === process} ${p === acting} ${dim} ${is} ${inside.includes(p)}`;
      if (drawn[p].key === key) continue;
      drawn[p].key = key;
      const now = film.condition(p, step);
      const role = is === LEADER ? "leader" : is === FOLLOWER ? "follower" : "undecided";
      attribute(group, "data-role", role);
      attribute(group, "data-status", now.status === DOWN ? "down" : now.status === PAUSED ? "paused" : "up");
      attribute(group, "aria-label", t.processIs(film, p, step));
      attribute(group, "aria-pressed", String(p === process));
      group.classList.toggle("acting", p === acting);
      group.classList.toggle("dim", dim);
      group.classList.toggle("inside", inside.includes(p));
      attribute(shape, "d", outlineOf(is, placed.radius));
      attribute(cross, "visibility", now.status === DOWN ? "visible" : "hidden");
    }
    const sent = film.sent[step];
    count.textContent = t.figure(sent);
    noun.textContent = t.messages(sent);
  };

  const move = perFrame(() => {
    const { film, axis, step, cursor, cause } = store.state;
    if (!film || !axis || !placed) return;
    const { width, height } = stage.getBoundingClientRect();
    const g = fit(above, width, height);
    clocks(g, film, placed, step, axis.timeAt(cursor));
    scene.tokens = drawTokens(g, film, axis, placed, signs(film.head.kinds), { step, cursor, cause });
  });

  store.on(["film", "fresh", "step", "playing", "process", "panel"], ({ film, fresh, step, playing, process, panel }) => {
    start.hidden = !film || film !== fresh || step > 0 || playing || process >= 0 || panel !== "";
    hud.hidden = !start.hidden;
  });
  store.on(["film", "paint"], place);
  store.on(["step", "process", "cause"], processes);
  store.on(["cursor", "step", "axis", "cause", "paint"], move);
  new ResizeObserver(place).observe(stage);
}

const many = 16; // processes whose IDs a reader does not compare at a glance

/** A line at each of many processes, the longer the larger its rank. On a ring it points away from the messages.
 * @param {CanvasRenderingContext2D} g @param {import("./film.js").Film} film @param {import("./layout.js").Layout} l */
function ranks(g, film, l) {
  if (film.n < many) return;
  const circle = l.round || film.head.shape === "complete", longest = film.n > 64 ? 11 : 16;
  const from = l.radius + (l.outside ? 12 : 7);
  g.strokeStyle = colours().mid;
  g.lineWidth = Math.max(1.2, Math.min(4, l.radius / 2));
  rankOf(film).forEach((rank, p) => {
    const { x, y } = l.points[p], long = from + 1 + (longest * rank) / film.n;
    const angle = !circle ? -Math.PI / 2 : Math.atan2(y - l.cy, x - l.cx) + (l.outside ? Math.PI : 0);
    const dx = Math.cos(angle), dy = Math.sin(angle);
    line(g, x + dx * from, y + dy * from, x + dx * long, y + dy * long);
  });
}

/** @type {WeakMap<import("./film.js").Film, number[]>} */
const known = new WeakMap();

/** How many processes are smaller than each. @param {import("./film.js").Film} film */
export function rankOf(film) {
  let ranks = known.get(film);
  if (ranks) return ranks;
  const { ids, priorities } = film.head, of = ids.map((id, p) => ({ p, id: BigInt(id), first: BigInt(priorities?.[p] ?? 0) }));
  of.sort((a, b) => (a.first !== b.first ? (a.first < b.first ? -1 : 1) : a.id < b.id ? -1 : 1));
  known.set(film, (ranks = new Array(film.n).fill(0)));
  of.forEach(({ p }, i) => (/** @type {number[]} */ (ranks)[p] = i));
  return ranks;
}

/** An arc around each process: the part that is left until its next timer fires, from the time at which that was set.
 * @param {CanvasRenderingContext2D} g @param {import("./film.js").Film} film @param {import("./layout.js").Layout} l
 * @param {number} step @param {number} now */
function clocks(g, film, l, step, now) {
  if (l.radius < 5) return; // an arc would look like its process
  const changes = film.changesAt(step);
  g.strokeStyle = colours().sky;
  g.lineWidth = Math.max(1.5, Math.min(3, l.radius / 6));
  l.points.forEach(({ x, y }, p) => {
    const timer = film.changes.status[changes[p]] === DOWN ? null : nextTimer(film, p, step);
    if (!timer) return;
    const left = Math.max(0, Math.min(1, (timer.due - now) / (timer.due - timer.set || 1)));
    const far = l.radius * (film.roleOf(p, step) === LEADER ? 1.42 : 1) + 2 + g.lineWidth;
    g.beginPath();
    g.arc(x, y, far, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * left);
    g.stroke();
  });
}

/** The outline of a process, which differs by its role. @param {number} role @param {number} r */
export function outlineOf(role, r) {
  if (role === UNDECIDED) return `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`;
  if (role === FOLLOWER) {
    const w = r * 0.9, c = r * 0.35;
    return `M${-w + c},${-w}H${w - c}q${c},0 ${c},${c}V${w - c}q0,${c} ${-c},${c}H${-w + c}q${-c},0 ${-c},${-c}V${-w
      + c}q0,${-c} ${c},${-c}z`;
  }
  const points = [];
  for (let i = 0; i < 20; i++) {
    const far = r * (i % 2 ? 1.12 : 1.42), angle = (Math.PI * i) / 10;
    points.push(`${(far * Math.sin(angle)).toFixed(2)},${(-far * Math.cos(angle)).toFixed(2)}`);
  }
  return `M${points.join("L")}z`;
}

/** Makes n processes; one of them is in the order of the tab key, the arrow keys lead to the others.
 * @param {SVGSVGElement} nodes @param {number} n @returns {Drawn[]} */
function build(nodes, n) {
  const all = Array.from({ length: n }, (_, p) => {
    const shape = s("path", { class: "shape" }), label = s("text", { class: "name" });
    const cross = s("path", { class: "cross", visibility: "hidden" });
    const group = s("g", { class: "node", role: "button", tabindex: p === 0 ? 0 : -1, "data-process": p }, shape,
      cross, label);
    return { group, shape, label, cross, key: "" };
  });
  nodes.replaceChildren(...all.map((node) => node.group));
  return all;
}

/** The process at which the reader points, or -1. @param {Event} event */
export function processAt(event) {
  const group = event.target instanceof Element ? event.target.closest("[data-process]") : null;
  return group ? Number(group.getAttribute("data-process")) : -1;
}

/** @param {SVGSVGElement} nodes @param {Store} store */
function wire(nodes, store) {
  nodes.addEventListener("click", (event) => chooseProcess(store, processAt(event)));
  nodes.addEventListener("keydown", (event) => {
    const p = processAt(event), n = store.state.film?.n ?? 0;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    const by = moves[/** @type {keyof typeof moves} */ (event.key)];
    if (by && p >= 0) {
      focusNode(nodes, (p + by + n) % n);
    } else if (event.key === "Enter" || event.key === " ") {
      chooseProcess(store, p);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** @param {SVGSVGElement} nodes @param {number} p */
function focusNode(nodes, p) {
  nodes.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
  const next = /** @type {SVGGElement | null} */ (nodes.querySelector(`[data-process="${p}"]`));
  next?.setAttribute("tabindex", "0");
  next?.focus();
}

/** A legend of the kinds of messages: sign, letter and name. @param {HTMLElement} element @param {Store} store */
export function legend(element, store) {
  store.on(["film", "paint"], ({ film }) => {
    if (!film) return;
    const counts = film.head.counts ?? {};
    element.replaceChildren(...signs(film.head.kinds).slice(1).filter((sign) => counts[sign.name] > 0).map((sign) => {
      const line = s("line", { x1: 0, y1: 8, x2: 26, y2: 8, "stroke-width": 2, stroke: sign.colour,
        "stroke-dasharray": sign.dash.join(" ") });
      const dot = s("path", { d: signPath(sign.shape, 13, 8, 7), fill: sign.colour });
      const letter = s("text", { x: 13, y: 11.5, "text-anchor": "middle", fill: colours().paper, class: "letter" },
        sign.letter);
      return h("li", {}, s("svg", { width: 26, height: 16, "aria-hidden": "true" }, line, dot, letter), sign.name);
    }));
  });
}
