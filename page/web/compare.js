// Another run next to the displayed run, at the same step, with the first difference in words.

import { Axis } from "./axis.js";
import { difference } from "./branches.js";
import { fit } from "./canvas.js";
import { h, perFrame } from "./dom.js";
import { branchOf, go, instead, reason, restore, showBranch } from "./run.js";
import { signs } from "./theme.js";
import { columns, present, view } from "./time.js";
import * as t from "./texts.js";
import { draw, yOf } from "./timedraw.js";

/** @param {HTMLElement} column @param {import("./store.js").Store} store */
export function mount(column, store) {
  const title = h("button", { class: "quiet" }), words = h("button", { class: "first" });
  const close = h("button", { class: "quiet", "aria-label": t.close, onclick: () =>
    store.set({ compare: 0 }) }, "×");
  const canvas = h("canvas", { role: "img" }), room = h("div", { class: "other" }, canvas);
  const section = h("section", { class: "compare", hidden: true, "aria-label": t.actCompare },
    room, h("header", {}, title, close), words);
  column.append(section);
  const other = () => (store.state.compare === store.state.branch ? undefined : branchOf(store, store.state.compare));

  const paint = perFrame(() => {
    const film = other()?.film, { step, scale } = store.state;
    const { width, height } = room.getBoundingClientRect();
    if (!film || width < 20) return;
    // What happened at one time stands at one height in both pictures.
    const axis = new Axis(film, scale), f = { ...columns(film, width), unit: view.unit, height };
    const at = Math.min(film.length, step), y = yOf(f, axis.placeOf(at));
    const scroll = Math.max(y - 0.95 * height, Math.min(y - f.top, view.scroll));
    const g = fit(canvas, width, height);
    draw(g, film, axis, f, signs(film.head.kinds), { from: scroll, to: scroll + height, width }, null);
    present(g, film, at, -1, f, y - scroll);
  });

  let asked = "";
  store.on(["compare", "branch", "branches"], async ({ branch, compare }) => {
    const b = other(), now = branchOf(store);
    section.hidden = !b;
    if (!b || !now) return;
    title.textContent = b.title;
    title.onclick = () => instead(store, async () => {
      if (await showBranch(store, b.id)) store.set({ compare: now.id });
    });
    canvas.setAttribute("aria-label", t.actBeside(b.title));
    const key = asked = `${branch} ${compare}`;
    // Another run that comes ends this film, too, and asks for it again.
    restore(b).then(paint, (error) => asked === key && !store.state.busy && store.set({ compare: 0,
      error: reason(error) }));
    const found = await difference(now.scenario, b.scenario);
    if (asked !== key) return;
    words.textContent = found ? t.actFirst(found.step, found.words) : t.actSame;
    words.onclick = () => found && go(store, found.step);
  });
  store.on(["step", "paint", "axis"], () => !section.hidden && paint());
  column.addEventListener("wheel", paint);
  new ResizeObserver(paint).observe(room);
}
