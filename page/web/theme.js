// The colours and signs of the pictures, as the style sheet gives them: light, dark or the system's.

/** @typedef {{[name: string]: string}} Palette */

/** @type {Palette | null} */
let palette = null;

/** The colours that hold now. @returns {Palette} */
export function colours() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  // Read as they are used, so that their names stand in the style sheet and where they are used, not here too.
  palette = new Proxy(/** @type {Palette} */ ({}), { get: (read, /** @type {string} */ name) =>
    read[name] ??= style.getPropertyValue(`--${name}`).trim() });
  return palette;
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

export const series = ["blue", "orange", "green", "pink", "amber", "sky"];
export const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [12, 4], [5, 2, 2, 2, 2, 2]];
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
    // From the seventh kind on the colours come again, with other signs.
    const round = Math.floor(i / series.length), other = (i + round) % series.length;
    found.push({ name, colour: all[series[i % series.length]], dash: dashes[other], shape: shapes[other], letter });
  });
  return found;
}

const corners = { diamond: [4, 0], square: [4, 0.5], triangle: [3, 0], pentagon: [5, 0] };

/** The outline of a sign. @param {string} shape @param {number} x @param {number} y @param {number} r */
export function signPath(shape, x, y, r) {
  if (shape === "circle") return `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`;
  if (shape === "bar") return `M${x - 1.3 * r},${y - 0.7 * r}h${2.6 * r}v${1.4 * r}h${-2.6 * r}z`;
  const [n, turn] = corners[/** @type {keyof typeof corners} */ (shape)];
  const points = Array.from({ length: n }, (_, i) => {
    const angle = (2 * Math.PI * (i + turn)) / n;
    return `${(x + 1.25 * r * Math.sin(angle)).toFixed(2)},${(y - 1.25 * r * Math.cos(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}z`;
}

/** @type {Map<string, Path2D>} */
const paths = new Map();

/** Fills a sign, and draws its rim first if that is wanted.
 * @param {CanvasRenderingContext2D} g @param {string} shape @param {number} x @param {number} y
 * @param {number} r @param {boolean} rim */
export function fillSign(g, shape, x, y, r, rim) {
  const key = `${shape} ${r}`;
  let path = paths.get(key);
  if (!path) paths.set(key, (path = new Path2D(signPath(shape, 0, 0, r))));
  g.translate(x, y);
  if (rim) g.stroke(path);
  g.fill(path);
  g.translate(-x, -y);
}
