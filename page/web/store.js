// The state of the page, and who hears of its changes.
//
// A panel is a module that exports mount(element, store). It draws into the element, and draws again when a
// field changes that it named to store.on. It changes the page by store.set, or by the functions of run.js.

/** @typedef {import("./film.js").Film} Film */
/** A run that the reader has seen; a branch comes from another by an act after some step.
 * @typedef {{id: number, parent: number, after: number, title: string, scenario: any, film: Film|null,
 *   seen: number, wrong: string, sugar?: any, story?: any, record?: boolean}} Branch film is null where it was dropped, or not made yet; seen grows,
 *   and is the largest for the branch that was shown last; wrong is why it is marked in the list of runs; sugar are the
 *   settings from which it was made; record tells that it was read as the record of a run, and is what the algorithm does */
/** @typedef {{name: string, variant: string, title: string, source: string, wins: string,
 *   shape: string, params: {name: string, meaning: string, default: any, kind: string, choices?: string[]}[],
 *   kinds: {name: string, meaning: string, announce: boolean}[], best: string, mean: string, worst: string,
 *   defaults?: any, [more: string]: any}} Algorithm */

/** How the axis counts: time, with long waits cut; steps; or the time of a service, as it is.
 * @typedef {"time"|"steps"|"clock"} Scale */

/**
 * @typedef {object} State
 * @property {Algorithm[]} catalog all algorithms
 * @property {any} sugar the settings of the bar: algorithm, n, order, links, delay, seed, params, initiators
 * @property {any} scenario what is shown; null for the record of real processes
 * @property {Film|null} film its film
 * @property {Film|null} fresh the film of the first run of an algorithm, which waits for the reader
 * @property {import("./axis.js").Axis|null} axis where its steps stand in the picture
 * @property {"run"|"service"} view what is shown: the algorithm at work, or the service that it serves
 * @property {any} story of the run, as its service sees it; null before it is known
 * @property {Scale} scale of the axis
 * @property {number} zoom of the picture in time
 * @property {number} step the number of steps that have happened; 0 is before all
 * @property {number} cursor the place on the axis, which moves between steps while the run is played
 * @property {boolean} playing
 * @property {number} speed
 * @property {number} process the chosen process, or -1
 * @property {number} cause the step whose causal past is lit, or 0
 * @property {Branch[]} branches
 * @property {number} branch the id of the branch that is shown
 * @property {number} compare the branch that is shown next to it, or 0
 * @property {string} panel the panel that is open
 * @property {any} doc sources, rules and comments of the algorithms; null before they are read
 * @property {string} error what went wrong last, in one line
 * @property {boolean} busy a film is being made
 * @property {boolean} still the reader prefers less motion
 * @property {number} paint grows when colours or sizes change
 * @property {any} budget what a challenge allows in proofs
 * @property {string} notice why what the reader did last has no effect
 * @property {boolean} doors the start cards are shown above the service
 * @property {string} embed what an embedded page shows; empty on a page of its own
 */

/** @typedef {ReturnType<typeof createStore>} Store */

/** @param {State} state */
export function createStore(state) {
  /** @type {{keys: Set<string>, draw: (state: State) => void}[]} */
  const listeners = [];
  return {
    state,
    /** Changes fields, then informs the listeners that wait for one of them. @param {Partial<State>} change */
    set(change) {
      const changed = Object.keys(change).filter((key) => state[/** @type {keyof State} */ (key)]
        !== change[/** @type {keyof State} */ (key)]);
      if (changed.length === 0) return;
      Object.assign(state, change);
      for (const l of listeners) if (changed.some((key) => l.keys.has(key))) l.draw(state);
    },
    /** Calls draw now, and whenever one of the fields changes.
     * @param {(keyof State)[]} keys @param {(state: State) => void} draw */
    on(keys, draw) {
      listeners.push({ keys: new Set(keys), draw });
      draw(state);
    },
  };
}
