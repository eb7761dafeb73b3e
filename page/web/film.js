// Reads a film, the columns of a run that Go has made, and answers what was the case after each step.
// It holds no rule of any algorithm: roles, messages in flight and causes come from the film's columns.

/** @typedef {{[name: string]: any}} Columns typed arrays by name, and n, the number of rows */
/** @typedef {{[name: string]: {n: number, cols: {[name: string]: [string, number]}}}} Tables */
/** A message from its sending, or from its copying, until its receipt or its loss.
 * @typedef {{send: number, from: number, to: number, kind: number, begin: number, end: number, lost: boolean,
 *   last: number}} Journey send and last are events; begin and end are steps; end is beyond the last step
 *   for a message that is in flight at the end, and last is -1 then */
/** @typedef {{role: number, status: number, leader: number}} Condition */
/** @typedef {{version: number, columns: Tables, ids: string[], names: {[id: string]: string},
 *   driver: string, algorithm: string, title: string, kinds: string[], announce: boolean[], timers: string[][],
 *   does: string[],
 *   links: number[][], tree: [number, number, number][], sections?: number[][], oneWay: boolean,
 *   shape: string, positions: [number, number][], hash: string,
 *   about: string, summary: string, messages: number, counts: {[kind: string]: number}, bits: number, time: number, end: number,
 *   result: string,
 *   ok: boolean, errors?: string[], outside: {step: number, why: string}[],
 *   wrong: {step: number, why: string}[], command: string, scenario: any,
 *   priorities?: (number|string)[], loans?: Loan[], cuts?: Cut[]}} Head */
/** A vote that is lent, or the record of a store, which has no until.
 * @typedef {{of: number, to: number, term: number, from: number, end: number, until: number}} Loan */
/** A planned partition: the group of each process; until is 0 if it does not end.
 * @typedef {{from: number, until: number, groups: number[], oneWay?: boolean}} Cut */

export const UNDECIDED = 0, FOLLOWER = 1, LEADER = 2;
export const UP = 0, DOWN = 1, PAUSED = 2;

const every = 512; // steps between two lists of the messages in flight

const arrays = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array, u64: BigUint64Array,
};

/** @param {ArrayBuffer} buffer @param {{n: number, cols: {[name: string]: [string, number]}}} table */
function columns(buffer, table) {
  /** @type {Columns} */
  const all = { n: table.n };
  for (const [name, [type, offset]] of Object.entries(table.cols)) {
    const array = arrays[/** @type {keyof typeof arrays} */ (type)];
    all[name] = new array(buffer, offset, table.n);
  }
  return all;
}

let films = 0;

export class Film {
  /** tells films apart: traces have no hash, and different algorithms may do the same */
  key = ++films;
  /** @type {Journey[]} in the order of their beginnings */
  journeys = [];
  /** @type {Map<bigint, number> | undefined} */
  byID;
  /** @type {{step: number, next: number, of: Int32Array}} */
  #held;

  /** Reads a film of the library that was built with this page: it has the form that this page knows.
   * @param {ArrayBuffer} buffer */
  constructor(buffer) {
    const text = new Uint8Array(buffer, 16, new DataView(buffer).getUint32(8, true));
    /** @type {Head} */
    this.head = JSON.parse(new TextDecoder().decode(text));
    const tables = this.head.columns;
    this.events = columns(buffer, tables.events);
    this.steps = columns(buffer, tables.steps);
    this.changes = columns(buffer, tables.changes);
    /** the number of processes */
    this.n = this.head.ids.length;
    this.longestName = Math.max(...this.head.ids.map((_, p) => this.name(p).length));
    /** the number of steps */
    this.length = this.steps.n;
    /** the journey that an event ends, or -1 */
    this.ended = new Int32Array(this.events.n).fill(-1);
    this.#follow();
    /** journeys[firstJourney[k]] is the first that begins after step k-1 */
    this.firstJourney = new Uint32Array(this.length + 2);
    /** @type {number[][]} all journeys in flight, now and then */
    this.still = [];
    /** how many messages were sent, up to each step */
    this.sent = new Uint32Array(this.length + 1);
    /** how many messages are in flight after each step, and the most */
    this.busy = new Int32Array(this.length + 2);
    this.busiest = 0;
    this.#index();
    /** @type {number[][]} */
    this.changesOf = Array.from({ length: this.n }, () => []);
    /** @type {number[][]} */
    this.stepsOf = Array.from({ length: this.n }, () => []);
    /** @type {number[]} the steps in which a process decides */
    this.decisions = [];
    /** @type {Set<number>} the steps that make a leader */
    this.crowned = new Set();
    /** @type {number[]} the times at which a leader stops to lead */
    this.ends = [];
    /** @type {number[]} */
    this.faults = [];
    this.#timeline();
    this.#held = { step: 0, next: 0, of: new Int32Array(this.n).fill(-1) };
  }

