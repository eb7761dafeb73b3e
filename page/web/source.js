// Shows the lines of an algorithm that ran in a step, and the rules that they carry out.

import { h } from "./dom.js";
import * as t from "./texts.js";

/** @typedef {{id: number, file: string, from: number, to: number, func: string, rules?: number[]}} Block */
/** @typedef {{pkg: string, block: Block}} Ran */

/** @type {WeakMap<any, Map<number, Ran>>} */
const known = new WeakMap();

/** All blocks by their ids. @param {any} doc */
function blocks(doc) {
  let all = known.get(doc);
  if (!all) {
    all = new Map();
    for (const [pkg, part] of Object.entries(/** @type {Record<string, any>} */ (doc.packages))) {
      for (const block of part.blocks ?? []) all.set(block.id, { pkg, block });
    }
    known.set(doc, all);
  }
  return all;
}

/** Whether the reader wants to see all that ran, not only the function that decides. */
let whole = false;

/** Shows the first rule, the lines, and other rules: below several the lines would be out of sight.
 * @param {HTMLElement} ruleElement @param {HTMLElement} codeElement @param {any} doc @param {number[]} ids */
export function lines(ruleElement, codeElement, doc, ids) {
  const all = blocks(doc);
  const ran = ids.map((id) => all.get(id)).filter((b) => b !== undefined);
  /** @type {Map<string, {pkg: string, text: string, n: number}>} */
  const rules = new Map();
  for (const { pkg, block } of ran) {
    for (const n of block.rules ?? []) {
      const text = doc.packages[pkg].rules?.find((/** @type {any} */ r) => r.n === n)?.text;
      if (text) rules.set(`${pkg} ${n}`, { pkg, text, n });
    }
  }
  const several = new Set(ran.map((b) => b.pkg)).size > 1;
  const [first = "", ...others] = [...rules.values()].map(({ pkg, text, n }) => h("p", { class: "rule" },
    h("span", { class: "tag" }, several ? `${pkg}, ${t.rule} ${n}` : `${t.rule} ${n}`), text));
  ruleElement.replaceChildren(first);
  const parts = functions(ran, doc);
  const inner = parts.filter((f) => f.rules > 0);
  const main = inner.length > 0 ? inner : parts.slice(-1);
  const shown = whole ? parts : main;
  codeElement.replaceChildren(...shown.map((f) => listing(f, doc)), ...others);
  if (parts.length > main.length) {
    codeElement.append(h("button", { class: "quiet", onclick: () => {
      whole = !whole;
      lines(ruleElement, codeElement, doc, ids);
    } }, whole ? t.fewer : t.allFunctions(parts.length)));
  }
}

/** @typedef {{pkg: string, file: string, func: string, lit: Set<number>, from: number, to: number,
 *   rules: number}} Part a function, or as much of it as is shown */

/** Gathers what ran by functions. @param {Ran[]} ran @param {any} doc */
function functions(ran, doc) {
  /** @type {Map<string, Part>} */
  const found = new Map();
  for (const { pkg, block } of ran) {
    const key = `${pkg} ${block.file} ${block.func}`;
    let part = found.get(key);
    if (!part) {
      part = { pkg, file: block.file, func: block.func, lit: new Set(), from: block.from, to: block.to, rules: 0 };
      found.set(key, part);
    }
    part.rules += block.rules?.length ?? 0;
    part.from = Math.min(part.from, block.from);
    part.to = Math.max(part.to, block.to);
    for (let line = block.from; line <= block.to; line++) {
      if (/\S/.test(lineOf(doc, pkg, block.file, line))) part.lit.add(line);
    }
  }
  return [...found.values()];
}

/** @param {any} doc @param {string} pkg @param {string} file @param {number} line */
function lineOf(doc, pkg, file, line) {
  const text = doc.packages[pkg].files[file];
  split.file === text || Object.assign(split, { file: text, lines: text.split("\n") });
  return split.lines[line - 1] ?? "";
}

/** @type {{file: string, lines: string[]}} */
const split = { file: "", lines: [] };

const longestGap = 3; // lines that did not run between two that did

/** @param {Part} part @param {any} doc */
function listing(part, doc) {
  const rows = [], at = [...part.lit].sort((a, b) => a - b);
  let before = part.from - 1;
  for (const line of at) {
    if (line - before - 1 > longestGap) rows.push(h("span", { class: "line gap" }, h("i", {}, "⋯"), t.notRun, "\n"));
    else for (let l = before + 1; l < line; l++) rows.push(row(part, doc, l, false));
    rows.push(row(part, doc, line, true));
    before = line;
  }
  const name = `${part.pkg}/${part.file}`;
  return h("figure", {}, h("figcaption", {}, h("b", {}, part.func), ` ${name}`),
    h("pre", { tabindex: 0, "aria-label": `${part.func}, ${name}` }, h("code", {}, rows)));
}

/** @param {Part} part @param {any} doc @param {number} line @param {boolean} ran */
function row(part, doc, line, ran) {
  const text = lineOf(doc, part.pkg, part.file, line).replaceAll("\t", "  ");
  return h("span", { class: ran ? "line ran" : "line" }, h("i", { "aria-hidden": "true" }, line), ...coloured(text),
    "\n");
}

const token = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(func|if|else|for|range|switch|case|default|return|var|const|type|struct|break|continue)\b/g;

/** Splits a line of Go into words and comments. @param {string} text */
function coloured(text) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > last) parts.push(text.slice(last, match.index));
    parts.push(h("span", { class: match[1] ? "comment" : match[2] ? "string" : "keyword" }, match[0]));
    last = match.index + match[0].length;
  }
  parts.push(text.slice(last));
  return parts;
}
