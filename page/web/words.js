// What each step says in words. The library writes the sentences; they are kept by the hundred.

import { call } from "./bridge.js";

const block = 100;

/** @type {WeakMap<import("./film.js").Film, Map<number, Promise<string[]>>>} */
const kept = new WeakMap();

/** The sentences of the steps from one to another, both included.
 * @param {import("./film.js").Film} film @param {any} scenario @param {number} from @param {number} to
 * @returns {Promise<string[]>} */
export async function words(film, scenario, from, to) {
  let blocks = kept.get(film);
  if (!blocks) kept.set(film, (blocks = new Map()));
  const found = [];
  for (let b = Math.floor((from - 1) / block); b * block < to; b++) {
    const first = b * block + 1, last = Math.min(film.length, first + block - 1);
    if (first > film.length) break;
    let some = blocks.get(b);
    if (!some) {
      some = call("words", { scenario: scenario ?? undefined, from: first, to: last }).then(({ json }) => json);
      some.catch(() => blocks.delete(b));
      blocks.set(b, some);
    }
    const list = await some;
    found.push(...list.slice(Math.max(0, from - first), to - first + 1));
  }
  return found;
}
