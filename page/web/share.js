// Sharing: a run and a step of it as an address, as a file, and as what other tools read; files dropped on the
// page are opened.
//
// After the # of the address stands base64url(deflate(JSON)), where the JSON is {v, s, k, w}: the version of this
// form, the scenario, the step, and "service" if the run is shown as its service sees it. So a link contains all that it
// shows. If an algorithm changes, the hash of the run shows whether its run has changed.

import { call, counted, load, toOpen } from "./bridge.js";
import { closer, h, openModal } from "./dom.js";
import { Film } from "./film.js";
import { instead, look, openNow, reason, show, setScale, wish } from "./run.js";
import * as t from "./texts.js";

/** @typedef {import("./store.js").Store} Store */

export const version = 1;
const longest = 4096; // characters after the #; what is read may be longer, as the address of a frame is
const mostText = 1e6; // bytes to which an address may inflate; a longer run is a file

/** @param {Uint8Array} bytes @param {...any} streams */
async function through(bytes, ...streams) {
  const out = streams.reduce((from, stream) => from.pipeThrough(stream),
    new Blob([/** @type {any} */ (bytes)]).stream());
  return new Uint8Array(await new Response(out).arrayBuffer());
}

/** What stands after the # for a step of a run. @param {any} scenario @param {number} step @param {string} [view] in
 * which it is shown, if not as a run */
export async function encode(scenario, step, view) {
  const text = JSON.stringify({ v: version, s: scenario, k: step, w: view });
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const b of bytes) binary += String.fromCharCode(b);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text @returns {Promise<{scenario: any, step: number, view: "run"|"service"}>} */
export async function decode(text) {
  let value, left = mostText;
  // Stop there, not afterwards: each byte of an address may inflate to a thousand.
  const transform = (/** @type {Uint8Array} */ part, /** @type {any} */ on) => {
    if ((left -= part.length) < 0) throw 0;
    on.enqueue(part);
  };
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    value = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"),
      new TransformStream({ transform }))));
  } catch {
    throw new Error(left < 0 ? t.tooLong : t.badLink);
  }
  if (value?.v !== version) throw new Error(t.otherVersion(value?.v));
  if (typeof value.s !== "object" || value.s === null) throw new Error(t.badLink);
  return { scenario: value.s, step: Number.isInteger(value.k) ? value.k : 0, view: value.w === "service" ? value.w : "run" };
}

/** The view that an address names. @param {Store} store */
const viewOf = ({ state }) => (state.view === "service" ? state.view : undefined);

/** The run whose address stands there since it was opened. @type {any} */
let addressed = 0;

/** Opens what an address holds, if it holds something. @param {Store} store */
export function openAddress(store, text = location.hash.slice(1)) {
  return wish(store, async (wanted) => {
    const asked = new URLSearchParams(location.search);
    if (text) {
      addressed = 0;
      const { scenario, step, view } = await decode(text);
      if (!wanted()) return;
      look(store, view);
      const there = await openNow(store, scenario, { step: asked.has("step") ? Number(asked.get("step")) : step });
      if (there) addressed = store.state.scenario;
      return there;
    }
    const file = toOpen();
    return Boolean(file) && openTexts(store, async () => [await load(file)]);
  });
}

/** Opens files' texts: a scenario, or the trace of a run, which may be in several parts.
 * @param {Store} store @param {() => Promise<string[]>} texts @param {string} [of] what they come from */
