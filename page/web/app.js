// The page: its frame, its panels and its first run.
//
// How the parts fit: store.js holds the state. run.js changes it: open makes a film of a scenario, go goes to a
// step, play plays. film.js and axis.js answer what was the case at a step, and its place in the picture.
// A panel is a module with mount(element, store), listed in panels.js. All words are in texts.js.

import * as acts from "./acts.js";
import { ask, call, callLong, counted, load, toOpen } from "./bridge.js";
import * as compare from "./compare.js";
import * as controls from "./controls.js";
import { h } from "./dom.js";
import * as doors from "./doors.js";
import * as graph from "./graph.js";
import { scene } from "./graph.js";
import * as keys from "./keys.js";
import { lessons } from "./learn.js";
import * as lights from "./lights.js";
import * as menu from "./menu.js";
import * as notice from "./notice.js";
import * as panels from "./panels.js";
import { inTurn, look, open, openNow, reason, since } from "./run.js";
import * as race from "./race.js";
import * as service from "./service.js";
import * as setup from "./setup.js";
import * as share from "./share.js";
import { decode, encode } from "./share.js";
import { know } from "./state.js";
import { createStore } from "./store.js";
import { watch } from "./theme.js";
import * as t from "./texts.js";
import { words } from "./words.js";

export { call, callLong, decode, encode, open, scene, store }; // for tests

const still = matchMedia("(prefers-reduced-motion: reduce)");

const store = createStore({
  catalog: [], sugar: { algorithm: "lcr", n: 8, order: "random", seed: 4 }, scenario: null, film: null, fresh: null, axis: null,
  view: "run", story: null, scale: "time", zoom: 1, step: 0, cursor: 0, playing: false, speed: 1, process: -1, cause: 0, branches: [], branch: 0,
  compare: 0, panel: "", doc: null, error: "", busy: true, still: still.matches, paint: 0, budget: {}, embed: "",
  doors: false, notice: "",
});

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Whether the page begins with the service: no address asks for a run. */
const serves = !location.hash.slice(1) && !toOpen()
  && !["view", "step", "embed"].some((name) => new URLSearchParams(location.search).has(name));
if (serves) {
  look(store, "service");
  store.set({ doors: doors.wanted() });
}

/** The views of the page, and the buttons that turn to them. @param {HTMLElement} element */
function views(element) {
  element.setAttribute("aria-label", t.viewsLabel);
  const buttons = Object.entries(t.views).map(([view, words]) => [view, h("button", { onclick: () => service.turn(store,
    /** @type {"run"|"service"} */ (view), () => (view === "service" ? service.begin(store, "members", 5) : firstRun())) },
  words)]);
  element.append(...buttons.map(([, button]) => button));
  store.on(["view"], ({ view }) => {
    document.documentElement.dataset.view = view;
    for (const [of, button] of buttons) /** @type {Element} */ (button).setAttribute("aria-pressed", String(of === view));
  });
}

const sugar = store.state.sugar;

/** Shows the first run of an algorithm, at rest. @param {any} [settings] @param {number} [step] */
async function firstRun(settings = sugar, step = 0) {
  if (await openNow(store, ask("scenario", settings), { sugar: settings, step })) store.set({ fresh: store.state.film });
}

/** Says the present step, at most once a second. @param {HTMLElement} element */
function speak(element) {
  let next = 0, timer = 0;
  const say = async () => {
    timer = 0;
    const { film, scenario, step } = store.state;
    if (!film) return;
    next = performance.now() + 1000;
    const { story, view, cursor } = store.state;
    const [text] = view === "service" ? [story && t.serviceEvents(film, story).findLast((e) => e.at <= cursor)?.words || ""]
      : step ? await words(film, scenario, step, step).catch(() => [""]) : [t.start];
    if (store.state.step === step) element.textContent = text;
  };
  store.on(["film", "step"], () => {
    if (!timer) timer = setTimeout(say, Math.max(0, next - performance.now()));
  });
}

