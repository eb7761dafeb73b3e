// The start cards above the first picture: what the page is, and three ways into it. A reader who closes them does not
// see them again, unless the list of keys is asked for them.

import { h, s } from "./dom.js";
import * as learn from "./learn.js";
import { inTurn } from "./run.js";
import * as race from "./race.js";
import * as service from "./service.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

const key = "election.start"; // in the storage of the browser

/** Uses the storage of the browser, which may be forbidden. @template T @param {(all: Storage) => T} use */
function stored(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // the cards are there again at the next visit
  }
}

/** Whether the reader has not closed them. */
export const wanted = () => stored((all) => all.getItem(key)) === null;

/** Shows them again. @param {Store} store */
export function show(store) {
  stored((all) => all.removeItem(key));
  store.set({ doors: true });
  return service.turn(store, "service", () => service.begin(store, "members", 5));
}

const icons = { learn: "M2 8l10-4.5L22 8l-10 4.5zM6 10v5c0 2.4 12 2.4 12 0v-5", break: "M13.5 2L5 13.5h6L9.5 22 19 10h-6.5z",
  compare: "M5 20V11M12 20V4M19 20v-6" };

/** @param {HTMLElement} element @param {Store} store @param {() => Promise<any>} firstRun shows a run of an algorithm */
export function mount(element, store, firstRun) {
  const ways = /** @type {Record<keyof typeof icons, () => any>} */ ({
    learn: () => learn.begin(store),
    break: () => {
      store.set({ doors: false });
      inTurn(store, async () => service.tryOut(store));
    },
    compare: async () => {
      await service.turn(store, "run", firstRun);
      race.openDialog(store);
    },
  });
  const cards = /** @type {(keyof typeof icons)[]} */ (Object.keys(icons)).map((way) => h("li", {},
    h("button", { class: "door", "data-way": way, onclick: ways[way] },
      s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: icons[way] })),
      h("span", {}, h("b", {}, t.doors[way].title), h("small", {}, t.doors[way].about)))));
  element.setAttribute("aria-label", t.doorsLabel);
  element.append(h("p", {}, h("strong", {}, t.doorsWhat), ` ${t.doorsHow}`), h("ul", {}, cards),
    h("button", { class: "quiet", title: t.doorsClose, "aria-label": t.doorsClose, onclick: () => {
      stored((all) => all.setItem(key, "closed"));
      store.set({ doors: false });
    } }, "×"));
  store.on(["step"], ({ step }) => element.toggleAttribute("data-begun", step > 0)); // a phone has room for the picture then
  store.on(["doors", "view"], ({ doors, view }) => {
    const hides = element.contains(document.activeElement);
    element.hidden = !doors || view !== "service";
    // What the reader stood on is there no more.
    if (hides && element.hidden) /** @type {HTMLElement | null} */ (document.querySelector(".start:not([hidden])"))?.focus();
  });
}
