package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// effect is what one handler does: to its process, and beyond.
type effect struct {
	local   uint32
	sends   []sent
	timers  []election.TimerChange
	tokens  []token  // of entries into critical sections
	leases  []uint64 // the Terms of leases that begin
	agreed  []agreed // configurations that a quorum has stored
	choices []int    // what chance brings
	refused bool     // the start
	visible bool     // a property can see the difference
	broken  int      // 1 + the index of the built-in rule that this step breaks
	err     error    // why
}

type sent struct {
	link   int
	msg    uint32
	silent bool // it is not delivered; see Config.NoAnnouncement
}

// effectKey says what a handler sees.
type effectKey struct {
	process int
	local   uint32
	now     uint8
	op      election.Op
	port    election.Port
	msg     uint32
	timer   owner
	// incarnation is that of an Init where there are leases.
	incarnation uint16
}

// worker expands states. All that it has is its own, but for the tables.
type worker struct {
	*model
	locals   []window[local]
	queues   []window[queue]
	frames   window[frame]
	messages window[election.Message]

	candidates []election.Candidate // for the rule of the Winner
	byStart    bool                 // that rule depends on which processes start

	offset  time.Duration // added to the time; see clock, and Judge
	env     *election.Env
	nodes   []election.TermKeeper
	script  []int // what chance brings in this run of a handler
	ranges  []int // among how many
	drawn   int
	given   []int      // not nil while a step is followed: its choices; see pen.follow
	unfit   bool       // one of these choices was not there
	chance  bool       // it has something to choose from in some step
	effects [][]effect // by number: one for each thing that chance may bring
	byKey   map[effectKey]uint32
	arrive  []memo // by link: a local and a message give the number of effects
	push    []memo // by link: a queue and a message give a queue
	pull    []memo // by link: a queue and the place of an item
	settled map[settleKey]settled
	aged    []memo // by link: a queue a tick later
	tidied  []memo // by link: a local and a queue give a queue without what the local ignores

	changed []change // what the step at hand changes
	broken  int      // as in effect
	fault   error
	visible bool
	refused bool
	sent    []sent
	lost    []int // which of them a cut has lost
	reset   []election.TimerChange
	choices []int
	out     []successor
	reports []report // steps in w.out that break a rule
}

// change is a slot that a step gives another value.
type change struct {
	slot int
	to   uint32
}

// token is that of an entry.
type token struct {
	section uint8
	value   uint64
	apart   bool // it may be smaller than the one before
}

type settleKey struct {
	frame  uint32
	number uint32
	choice int
	ran    owner
}

func newWorker(m *model) *worker {
	w := &worker{model: m, byKey: make(map[effectKey]uint32), settled: make(map[settleKey]settled)}
	w.env = election.NewEnv(&m.config.Input, w.choose)
	// One list for all states: a rule of the Winner is asked in most of them.
	w.candidates = m.config.Candidates()
	w.byStart = m.config.Algorithm.Winner != nil && m.config.Algorithm.Winner.ByStart
	for p := range m.n {
		w.locals = append(w.locals, window[local]{table: &m.locals[p]})
		w.nodes = append(w.nodes, m.config.Node(p))
	}
	for l := range m.links {
		w.queues = append(w.queues, window[queue]{table: &m.queues[l]})
	}
	w.frames.table, w.messages.table = &m.frames, &m.messages
	for _, memos := range []*[]memo{&w.arrive, &w.push, &w.pull, &w.aged, &w.tidied} {
		*memos = make([]memo, len(m.links))
	}
	return w
}

// choose serves [election.Env.Choose]: by the script, and zero where that has ended.
func (w *worker) choose(n int) int {
	if w.drawn == len(w.script) {
		w.script, w.ranges = append(w.script, 0), append(w.ranges, n)
	}
	if w.drawn++; w.given != nil && w.script[w.drawn-1] >= n {
		w.unfit = true
		return 0
	}
	return w.script[w.drawn-1]
}

