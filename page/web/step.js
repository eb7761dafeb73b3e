// The current step: its sentence, the paper's rule, the lines of Go that ran, and what changed in the state.

import { ask } from "./bridge.js";
import { h } from "./dom.js";
import { light, reason } from "./run.js";
import { lines } from "./source.js";
import { changedFrom, machines, shownStep, valueOf } from "./state.js";
import * as t from "./texts.js";
import { said, words } from "./words.js";

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const sentence = h("p", { class: "sentence" }), rule = h("div", { class: "rules" });
  const code = h("div", { class: "code" }), causes = h("button", { class: "quiet",
    onclick: () => light(store, store.state.cause ? 0 : store.state.step) });
  const outside = h("p", { class: "outside", hidden: true });
  const changes = h("div", { class: "changes" });
  const wireText = h("p", {}), wire = h("details", { class: "wire", hidden: true }, h("summary", {}, t.wire), wireText);
  element.append(sentence, wire, outside, h("p", { class: "causes" }, causes), rule, code, changes);
  const clear = () => [wireText, rule, changes, code].forEach((part) => part.replaceChildren());
  let shown = "", asks = false;
  const draw = async () => {
    const { film, scenario, playing, doc } = store.state, step = shownStep(store.state);
    if (!film) return;
    const key = `${film.key} ${step} ${doc ? 1 : 0}`;
    if (key === shown || (playing && element.hidden)) return;
    if (step === 0) clear();
    if (!playing || sentence.textContent === t.start || step === 0) {
      sentence.textContent = step === 0 ? t.start : said(film, step) ?? "";
      shown = "";
    }
    if (asks || step === 0) return;
    asks = true;
    // What stands there is of another step; an answer comes within a frame or two, mostly, and nothing flickers.
    const late = setTimeout(clear, 150);
    // The step before comes first: to go back, the library begins at a snapshot.
    let why = t.nothing;
    const p = film.processOf(step), [[text], [fields], ran, before, now] = await Promise.all([
      words(film, scenario, step, step).catch(() => [""]),
      ask("words", { scenario: scenario ?? undefined, from: step, to: step, wire: true }).catch(() => [""]),
      ask("lines", { scenario: scenario ?? undefined, from: step, to: step }).then((json) => json[0] ?? [], () => []),
      machines(film, scenario, step - 1, p).catch(() => []), machines(film, scenario, step, p).catch((error) => {
        why = reason(error);
        return [];
      })]);
    clearTimeout(late);
    asks = false;
    if (store.state.film !== film || (!store.state.playing && store.state.step !== step)) return draw();
    shown = key;
    sentence.textContent = text;
    wire.hidden = fields === text;
    wireText.textContent = fields;
    if (doc) lines(rule, code, doc, ran);
    const changed = now.flatMap((m, i) => m.fields.map((field) => ({ field, old: changedFrom(before[i], field) })))
      .filter(({ old }) => old);
    changes.replaceChildren(h("h2", {}, changed.length ? t.changed : why), h("dl", { class: "facts" },
      ...changed.flatMap(({ field, old }) => [h("dt", {}, field.name),
        h("dd", {}, t.became(old ? valueOf(old) : "", valueOf(field)))])));
    draw(); // for what has changed meanwhile
  };
  store.on(["film", "step", "playing", "doc", "panel"], draw);
  store.on(["film", "step", "cause"], ({ film, step, cause }) => {
    if (!film) return;
    const on = cause > 0, why = film.head.outside.find((o) => o.step === step)?.why ?? "";
    outside.textContent = why;
    outside.hidden = why === "";
    causes.hidden = step === 0;
    causes.ariaPressed = String(on);
    causes.textContent = on ? t.causesOn(film, cause) : t.causesOff;
  });
}
