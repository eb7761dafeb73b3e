// The panels next to the picture. Each is a module that exports mount(element, store); a panel that is not in
// front is hidden, and draws only what is cheap.

import * as acts from "./acts.js";
import * as learn from "./learn.js";
import * as log from "./log.js";
import * as process from "./process.js";
import * as prove from "./prove.js";
import * as step from "./step.js";
import * as theory from "./theory.js";
import * as time from "./time.js";
import { attribute, h } from "./dom.js";
import * as t from "./texts.js";

/** place: "column" stands in a column of its own where the page is wide, "pinned" below the others; on a narrow
 * page all are behind tabs.
 * @typedef {{id: string, title: string, place: "column"|"tab"|"pinned",
 *   mount: (element: HTMLElement, store: import("./store.js").Store) => void}} Panel */

/** @type {Panel[]} */
export const panels = [
  { id: "time", title: t.panels.time, place: "column", mount: time.mount },
  { id: "step", title: t.panels.step, place: "tab", mount: step.mount },
  { id: "log", title: t.panels.log, place: "tab", mount: log.mount },
  { id: "acts", title: t.panels.acts, place: "tab", mount: acts.mount },
  { id: "prove", title: t.panels.prove, place: "tab", mount: prove.mount },
  { id: "learn", title: t.panels.learn, place: "tab", mount: learn.mount },
  { id: "theory", title: t.panels.theory, place: "tab", mount: theory.mount },
  { id: "process", title: t.panels.process, place: "pinned", mount: process.mount },
];

/** Mounts all panels, and the tabs that lead to them.
 * @param {HTMLElement} column @param {HTMLElement} side @param {import("./store.js").Store} store */
export function mount(column, side, store) {
  const tabs = h("div", { class: "tabs", role: "tablist" });
  // What scrolls has to be reached by the keyboard.
  const bodies = h("div", { class: "bodies", tabindex: 0, role: "group", "aria-label": t.parts.side });
  const pinned = h("div", { class: "pinned", tabindex: 0, role: "group", "aria-label": t.panels.process });
  side.append(tabs, bodies, pinned);
  const places = { column, tab: bodies, pinned };
  const all = panels.map((panel) => {
    const body = h("section", { id: `panel-${panel.id}`, class: `panel ${panel.id}`, "aria-label": panel.title });
    const tab = h("button", { role: "tab", id: `tab-${panel.id}`,
      "aria-controls": body.id, onclick: () => store.set({ panel: panel.id }) }, panel.title);
    tabs.append(tab);
    places[panel.place].append(body);
    panel.mount(body, store);
    return { panel, body, tab };
  });
  const narrow = matchMedia("(max-width: 900px)");
  const show = () => {
    const wanted = all.find(({ panel }) => panel.id === store.state.panel && (narrow.matches || panel.place === "tab"));
    const front = wanted?.panel.id ?? (narrow.matches ? "time" : "step");
    for (const { panel, body, tab } of all) {
      const chosen = panel.id === front;
      attribute(tab, "aria-selected", String(chosen));
      attribute(tab, "tabindex", chosen ? "0" : "-1");
      tab.hidden = !narrow.matches && panel.place !== "tab";
      body.hidden = !chosen && (narrow.matches || panel.place === "tab");
    }
  };
  tabs.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const open = all.filter(({ tab }) => !tab.hidden);
    const now = open.findIndex(({ tab }) => tab === document.activeElement);
    const next = open[(now + by + open.length) % open.length];
    next.tab.focus();
    store.set({ panel: next.panel.id });
    event.preventDefault();
    event.stopPropagation();
  });
  narrow.addEventListener("change", show);
  store.on(["panel"], show);
}
