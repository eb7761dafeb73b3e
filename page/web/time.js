// The picture of the run in time: what has happened stands clear, what is still to come lies behind a veil.

import { fit, line, pen } from "./canvas.js";
import { DOWN, LEADER } from "./film.js";
import { h, perFrame } from "./dom.js";
import { go, light } from "./run.js";
import { colours, signs } from "./theme.js";
import * as t from "./texts.js";
import { draw, unitOf, xOf, yOf } from "./timedraw.js";

const head = 34; // the height of the names
/** How far the picture is scrolled, and the pixels of a unit: the picture next to it stands alike. */
export const view = { scroll: 0, unit: 1 };

/** Where the lines of a film stand. @param {import("./film.js").Film} film @param {number} width */
export function columns(film, width) {
  const left = 46, column = Math.min(96, (width - left - 6) / film.n);
  return { left, column, top: head + 14, wrap: film.head.shape === "ring" && film.n > 2, width };
}

const screens = 3; // the part of the picture that is kept, in heights of the window

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": t.timePicture });
  const still = document.createElement("canvas");
  const room = h("div", { class: "time" }, canvas);
  element.append(room);
  const foot = /** @type {Element} */ (document.querySelector("#controls"));
  let kept = "", origin = 0, turned = true;

  /** Where the picture stands; on a narrow page the controls leave the upper part of it to be seen, and most is how
   * far it scrolls. @param {import("./film.js").Film} film @param {import("./axis.js").Axis} axis */
  const frame = (film, axis) => {
    const { top: from, width, height } = room.getBoundingClientRect();
    const seen = Math.max(head + 60, Math.min(height, foot.getBoundingClientRect().top - from));
    const all = columns(film, width);
    // By hand an act would shrink all before it.
    const hand = film.head.scenario.schedule === "hand";
    const unit = store.state.zoom * unitOf(axis, film.n, all.column, hand ? 0 : height);
    return { ...all, unit, height, seen, most: Math.max(0, all.top + unit * axis.end + 20 - seen) };
  };

  /** Moves the window so that the present is in it. @param {ReturnType<typeof frame>} f */
  const follow = (f) => {
    const { cursor, playing } = store.state, y = yOf(f, cursor);
    const low = view.scroll + head + 0.12 * f.seen, high = view.scroll + (playing ? 0.62 : 0.82) * f.seen;
    if (y > high) view.scroll += y - high;
    else if (y < low) view.scroll -= low - y;
    view.scroll = Math.max(0, Math.min(f.most, view.scroll));
  };

  /** Draws the part around the window, unless it is there already. @param {ReturnType<typeof frame>} f */
  const keep = (f) => {
    const { film, axis, cause, paint } = /** @type {any} */ (store.state);
    const key = [film.key, axis.scale, f.width, f.height, f.unit, cause, paint].join();
    if (key === kept && view.scroll >= origin && view.scroll + f.height <= origin + screens * f.height) return;
    kept = key;
    origin = Math.max(0, view.scroll - f.height * 0.5);
    const g = fit(still, f.width, screens * f.height);
    const past = cause > 0 ? film.past(cause) : null;
    draw(g, film, axis, f, signs(film.head.kinds),
      { from: origin, to: origin + screens * f.height, width: f.width }, past);
  };

  const paint = perFrame(() => {
    const { film, axis, cursor, step, process } = store.state;
    if (!film || !axis) return;
    const f = frame(film, axis);
    if (f.width < 10) return;
    view.unit = f.unit;
    if (turned) follow(f);
    turned = false;
    keep(f);
    const g = fit(canvas, f.width, f.height), ratio = window.devicePixelRatio || 1;
    g.drawImage(still, 0, (view.scroll - origin) * ratio, still.width, f.height * ratio, 0, 0, f.width, f.height);
    present(g, film, step, process, f, yOf(f, cursor) - view.scroll);
  });

  const turn = () => {
    turned = true;
    paint();
  };
  store.on(["film"], () => {
    view.scroll = 0;
    turn();
  });
  store.on(["step", "cursor", "zoom"], turn);
  store.on(["paint", "cause", "process", "axis"], paint);
  new ResizeObserver(turn).observe(room);
  canvas.addEventListener("wheel", (event) => {
    const { film, axis } = store.state, zooms = event.ctrlKey || event.metaKey, before = view.scroll;
    if (!film || !axis) return;
    if (zooms) zoomBy(store, Math.exp(-event.deltaY / 300));
    else view.scroll = Math.max(0, Math.min(frame(film, axis).most, before + event.deltaY));
    if (zooms || view.scroll !== before) event.preventDefault(); // at an end the page scrolls
    paint();
  }, { passive: false });
  canvas.addEventListener("click", (event) => {
    const { film, axis } = store.state;
    if (!film || !axis) return;
    const k = stepNear(film, axis, frame(film, axis), event.offsetX, event.offsetY + view.scroll);
    if (k > 0) go(store, k);
    light(store, k);
  });
}