const openTexts = (store, texts, of) => wish(store, async (wanted) => {
  const [text, ...more] = await texts(), { json, data } = await call("read", { text, more });
  if (!wanted()) return;
  if (json.kind !== "trace") {
    const [first, ...more] = json.scenarios;
    if (!await openNow(store, first, { play: true, record: /^\s*\{\s*"trace"/.test(text) })) return;
    // Their films are made when the reader goes there.
    const others = more.map((/** @type {any} */ scenario, /** @type {number} */ i) => ({ id: i + 2, parent: -1,
      after: 0, title: scenario.name ?? scenario.algorithm, scenario, film: null, seen: 0, wrong: "" }));
    store.set({ branches: [...store.state.branches, ...others] });
    return true;
  }
  const film = new Film(/** @type {ArrayBuffer} */ (data)), replay = json.replay;
  if (replay) film.head.outside = [{ step: replay.step, why: t.replay(replay.words) }];
  // A trace is not the run of a scenario: what the library can say of it, it says of the trace read last.
  const branch = { id: 1, parent: -1, after: 0, title: film.head.title, scenario: null, film, seen: 0, wrong: "",
    record: !replay };
  show(store, branch, replay?.step ?? 0, { branches: [branch], playing: false });
  // Real processes wait for seconds between messages of microseconds: on the clock the messages would be one line.
  if (film.head.driver !== "sim") setScale(store, "steps");
  return true;
}, of);

/** Opens files that the reader gives. @param {Store} store @param {FileList | null | undefined} files */
async function openFiles(store, files) {
  if (!files?.length) return;
  const all = [...files], names = all[1] ? "" : `${all[0].name}: `;
  await instead(store, () => openTexts(store, () => Promise.all(all.map((file) => file.text())), names));
}

/** Keeps the address up to date, opens new addresses, and takes dropped files. @param {Store} store */
export function mount(store) {
  let timer = 0, opening = 0, written = location.hash.slice(1), first = /** @type {Film | null} */ (null);
  const { dataset } = document.documentElement; // its address is "late" until the address of the step is written
  const write = (/** @type {import("./store.js").State} */ { film, playing }) => {
    clearTimeout(timer);
    dataset.address = "";
    if (!film || playing || store.state.embed) return;
    // The first screen has no address, so that it comes again.
    if (film === (first ??= film) && !written && store.state.doors && store.state.step === 0) return;
    dataset.address = "late";
    const mine = timer = setTimeout(async () => {
      const text = await encode(store.state.scenario, store.state.step, viewOf(store)).catch(() => written);
      // A trace has no address, and a run that is too long has only the one from which it was opened.
      const long = text.length > longest || !store.state.scenario;
      if (mine !== timer) return; // a later step has its own turn
      dataset.address = "";
      // An address that the reader has opened meanwhile is still to be read.
      if (opening || long && store.state.scenario === addressed || text === written
        || location.hash.slice(1) !== written) return;
      addressed = 0;
      written = long ? "" : text;
      // What is asked for before the # has been done.
      history.replaceState(null, "", location.pathname + (written ? `#${written}` : location.search));
    }, 250);
  };
  store.on(["scenario", "film", "step", "playing"], write);
  addEventListener("hashchange", () => {
    const text = location.hash.slice(1);
    if (text === written) return;
    written = text;
    if (!text) return write(store.state); // the run stays, with its address
    opening++;
    counted(instead(store, () => openAddress(store, text))).finally(() => --opening || write(store.state));
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    counted(openFiles(store, event.dataTransfer?.files));
  });
}

/** Offers a file to the reader. @param {string} name @param {Blob} blob */
function save(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {Store} store @param {string} kind */
async function exportAs(store, kind) {
  const png = kind === "png";
  // What is painted has the colours of the page; an SVG takes the colours of the page on which it lies.
  const { json } = await call("export", { kind: png ? "svg" : kind, scenario: store.state.scenario,
    dark: png ? matchMedia("(prefers-color-scheme: dark)").matches : undefined });
  const blob = new Blob([json.text], { type: json.type });
  if (!png) return save(json.name, blob);
  save(json.name.replace(/svg$/, "png"), await painted(blob));
}

/** Paints a picture in twice its size. @param {Blob} svg @returns {Promise<Blob>} */
async function painted(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  const canvas = h("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t.badFile)))));
}

/** A line of text with a button that copies it. @param {string} label @param {string} text */
function copied(label, text) {
  const button = h("button", { class: "quiet", onclick: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = t.copied;
  } }, t.copy);
  return h("label", { class: "choice copy" }, h("span", {}, label),
    h("span", { class: "row" }, h("input", { type: "text", readonly: true, value: text }), button));
}

/** Shows the dialog from which a run is shared. @param {Store} store */
export async function openDialog(store) {
  const { film, scenario, step } = store.state;
  if (!film) return;
  const code = scenario ? await encode(scenario, step, viewOf(store)) : "";
  if (document.querySelector("dialog")) return; // asked for twice
  const link = new URL(`${location.pathname}#${code}`, location.href).href;
  const file = h("input", { type: "file", multiple: true, "aria-label": t.openFile, onchange: () =>
    openFiles(store, file.files) });
  openModal(t.share, [h("h2", {}, t.share), ...!scenario ? [h("p", { class: "note" }, t.ofTrace)] : [
      code.length > longest ? h("p", { class: "note" }, t.tooLong) : copied(t.link, link),
      copied(t.frame, `<iframe src="${embedded(code)}" width="760" height="420" title="${t.page}"></iframe>`),
      copied(t.command + (film.head.command.includes("--scenario") ? t.saveFirst : ""), film.head.command)],
    h("h3", {}, t.exports), saves(store), h("h3", {}, t.openFile), h("p", { class: "note" }, t.openHint), file,
    closer("end")]);
}

/** The address of the picture alone. @param {string} code */
function embedded(code) {
  const link = new URL("?embed=1&view=both", location.href);
  link.hash = code;
  return link.href;
}

/** The buttons that save the run. @param {Store} store */
function saves(store) {
  // A trace has no scenario that does the same, which is the first of them.
  const all = Object.keys(t.exportKinds).slice(store.state.scenario ? 0 : 1);
  return h("div", { class: "row wrap" }, all.map((kind) => h("button", { class: "plain",
    onclick: () => exportAs(store, kind).catch((error) => store.set({ error: reason(error) })) },
  t.exportKinds[kind])));
}
