// The service view: the members of a service, who of them leads and for how long, and the register to which the leader
// writes. It shows the run of a film; what the film means for a service comes from the library as its story.

import { act, idOf } from "./actions.js";
import { ask } from "./bridge.js";
import { starter } from "./controls.js";
import { attribute, h, perFrame, s } from "./dom.js";
import { DOWN, LEADER, PAUSED } from "./film.js";
import { branchOf, chooseProcess, go, instead, look, openNow, play, show } from "./run.js";
import { draw, layout, valid } from "./servicedraw.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./film.js").Film} Film */
/** @typedef {{process: number, from: number, until: number}} Span */
/** @typedef {{of: number, to: number, term: number, from: number, end: number, until: number}} Loan */
/** @typedef {{process: number, term: number, from: number, until: number, thinks: number}} Lead */
/** @typedef {{process: number, token: number, sent: number, arrives: number, late?: string, refused: boolean,
 *   seen: number}} Write */
/** @typedef {{do: string, process: number, at: number, step: number, next: number, from: number}} Trouble */
/** @typedef {{old: number, new: number, terms: [number, number], from: number, until: number}} Rivalry */
/** @typedef {{second: number, store: number, leases: boolean, leads: Lead[], votes: Loan[], writes: Write[], cuts: Span[],
 *   pauses: Span[], downs: Span[], troubles: Trouble[], rivals: Rivalry[], stale: number[]}} Story */

/** What keeps the leaders apart. @type {{[kind: string]: any}} */
export const kinds = {
  members: { algorithm: "lease" },
  store: { algorithm: "storelease" },
  none: { algorithm: "bully", variant: "rules", params: { heartbeat: 25, patience: 2 } },
};
const sizes = [3, 5, 8, 16, 64, 256];

/** How long a run is at first, in units: one of many members has more messages. @param {number} n */
const longest = (n) => (n <= 16 ? 1500 : 1000);

/** The settings of a run of a service. @param {string} kind @param {number} n */
export const settings = (kind, n) => {
  const all = kind === "store" ? n + 1 : n;
  return { ...kinds[kind], n: all, order: "sorted", seed: 1, until: longest(n) };
};

/** The kind of a film, or an empty text if a service does not run its algorithm. @param {Film | null} film */
export const kindOf = (film) => Object.keys(kinds).find((kind) =>
  film?.head.scenario?.algorithm === kinds[kind].algorithm) ?? "";

/** Shows the service of some kind. @param {Store} store @param {string} kind @param {number} n */
export const openService = (store, kind, n) => instead(store, () => begin(store, kind, n));

/** @param {Store} store @param {string} kind @param {number} n */
export function begin(store, kind, n) {
  look(store, "service");
  return openNow(store, ask("scenario", settings(kind, n)), { title: t.serviceKinds[kind] });
}

const icons = { crash: "M6 6l12 12M18 6L6 18", pause: "M8 5v14M16 5v14", cut: "M4 4l16 16M4 20L20 4M12 12h.01",
  restart: "M19 12a7 7 0 1 1-2.2-5.1M19 3v4h-4", resume: "M8 5l11 7-11 7z", heal: "M4 12h16M8 8l-4 4 4 4M16 8l4 4-4 4" };

/** @param {keyof typeof icons} name */
const icon = (name) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: icons[name] }));

/** The span of a process at a time. @param {Span[]} spans @param {number} p @param {number} now */
export const during = (spans, p, now) => spans.find((one) => one.process === p && one.from <= now && now < one.until);

/** What can be done to end what is wrong with a member: the name of that, or nothing.
 * @param {Film} film @param {Story} story @param {number} p @param {number} step @param {number} now
 * @returns {"restart"|"resume"|"heal"|""} */
function mends(film, story, p, step, now) {
  const { status } = film.condition(p, step);
  return status === DOWN ? "restart" : status === PAUSED ? "resume" : during(story.cuts, p, now) ? "heal" : "";
}

/** The member that leads now, or -1. @param {Film} film @param {number} step */
export function leaderOf(film, step) {
  return film.head.ids.findIndex((_, p) => film.roleOf(p, step) === LEADER && film.condition(p, step).status !== DOWN);
}

