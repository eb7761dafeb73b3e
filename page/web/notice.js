// One line over the picture: why what the reader did has no effect.

import { h } from "./dom.js";
import { make } from "./run.js";
import { find } from "./setup.js";
import * as t from "./texts.js";

/** @param {HTMLElement} element @param {import("./store.js").Store} store */
export function mount(element, store) {
  store.on(["film", "step", "playing", "view"], () => store.set({ notice: "" })); // it was about the step before
  store.on(["notice"], ({ notice, catalog, film, sugar }) => {
    element.hidden = notice === "";
    element.replaceChildren(notice);
    // Nothing notices what is wrong with a leader that is silent anyway.
    const params = find(catalog, film?.head.algorithm ?? "")?.params ?? [];
    if (notice !== t.whyRest || sugar.params?.heartbeat || !params.some(({ name }) => name === "heartbeat")) return;
    element.append(` ${t.whyNoHeartbeat} `, h("button", { onclick: () => make(store, { ...sugar,
      params: { ...sugar.params, heartbeat: 3, patience: 1 } }) }, t.whyHeartbeat));
  });
}
