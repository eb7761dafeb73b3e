// Runs the library in a worker. Go's own script stands before this one. The page sends the compiled module first,
// then calls; each call is answered by its number.

/** @type {any} */
const scope = self;

/** @param {WebAssembly.Module} module */
async function start(module) {
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
  const { id, module, name, args } = message.data;
  if (module) {
    started = start(module);
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
