// All words of the page. The words of a run (sentences, titles, results, reasons) come from the library.

import { DOWN, FOLLOWER, LEADER, PAUSED } from "./film.js";

// One rule for capitals: a label, a button and a sentence begin with one; a choice in a list, an entry of a legend
// and the middle of a line do not.

/** A number with its digits in groups. @param {number} n */
export const figure = (n) => n.toLocaleString("en", { maximumFractionDigits: 4 });

/** A time with few digits: four below 1, since real processes send within a small part of a unit.
 * @param {number} n */
export const short = (n) => +n.toFixed(n < 1 ? 4 : 2);

/** @param {number} n @param {string} one */
const count = (n, one, more = `${one}s`) => `${figure(n)} ${n === 1 ? one : more}`;

export const countOf = (/** @type {number} */ n) => count(n, "process", "processes");

export const page = document.title;
export const parts = /** @type {Record<string, string>} */ ({ scene: "Network", legend: "Kinds of messages",
  side: "Details", controls: "Controls" });
export const loading = "The library is loading …";
export const noLibrary = "The library cannot be loaded.";
export const hash = "hash";
export const asBy = ", as by";
export const asByFile = "; Share saves the file of";
export const processes = "Processes";
export const timePicture = "The run in time: each line is a process, each arrow a message. "
  + "The log lists the same.";
export const algorithm = "Algorithm";
export const size = "Processes";
export const order = "Order of the IDs";
export const orders = /** @type {Record<string, string>} */ ({ random: "random", sorted: "sorted",
  best: "best case", worst: "worst case" });
export const more = "More settings";
export const seed = "Seed";
export const links = "Links";
export const linksHint = "as needed; star, grid:3x4";
export const delays = "Delays";
export const delayNames = /** @type {Record<string, string>} */ ({ unit: "one unit each" });
export const starters = "Who starts";
export const all = "all";
export const again = "Run again with another seed";
export const asDefault = "default";
export const transport = { first: "To the beginning", back: "Step back", play: "Play", pause: "Pause",
  on: "Step forward", last: "To the end" };
export const stride = "Step by";
export const strides = { event: "event", instant: "instant", decision: "decision", fault: "fault",
  process: "chosen process" };
export const speed = "Speed";
export const scale = "Axis";
export const scales = { time: "clock", steps: "steps" };
export const scrubber = "Position in the run";
export const start = "Before the first step. Press play, or an arrow key.";
export const close = "Close";
export const keys = "Keys";
export const marks = "● start, ★ leader; in red: × crash or loss, ○ other fault, ring: violation, bar: cut links.";
export const running = "busy";
export const panels = { acts: "Act", prove: "Prove", learn: "Learn", time: "Time", step: "Step", log: "Log",
  process: "Process", theory: "Theory" };
export const messages = (/** @type {number} */ n) => (n === 1 ? "message" : "messages");
export const stepOf = (/** @type {number} */ k, /** @type {number} */ n, /** @type {number} */ at) =>
  `Step ${figure(k)} of ${figure(n)}, time ${short(at)}`;

/** What a process is after a step, in words. @param {import("./film.js").Film} film @param {number} p
 * @param {number} step */
export function processIs(film, p, step) {
  const now = film.condition(p, step);
  const words = [`process ${film.name(p)}`];
  if (now.role === LEADER) {
    words.push(now.status === DOWN ? "led" : film.roleOf(p, step) ? "leads" : "led, its lease has expired");
  } else if (now.role === FOLLOWER) words.push(now.leader >= 0 ? `follows ${film.name(now.leader)}` : "follows");
  else words.push("undecided");
  if (film.sectionAt(step).indexOf(p, 2) > 0) words.push("in the section");
  if (now.status === DOWN) words.push("crashed");
  if (now.status === PAUSED) words.push("paused");
  return words.join(", ");
}

export const units = (/** @type {number} */ n) => count(short(n), "unit");

export const safeLead = (/** @type {string[]} */ names, differ = false) => (names.length > 1
  ? `${names.length > 6 ? countOf(names.length) : names.join(" and ")} lead${differ
    ? ", in different Terms" : ""}` : names.length ? `${names[0]} leads` : "no leader now");
