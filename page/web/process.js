// The chosen process: its state after the present step, field by field, with the comments of the source.

import { h } from "./dom.js";
import { reason } from "./run.js";
import { changedFrom, machines, shownStep, valueOf } from "./state.js";
import * as t from "./texts.js";

/** @typedef {import("./state.js").Machine} Machine */

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const title = h("h2", {}), body = h("div", { class: "fields" });
  element.append(title, body);
  let shown = "", asks = false;
  const draw = async () => {
    const { film, process, scenario, doc } = store.state, step = shownStep(store.state);
    if (!film || asks) return;
    // Without a choice, the process of the present step is shown.
    const p = process >= 0 ? process : Math.max(0, film.processOf(step));
    const key = `${film.key} ${step} ${p} ${doc ? 1 : 0}`;
    if (key === shown) return;
    asks = true;
    try {
      const [old, now] = await Promise.all([Math.max(0, step - 1), step].map((k) => machines(film, scenario, k, p)));
      body.replaceChildren(...now.map((m, i) => machine(m, old[i], doc, film.at(step), i === 0)));
    } catch (error) {
      body.replaceChildren(h("p", { class: "note" }, reason(error)));
    }
    const words = t.processIs(film, p, step);
    title.textContent = words.charAt(0).toUpperCase() + words.slice(1);
    shown = key;
    asks = false;
    draw(); // for what has changed meanwhile
  };
  store.on(["film", "step", "process", "playing", "doc"], draw);
}

/** @param {Machine} m @param {Machine | undefined} before @param {any} doc @param {number} now
 * @param {boolean} first */
function machine(m, before, doc, now, first) {
  const [pkg, type] = m.type.split(".");
  const about = doc?.packages?.[pkg]?.types?.[type];
  let changes = 0;
  const rows = m.fields.map((field) => {
    const old = changedFrom(before, field);
    if (old) changes++;
    const meaning = about?.fields?.[field.name]?.doc ?? "";
    return h("div", { class: old ? "field changed" : "field" }, h("dt", {}, field.name),
      h("dd", {}, valueOf(field), old ? h("small", {}, ` ${t.was(valueOf(old))}`) : ""),
      meaning ? h("dd", { class: "meaning" }, meaning) : "");
  });
  const timers = (m.timers ?? []).map((timer) => h("div", { class: "field" },
    h("dt", {}, timer.name), h("dd", {}, t.due(timer.due, now))));
  // The machine of the algorithm comes first; the machines around it are open only while they change.
  return h("details", { class: "machine", open: first || changes > 0 },
    h("summary", { title: about?.doc ?? "" }, m.type), h("dl", {}, rows, timers));
}