/** Shows no more than a picture, inside another page, and reports its height to that. */
function embed() {
  const asked = new URLSearchParams(location.search);
  if (asked.get("embed") !== "1") return;
  const view = asked.get("view") || "both";
  store.set({ embed: view });
  document.documentElement.dataset.embed = view;
  const link = h("a", { class: "whole", target: "_blank", rel: "noopener" });
  part("controls").append(link);
  store.on(["scenario", "step", "playing"], async ({ film, scenario, step, playing }) => {
    if (film) link.textContent = t.whole(film.head.algorithm);
    if (!scenario || playing) return;
    const whole = new URL(location.href);
    whole.search = "";
    whole.hash = await counted(share.encode(scenario, step));
    link.href = whole.href;
  });
  new ResizeObserver(() => parent.postMessage({ election: { height: document.body.scrollHeight } }, "*"))
    .observe(document.body);
}

function frame() {
  for (const [id, label] of Object.entries(t.parts)) part(id).setAttribute("aria-label", label);
  part("hash").before(`${t.hash} `);
  const by = h("span");
  part("command").before(by);
  const loading = h("p", { class: "loading" }, t.loading);
  part("graph").append(loading);
  store.on(["film", "error"], ({ film, error }) => (loading.hidden = film !== null || error !== ""));
  views(part("views"));
  doors.mount(part("doors"), store, firstRun);
  service.mount(part("service"), store);
  setup.mount(part("setup"), store);
  lights.mount(part("lights"), store);
  lights.banner(part("two"), store);
  graph.legend(part("legend"), store);
  controls.mount(part("controls"), store);
  panels.mount(part("column"), part("side"), store);
  compare.mount(part("column"), store);
  menu.mount(store);
  acts.warning(part("outside"), store);
  notice.mount(part("notice"), store);
  keys.mount(store);
  part("tools").append(h("button", { onclick: () => race.openDialog(store) }, t.raceTitle),
    h("button", { onclick: () => share.openDialog(store) }, t.share),
    h("button", { "aria-label": t.keys, onclick: () => keys.openDialog(store) }, "?"));
  speak(part("spoken"));
  embed();
  store.on(["film"], ({ film }) => {
    if (!film) return;
    part("explain").replaceChildren(h("strong", {}, film.head.about), ` ${t.sentence(film.head.summary)}`);
    part("result").textContent = film.head.result;
    part("hash").textContent = film.head.hash;
    part("command").textContent = film.head.command;
    by.textContent = `${/o \S+json/.test(film.head.command) ? t.asByFile : t.asBy} `;
    document.title = `${film.head.title} · ${t.page}`;
  });
  graph.mount(part("graph"), store); // it measures its room, which is what the words above it leave
  store.on(["error"], ({ error }) => {
    part("error").textContent = error;
    part("error").hidden = error === "";
    if (error) document.querySelector("dialog")?.close(); // it would lie over it
  });
  store.on(["busy"], ({ busy }) => (document.documentElement.dataset.busy = busy ? t.running : ""));
  still.addEventListener("change", () => store.set({ still: still.matches }));
  watch(() => store.set({ paint: store.state.paint + 1 }));
}

async function begin() {
  frame();
  // The library does one thing after the other: while a long film is made, the reader can set what comes instead.
  ask("catalog").then((catalog) => store.set({ catalog }), (error) => store.set({ error: reason(error) }));
  share.mount(store);
  const { sugar } = store.state; // a setting that is refused meanwhile makes no run
  await inTurn(store, () => share.openAddress(store));
  if (serves && !store.state.film) await inTurn(store, () => service.begin(store, "members", 5));
  // What has come in its place may not be a run.
  for (let tried; !tried;) {
    await inTurn(store, async () => {
      const { error, film } = store.state, step = Number(new URLSearchParams(location.search).get("step"));
      if (tried = film) return; // of the address, or of what has come since
      const made = firstRun(sugar, step), wanted = since();
      await made;
      tried = wanted();
      // An error in the address stays visible next to the run that is shown instead.
      if (error) store.set({ error });
    });
  }
  // Everything is read at the start, so that the page works without its server afterwards.
  lessons().catch(() => {}); // the panel shows the error
  load("doc.json").then((text) => {
    const doc = JSON.parse(text);
    know(doc);
    store.set({ doc });
  }, () => {}); // the panels show what they have without it
}

begin();