export const safeInside = (/** @type {string[]} */ names) => (names.length ? `${names.join(" and ")} in the section`
  : "the section is free");
export const livePending = (/** @type {number} */ k, /** @type {number} */ n) =>
  `${figure(k)} of ${figure(n)} have decided`;
export const liveReached = (/** @type {number} */ n) => (n === 1 ? "it has decided" : `all ${figure(n)} have decided`);
export const liveWaiting = (/** @type {number} */ n) => `${n || "none"} waiting for it`;
export const atStep = (/** @type {number} */ k, /** @type {string} */ why) => `at step ${figure(k)}: ${why}`;
export const safety = "Safety, of the processes that are up now";
export const liveness = "Liveness, of the processes that are up now";
export const cases = { best: "best", mean: "mean", worst: "worst", measured: "measured" };
export const thisRun = "messages so far";
export const bits = "bits in all";
export const time = "time in all";
export const plots = { messages: "Messages by the number of processes", bits: "Bits of the run, and at most",
  time: "Time in units" };
export const noTheory = "There is no closed form for the messages.";
export const rule = "rule";
export const notRun = "did not run";
export const changed = "What changed";
export const became = (/** @type {string} */ old, /** @type {string} */ now) => `${old} → ${now}`;
export const nothing = "The state stays as it was.";
export const fewer = "Show only the lines of the rule";
export const allFunctions = (/** @type {number} */ n) => `Show all ${n} functions that ran`;
export const causesOff = "Show what led to this";
export const causesOn = (/** @type {import("./film.js").Film} */ film, /** @type {number} */ k) =>
  `Shows only what led to step ${k}, at ${film.name(film.processOf(k))}`;
/** How many messages one sign stands for. @param {number} n */
export const times = (n) => `${n}×`;
export const was = (/** @type {string} */ value) => `was ${value}`;
export const due = (/** @type {number} */ due, /** @type {number} */ now) =>
  `at ${short(due)}, in ${units(due - now)}`;
export const share = "Share";
export const link = "Address of this step";
export const frame = "HTML that shows the picture in another page";
export const command = "The command for the same run";
export const saveFirst = "; save its file below";
export const copy = "Copy";
export const copied = "Copied";
export const exports = "Save as";
export const exportKinds = /** @type {Record<string, string>} */ ({ scenario: "Scenario (JSON)",
  trace: "Trace (JSON lines)", svg: "Picture (SVG)", png: "Picture (PNG)", links: "Network (SVG)",
  mermaid: "Mermaid", log: "Log in words", chrome: "Chrome trace", shiviz: "ShiViz log" });
export const openFile = "Open a file";
export const openHint = "A scenario or a trace, as one file or one for each process. Or drop files on the page.";
export const ofTrace = "A trace has no address. Share its file.";
export const tooLong = "This run is too long for an address. Save the scenario.";
export const badLink = "The address after the # cannot be read.";
export const otherSize = (/** @type {number} */ n, /** @type {number} */ m) =>
  `Here are ${n} processes: no such network has ${m}.`;
export const otherVersion = (/** @type {any} */ v) =>
  `The address is of version ${JSON.stringify(v)?.slice(0, 60)}, not 1.`;
export const badFile = "The file cannot be read.";
export const replay = (/** @type {string} */ words) => `the algorithm does something else: ${words}`;
export const whole = (/** @type {string} */ name) => `Open ${name}`;
export const process = (/** @type {string} */ name) => `Process ${name}`;
export const keyBack = { event: "one step back", instant: "to the instant before",
  decision: "to the decision before", fault: "to the fault before",
  process: "to the step of the chosen process before" };
export const keyMoves = { play: "play, pause", event: "one step forward", instant: "to the next instant",
  home: "to the beginning", end: "to the end",
  decision: "to the next decision", fault: "to the next fault",
  process: "to the next step of the chosen process", causes: "highlight what led to this step",
  share: "share", list: "list the keys", undo: "undo", redo: "redo",
  all: "highlight everything", longer: "stretch the picture in time", shorter: "shrink it" };
