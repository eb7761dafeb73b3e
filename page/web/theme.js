// The colours and signs of the pictures, as the style sheet gives them: light, dark or those of the system.

const names = ["paper", "ink", "grey", "mid", "faint", "pale", "rose", "alarm", "red", "gold", "goldfill", "blue",
  "orange", "green", "greenfill", "pink", "amber", "sky", "select", "link"];

/** @typedef {{[name: string]: string}} Palette */

/** @type {Palette | null} */
let palette = null;

/** The colours that hold now. @returns {Palette} */
export function colours() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  /** @type {Palette} */
  const read = {};
  for (const name of names) read[name] = style.getPropertyValue(`--${name}`).trim();
  palette = read;
  return read;
}

/** Calls changed when the colours may have changed. @param {() => void} changed */
export function watch(changed) {
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", () => {
      palette = null;
      changed();
    });
  }
}

const series = ["blue", "orange", "green", "pink", "amber", "sky"];
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [12, 4], [5, 2, 2, 2, 2, 2]];
export const shapes = ["circle", "diamond", "square", "triangle", "pentagon", "bar"];

/** How a kind of message is drawn: no two kinds share all three.
 * @typedef {{name: string, colour: string, dash: number[], shape: string, letter: string}} Sign */

/** @param {string[]} kinds @returns {Sign[]} by kind; the first kind has number 1 */
export function signs(kinds) {
  const used = new Set(), all = colours();
  /** @type {Sign[]} */
  const found = [{ name: "message", colour: all.grey, dash: [], shape: "circle", letter: "m" }];
  kinds.forEach((name, i) => {
    const letters = [...name.toUpperCase()].concat([..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]);
    const letter = letters.find((l) => /[A-Z]/.test(l) && !used.has(l)) ?? "?";
    used.add(letter);
    found.push({ name, colour: all[series[i % series.length]], dash: dashes[i % dashes.length],
      shape: shapes[i % shapes.length], letter });
  });
  return found;
}

/** Adds the outline of a sign to the path. @param {CanvasRenderingContext2D} g @param {string} shape
 * @param {number} x @param {number} y @param {number} r */
export function outline(g, shape, x, y, r) {
  const corners = { diamond: 4, square: 4, triangle: 3, pentagon: 5 };
  const n = corners[/** @type {keyof typeof corners} */ (shape)];
  if (!n) {
    if (shape === "bar") g.rect(x - 1.3 * r, y - 0.7 * r, 2.6 * r, 1.4 * r);
    else {
      g.moveTo(x + r, y);
      g.arc(x, y, r, 0, 2 * Math.PI);
    }
    return;
  }
  const turn = shape === "square" ? Math.PI / 4 : 0;
  for (let i = 0; i <= n; i++) {
    const angle = turn + (2 * Math.PI * i) / n;
    const px = x + 1.2 * r * Math.sin(angle), py = y - 1.2 * r * Math.cos(angle);
    if (i === 0) g.moveTo(px, py);
    else g.lineTo(px, py);
  }
}