// next moves to the next script, and reports whether there is one.
func (w *worker) next() bool {
	for k := len(w.script) - 1; k >= 0; k-- {
		// What was drawn behind it is forgotten: after another choice the Node may draw other things.
		if w.script[k]++; w.script[k] < w.ranges[k] {
			w.script, w.ranges = w.script[:k+1], w.ranges[:k+1]
			return true
		}
	}
	return false
}

// maxChoices bounds what chance may bring in one handler.
const maxChoices = 1 << 8

// run returns the number of the effects of a handler.
func (w *worker) run(key effectKey) uint32 {
	if w.given != nil {
		// Nothing is remembered: the choices are known, and the next step may come at another time.
		w.script, w.ranges = append(w.script[:0], w.given...), w.ranges[:0]
		w.effects = append(w.effects, []effect{w.runOnce(key)})
		return uint32(len(w.effects) - 1)
	}
	if number, ok := w.byKey[key]; ok {
		return number
	}
	w.script, w.ranges = w.script[:0], w.ranges[:0]
	var all []effect
	for more := true; more; more = w.next() {
		if len(all) == maxChoices {
			w.tooLarge("a step with more than %d random outcomes", maxChoices)
			break
		}
		all = append(all, w.runOnce(key))
	}
	w.chance = w.chance || len(all) > 1
	w.effects = append(w.effects, all)
	number := uint32(len(w.effects) - 1)
	w.byKey[key] = number
	return number
}

// runOnce runs a handler once. Its panic is what breaks the rules.
func (w *worker) runOnce(key effectKey) (e effect) {
	p, was := key.process, w.locals[key.process].at(key.local)
	w.drawn = 0
	defer func() {
		if r := recover(); r != nil {
			e = effect{local: key.local, broken: ruleSound + 1,
				err: fmt.Errorf("process %d: %w: %v", w.config.IDs[p], observe.ErrPanic, r)}
			e.choices = append(e.choices, w.script[:w.drawn]...)
		}
	}()
	host := &w.nodes[p]
	is := *was
	ev := election.Event{Op: key.op, Port: key.port, At: w.now(p, key.now)}
	if key.op == election.Rejoin {
		// A return is Init and then Rejoin, as in every driver, and one step: nothing comes between them.
		ev.Op = election.Init
		w.restore(host, was.saved)
	} else {
		w.restore(host, was.node) // before Init it has none
	}
	switch key.op {
	case election.Recv:
		ev.Msg = *w.messages.at(key.msg)
	case election.Init, election.Rejoin:
		ev.Msg.Value = uint64(key.incarnation)
	case election.Timeout:
		ev.Timer, ev.Layer = uint8(key.timer), uint8(key.timer>>8)
	}
	w.perform(p, host, &ev, &is, &e)
	if key.op == election.Rejoin {
		ev.Op, ev.Msg = election.Rejoin, election.Message{}
		w.perform(p, host, &ev, &is, &e)
	}
	is.node = string(new(election.State).Append(nil, host))
	if host.Ended() {
		is.flags |= hasEnded
	} else {
		is.flags &^= hasEnded
	}
	e.local = w.local(p, is)
	e.choices = append(e.choices, w.script...)
	e.visible = len(e.tokens) > 0 || is.outcome != was.outcome || is.inside != was.inside ||
		is.startedTerm != was.startedTerm && w.byStart
	return e
}

// now returns what the clock of a process shows.
func (w *worker) now(p int, ticks uint8) time.Duration {
	return w.clocks.Local(p, time.Duration(ticks)*w.config.Tick+w.offset)
}

// restore brings a Node to a state; without one, to that of its beginning.
func (w *worker) restore(host *election.TermKeeper, state string) {
	if state == "" {
		new(election.State).Reset(host)
	} else if err := new(election.State).Restore(host, []byte(state)); err != nil {
		panic(err)
	}
}

