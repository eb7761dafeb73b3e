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
export const asBy = ", made by";
export const asByFile = "; Share saves the file of";
export const processes = "Processes";
export const timePicture = "The run in time: each line is a process, each arrow a message. "
  + "The log lists the same.";
/** What is cut, by the names of the processes that are cut off. */
export const timeCut = (/** @type {string[]} */ names) => (names.length > 0 && names.length < 4
  ? `${names.join(", ")} cut off` : "links cut");
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
export const begin = "Play";
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
export const marks = "● start, ★ leader; in red: × crash or loss, ○ other fault, ring: violation, bar: cut links, "
  + "▼ a lead ends. A thin gold bar: the vote is lent. An arc around a process: the time until its next timer. "
  + "A line at one of 16 or more: the longer, the larger its rank.";
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
const whyTwo = /** @type {Record<string, string>} */ ({ cut: "links are cut, and they do not hear of each other",
  healed: "they were cut off, and have not heard of each other",
  pause: "one was paused, and has not heard of the other", restart: "one has come back, and the other has not noticed",
  recover: "one has come back, and the other has not noticed" });
export const twoLead = (/** @type {string[]} */ names, /** @type {number} */ k, /** @type {number} */ at, /** @type {string} */ why) =>
  `Two leaders since step ${figure(k)} at time ${short(at)}: ${names.join(" and ")}. Why: ${whyTwo[why]
    ?? "they have not heard of each other"}.`;
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
export const theoryForm = (/** @type {string} */ form) => `= ${form}`;
export const noTheory = "There is no closed form for the messages.";
export const rule = "rule";
export const wire = "Details";
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
export const keyBack = { event: "one step back", instant: "to the previous instant",
  decision: "to the previous decision", fault: "to the previous fault",
  process: "to the previous step of the chosen process" };
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
export const actHolds = "The record holds.";
export const actHeld = (/** @type {number} */ n) =>
  (n === 1 ? "Its step is what the algorithm does." : `${figure(n)} of ${figure(n)} steps are what the algorithm does.`);
export const actMore = "More …";
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
export const proveMapBeside = "Show the run in time";
export const proveMapMiddle = "Show the states in the middle";
export const proveRunning = "Trying …";
export const proveStop = "Stop";
export const proveStopped = "Stopped.";
export const proveProgress = (/** @type {number} */ states, /** @type {number} */ depth) =>
  `${figure(states)} states, up to ${depth} moves deep`;
export const proveVerdict = (/** @type {boolean | null} */ holds) =>
  (holds === null ? "not known: " : holds ? "holds: " : "fails: ");
const faultsOf = /** @type {Record<string, string[]>} */ ({ crashes: ["crash", "crashes"], restarts: ["restart"],
  recoveries: ["return without state", "returns without state"], pauses: ["pause"], losses: ["loss", "losses"],
  duplicates: ["copy", "copies"], cuts: ["cut"] });
/** What a check has tried, and what has come out. @param {number} k @param {any} budget @param {string} result */
export function proveSum(k, budget, result) {
  const faults = Object.keys(faultsOf).filter((name) => budget[name] > 0)
    .map((name) => count(budget[name], faultsOf[name][0], faultsOf[name][1]));
  const last = faults.length > 1 ? ` and ${faults.pop()}` : "";
  return `${k < 0 ? "In" : `From step ${k} on, in`} any order of messages${budget.any ? ", also of one link" : ""}, ${
    faults.length ? `with up to ${faults.join(", ")}${last}` : `without ${k < 0 ? "" : "more "}faults`}: ${result}.`;
}
export const proveWrong = "it can go wrong";
export const proveRight = "nothing goes wrong";
export const proveSoFar = "nothing has gone wrong so far";
export const proveMore = (/** @type {number} */ n) => `Try up to ${figure(n)} states`;
export const proveOpen = (/** @type {number} */ n) => `Show how, in ${count(n, "move")}`;
export const proveShrink = "Make it shorter";
export const proveShortest = "It is as short as it can be";
export const proveShrunk = (/** @type {number} */ n) => `Shortened to ${count(n, "move")}`;
export const proveTitle = (/** @type {string} */ violated) => `Violated: ${violated}`;
export const proveState = (/** @type {number} */ depth) => `A state after ${count(depth, "move")}`;
export const proveGraph = (/** @type {number} */ n, /** @type {number} */ m) =>
  `${figure(n)} states, ${figure(m)} moves. Golden ones have a leader. A click leads there.`;
