// Shapes and words on a canvas. Shapes that are only outlined here are filled or drawn by the caller.

/** @typedef {CanvasRenderingContext2D} Canvas */

/** Fits a canvas to its element, in the pixels of the screen, and returns how to draw on it.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
export function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Draws a line. @param {Canvas} g @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
export function line(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

/** Outlines a circle. @param {Canvas} g @param {number} x @param {number} y @param {number} r */
export function circle(g, x, y, r) {
  g.beginPath();
  g.arc(x, y, r, 0, 2 * Math.PI);
}

/** The head of an arrow, by its point and its way. @param {Canvas} g @param {number} x @param {number} y
 * @param {number} angle */
export function arrow(g, x, y, angle) {
  g.beginPath();
  g.moveTo(x, y);
  for (const side of [-0.36, 0.36]) g.lineTo(x - 8 * Math.cos(angle + side), y - 8 * Math.sin(angle + side));
  g.fill();
}

/** @param {Canvas} g @param {number} x @param {number} y @param {number} r @param {string} colour */
export function cross(g, x, y, r, colour) {
  g.strokeStyle = colour;
  g.lineWidth = 2;
  line(g, x - r, y - r, x + r, y + r);
  line(g, x + r, y - r, x - r, y + r);
}

/** @param {Canvas} g @param {number} x @param {number} y @param {number} r */
export function star(g, x, y, r) {
  g.beginPath();
  for (let i = 0; i < 10; i++) {
    const far = i % 2 ? r * 0.45 : r, angle = (Math.PI * i) / 5;
    g.lineTo(x + far * Math.sin(angle), y - far * Math.cos(angle));
  }
  g.fill();
}

/** Says how what is written next looks: by default its middle stands at its place. @param {Canvas} g
 * @param {string} size with the weight @param {CanvasTextAlign} align */
export function pen(g, size, align = "center") {
  g.font = `${size}px system-ui, sans-serif`;
  g.textAlign = align;
  g.textBaseline = "middle";
}