export const keyNames = /** @type {Record<string, string>} */ ({ " ": "space", ArrowRight: "→", ArrowLeft: "←",
  "Shift+ArrowRight": "shift →", "Shift+ArrowLeft": "shift ←", Escape: "esc" });
export const keyActs = { c: "crash the chosen process", r: "bring it back without its state",
  R: "bring it back with its saved state", p: "pause or resume it", s: "start an election there",
  t: "expire its next timer now", x: "cut it off", h: "heal all cuts",
  digits: "do this entry of the list now" };
export const actCrash = (/** @type {string} */ p) => `Crash ${p}`;
export const actRecover = (/** @type {string} */ p) => `${p} comes back without its state`;
export const actRestart = (/** @type {string} */ p) => `${p} comes back with its saved state`;
export const actPause = (/** @type {string} */ p) => `Pause ${p}`;
export const actResume = (/** @type {string} */ p) => `Resume ${p}`;
export const actStart = (/** @type {string} */ p) => `Start at ${p}`;
export const actSuspect = (/** @type {string} */ p, /** @type {string} */ q) => `${p} suspects ${q}`;
export const actSuspects = "It suspects";
export const actTimer = (/** @type {string} */ words) => `Now ${words}`;
export const actDeliver = "Deliver now";
export const actLose = "Lose";
export const actDuplicate = "Duplicate";
export const actDelay = "Delay by 1 unit";
export const actSigns = /** @type {Record<string, string>} */ ({ lose: "×", duplicate: "×2", delay: "+1" });
export const actAbout = (/** @type {string} */ what, /** @type {string} */ words) => `${what}: ${words}`;
export const actCut = (/** @type {string} */ who) => `Cut off ${who}`;
export const actMute = (/** @type {string} */ who) => `Nothing from ${who} arrives`;
export const actDeaf = (/** @type {string} */ who) => `Nothing arrives at ${who}`;
export const actHeal = "Heal all cuts";
export const actAround = (/** @type {number} */ n) => `${countOf(n)} inside the line`;
export const actLinks = "Links";
export const actLasso = "Choose a group, or draw a line around it in the picture.";
export const actGroup = "A group";
export const actWho = "A process";
export const actChoose = "Choose a process";
export const actChooseFirst = "Choose a process first.";
export const actWhoHint = "Or in the picture; a right click opens its menu.";
export const actNext = (/** @type {number} */ n) => `What may happen next (${n})`;
export const actNothing = "Only suspicions are left: choose a process.";
export const actAt = (/** @type {number} */ due) => `at ${short(due)}`;
export const actHand = "By hand";
export const actHandHint = "Only what you choose happens.";
export const actOutside = "Outside the model.";
export const actOutsideShort = "outside the model";
export const actFails = "fails";
export const actSince = (/** @type {number} */ k, /** @type {string} */ why) =>
  (k > 0 ? `Since step ${k}: ${why}.` : `${why}.`);
export const actAndMore = (/** @type {number} */ n) => `And ${n} more.`;
export const actRuns = "Your runs";
export const actUndo = "Undo";
export const actRedo = "Redo";
export const actAfter = (/** @type {number} */ k) => `after step ${k}`;
export const actCompare = "Another run";
export const actCompareWith = (/** @type {string} */ title) => `Compare with: ${title}`;
export const actBeside = (/** @type {string} */ title) => `The run "${title}", at the same step`;
export const actFirst = (/** @type {number} */ k, /** @type {string} */ words) =>
  (k > 0 ? `First difference, step ${k}: ${words}` : words);
export const actSame = "Both runs are the same.";
export const actNotDone = "The record differs.";
export const actReplayed = "The record of a run cannot be changed.";
export const proveAbout = "The model checker tries every order of messages, and every fault you allow. "
  + "Failure detectors are never wrong.";
export const proveLarge = (/** @type {number} */ n) =>
  `${n} processes have too many orders: not all are tried.`;
export const proveFewer = (/** @type {number} */ n) => `Take ${countOf(n)}`;
export const proveFaults = /** @type {Record<string, string>} */ ({ crashes: "Crashes", restarts: "Restarts",
  recoveries: "Returns without state", pauses: "Pauses", losses: "Losses", duplicates: "Copies", cuts: "Cuts" });