/** Stretches the picture, or shrinks it. @param {import("./store.js").Store} store @param {number} by */
export const zoomBy = (store, by) => store.set({ zoom: Math.max(0.1, Math.min(8, store.state.zoom * by)) });

/** The step that is drawn near a point, or 0. @param {import("./film.js").Film} film
 * @param {import("./axis.js").Axis} axis @param {import("./timedraw.js").Frame} f @param {number} x
 * @param {number} y */
function stepNear(film, axis, f, x, y) {
  const p = Math.floor((x - f.left) / f.column);
  if (p < 0 || p >= film.n) return 0;
  let best = 0, distance = 14;
  for (const k of film.stepsOf[p]) {
    const away = Math.abs(yOf(f, axis.placeOf(k)) - y);
    if (away <= distance) [best, distance] = [k, away];
  }
  return best;
}

/** Draws a line at the present, a veil over the future, and the names of the processes, each with what it believes
 * now. @param {CanvasRenderingContext2D} g @param {import("./film.js").Film} film @param {number} step
 * @param {number} process that is chosen @param {import("./timedraw.js").Frame & {width: number, height: number}} f
 * @param {number} y */
export function present(g, film, step, process, f, y) {
  const colour = colours();
  // While the reader is asked what will be, the future is not shown. The figures of the axis stay clear.
  const asking = "asking" in document.documentElement.dataset;
  g.globalAlpha = asking ? 1 : 0.78;
  g.fillStyle = colour.paper;
  g.fillRect(asking ? 0 : f.left - 8, y, f.width, f.height);
  g.globalAlpha = 1;
  g.strokeStyle = colour.select;
  g.lineWidth = 1.5;
  line(g, f.left - 6, y, f.width, y);
  // The names stand on a ground of their own.
  g.fillRect(0, 0, f.width, head);
  g.strokeStyle = colour.pale;
  line(g, 0, head + 0.5, f.width, head + 0.5);
  const every = Math.ceil((8 * (film.longestName + 1)) / f.column);
  const changes = film.changesAt(step), all = [...changes.keys()];
  const is = (/** @type {number} */ p) => (film.changes.status[changes[p]] === DOWN ? -1 : film.roleOf(p, step));
  // The chosen process and the leaders come first: another has its name where these leave room.
  const order = new Set([...all.filter((p) => p === process), ...all.filter((p) => is(p) === LEADER),
    ...all.filter((p) => p % every === 0)]);
  /** @type {number[]} the middles of names, and half their widths */
  const taken = [];
  for (const p of order) {
    const name = film.name(p), now = is(p);
    pen(g, now === LEADER || p === process ? "700 13" : "13");
    const half = g.measureText(name).width / 2 + 2, x = Math.min(xOf(f, p), f.width - half);
    if (taken.some((at, i) => i % 2 === 0 && Math.abs(at - x) < half + taken[i + 1])) continue;
    taken.push(x, half);
    g.fillStyle = colour[["red", "grey", "green", "gold"][now + 1]];
    g.fillText(name, x, 15);
    if (p === process) g.fillRect(xOf(f, p) - Math.min(10, f.column / 2), 25, Math.min(20, f.column), 2);
  }
}
