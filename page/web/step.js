// The present step: what it says, the paper's rule, the lines of Go that ran, and what changed in the state.

import { call } from "./bridge.js";
import { h } from "./dom.js";
import { light } from "./run.js";
import { lines } from "./source.js";
import { t } from "./texts.js";
import { words } from "./words.js";

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const sentence = h("p", { class: "sentence" }), rule = h("div", { class: "rules" });
  const code = h("div", { class: "code" }), causes = h("p", { class: "causes" });
  element.append(sentence, causes, rule, code);
  let shown = "";
  store.on(["film", "step", "playing", "doc"], async ({ film, step, scenario, playing, doc }) => {
    if (!film) return;
    const key = `${film.head.hash} ${step}`;
    if (step === 0) {
      shown = key;
      sentence.textContent = t.start;
      rule.replaceChildren();
      code.replaceChildren();
      return;
    }
    if (shown !== key) {
      const [text] = await words(film, scenario, step, step).catch(() => [""]);
      if (store.state.film !== film || store.state.step !== step) return;
      shown = key;
      sentence.textContent = text;
      rule.replaceChildren();
      code.replaceChildren();
    }
    // While the run is played, steps pass too fast to read their lines.
    if (playing || !doc) return;
    try {
      const { json } = await call("lines", { scenario, from: step, to: step });
      if (store.state.film !== film || store.state.step !== step || store.state.playing) return;
      lines(rule, code, doc, film.head.algorithm, json[0] ?? []);
    } catch {
      rule.replaceChildren();
      code.replaceChildren();
    }
  });
  store.on(["film", "step", "cause"], ({ film, step, cause }) => {
    if (!film) return;
    const on = cause > 0;
    causes.replaceChildren(step === 0 ? "" : h("button", { type: "button", class: "quiet", "aria-pressed": String(on),
      onclick: () => light(store, on ? 0 : step) }, on ? t.causesOn(film, cause) : t.causesOff));
  });
}