export const proveTruncated = (/** @type {number} */ n) => `The first ${figure(n)} are shown.`;
export const proveSays = (/** @type {import("./states.js").State} */ s) => [`After ${count(s.depth, "move")}`,
  safeLead(s.leaders), s.last ? "nothing is left to happen" : "", s.by && `by: ${s.by}`,
  s.reason || s.violated].filter(Boolean).join(", ");
export const proveEnds = (/** @type {import("./states.js").State} */ s, /** @type {number} */ n) =>
  `${s.violated ? `violated: ${s.violated}` : (s.leaders[0] ? safeLead(s.leaders) : "no leader")} (${count(n, "state")})`;
export const learnLessons = "Lessons";
export const learnCourses = { first: "First lessons", leases: "Leases", rings: "Rings",
  complete: "Each process linked to all others", graphs: "Trees, grids and other networks", sections: "Locks" };
export const learnFollowing = "Next lesson";
export const learnLevels = ["easy", "medium", "hard"];
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

// Why what the reader does has no effect.
export const whyAll = "All processes are inside the line: there is no link to cut.";
export const whyNobody = "Nobody leads now: choose a member.";
export const whyDown = (/** @type {string} */ p) => `${p} has crashed already. R brings it back with its state, r without.`;
export const whyUp = (/** @type {string} */ p) => `${p} is up: there is nothing to bring back.`;
export const whyPaused = (/** @type {string} */ p) => `${p} is paused: it does nothing until it is resumed.`;
export const whyStarted = (/** @type {string} */ p) => `${p} cannot start now.`;
export const whyNoTimer = (/** @type {string} */ p) => `${p} has no running timer.`;
export const whyAlone = "One process has no links.";
export const whyCut = "These links are cut already.";
export const whyNoCut = "No link is cut.";
export const whyNoEntry = (/** @type {string} */ key) => `There is no entry ${key} in the list of what may happen next.`;
export const whyNoUndo = "There is nothing to undo.";
export const whyNoRedo = "There is nothing to redo.";
export const whyRest = "Nothing happens after this: no message is in flight, and no timer runs.";
export const whyNoHeartbeat = "No heartbeats are sent, so nobody notices.";
export const whyHeartbeat = "Run with heartbeats";

// The start cards.
export const doorsLabel = "Start";
export const doorsWhat = "election is a Go library that elects one leader among the replicas of a service.";
export const doorsHow = "This page runs its code in your browser.";
export const doors = {
  learn: { title: "Learn in three minutes", about: "How processes elect a leader" },
  break: { title: "Break a service", about: "Kill, pause or cut off its leader" },
  compare: { title: "Compare algorithms", about: "Which one needs the fewest messages?" },
};
export const doorsClose = "Close the start cards for good";
export const doorsShow = "Show the start cards";

export const views = { service: "Service", run: "Algorithms" };
export const viewsLabel = "What is shown";
export const servicePitch = "Copies of a service run on several machines. Only one may write at a time: the leader.";
export const serviceTask = "Kill it, freeze it, cut it off, and see who leads next.";
export const serviceKinds = /** @type {Record<string, string>} */ ({ members: "Members' votes",
  store: "A store", none: "Nothing (bully)" });
export const serviceHow = "What prevents two leaders:";
export const serviceSame = "Do the same with leases";
export const serviceSize = "Members";
export const serviceMembers = (/** @type {number} */ n) => count(n, "member");
export const servicePicture = "The members in time: a thick bar is a lease, a thin bar a vote that is lent. "
  + "Below them is the register with the writes that arrive. The list of events says the same.";
export const serviceRows = "Members";
export const serviceMember = "Act on";
export const serviceLeader = "the leader";
export const serviceStore = "store";
export const serviceDo = "Break it";
export const serviceHints = { crash: "the power goes off", pause: "all of it stands still",
  cut: "from the others and the register" };
export const serviceNobody = "nobody leads now: choose a member";
const serviceActs = /** @type {Record<string, (name: string) => string>} */ ({
  crash: (name) => (name ? `Kill ${name}` : "Kill"), pause: (name) => (name ? `Pause ${name}` : "Pause"),
  cut: (name) => (name ? `Cut off ${name}` : "Cut off"), restart: (name) => `Restart ${name}`,
  resume: (name) => `Resume ${name}`, heal: () => "Heal the cut" });
