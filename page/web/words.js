// The sentence of each step. The library writes the sentences; they are kept by the hundreds.

import { ask } from "./bridge.js";

const block = 60;

/** @type {WeakMap<import("./film.js").Film, Map<number, Promise<string[]>>>} */
const kept = new WeakMap();
/** @type {WeakMap<import("./film.js").Film, string[]>} */
const known = new WeakMap();

/** The sentence of a step, if it is known already. @param {import("./film.js").Film} film @param {number} step */
export function said(film, step) {
  return known.get(film)?.[step];
}

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
      some = ask("words", { scenario: scenario ?? undefined, from: first, to: last }).then((json) => {
        const all = known.get(film) ?? [];
        known.set(film, all);
        json.forEach((/** @type {string} */ text, /** @type {number} */ i) => (all[first + i] = text));
        return json;
      });
      some.catch(() => blocks.delete(b));
      blocks.set(b, some);
    }
    const list = await some;
    found.push(...list.slice(Math.max(0, from - first), to - first + 1));
  }
  return found;
}