// perform steps a Node and notes what it wants done.
func (w *worker) perform(p int, host *election.TermKeeper, ev *election.Event, is *local, e *effect) {
	fx := w.env.Begin(p)
	host.Step(w.env, ev)
	for i := range fx.Sends {
		msg := fx.Sends[i].Msg
		index := noLink
		if int(fx.Sends[i].Port) < w.config.Topology.Ports(p) {
			index = int(w.linkOf[w.config.Topology.Index(p, fx.Sends[i].Port)])
		}
		switch {
		case index == noLink:
			e.broken, e.err = ruleSound+1, fmt.Errorf("process %d: %w %d", w.config.IDs[p], observe.ErrPort,
				fx.Sends[i].Port)
		default:
			e.sends = append(e.sends, sent{link: index, msg: w.message(&msg), silent: w.silent[msg.Kind]})
		}
	}
	e.timers = append(e.timers, fx.Timers...)
	if fx.Decided() {
		w.decide(w.config.IDs[p], is, fx.Outcome, ev.At, e)
	}
	// What isIdle asks for, and only where the answer matters: a flag more would make states more.
	if ev.Op == election.Recv && w.config.Crashes > 0 && w.config.Algorithm.Faults.Crash != election.NoCrash && !w.keeps {
		is.flags |= hasHeard
	}
	if ev.Op == election.Start {
		is.flags &^= isToStart
		if e.refused = fx.Refused(); !e.refused {
			is.flags |= hasStarted
		}
	}
	w.noteStart(host, ev, fx, is)
	if n, ok := host.Node().(*voter); ok {
		e.agreed = append(e.agreed, n.confirmed...)
	}
	if fx.Saved() && w.config.Restarts > 0 {
		is.saved = string(new(election.State).Append(nil, host))
	}
	for i := range fx.Signals {
		w.noteSignal(&fx.Signals[i], is, e)
	}
}

// noteStart notes the Term of an election that the process begins in a step. A long-lived Node, as an overlay
// is, keeps its Terms where the TermKeeper does not see them, and begins elections without a Start too.
func (w *worker) noteStart(host *election.TermKeeper, ev *election.Event, fx *election.Effects, is *local) {
	if w.config.Algorithm.LongLived() && w.byStart {
		if term, ok := verdict.Started(w.config.Algorithm, ev, fx); ok {
			is.startedTerm = term
		}
	} else if ev.Op == election.Start && !fx.Refused() {
		is.startedTerm = host.Term()
	}
}

// decide notes a decision, and whether it takes back one of the same Term.
func (w *worker) decide(id election.ID, is *local, o election.Outcome, now time.Duration, e *effect) {
	if w.config.Algorithm.Elects == election.LeaseHolders && o.LeadsAt(now) &&
		!(is.outcome.LeadsAt(now) && is.outcome.Same(o)) {
		e.leases = append(e.leases, o.Term)
	}
	if !w.config.Algorithm.LongLived() {
		if err := verdict.Changed(id, is.outcome, o); err != nil {
			e.broken, e.err = ruleNoChange+1, err
		}
	}
	if w.config.Algorithm.Elects == election.GroupLeaders && o.Role == election.Leader {
		if o.Term <= is.groups && !o.Same(is.outcome) {
			e.broken, e.err = ruleGroupsOnce+1, verdict.SecondGroup(id, o.Term, is.groups)
		}
		is.groups = max(is.groups, o.Term)
	}
	if o.Leader != is.outcome.Leader {
		is.flags &^= hasMissed
	}
	is.outcome = o
}

// noteSignal notes that a process enters or leaves a critical section.
func (w *worker) noteSignal(r *election.Signal, is *local, e *effect) {
	bit := uint64(1) << r.Event.Msg.Flags // there are at most maxSections
	switch {
	case r.Down:
	case r.Event.Op == election.Entered:
		is.inside |= bit
		is.flags |= wasInside
		e.tokens = append(e.tokens, token{r.Event.Msg.Flags, r.Event.Msg.Value, is.flags&wasApart != 0})
		is.flags &^= wasApart
	case r.Event.Op == election.Exited:
		is.inside &^= bit
	}
}