export const serviceAct = (/** @type {string} */ does, /** @type {string} */ name) => serviceActs[does](name);
export const serviceDid = (/** @type {string} */ does, /** @type {string} */ name) => serviceActs[does](name);
export const serviceMend = /** @type {Record<string, string>} */ ({ restart: "Restart", resume: "Resume", heal: "Heal" });
export const serviceCut = "cut off";
export const servicePaused = "paused";
export const serviceDown = "killed";
export const serviceThinks = "believes it leads";
export const serviceRegister = "Register";
export const serviceEmpty = "nothing written";
export const serviceLargest = (/** @type {number} */ token) => `largest token: ${token}`;
export const serviceToken = (/** @type {number} */ token) => `token ${token}`;
export const serviceLeads = (/** @type {number} */ term) => `leads, token ${term}`;
export const serviceLent = (/** @type {string} */ name) => `vote lent to ${name}`;
export const serviceRecord = (/** @type {string} */ name, /** @type {number} */ term) => `record: ${name} leads, token ${term}`;
const seconds = (/** @type {number} */ at) => at.toFixed(2);
export const serviceAt = (/** @type {number} */ at) => `${+at.toFixed(2)} s`;
export const serviceWhere = (/** @type {number} */ at) => `${seconds(at)} s, in virtual time`;
export const serviceNow = (/** @type {number} */ at) => `${seconds(at)} s`;
export const serviceLeft = (/** @type {number} */ left) => `${seconds(left)} s left`;
export const serviceAfter = (/** @type {number} */ after) => `another leads after ${seconds(after)} s`;
export const serviceRefused = (/** @type {number} */ n, /** @type {number} */ token, /** @type {number} */ seen) =>
  (n > 1 ? `${n} writes with token ${token} refused, ${seen} was seen` : `token ${token} refused, ${seen} was seen`);
export const serviceJudge = (/** @type {boolean} */ leases) => (leases ? "No two leases at once" : "No two leaders so far");

/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./service.js").Story} Story */

/** The name of a member. @param {Film} film @param {Story} story @param {number} p */
const memberOf = (film, story, p) => (p === story.store ? "the store" : film.name(p));

/** @param {import("./service.js").Span[]} spans @param {number} p @param {number} now */
const inSpan = (spans, p, now) => spans.some((s) => s.process === p && s.from <= now && now < s.until);

/** @param {Film} film @param {Story} story @param {import("./service.js").Rivalry} r @param {number} now */
export function serviceRivals(film, story, r, now) {
  const all = [...new Set(story.rivals.filter((one) => one.from <= now && now < one.until).flatMap((one) => [one.old, one.new]))];
  if (all.length > 2) {
    const names = all.map((p) => film.name(p)), last = names.pop();
    return `${all.length} leaders: ${names.join(", ")} and ${last}. Why: they do not hear of each other, and nothing stops them.`;
  }
  const [a, b] = [film.name(r.old), film.name(r.new)], ended = now >= r.until;
  const why = inSpan(story.cuts, r.old, r.from) ? `${a} is cut off and cannot hear of ${b}`
    : story.pauses.some((s) => s.process === r.old && s.from <= r.until && s.until >= r.from) ? `${a} was paused and knows nothing of ${b}`
      : `${b} is back, and ${a} has not noticed`;
  return ended ? `Two leaders for ${seconds((r.until - r.from) / story.second)} s: ${a} and ${b}`
    : `Two leaders since ${seconds(r.from / story.second)} s: ${a} and ${b}. Why: ${why}.`;
}

/** What a member is now. @param {Film} film @param {Story} story @param {number} p @param {number} step @param {number} now */
export function serviceIs(film, story, p, step, now) {
  const { role, status, leader } = film.condition(p, step);
  if (status === DOWN) return serviceDown;
  const leads = film.roleOf(p, step) === LEADER && (film.changes.until[film.changesAt(step)[p]] || Infinity) > now;
  const words = [];
  if (status === PAUSED) words.push(servicePaused);
  if (inSpan(story.cuts, p, now)) words.push(serviceCut);
  if (leads) words.push("leads");
  else if (p === story.store) words.push("keeps the record");
  else if (words.length === 0) words.push(role === FOLLOWER && leader >= 0 ? `follows ${film.name(leader)}` : "no leader");
  return words.join(", ");
}

/** What is so now, and why. @param {Film} film @param {Story} story @param {number} step @param {number} now
 * @param {number} leader */