/** @param {Store} store @param {number} p @param {string} does */
function carryOut(store, p, does) {
  const { film, story } = store.state;
  if (!film) return;
  const process = idOf(film, p), name = nameOf(film, story, p);
  const acts = /** @type {Record<string, any>} */ ({ cut: { do: "cut", groups: [[process]] }, heal: { do: "heal" },
    restart: { do: "restart", process } });
  const action = { words: t.serviceDid(does, name), act: acts[does] ?? { do: does, process },
    then: does === "restart" && p !== story?.store ? { do: "start", process } : undefined, longer: 3000 };
  return act(store, action).then(() => !store.state.still && play(store));
}

/** Does to members with leases what was done to members without, at the same times. @param {Store} store */
async function again(store) {
  const { film, scenario } = store.state;
  if (!film) return;
  const acts = scenario.acts.map((/** @type {any} */ { after, ...act }) => ({ at: film.at(after), act }));
  await openService(store, "members", film.n);
  for (const { at, act: one } of acts) {
    const { axis, story } = store.state;
    if (!axis || !story?.leases) return; // another run has come
    go(store, axis.stepAt(at));
    await act(store, { words: t.serviceSame, act: one, longer: 3000 });
  }
  go(store, store.state.axis?.stepAt(acts[0].at - lead) ?? 0);
  if (!store.state.still) play(store);
}

const lead = 40; // units of time that are played before the first act

let tries = false; // the reader has come to break something, and cannot before there is a leader

/** Plays the run from its first leader on, and leads to what breaks it. @param {Store} store */
export function tryOut(store) {
  const { film, step, still } = store.state;
  if (!film) return;
  tries = true;
  if (step === 0) go(store, film.crowned.values().next().value ?? 0);
  if (!still) play(store);
  store.set({ paint: store.state.paint + 1 });
}

/** The name of a member, or of the store. @param {Film} film @param {Story | null} story @param {number} p */
export const nameOf = (film, story, p) => (story?.store === p ? t.serviceStore : film.name(p));

