// Calls the library, which runs in workers: one for films and everything quick, one for checks, which can be
// stopped only by ending it.

import * as t from "./texts.js";

/** The addresses of the files, where the whole page is one file. @type {Record<string, string> | undefined} */
const files = /** @type {any} */ (globalThis).electionFiles;

/** The address of a file of the page. @param {string} name */
const nextTo = (name) => files?.[name] ?? new URL(name, document.baseURI).href;

/** The file that the page is to open, if there is one. */
export const toOpen = () => /** @type {any} */ (globalThis).electionOpen
  ?? new URLSearchParams(location.search).get("open");

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;

function compile() {
  compiled ??= WebAssembly.compileStreaming(fetch(nextTo("election.wasm")));
  return compiled;
}

/** @type {Promise<string> | undefined} */
let script;

/** The address of the workers' script, which contains Go's script: a worker that starts later needs no server.
 * @returns {Promise<string>} */
function workers() {
  script ??= files ? Promise.resolve(nextTo("worker.js"))
    : Promise.all(["wasm_exec.js", "worker.js"].map(load))
      .then((parts) => URL.createObjectURL(new Blob([parts.join("\n")])));
  return script;
}

/** @typedef {{json: any, data: ArrayBuffer | null}} Reply */
/** @typedef {{name: string, args: any, since: number, resolve: (reply: Reply | Promise<Reply>) => void,
 *   reject: (error: Error) => void, progress?: (value: any) => void}} Waiting */

class Library {
  constructor() {
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.last = 0;
    /** @type {Promise<Worker> | undefined} */
    this.worker = undefined;
    /** The trace that was read last, which a worker that takes over has to know. @type {any} */
    this.trace = undefined;
  }

  async #start() {
    const [module, source] = await Promise.all([compile(), workers()]), worker = new Worker(source);
    worker.onmessage = (message) => this.#answer(message.data);
    worker.onerror = (event) => this.stop(event.message || t.noLibrary); // the next call starts another one
    worker.postMessage({ module });
    if (this.trace) worker.postMessage(this.trace);
    return worker;
  }

  /** @param {any} reply */
  #answer(reply) {
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    if (reply.progress !== undefined) {
      waiting.progress?.(JSON.parse(reply.progress));
      return;
    }
    this.waiting.delete(reply.id);
    pending(-1);
    if (reply.error !== undefined) waiting.reject(new Error(reply.error));
    else waiting.resolve({ json: JSON.parse(reply.json || "null"), data: reply.data });
  }

  /** @param {string} reason */
  #fail(reason) {
    for (const waiting of this.waiting.values()) waiting.reject(new Error(reason));
    pending(-this.waiting.size);
    this.waiting.clear();
  }

  /** @param {string} name @param {any} args @param {(value: any) => void} [progress] @returns {Promise<Reply>} */
  async call(name, args, progress) {
    const id = ++this.last, message = { id, name, args: JSON.stringify(args) };
    pending(1);
    const reply = new Promise((resolve, reject) =>
      this.waiting.set(id, { name, args, since: Infinity, resolve, reject, progress }));
    const starting = (this.worker ??= this.#start());
    try {
      const worker = await starting, waiting = this.waiting.get(id);
      if (waiting) { // it was not stopped as the worker started
        waiting.since = performance.now();
        worker.postMessage(message);
        // The library keeps the trace that it could read last.
        if (name === "read") reply.then(({ json }) => json.kind === "trace" && (this.trace = message), () => {});
      }
    } catch (error) {
      compiled = script = undefined;
      // The next call tries again. Of the calls that waited for this start, one reports the error.
      if (this.worker === starting) {
        this.stop(`${t.noLibrary} ${error instanceof Error ? error.message : error}`);
      }
    }
    return /** @type {Promise<Reply>} */ (reply);
  }

  /** Ends the worker; the calls that wait for it fail. */
  stop(reason = t.proveStopped) {
    this.worker?.then((worker) => worker.terminate(), () => {}); // it may be starting
    this.worker = undefined;
    this.#fail(reason);
  }

  /** Ends a film that takes long, by ending its worker. Another one does what else was asked meanwhile. */
  hurry() {
    const all = [...this.waiting], late = performance.now() - patience;
    if (!all.some(([, { name, since }]) => name === "film" && since < late)) return;
    const others = all.filter(([id, { name }]) => name !== "film" && this.waiting.delete(id));
    pending(-others.length);
    this.stop();
    for (const [, { name, args, resolve, progress }] of others) resolve(this.call(name, args, progress));
  }
}

const patience = 1000; // milliseconds after which a film is ended that nobody waits for any more

let calls = 0;

/** Counts the calls that are not answered yet, in the document, where tests and readers' tools see it.
 * @param {number} more */
function pending(more) {
  calls += more;
  document.documentElement.dataset.calls = String(calls);
}

/** Counts what the browser does for the page, as a call, until it has ended. @template T
 * @param {Promise<T>} work */
export function counted(work) {
  pending(1);
  return work.finally(() => pending(-1));
}

const films = new Library(), checks = new Library();

/** Calls the library. @param {string} name @param {any} [args] @param {(value: any) => void} [progress] */
export function call(name, args = {}, progress = undefined) {
  return films.call(name, args, progress);
}

/** Calls the library for an answer without data. @param {string} name @param {any} [args] @returns {Promise<any>} */
export const ask = async (name, args) => (await call(name, args)).json;

/** Calls the library where a call may take long. @param {string} name @param {any} args
 * @param {(value: any) => void} [progress] */
export function callLong(name, args, progress) {
  return checks.call(name, args, progress);
}

/** Says that the reader waits for no film any more. */
export const hurry = () => films.hurry();

/** Ends the long calls. */
export function stopLong() {
  checks.stop();
}

/** Reads a file of the page. @param {string} name */
export async function load(name) {
  const reply = await fetch(nextTo(name));
  if (!reply.ok) throw new Error(`${name}: ${reply.status} ${reply.statusText}`);
  return reply.text();
}