// settled is what comes of the effects of a handler on a frame.
type settled struct {
	frame uint32
	rule  int   // that is broken: a token is not larger than the one before, or a configuration does not follow
	err   error // why; nil if none is
}

// settle returns the frame that comes of what a handler does to timers and tokens.
func (w *worker) settle(p int, number uint32, choice int, of uint32, ran owner) settled {
	e := &w.effects[number][choice]
	key := settleKey{frame: of, number: number, choice: choice, ran: ran}
	// Timers change in most steps of algorithms that have some, and a frame is copied and hashed for it: the
	// same change of the same frame is looked up.
	if to, ok := w.settled[key]; ok {
		return to
	}
	var to settled
	f := w.frames.at(of).clone()
	if ran != noTimer {
		f.stop(func(o owner) bool { return o == ran })
	}
	for i := range e.timers {
		w.changeTimer(&f, p, &e.timers[i])
	}
	for i := range e.tokens {
		t := &e.tokens[i]
		// A Node may enter a section that its descriptor does not count.
		for len(f.tokens) <= int(t.section) {
			f.tokens = append(f.tokens, 0)
		}
		if last := f.tokens[t.section]; t.value <= last && !t.apart {
			to.err = verdict.SmallerToken(w.config.IDs[p], t.section, t.value, last)
		}
		f.tokens[t.section] = max(f.tokens[t.section], t.value)
	}
	for _, term := range e.leases {
		if last := f.tokens[0]; term <= last {
			to.err = verdict.SmallerTerm(w.config.IDs[p], term, last)
		}
		f.tokens[0] = max(f.tokens[0], term)
	}
	if to.rule = ruleTokens; w.config.Algorithm.Elects == election.LeaseHolders {
		to.rule = ruleLaterTerms
	}
	for _, next := range e.agreed {
		var err error
		if f.agreed, err = f.agreed.follow(next); err != nil {
			to.rule, to.err = ruleChain, err
		}
	}
	to.frame = w.frame(f)
	w.settled[key] = to
	return to
}

// noTimer is no timer of any process.
const noTimer = ^owner(0)

func (f *frame) clone() frame {
	c := *f
	c.timers, c.tokens = slices.Clone(f.timers), slices.Clone(f.tokens)
	return c
}

// changeTimer starts or stops a timer, as a Node asks.
func (w *worker) changeTimer(f *frame, p int, c *election.TimerChange) {
	of := newOwner(p, c.Layer, c.Timer)
	f.stop(func(o owner) bool { return o.matches(p, c) })
	if c.Stop {
		return
	}
	t := timer{owner: of, min: max(c.Min, 0), max: max(c.Max, c.Min, 0)}
	if w.timed() {
		if w.clocks != nil {
			// Things happen at ticks, so a timer that runs out between two of them does so at the next.
			t.min, t.max = w.afterTicks(p, t.min), w.afterTicks(p, t.max)
		} else {
			t.min, t.max = w.timerTicks(t.min), w.timerTicks(t.max)
		}
	} else {
		// Without a clock min and max say nothing but which timer runs out first. What is known of that
		// is kept in before, so that states do not differ in times that no step depends on.
		for i := range f.timers {
			if f.timers[i].max <= t.min {
				t.before = append(t.before, f.timers[i].owner)
			}
		}
		t.min = 0
	}
	byOwner := func(t timer, o owner) int { return int(int64(t.owner) - int64(o)) }
	at, _ := slices.BinarySearchFunc(f.timers, of, byOwner)
	f.timers = slices.Insert(f.timers, at, t)
}

// stop takes timers away.
func (f *frame) stop(which func(owner) bool) {
	f.timers = slices.DeleteFunc(f.timers, func(t timer) bool { return which(t.owner) })
	for i := range f.timers {
		if slices.ContainsFunc(f.timers[i].before, which) {
			// Not in place: frames share the list.
			f.timers[i].before = slices.DeleteFunc(slices.Clone(f.timers[i].before), which)
		}
	}
}