/** @param {HTMLElement} element @param {Store} store */
export function mount(element, store) {
  const canvas = h("canvas", { role: "img", "aria-label": t.servicePicture });
  const rows = h("ul", { class: "rows", "aria-label": t.serviceRows }), picture = h("div", { class: "lanes" }, canvas, rows);
  const pick = h("select", { onchange: () => store.set({ process: Number(pick.value) }) });
  const many = h("label", { class: "choice" }, h("span", {}, t.serviceMember), pick);
  const kindsOf = Object.keys(kinds).map((kind) => h("button", { class: "chip", onclick: () =>
    openService(store, kind, members(store.state.film, kindOf(store.state.film))) }, t.serviceKinds[kind]));
  const size = h("select", { "aria-label": t.serviceSize, onchange: () => openService(store,
    kindOf(store.state.film) || "members", Number(size.value)) }, sizes.map((n) => h("option", { value: n },
    t.serviceMembers(n))));
  const judge = h("p", { class: "judge", hidden: true }), says = h("p", { class: "says" });
  const events = h("ol", { class: "events", reversed: true });
  const big = /** @type {("crash"|"pause"|"cut")[]} */ (["crash", "pause", "cut"]).map((does) => {
    const label = h("b", {}), hint = h("small", {}, t.serviceHints[does]), sign = h("span", { class: "sign" });
    const button = h("button", { class: "big", "data-does": does, onclick: () => press(does) }, sign,
      h("span", {}, label, hint));
    return { does, label, hint, sign, button };
  });
  const same = h("button", { class: "plain same", hidden: true, onclick: () => again(store) }, t.serviceSame);
  const start = starter(store);
  picture.append(start);
  element.append(h("div", { class: "pitch" }, h("p", {}, h("strong", {}, t.servicePitch), ` ${t.serviceTask}`),
    h("div", { class: "kinds", role: "group", "aria-label": t.serviceHow }, h("span", {}, t.serviceHow), h("div", { class: "picks" }, kindsOf)), size),
  h("div", { class: "head" }, says, judge, same), picture,
  h("div", { class: "deck" }, h("div", { class: "bigs", role: "group", "aria-label": t.serviceDo },
    big.map(({ button }) => button), many)), events);

  let rests = /** @type {HTMLButtonElement | null} */ (null); // what was disabled in the reader's hands

  /** What the big buttons act on: the chosen member, or the leader. */
  const target = () => {
    const { film, process, step } = store.state;
    return !film ? -1 : process >= 0 ? process : leaderOf(film, step);
  };
  /** @param {string} does */
  const press = (does) => {
    const { film, story, step, cursor } = store.state, p = target();
    if (!film || !story || p < 0) return;
    const mend = mends(film, story, p, step, cursor);
    carryOut(store, p, mend === undoes[does] ? mend : does);
  };

  /** @type {{film: Film | null, list: HTMLElement[]}} */
  let made = { film: null, list: [] };
  const fill = (/** @type {Film} */ film) => {
    const few = film.n <= 17;
    made = { film, list: film.head.ids.map((_, p) => {
      const name = h("button", { class: "member", onclick: () => chooseProcess(store, p) },
        h("b", {}, nameOf(film, store.state.story, p)), h("span", {}));
      const mend = h("button", { class: "mend", hidden: true });
      mend.addEventListener("click", () => carryOut(store, p, mend.dataset.does ?? ""));
      return h("li", {}, name, mend);
    }) };
    rows.replaceChildren(...few ? made.list : []);
    rows.hidden = !few;
    many.hidden = few;
    pick.replaceChildren(h("option", { value: -1 }, t.serviceLeader), ...film.head.ids.map((_, p) =>
      h("option", { value: p }, nameOf(film, store.state.story, p))));
  };

  let listed = /** @type {any} */ (null);
  const paint = perFrame(() => {
    const { film, axis, story, cursor, step, process, view, playing } = store.state;
    if (view !== "service") return;
    if (!film || !axis) return put(says, store.state.error ? "" : t.loading);
    const kind = kindOf(film);
    kindsOf.forEach((button, i) => attribute(button, "aria-pressed", String(Object.keys(kinds)[i] === kind)));
    const count = members(film, kind);
    if (!sizes.includes(count) && !size.querySelector(`[value="${count}"]`)) {
      size.append(h("option", { value: count }, t.serviceMembers(count)));
    }
    size.value = String(count);
    start.hidden = step > 0 || playing;
    judge.hidden = !story;
    if (!story) return;
    if (made.film !== film) fill(film);
    const box = picture.getBoundingClientRect();
    if (box.width < 40) return;
    const place = layout(film, box.width, box.height);
    draw(canvas, film, story, place, cursor, step, process, playing);
    if (!rows.hidden) lines(film, story, place);
    if (!many.hidden) pick.value = String(process);
    const { rivals } = /** @type {Story} */ (story);
    const rival = rivals.find((r) => r.from <= cursor && cursor < r.until) ?? rivals.findLast((r) => r.from <= cursor), now = rival && cursor < rival.until;
    const bad = rival ? t.serviceRivals(film, story, rival, cursor) : "";
    attribute(judge, "data-state", rival ? now ? "bad" : "was" : "good");
    put(judge, bad || t.serviceJudge(story.leases));
    same.hidden = !rival || story.leases;
    put(says, t.serviceSays(film, story, step, cursor, leaderOf(film, step)));
    const p = target(), name = p < 0 ? "" : nameOf(film, story, p), mend = p < 0 ? "" : mends(film, story, p, step, cursor);
    for (const { does, label, hint, button, sign } of big) {
      const now2 = mend === undoes[does] ? mend : does;
      put(label, t.serviceAct(now2, name));
      put(hint, p < 0 ? t.serviceNobody : t.serviceHints[does]);
      const off = p < 0 || mend === "restart" && does !== "crash";
      if (off && document.activeElement === button) rests = button;
      button.disabled = off;
      if (sign.dataset.of !== now2) {
        sign.dataset.of = now2;
        sign.replaceChildren(icon(/** @type {keyof typeof icons} */ (now2)));
      }
    }
    // A button that had the focus has it again when something can be done, unless the reader went elsewhere.
    const next = tries ? big[0].button : document.activeElement === document.body ? rests : null;
    if (next && !next.disabled) {
      next.focus({ preventScroll: !tries });
      tries = false;
      rests = null;
    }
    const past = t.serviceEvents(film, story).filter((e) => step > 0 && e.at <= cursor).slice(-6).reverse();
    const key = [film.key, ...past.map((e) => e.at + e.words)].join();
    if (key !== listed) {
      listed = key;
      events.replaceChildren(...past.map((e) => h("li", { class: e.bad ? "bad" : e.good ? "good" : "" },
        h("button", { class: "does", onclick: () => go(store, axis.stepAt(e.at)) },
          h("small", {}, t.serviceNow(e.at / story.second)), h("span", {}, e.words)))));
    }
  });

  /** @param {Film} film @param {Story} story @param {import("./servicedraw.js").Layout} place */
  function lines(film, story, place) {
    const { step, cursor, process } = store.state;
    rows.toggleAttribute("data-tight", place.row < 38); // one line for the name and what it is
    film.head.ids.forEach((_, p) => {
      const item = made.list[p], [name, mend] = /** @type {any} */ (item.children);
      const y = `${place.rowOf(p)}px`, tall = `${place.row}px`;
      if (item.style.top !== y) item.style.top = y;
      if (item.style.height !== tall) item.style.height = tall;
      const does = mends(film, story, p, step, cursor);
      put(name.lastChild, t.serviceIs(film, story, p, step, cursor));
      attribute(item, "data-role", does === "restart" ? "down" : film.roleOf(p, step) === LEADER
        && valid(film, p, step) > cursor ? "leader" : "");
      attribute(name, "aria-pressed", String(p === process));
      mend.hidden = !does;
      if (does && mend.dataset.does !== does) {
        mend.dataset.does = does;
        mend.replaceChildren(t.serviceMend[does]);
      }
    });
  }

  store.on(["view", "film"], async ({ view, film, story }) => {
    if (view !== "service" || !film || story || !film.head.scenario) return;
    const told = await ask("service", { scenario: film.head.scenario }).catch(() => null);
    const branch = branchOf(store);
    if (branch?.film === film) branch.story = told;
    if (store.state.film === film) store.set({ story: told });
  });
  store.on(["film", "story", "error", "cursor", "step", "view", "process", "paint", "playing"], paint);
  new ResizeObserver(paint).observe(picture);
  canvas.addEventListener("click", (event) => {
    const { film } = store.state, box = canvas.getBoundingClientRect();
    if (!film) return;
    const place = layout(film, box.width, box.height), p = Math.floor((event.offsetY - place.top) / place.row);
    if (p >= 0 && p < film.n) chooseProcess(store, p);
  });
}

const undoes = /** @type {Record<string, string>} */ ({ crash: "restart", pause: "resume", cut: "heal" });

/** The number of members of a film. @param {Film | null} film @param {string} kind */
const members = (film, kind) => (film && kind ? film.n - (kind === "store" ? 1 : 0) : 5);

/** @param {Element} element @param {string} words */
function put(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

let left = /** @type {{[view: string]: any}} */ ({});

/** Keeps the runs that are shown, for the way back to their view. @param {Store} store */
export function keep({ state }) {
  const { branches, branch, step } = state;
  left[state.view] = { branches, branch, step };
}

/** Turns to the other view, with the runs that were shown there last. @param {Store} store @param {"run"|"service"} view
 * @param {() => Promise<any>} first makes its first run */
export function turn(store, view, first) {
  const { state } = store;
  if (state.view === view) return;
  return instead(store, async () => {
    keep(store);
    store.set({ playing: false });
    look(store, view);
    const back = left[view], one = back?.branches.find((/** @type {any} */ b) => b.id === back.branch);
    if (!one?.film) return first();
    show(store, one, back.step, { branches: back.branches, compare: 0 });
  });
}
