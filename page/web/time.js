// The picture of the run in time: what has happened stands clear, what is still to come lies behind a veil.

import { DOWN, LEADER } from "./film.js";
import { fit, h, perFrame } from "./dom.js";
import { go, light } from "./run.js";
import { colours, signs } from "./theme.js";
import { t } from "./texts.js";
import { draw, unitOf, xOf, yOf } from "./timedraw.js";

export const head = 34; // the height of the names
/** How far the picture is scrolled, and the pixels of a unit: the picture beside it stands alike. */
export const view = { scroll: 0, unit: 1 };
const screens = 3; // the part of the picture that is kept, in heights of the window

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": t.timePicture });
  const still = document.createElement("canvas");
  const room = h("div", { class: "time" }, canvas);
  element.append(room);
  const foot = /** @type {Element} */ (document.querySelector("#controls"));
  let zoom = 1, kept = "", origin = 0, turned = true;

  /** Where the picture stands; on a narrow page the controls leave the upper part of it to be seen, and most is how
   * far it scrolls.
   * @returns {import("./timedraw.js").Frame & {width: number, height: number, seen: number, most: number}} */
  const frame = () => {
    const { film, axis } = store.state;
    const { top: from, width, height } = room.getBoundingClientRect();
    const seen = Math.max(head + 60, Math.min(height, foot.getBoundingClientRect().top - from));
    const n = film?.n ?? 1, left = 46, column = Math.min(96, (width - left - 6) / n);
    // By hand an act would shrink all before it.
    const hand = film?.head.scenario.schedule === "hand";
    const unit = axis ? zoom * unitOf(axis, n, column, hand ? 0 : height) : 1;
    const wrap = film?.head.shape === "ring" && n > 2;
    const top = head + 14, most = Math.max(0, top + unit * (axis?.end ?? 0) + 20 - seen);
    return { left, column, unit, top, wrap, width, height, seen, most };
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
    const { film, axis, cause, paint } = store.state;
    if (!film || !axis) return;
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
    const { film, axis, cursor } = store.state;
    const f = frame();
    if (!film || !axis || f.width < 10) return;
    view.unit = f.unit;
    if (turned) follow(f);
    turned = false;
    keep(f);
    const g = fit(canvas, f.width, f.height), all = colours(), ratio = window.devicePixelRatio || 1;
    g.drawImage(still, 0, (view.scroll - origin) * ratio, still.width, f.height * ratio, 0, 0, f.width, f.height);
    const y = yOf(f, cursor) - view.scroll;
    // While the reader is asked what will be, the future is not shown. The figures of the axis stay clear.
    const asking = "asking" in document.documentElement.dataset;
    g.globalAlpha = asking ? 1 : 0.78;
    g.fillStyle = all.paper;
    g.fillRect(asking ? 0 : f.left - 8, y, f.width, f.height - y);
    g.globalAlpha = 1;
    g.strokeStyle = all.select;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(f.left - 6, y);
    g.lineTo(f.width, y);
    g.stroke();
    names(g, store, f);
  });

  const turn = () => {
    turned = true;
    paint();
  };
  store.on(["film"], () => {
    view.scroll = 0;
    turn();
  });
  store.on(["step", "cursor"], turn);
  store.on(["paint", "cause", "process", "axis"], paint);
  new ResizeObserver(turn).observe(room);
  canvas.addEventListener("wheel", (event) => {
    const zooms = event.ctrlKey || event.metaKey, before = view.scroll;
    if (zooms) zoom = Math.max(0.1, Math.min(8, zoom * Math.exp(-event.deltaY / 300)));
    else view.scroll = Math.max(0, Math.min(frame().most, view.scroll + event.deltaY));
    if (zooms || view.scroll !== before) event.preventDefault(); // at an end the page scrolls
    paint();
  }, { passive: false });
  canvas.addEventListener("click", (event) => {
    const k = stepNear(store, frame(), event.offsetX, event.offsetY + view.scroll);
    if (k === 0) return light(store, 0);
    go(store, k);
    light(store, k);
  });
}

/** The step that is drawn near a point, or 0. @param {import("./store.js").Store} store
 * @param {import("./timedraw.js").Frame} f @param {number} x @param {number} y */
function stepNear(store, f, x, y) {
  const { film, axis } = store.state;
  if (!film || !axis) return 0;
  const p = Math.floor((x - f.left) / f.column);
  if (p < 0 || p >= film.n) return 0;
  let best = 0, distance = 14;
  for (const k of film.stepsOf[p]) {
    const away = Math.abs(yOf(f, axis.placeOf(k)) - y);
    if (away <= distance) [best, distance] = [k, away];
  }
  return best;
}

/** The names of the processes, each with what it believes now.
 * @param {CanvasRenderingContext2D} g @param {import("./store.js").Store} store
 * @param {import("./timedraw.js").Frame & {width: number}} f */
function names(g, store, f) {
  const { film, step, process } = store.state, colour = colours();
  if (!film) return;
  g.fillStyle = colour.paper;
  g.fillRect(0, 0, f.width, head);
  g.strokeStyle = colour.pale;
  g.beginPath();
  g.moveTo(0, head + 0.5);
  g.lineTo(f.width, head + 0.5);
  g.stroke();
  g.textAlign = "center";
  g.textBaseline = "middle";
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
    g.font = `${now === LEADER || p === process ? "700 " : ""}13px system-ui, sans-serif`;
    const half = g.measureText(name).width / 2 + 2, x = Math.min(xOf(f, p), f.width - half);
    if (taken.some((at, i) => i % 2 === 0 && Math.abs(at - x) < half + taken[i + 1])) continue;
    taken.push(x, half);
    g.fillStyle = colour[["red", "grey", "green", "gold"][now + 1]];
    g.fillText(name, x, 15);
    if (p === process) g.fillRect(xOf(f, p) - Math.min(10, f.column / 2), 25, Math.min(20, f.column), 2);
  }
}
