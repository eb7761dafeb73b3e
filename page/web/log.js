// The log: a list of all steps in words, of which the part around the present is in the page.

import { attribute, h } from "./dom.js";
import { go } from "./run.js";
import { words } from "./words.js";

const around = 40; // steps on each side of the present

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  const list = h("ol", { class: "log" });
  element.append(list);
  list.addEventListener("click", (event) => {
    const item = event.target instanceof Element ? event.target.closest("[data-step]") : null;
    if (item) go(store, Number(item.getAttribute("data-step")));
  });
  let shown = "", present = /** @type {Element | null} */ (null);
  store.on(["film", "step", "panel"], async ({ film, step, scenario, panel }) => {
    if (!film || panel !== "log") return;
    // The part that is shown depends on the present step alone, not on how the reader came there.
    const from = Math.max(1, Math.floor(step / around) * around - around + 1);
    const to = Math.min(film.length, from + 3 * around - 1);
    const key = `${film.key} ${from}`;
    if (key !== shown) {
      const sentences = await words(film, scenario, from, to).catch(() => []);
      if (store.state.film !== film || store.state.step !== step) return;
      shown = key;
      list.replaceChildren(...sentences.map((sentence, i) => h("li", { "data-step": from + i,
        "aria-posinset": from + i, "aria-setsize": film.length },
      h("button", { tabindex: -1 }, h("span", { class: "number" }, from + i), sentence))));
    }
    present?.removeAttribute("aria-current");
    present?.firstElementChild?.setAttribute("tabindex", "-1");
    present = list.querySelector(`[data-step="${step}"]`);
    if (!present) return;
    attribute(present, "aria-current", "step");
    present.firstElementChild?.setAttribute("tabindex", "0");
    present.scrollIntoView({ block: "nearest" });
  });
}