export function serviceSays(film, story, step, now, leader) {
  const left = (/** @type {number} */ until) => seconds(Math.max(0, until - now) / story.second);
  const lent = story.votes.filter((v) => v.from <= now && now < v.end);
  if (leader >= 0) {
    const name = film.name(leader), { status } = film.condition(leader, step);
    const until = film.changes.until[film.changesAt(step)[leader]], over = until > 0 && until <= now;
    const away = inSpan(story.cuts, leader, now);
    if (!story.leases) {
      return away ? `${name} is cut off, and still leads: nothing tells it to stop.`
        : status === PAUSED ? `${name} is paused. The others miss its heartbeats, and will elect another.`
          : `${name} leads. It sends heartbeats, and has no lease.`;
    }
    if (!over) {
      if (status === PAUSED) return `${name} is paused. Its lease lasts for ${left(until)} s, and until then no other may lead.`;
      if (away) return `${name} is cut off and cannot renew. It stops by itself in ${left(until)} s, before another may lead.`;
      return story.store < 0 ? `${name} leads. ${lent.length} of ${film.n} votes are lent to it, and a majority is ${Math.floor(film.n / 2) + 1}.`
        : `${name} leads. The record in the store names it, and it renews the record in time.`;
    }
  }
  const before = step > 0 && story.leads.findLast((l) => l.from <= now);
  if (!before) {
    return story.leases ? story.store < 0 ? "The members ask each other for their votes."
      : "The members wait for as long as a lease may last: somebody might hold one." : "The members elect a leader.";
  }
  if (story.store >= 0) return `Nobody leads. The others wait until the lease of ${film.name(before.process)} has certainly ended.`;
  if (story.leases && lent.length) {
    const most = Math.max(...lent.map((v) => v.until));
    return `Nobody leads. ${lent.length} of ${film.n} votes are still lent, for up to ${left(most)} s: no vote is lent twice.`;
  }
  return "Nobody leads. The members elect another.";
}

/** @type {WeakMap<Story, {at: number, words: string, bad?: boolean, good?: boolean}[]>} */
const told = new WeakMap();

/** What happened, in order. @param {Film} film @param {Story} story */
export function serviceEvents(film, story) {
  const known = told.get(story);
  if (known) return known;
  /** @type {{at: number, words: string, bad?: boolean, good?: boolean}[]} */
  const all = [];
  const name = (/** @type {number} */ p) => memberOf(film, story, p);
  const begins = (/** @type {number} */ p) => name(p).replace(/^the/, "The");
  for (const l of story.leads) {
    const after = story.troubles.find((d) => d.next === l.process && d.from === l.from);
    all.push({ at: l.from, good: true, words: after
      ? `${name(l.process)} leads with token ${l.term}, ${seconds((l.from - after.at) / story.second)} s later`
      : `${name(l.process)} leads with token ${l.term}` });
    if (l.thinks > l.until && story.leases) {
      all.push({ at: l.until, words: `The lease of ${name(l.process)} is over` });
    }
  }
  const spans = /** @type {[import("./service.js").Span[], string, string][]} */ ([[story.downs, "is killed", "is restarted"],
    [story.pauses, "is paused", "wakes up"], [story.cuts, "is cut off", "is reachable again"]]);
  for (const [list, from, until] of spans) {
    for (const s of list) {
      all.push({ at: s.from, bad: true, words: `${begins(s.process)} ${from}` });
      if (s.until < 1e300) all.push({ at: s.until, words: `${begins(s.process)} ${until}` });
    }
  }
  const runs = new Map();
  for (const w of story.writes) {
    if (!w.refused) continue;
    const key = `${w.process} ${w.token} ${w.arrives}`, run = runs.get(key);
    if (run) run.n++;
    else runs.set(key, { ...w, n: 1 });
  }
  for (const w of runs.values()) {
    all.push({ at: w.arrives, bad: true, words: `${w.late === "pause"
      ? `${name(w.process)} writes before it looks at its clock` : w.n > 1 ? `${w.n} writes of ${name(w.process)} arrive late`
        : `A write of ${name(w.process)} arrives late`}: token ${w.token} refused, ${w.seen} was seen` });
  }
  for (const r of story.rivals) {
    all.push({ at: r.from, bad: true, words: `${name(r.old)} and ${name(r.new)} both lead` });
  }
  told.set(story, all.sort((a, b) => a.at - b.at));
  return all;
}