export const proveAny = "Messages of one link may overtake each other";
export const proveAll = "Try all orders";
export const proveHere = "Can it still go wrong from here?";
export const proveMap = "Show all states";
export const proveRunning = "Trying …";
export const proveStop = "Stop";
export const proveStopped = "Stopped.";
export const proveProgress = (/** @type {number} */ states, /** @type {number} */ depth) =>
  `${figure(states)} states, up to ${depth} moves deep`;
export const proveVerdict = (/** @type {boolean | null} */ holds) =>
  (holds === null ? "not known: " : holds ? "holds: " : "fails: ");
export const proveWrong = (/** @type {number} */ k) =>
  (k < 0 ? "It can go wrong." : `From step ${k} it can go wrong.`);
export const proveRight = (/** @type {number} */ k) =>
  (k < 0 ? "Nothing can go wrong." : `From step ${k} nothing can go wrong.`);
export const proveSoFar = "Nothing has gone wrong so far.";
export const proveMore = (/** @type {number} */ n) => `Try up to ${figure(n)} states`;
export const proveOpen = (/** @type {number} */ n) => `Show how, in ${count(n, "move")}`;
export const proveShrink = "Make it shorter";
export const proveShortest = "It is as short as it can be";
export const proveShrunk = (/** @type {number} */ n) => `Shortened to ${count(n, "move")}`;
export const proveTitle = (/** @type {string} */ property) => `Against ${property}`;
export const proveState = (/** @type {number} */ depth) => `A state after ${count(depth, "move")}`;
export const proveGraph = (/** @type {number} */ n, /** @type {number} */ m) =>
  `${figure(n)} states, ${figure(m)} moves. Golden ones have a leader. A click leads there.`;
export const proveTruncated = (/** @type {number} */ n) => `The first ${figure(n)} are shown.`;
export const proveSays = (/** @type {import("./states.js").State} */ s) => [`After ${count(s.depth, "move")}`,
  safeLead(s.leaders), s.last ? "nothing is left to happen" : "", s.by && `by: ${s.by}`,
  s.reason || s.violated].filter(Boolean).join(", ");
export const proveEnds = (/** @type {import("./states.js").State} */ s, /** @type {number} */ n) =>
  `${s.violated || (s.leaders[0] ? safeLead(s.leaders) : "no leader")} (${count(n, "state")})`;
export const learnLessons = "Lessons";
export const learnChallenges = "Challenges";
export const learnChallengesHint = "Each has a mistake that was really made: find a run that shows it.";
export const learnStops = (/** @type {number} */ n) => count(n, "stop");
export const learnAt = (/** @type {number} */ i, /** @type {number} */ n) => `Stop ${i} of ${n}`;
export const learnNext = "Next";
export const learnBack = "Back";
export const learnDone = "Done";
export const learnRead = "✓ ";
export const learnLeave = "All lessons";
export const learnPredict = "What do you expect?";
export const learnRight = "Yes.";
export const learnWrong = "No.";
export const learnHint = "hint";
export const learnTask = "Find a run in which this algorithm fails. ";
export const learnJudged = "Each run is judged. Hints and help of Prove cost stars.";
export const learnAgain = "Begin again";
export const learnShowHint = "Show a hint";
export const learnAllowed = "You may use up to";
export const learnNotYet = "Not yet.";
export const learnSolved = "Solved.";
export const learnMistake = "the mistake";
export const learnGrade = (/** @type {number} */ n) => `${n} of 3 stars`;
export const learnNeeds = (/** @type {number} */ n, /** @type {number} */ par, /** @type {boolean} */ steps) =>
  `It took ${steps ? count(n, "step") : count(n, "message")}, and the best is ${par}.`;
export const raceTitle = "Race";
export const raceAdd = "Add an algorithm";
export const raceClock = "The time in all runs";
export const raceAxis = "messages; lines: mean, or ≤ worst case";
export const raceAt = (/** @type {number} */ at) => `time ${at.toFixed(1)}`;
export const raceShow = "Show it alone";
export const raceLeave = (/** @type {string} */ name) => `Remove ${name}`;
export const sentence =
  (/** @type {string} */ text) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : "");

