// The positions of processes in the picture of the network.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{points: Point[], radius: number, round: boolean, cx: number, cy: number, big: number,
 *   outside: boolean, around: number}} Layout radius is the radius of a process; big is the radius of the circle, if they stand on
 *   one; messages pass outside of the processes where these leave no room between them; and a link that is longer than
 *   around leads around a torus, out of the picture on one side and in on the other */

const least = 2.2, most = 21; // of the radius
const longest = 150; // between two neighbours

/** @param {import("./film.js").Head} head @param {number} width @param {number} height @returns {Layout} */
export function layout({ positions, shape }, width, height) {
  const n = positions.length, ring = shape === "ring", inCircle = ring || shape === "complete";
  const margin = n > 64 ? 18 : Math.min(42, height / 6);
  const w = Math.max(40, width - 2 * margin), t = Math.max(40, height - 2 * margin);
  const all = positions.map(([x, y]) => ({ x, y })), xs = positions.map((p) => p[0]), ys = positions.map((p) => p[1]);
  // The middle of a circle is where its points are on average.
  const middle = (/** @type {number[]} */ list) => (inCircle ? list.reduce((sum, v) => sum + v / n, 0)
    : (Math.min(...list) + Math.max(...list)) / 2);
  const mx = middle(xs), my = middle(ys), big = Math.hypot(xs[0] - mx, ys[0] - my);
  const size = (/** @type {number[]} */ list) => Math.max(1e-6, inCircle ? 2 * big : Math.max(...list) - Math.min(...list));
  const scale = Math.min(w / size(xs), t / size(ys), inCircle ? Infinity : longest / nearest(all, Infinity));
  const points = all.map(({ x, y }) => ({ x: width / 2 + (x - mx) * scale, y: height / 2 + (y - my) * scale }));
  const apart = nearest(points, most * 4);
  return { points, radius: clamp(apart * (inCircle ? 0.36 : 0.32)), round: ring && n > 2,
    cx: width / 2, cy: height / 2, big: big * scale, outside: ring && n > 20,
    around: shape === "torus" ? 1.5 * nearest(points, Infinity) : Infinity };
}

/** @param {number} radius */
function clamp(radius) {
  return Math.max(least, Math.min(most, radius));
}

/** The least distance between two processes, or a bound. @param {Point[]} points @param {number} bound */
function nearest(points, bound) {
  let best = bound;
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      best = Math.min(best, Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y));
    }
  }
  return best;
}

/** Where a message is that has gone a part of its way, and where it heads for.
 * @param {Layout} l @param {number} from @param {number} to @param {number} part
 * @returns {{x: number, y: number, angle: number}} */
export function underWay(l, from, to, part) {
  const n = l.points.length, a = l.points[from], b = l.points[to];
  if (from === to) {
    const angle = 2 * Math.PI * part, r = l.radius;
    return { x: a.x + 1.1 * r * Math.sin(angle), y: a.y - r * 1.9 + r * Math.cos(angle), angle };
  }
  const forward = (to - from + n) % n === 1;
  if (l.round && l.outside && (forward || (from - to + n) % n === 1)) {
    const away = l.radius + 6, r = l.big + (forward ? away : -away);
    const angle = (2 * Math.PI * (from + (forward ? part : -part))) / n;
    return { x: l.cx + r * Math.sin(angle), y: l.cy - r * Math.cos(angle), angle: angle + (forward ? 0 : Math.PI) };
  }
  const dx = b.x - a.x, dy = b.y - a.y, long = Math.hypot(dx, dy) || 1;
  const rim = Math.min(l.radius + 8, long / 3);
  let gone = rim + (long - 2 * rim) * part;
  if (long > l.around) gone = part < 0.5 ? -rim - l.around * part * 0.4 : long + rim + l.around * (1 - part) * 0.4;
  // A little to the right of the link, so that messages that meet are seen apart.
  const side = Math.min(7, l.radius * 0.5);
  return { x: a.x + (dx / long) * gone - (dy / long) * side, y: a.y + (dy / long) * gone + (dx / long) * side,
    angle: Math.atan2(dy, dx) + (long > l.around ? Math.PI : 0) };
}
