// Makes elements.

import * as t from "./texts.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

/** Makes an HTML element. A property that begins with "on" is a listener; others are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {{[name: string]: any}} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]} */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  apply(element, props);
  append(element, children);
  return element;
}

/** Makes an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {{[name: string]: any}} [props] @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]} */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, props);
  append(element, children);
  return element;
}

/** @param {Element} element @param {{[name: string]: any}} props */
function apply(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Opens a dialog over the page; one that is closed is there no more.
 * @param {string} label @param {Child[]} children @param {{[name: string]: any}} [props] */
export function openModal(label, children, props) {
  const dialog = h("dialog", { "aria-label": label, ...props }, children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // the focus may be on a button that stands at the end
  return dialog;
}

/** A button that closes the dialog in which it stands. @param {string} [place] its class */
export const closer = (place) => h("form", { method: "dialog", class: place },
  h("button", { class: "plain" }, t.close));

/** Sets an attribute only when it differs, so that nothing is announced or painted in vain.
 * @param {Element} element @param {string} name @param {string | null} value */
export function attribute(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Calls draw at most once a frame. @param {() => void} draw */
export function perFrame(draw) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      draw();
    });
  };
}
