// The positions of the steps of a run on the axis of the picture.
//
// By the clock a unit of time is one unit of the axis. The steps of one instant are spread over at most 30 per
// cent of a unit, in their order, and a time in which nothing happens is cut to one unit. By steps, each step
// is one unit of the axis. By the clock of a service nothing is spread or cut.

import { upTo } from "./film.js";

/** @typedef {{from: number, to: number, units: number}} Gap a cut: places on the axis, and the units left out */

const longest = 3; // a longer wait is cut
const spread = 0.3;

export class Axis {
  /** @param {import("./film.js").Film} film @param {import("./store.js").Scale} scale */
  constructor(film, scale) {
    this.scale = scale;
    /** the place of each step; places[0] is that before all */
    this.places = new Float64Array(film.length + 1);
    /** @type {Gap[]} */
    this.gaps = [];
    /** @type {{place: number, at: number}[]} the instants */
    this.instants = [];
    if (scale === "steps") this.#count(film);
    else this.#measure(film, scale === "clock");
    this.end = scale === "clock" ? Math.max(film.head.end, film.head.scenario?.until ?? 0)
      : this.places[film.length] + (scale === "steps" ? 1 : 0.7);
  }

  /** @param {import("./film.js").Film} film */
  #count(film) {
    let at = -1;
    for (let k = 1; k <= film.length; k++) {
      this.places[k] = k;
      if (film.at(k) !== at) this.instants.push({ place: k, at: film.at(k) });
      at = film.at(k);
    }
  }

  /** @param {import("./film.js").Film} film @param {boolean} exact */
  #measure(film, exact) {
    let place = 0, at = 0;
    for (let k = 1; k <= film.length;) {
      const now = film.at(k);
      let behind = k;
      while (behind <= film.length && film.at(behind) === now) behind++;
      const wait = now - at;
      if (wait > longest && !exact) {
        this.gaps.push({ from: place, to: place + 1, units: wait });
        place += 1;
      } else {
        place += wait;
      }
      at = now;
      const next = exact ? 0 : behind <= film.length ? Math.min(1, film.at(behind) - now) : 1;
      const count = behind - k;
      this.instants.push({ place, at });
      for (let i = 0; i < count; i++) this.places[k + i] = place + (spread * next * i) / count;
      k = behind;
    }
  }

  /** The number of steps that have happened at a place. @param {number} place */
  stepAt(place) {
    return Math.max(0, upTo(this.places, (p) => p <= place + 1e-9));
  }

  /** Where a step stands; a step beyond the last is at the end. @param {number} k */
  placeOf(k) {
    return k < this.places.length ? this.places[k] : this.end;
  }

  /** The place of a time, in units. @param {number} at */
  placeAt(at) {
    const i = upTo(this.instants, (t) => t.at <= at);
    if (i < 0) return 0;
    const here = this.instants[i], next = this.instants[i + 1];
    if (!next) return Math.min(this.end, here.place + at - here.at);
    return here.place + ((at - here.at) / (next.at - here.at)) * (next.place - here.place);
  }

  /** The time at a place, in units. @param {number} place */
  timeAt(place) {
    const i = upTo(this.instants, (t) => t.place <= place);
    if (i < 0) return 0;
    const here = this.instants[i], next = this.instants[i + 1];
    if (this.scale === "steps" || !next) return here.at;
    const part = Math.min(1, (place - here.place) / (next.place - here.place));
    return here.at + part * (next.at - here.at);
  }

  /** The places of round times, or of all instants if round is 0. @param {number} round
   * @returns {{place: number, at: number}[]} */
  ticks(round) {
    if (round === 0) return this.instants;
    const found = [{ place: 0, at: 0 }];
    const all = [{ place: 0, at: 0 }, ...this.instants];
    for (let i = 1; i < all.length; i++) {
      const here = all[i - 1], next = all[i];
      if (next.at - here.at > longest) { // a cut has its own label; what comes after it has its time
        found.push(next);
        continue;
      }
      for (let k = Math.floor(here.at / round) + 1; k * round <= next.at; k++) {
        const part = (k * round - here.at) / (next.at - here.at);
        found.push({ place: here.place + part * (next.place - here.place), at: k * round });
      }
    }
    return found;
  }
}
