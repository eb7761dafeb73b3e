// Runs the library in a worker. The page sends the compiled module first, then calls; each call is answered by
// its number.
/* global importScripts */

/** @type {any} */
const scope = self;

/** @param {WebAssembly.Module} module @param {string} runtime the address of the Go runtime's script */
async function start(module, runtime) {
  if (!scope.Go) scope.importScripts(runtime); // a page in one file has it in the worker
  const go = new scope.Go();
  const ready = new Promise((resolve) => {
    scope.electionReady = resolve;
  });
  go.run(await WebAssembly.instantiate(module, go.importObject));
  await ready;
}

/** @type {Promise<void>} */
let started;

scope.onmessage = async (/** @type {MessageEvent} */ message) => {
  const { id, module, runtime, name, args } = message.data;
  if (module) {
    started = start(module, runtime);
    return;
  }
  try {
    await started;
    const progress = (/** @type {string} */ text) => scope.postMessage({ id, progress: text });
    const reply = await scope.election(name, args, progress);
    const data = reply.data ? reply.data.buffer : null;
    scope.postMessage({ id, json: reply.json, data }, data ? [data] : []);
  } catch (error) {
    scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
