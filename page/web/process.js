// The chosen process: its state after the present step, field by field, with the comments of the source.

import { call } from "./bridge.js";
import { h } from "./dom.js";
import { reason } from "./run.js";
import { t } from "./texts.js";

/** @typedef {{name: string, type: string, value: string, constant?: string}} Field */
/** @typedef {{type: string, fields: Field[], timers?: {timer: number, name: string, due: number}[]}} Machine */

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const title = h("h2", {}), body = h("div", { class: "fields" });
  element.append(title, body);
  let asked = "";
  store.on(["film", "step", "process", "playing", "doc"], async ({ film, step, process, scenario, playing, doc }) => {
    if (!film) return;
    // Without a choice, the process of the present step is shown.
    const p = process >= 0 ? process : Math.max(0, film.processOf(step));
    const words = t.processIs(film, p, step);
    title.textContent = words.charAt(0).toUpperCase() + words.slice(1);
    const key = `${film.head.hash} ${step} ${p} ${doc ? 1 : 0}`;
    if (playing || key === asked) return;
    asked = key;
    try {
      const [now, before] = await Promise.all([step, Math.max(0, step - 1)].map((k) => call("fields",
        { scenario, step: k, process: film.head.ids[p] })));
      if (asked !== key) return;
      const old = before.json[0]?.machines ?? [];
      body.replaceChildren(...(now.json[0]?.machines ?? []).map((/** @type {Machine} */ m, /** @type {number} */ i) =>
        machine(m, old[i], doc, film.at(step))));
    } catch (error) {
      if (asked === key) body.replaceChildren(h("p", { class: "note" }, reason(error)));
    }
  });
}

/** @param {Machine} m @param {Machine | undefined} before @param {any} doc @param {number} now */
function machine(m, before, doc, now) {
  const [pkg, type] = m.type.split(".");
  const about = doc?.packages?.[pkg]?.types?.[type];
  const rows = m.fields.map((field) => {
    const old = before?.fields.find((f) => f.name === field.name);
    const changed = old !== undefined && (old.value !== field.value || old.constant !== field.constant);
    const meaning = about?.fields?.[field.name]?.doc ?? "";
    return h("tr", { class: changed ? "changed" : "" }, h("th", { scope: "row" }, field.name),
      h("td", {}, field.constant ?? field.value, changed ? h("small", {}, ` ${t.was(old.constant ?? old.value)}`) : ""),
      h("td", { class: "meaning" }, meaning));
  });
  const timers = (m.timers ?? []).map((timer) => h("tr", {}, h("th", { scope: "row" }, timer.name || t.timer(timer.timer)),
    h("td", { colspan: 2 }, t.due(timer.due, now))));
  return h("div", { class: "machine" }, h("h3", { title: about?.doc ?? "" }, m.type),
    h("table", {}, h("tbody", {}, rows, timers)));
}