  /** Finds each message's way from its sending to its end. */
  #follow() {
    const e = this.events, does = this.head.does;
    for (let i = 0; i < e.n; i++) {
      const what = does[e.do[i]], copy = what === "duplicate", send = copy ? e.link[i] : i;
      if ((!copy && what !== "send") || send < 0 || e.peer[send] < 0) continue;
      const last = copy ? e.copy[i] : e.link[i];
      if (last >= 0) this.ended[last] = this.journeys.length;
      this.journeys.push({ send, from: e.process[send], to: e.peer[send], kind: e.kind[send], begin: e.step[i],
        end: last < 0 ? this.length + 1 : e.step[last], lost: last >= 0 && does[e.do[last]] === "lose", last });
    }
  }

  /** Lists, for each step, its journeys, and now and then all that are in flight. */
  #index() {
    let next = 0;
    /** @type {number[]} */
    let active = [];
    for (let k = 0; k <= this.length; k++) {
      this.firstJourney[k] = next;
      while (next < this.journeys.length && this.journeys[next].begin <= k) active.push(next++);
      if (k % every !== 0) continue;
      active = active.filter((j) => this.journeys[j].end > k);
      this.still.push(active.slice());
    }
    this.firstJourney[this.length + 1] = next;
    for (const { begin, end } of this.journeys) {
      this.busy[begin]++;
      this.busy[end]--;
    }
    for (let k = 1; k <= this.length; k++) this.busiest = Math.max(this.busiest, this.busy[k] += this.busy[k - 1]);
    const send = this.head.does.indexOf("send");
    for (let i = 0; i < this.events.n; i++) if (this.events.do[i] === send) this.sent[this.events.step[i]]++;
    for (let k = 1; k <= this.length; k++) this.sent[k] += this.sent[k - 1];
  }

  /** Lists the changes of each process, and the steps at which something is decided or goes wrong. */
  #timeline() {
    const c = this.changes;
    for (let i = 0; i < c.n; i++) this.changesOf[c.process[i]].push(i);
    for (let i = 0; i < this.length; i++) this.stepsOf[this.steps.process[i]].push(i + 1);
    const role = new Uint8Array(this.n), leader = new BigUint64Array(this.n), until = new Float64Array(this.n);
    const end = (/** @type {number} */ p, /** @type {number} */ at) => role[p] === LEADER
      && this.ends.push(until[p] > 0 ? Math.min(at, until[p]) : at);
    for (let i = 0; i < c.n; i++) {
      const p = c.process[i];
      if (c.role[i] !== LEADER || c.status[i] === DOWN) end(p, this.at(c.step[i]));
      until[p] = c.until[i];
      if (c.role[i] !== UNDECIDED && (c.role[i] !== role[p] || c.leader[i] !== leader[p])) {
        if (this.decisions.at(-1) !== c.step[i]) this.decisions.push(c.step[i]);
      }
      if (c.role[i] === LEADER && role[p] !== LEADER) this.crowned.add(c.step[i]);
      role[p] = c.role[i];
      leader[p] = c.leader[i];
    }
    for (let p = 0; p < this.n; p++) if (until[p] > 0 && until[p] <= this.at(this.length)) end(p, until[p]);
    for (let k = 1; k <= this.length; k++) if (faulty.has(this.what(k))) this.faults.push(k);
  }

  /** What happened in step k, as "deliver". @param {number} k */
  what(k) {
    return this.head.does[this.steps.do[k - 1]];
  }

  /** When step k happened, in units. @param {number} k */
  at(k) {
    return k > 0 ? this.steps.at[Math.min(k, this.length) - 1] : 0;
  }

  /** The process of step k, or -1 before the first. @param {number} k */
  processOf(k) {
    return k > 0 && k <= this.length ? this.steps.process[k - 1] : -1;
  }

  /** The changes that hold after step k, by processes: -1 for a process that has not changed yet. The last ones are
   * kept, as most steps follow each other. @param {number} k @returns {Int32Array} */
  changesAt(k) {
    const step = this.changes.step, process = this.changes.process, held = this.#held;
    if (k < held.step) {
      held.next = 1 + upTo(step, (s) => s <= k);
      for (let p = 0; p < this.n; p++) {
        const list = this.changesOf[p];
        held.of[p] = list[upTo(list, (j) => j < held.next)] ?? -1;
      }
    }
    while (held.next < this.changes.n && step[held.next] <= k) held.of[process[held.next]] = held.next++;
    held.step = k;
    return held.of;
  }

  /** What a process believes and whether it is up after step k. @param {number} p @param {number} k
   * @returns {Condition} */
  condition(p, k) {
    const j = this.changesAt(k)[p], c = this.changes;
    return j < 0 ? { role: UNDECIDED, status: UP, leader: -1 }
      : { role: c.role[j], status: c.status[j], leader: this.processWith(c.leader[j]) };
  }

  /** What must not be: steps outside the model of the algorithm, and steps after which something is wrong. */
  get forbidden() {
    const { outside, wrong } = this.head;
    return [...outside, ...wrong];
  }

  /** What is known of the critical section after step k: since which step, how many processes wait for it, and the
   * processes that are inside. @param {number} k @returns {number[]} */
  sectionAt(k) {
    return this.head.sections?.findLast(([since]) => since <= k) ?? [];
  }

  /** The role in which a process is shown after step k: a leader whose lease is over leads no more, though one
   * that pauses may not know that yet. @param {number} p @param {number} k */
  roleOf(p, k) {
    const j = this.changesAt(k)[p], { role, until } = this.changes;
    return j < 0 || (until[j] > 0 && until[j] <= this.at(k)) ? UNDECIDED : role[j];
  }

  /** The process that has an ID, or -1. @param {bigint} id */
  processWith(id) {
    if (!this.byID) this.byID = new Map(this.head.ids.map((text, p) => [BigInt(text), p]));
    return this.byID.get(id) ?? -1;
  }

  /** The journeys in flight after step k, in the order in which they were sent. @param {number} k */
  underWay(k) {
    const block = Math.floor(k / every);
    const found = [];
    for (const j of this.still[block]) if (this.journeys[j].end > k) found.push(this.journeys[j]);
    for (let j = this.firstJourney[block * every + 1]; j < this.firstJourney[k + 1]; j++) {
      if (this.journeys[j].end > k) found.push(this.journeys[j]);
    }
    return found;
  }

  /** The journeys that are in flight at any moment between two steps. @param {number} from @param {number} to */
  between(from, to) {
    const found = this.underWay(from);
    for (let j = this.firstJourney[from + 1]; j < this.firstJourney[to + 1]; j++) found.push(this.journeys[j]);
    return found;
  }

  /** The events of step k, as the range [first, behind the last). @param {number} k @returns {[number, number]} */
  eventsOf(k) {
    if (k < 1 || k > this.length) return [0, 0];
    const first = this.steps.first[k - 1];
    return [first, first + this.steps.count[k - 1]];
  }

  /** The causal past of step k: of each process, the last of its steps that may have caused it.
   * @param {number} k @returns {Int32Array} */
  past(k) {
    const last = new Int32Array(this.n);
    const todo = [k];
    while (todo.length > 0) {
      const step = /** @type {number} */ (todo.pop()), p = this.processOf(step);
      if (p < 0 || last[p] >= step) continue;
      const list = this.stepsOf[p], before = last[p];
      last[p] = step;
      for (let i = upTo(list, (s) => s <= step); i >= 0 && list[i] > before; i--) {
        const [first, behind] = this.eventsOf(list[i]);
        for (let j = first; j < behind; j++) {
          if (this.ended[j] >= 0) todo.push(this.journeys[this.ended[j]].begin);
        }
      }
    }
    return last;
  }

  /** The name of a process. @param {number} p */
  name(p) {
    if (p < 0) return "";
    const id = this.head.ids[p];
    return this.head.names?.[id] ?? id;
  }
}

/** What processes do not do themselves. */
export const faulty = new Set(["crash", "pause", "resume", "recover", "restart", "lose", "duplicate", "cut", "heal"]);

/** The last index of a sorted list for which a condition holds, or -1.
 * @template T @param {ArrayLike<T>} list @param {(element: T) => boolean} holds */
export function upTo(list, holds) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle])) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
