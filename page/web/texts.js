// All words of the page. Those of a run (sentences, titles, results, reasons) come from the library.

import { DOWN, FOLLOWER, LEADER, PAUSED } from "./film.js";

// One rule for capitals: a label, a button and a sentence begin with one; a choice in a list, an entry of a legend
// and the middle of a line do not.

/** A number with its digits in groups. @param {number} n */
const figure = (n) => n.toLocaleString("en");

/** A time without the digits that nobody reads: real processes send within a small part of a unit.
 * @param {number} n */
const short = (n) => +n.toFixed(n < 1 ? 4 : 2);

/** @param {number} n @param {string} one */
const count = (n, one, more = `${one}s`) => `${figure(n)} ${n === 1 ? one : more}`;

const processes = (/** @type {number} */ n) => count(n, "process", "processes");

export const t = {
  figure, short,
  page: document.title,
  parts: /** @type {Record<string, string>} */ ({ scene: "Network", legend: "Kinds of messages", side: "Details",
    controls: "Controls" }),
  loading: "The library is loading …",
  noLibrary: "The library cannot be loaded.",
  hash: "hash",
  asBy: ", as by",
  processes: "Processes",
  timePicture: "The run in time: a line for each process, an arrow for each message. "
    + "The log has the same as a list.",
  algorithm: "Algorithm",
  size: "Processes",
  order: "Order of the IDs",
  orders: /** @type {Record<string, string>} */ ({ random: "random", sorted: "sorted",
    best: "best case", worst: "worst case" }),
  more: "More settings",
  seed: "Seed",
  links: "Links",
  linksHint: "as needed; star, grid:3x4",
  delays: "Delays",
  delayNames: /** @type {Record<string, string>} */ ({ unit: "one unit each" }),
  starters: "Who starts",
  all: "all",
  again: "Run again with another seed",
  asDefault: "default",
  first: "To the beginning",
  back: "Back by a stride",
  play: "Play",
  pause: "Pause",
  on: "On by a stride",
  last: "To the end",
  stride: "Step by",
  strides: { event: "event", instant: "instant", decision: "decision", fault: "fault", process: "chosen process" },
  speed: "Speed",
  scale: "Axis",
  scales: { time: "clock", steps: "steps" },
  scrubber: "Place in the run",
  start: "Before the first step. Press play, or step with the arrow keys.",
  close: "Close",
  keys: "Keys",
  marks: "● start, ★ leader; in red: × crash or loss, ○ other fault, ring: must not be, bar: cut links.",
  running: "busy",
  panels: { acts: "Act", prove: "Prove", learn: "Learn", time: "Time", step: "Step", log: "Log", process: "Process",
    theory: "Theory" },
  messages: (/** @type {number} */ n) => (n === 1 ? "message" : "messages"),
  stepOf: (/** @type {number} */ k, /** @type {number} */ n, /** @type {number} */ at) =>
    `Step ${figure(k)} of ${figure(n)}, time ${short(at)}`,

  /** What a process is after a step, in words. @param {import("./film.js").Film} film @param {number} p
   * @param {number} step */
  processIs(film, p, step) {
    const now = film.condition(p, step);
    const words = [`process ${film.name(p)}`];
    if (now.role === LEADER) {
      words.push(now.status === DOWN ? "led" : film.roleOf(p, step) ? "leads" : "led, its lease is over");
    } else if (now.role === FOLLOWER) words.push(now.leader >= 0 ? `follows ${film.name(now.leader)}` : "follows");
    else words.push("undecided");
    if (film.sectionAt(step).indexOf(p, 2) > 0) words.push("in the section");
    if (now.status === DOWN) words.push("crashed");
    if (now.status === PAUSED) words.push("paused");
    return words.join(", ");
  },

  units: (/** @type {number} */ n) => count(short(n), "unit"),

  safe: {
    lead: (/** @type {string[]} */ names, differ = false) => (names.length > 1
      ? `${names.length > 6 ? processes(names.length) : names.join(" and ")} lead${differ
        ? ", in different Terms" : ""}` : names.length ? `${names[0]} leads` : "no leader now"),
    inside: (/** @type {string[]} */ names) => (names.length ? `${names.join(" and ")} in the section`
      : "the section is free"),
  },
  live: {
    pending: (/** @type {number} */ k, /** @type {number} */ n) => `${figure(k)} of ${figure(n)} have decided`,
    reached: (/** @type {number} */ n) => `all ${figure(n)} have decided`,
    waiting: (/** @type {number} */ n) => `${n || "none"} waiting for it`,
  },
  atStep: (/** @type {number} */ k, /** @type {string} */ why) => `at step ${figure(k)}: ${why}`,
  safety: "Safety, of the processes that are up now",
  liveness: "Liveness, of the processes that are up now",
  cases: { best: "best", mean: "mean", worst: "worst", measured: "measured" },
  thisRun: "messages so far",
  bits: "bits in all",
  time: "time in all",
  plots: { messages: "Messages by the number of processes", bits: "Bits of the whole run, and at most",
    time: "Time in units" },
  noTheory: "No closed form fits.",
  rule: "rule",
  notRun: "did not run",
  changed: "What changed",
  became: (/** @type {string} */ old, /** @type {string} */ now) => `${old} → ${now}`,
  nothing: "The state stays as it was.",
  fewer: "Show only the lines of the rule",
  allFunctions: (/** @type {number} */ n) => `Show all ${n} functions that ran`,
  causesOff: "Show what led to this",
  causesOn: (/** @type {import("./film.js").Film} */ film, /** @type {number} */ k) =>
    `Shows only what led to step ${k}, at ${film.name(film.processOf(k))}`,
  was: (/** @type {string} */ value) => `was ${value}`,
  due: (/** @type {number} */ due, /** @type {number} */ now) => `at ${due}, in ${t.units(due - now)}`,
  share: "Share",
  link: "Address of this step",
  frame: "HTML that shows the picture inside another page",
  command: "The command for the same run",
  saveFirst: "; save its file below",
  copy: "Copy",
  copied: "Copied",
  exports: "Save as",
  exportKinds: /** @type {Record<string, string>} */ ({ scenario: "Scenario (JSON)", trace: "Trace (JSON lines)",
    svg: "Picture (SVG)", png: "Picture (PNG)", mermaid: "Mermaid", log: "Log in words", chrome: "Chrome trace",
    shiviz: "ShiViz log" }),
  openFile: "Open a file",
  openHint: "A scenario, or a trace, in one file or one a process; or drop files on the page.",
  ofTrace: "A trace has no address. Share its file.",
  tooLong: "It is too long for an address. Save the scenario.",
  badLink: "The address after the # cannot be read.",
  otherVersion: (/** @type {any} */ v) => `The address is of version ${JSON.stringify(v)?.slice(0, 60)}, not 1.`,
  badFile: "The file cannot be read.",
  replay: (/** @type {string} */ words) => `the algorithm does something else: ${words}`,
  whole: (/** @type {string} */ name) => `Open ${name}`,
  process: (/** @type {string} */ name) => `Process ${name}`,
  keyBack: { event: "one step back", instant: "to the instant before", decision: "to the decision before",
    fault: "to the fault before", process: "to the step of the chosen process before" },
  keyMoves: { play: "play, pause", event: "one step on", instant: "to the next instant", home: "to the beginning",
    end: "to the end", decision: "to the next decision", fault: "to the next fault",
    process: "to the next step of the chosen process", causes: "light what led to this step",
    share: "share", list: "list the keys", undo: "undo", redo: "redo",
    all: "light everything again", longer: "stretch the picture in time", shorter: "shrink it" },
  keyNames: /** @type {Record<string, string>} */ ({ " ": "space", ArrowRight: "→", ArrowLeft: "←",
    "Shift+ArrowRight": "shift →", "Shift+ArrowLeft": "shift ←", Escape: "esc" }),
  keyActs: { c: "crash the chosen process", r: "let it come back without its state",
    R: "let it come back with the state that it saved", p: "pause it, let it go on", s: "start an election there",
    t: "let its next timer run out now", x: "cut it off", h: "heal all cuts",
    digits: "let this entry of the list happen now" },
  act: {
    crash: (/** @type {string} */ p) => `Crash ${p}`,
    recover: (/** @type {string} */ p) => `${p} comes back without its state`,
    restart: (/** @type {string} */ p) => `${p} comes back with its saved state`,
    pause: (/** @type {string} */ p) => `Pause ${p}`,
    resume: (/** @type {string} */ p) => `${p} goes on`,
    start: (/** @type {string} */ p) => `Start at ${p}`,
    suspect: (/** @type {string} */ p, /** @type {string} */ q) => `${p} suspects ${q}`,
    suspects: "It suspects",
    timer: (/** @type {string} */ words) => `Now ${words}`,
    deliver: "Deliver now", lose: "Lose", duplicate: "Double", delay: "Delay by 1 unit",
    signs: /** @type {Record<string, string>} */ ({ lose: "×", duplicate: "×2", delay: "+1" }),
    about: (/** @type {string} */ what, /** @type {string} */ words) => `${what}: ${words}`,
    cut: (/** @type {string} */ who) => `Cut off ${who}`,
    mute: (/** @type {string} */ who) => `Nothing from ${who} arrives`,
    deaf: (/** @type {string} */ who) => `Nothing arrives at ${who}`,
    heal: "Heal all cuts",
    around: (/** @type {number} */ n) => `${processes(n)} inside the line`,
    links: "Links", lasso: "Choose a group here, or draw a line around it in the picture.", group: "A group",
    who: "A process", choose: "Choose a process", chooseFirst: "Choose a process first.",
    whoHint: "Or choose one in the picture; a right click opens its menu.",
    next: (/** @type {number} */ n) => `What may happen next (${n})`,
    nothing: "Only suspicions are left: choose a process.",
    at: (/** @type {number} */ due) => `at ${short(due)}`,
    hand: "By hand", handHint: "Nothing happens but what you choose.",
    outside: "Outside the model.", outsideShort: "outside the model", fails: "fails",
    since: (/** @type {number} */ k, /** @type {string} */ why) => (k > 0 ? `Since step ${k}: ${why}.` : `${why}.`),
    andMore: (/** @type {number} */ n) => `And ${n} more.`,
    runs: "Your runs", undo: "Undo", redo: "Redo", after: (/** @type {number} */ k) => `after step ${k}`,
    compare: "Another run", compareWith: (/** @type {string} */ title) => `Show beside: ${title}`,
    beside: (/** @type {string} */ title) => `The run "${title}", at the same step`,
    first: (/** @type {number} */ k, /** @type {string} */ words) => (k > 0 ? `First difference, step ${k}: ${words}`
      : words),
    same: "Both runs are the same.",
    notDone: "The record differs.",
    replayed: "The record of a run that has ended cannot be changed.",
  },
  prove: {
    about: "The model checker tries every order of messages, and every fault that you allow. "
      + "A failure detector is never wrong.",
    large: (/** @type {number} */ n) => `${n} processes have more orders than fit here: not all are tried.`,
    fewer: "Take 4 processes",
    faults: /** @type {Record<string, string>} */ ({ crashes: "Crashes", restarts: "Restarts",
      recoveries: "Returns without state", pauses: "Pauses", losses: "Losses", duplicates: "Copies", cuts: "Cuts" }),
    any: "Messages of one link may overtake each other",
    all: "Try all orders", here: "Can it still go wrong from here?", map: "Show all states",
    running: "Trying …", stop: "Stop", stopped: "Stopped.",
    progress: (/** @type {number} */ states, /** @type {number} */ depth) =>
      `${figure(states)} states, up to ${depth} moves deep`,
    verdict: (/** @type {boolean | null} */ holds) => (holds === null ? "not known: " : holds ? "holds: " : "fails: "),
    wrong: (/** @type {number} */ k) => (k < 0 ? "It can go wrong." : `From step ${k} it can go wrong.`),
    right: (/** @type {number} */ k) => (k < 0 ? "Nothing can go wrong." : `From step ${k} nothing can go wrong.`),
    soFar: "Nothing has gone wrong so far.", more: (/** @type {number} */ n) => `Try up to ${figure(n)} states`,
    open: (/** @type {number} */ n) => `Show how, in ${count(n, "move")}`,
    shrink: "Make it shorter", shortest: "It is as short as it can be",
    shrunk: (/** @type {number} */ n) => `Shortened to ${count(n, "move")}`,
    title: (/** @type {string} */ property) => `Against ${property}`,
    state: (/** @type {number} */ depth) => `A state after ${count(depth, "move")}`,
    graph: (/** @type {number} */ n, /** @type {number} */ m) =>
      `${figure(n)} states, ${figure(m)} moves. In golden squares a process leads. A click leads to a state.`,
    truncated: (/** @type {number} */ n) => `Only the first ${figure(n)} are shown.`,
    says: (/** @type {import("./states.js").State} */ s) => [`After ${count(s.depth, "move")}`,
      t.safe.lead(s.leaders), s.last ? "nothing is left to happen" : "", s.by && `by: ${s.by}`,
      s.reason || s.violated].filter(Boolean).join(", "),
    ends: (/** @type {import("./states.js").State} */ s, /** @type {number} */ n) =>
      `${s.violated || (s.leaders[0] ? t.safe.lead(s.leaders) : "no leader")} (${count(n, "state")})`,
  },
  learn: {
    lessons: "Lessons", challenges: "Challenges",
    challengesHint: "Each has a mistake that was really made: find a run that shows it.",
    stops: (/** @type {number} */ n) => count(n, "stop"),
    at: (/** @type {number} */ i, /** @type {number} */ n) => `Stop ${i} of ${n}`,
    next: "Next", back: "Back", done: "Done", leave: "All lessons", predict: "What do you expect?",
    right: "Yes.", wrong: "No.", hint: "hint",
    task: "Lead this algorithm to a state in which it fails. ",
    judged: "Each run is judged at once; a hint or Prove's way costs stars.",
    act: "Act", again: "Begin again", showHint: "Show a hint", allowed: "Allowed:", notYet: "Not yet.", solved: "Solved.",
    mistake: "the mistake", grade: (/** @type {number} */ n) => `${n} of 3 stars`,
    needs: (/** @type {number} */ n, /** @type {number} */ par, /** @type {boolean} */ steps) =>
      `It took ${steps ? count(n, "step") : count(n, "message")}, and the best is ${par}.`,
  },
  race: {
    title: "Race", add: "Add an algorithm", clock: "The time in all runs",
    axis: "messages; lines: mean, or ≤ worst case",
    curves: "Messages by the number of processes: points are measured.",
    at: (/** @type {number} */ at) => `time ${at.toFixed(1)}`, show: "Show it alone",
    leave: (/** @type {string} */ name) => `Remove ${name} from the race`,
  },
  sentence: (/** @type {string} */ text) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : ""),
  countOf: processes,
};
