package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Outcome is what one run has come to.
type Outcome struct {
	Messages  uint64
	Crashes   uint64
	Time      time.Duration // virtual
	Hash      uint64        // of everything that happened
	Violation *Violation    // nil if all is well
	Posted    int           // events that processes got in the course of the run, which are not in the Config

	steps int // that were taken
}

// manySteps is how much may happen before a run of a few processes counts as one without end. It is a
// variable since the tests lower it.
var manySteps = 1 << 20

// stepLimit returns that for as many processes and links as there are: a process that suspects its leader may
// hold an election, in which all may send to all.
func (p *Plan) stepLimit() int {
	return max(manySteps, 4*len(p.IDs)*p.Topology.Links())
}

// contextInterval is how many steps there are between two looks at the context.
const contextInterval = 1 << 12

// How long a run may go on after the plan has ended, in units of time, and as many times the longest
// timer that was set.
const (
	longestRun    = 100_000
	longestTimers = 1000
)

// slowTimers is how many times the longest timer a run that never comes to rest has to find its leader, at
// least.
const slowTimers = 20

// play is a run in progress.
type play struct {
	*Plan
	*sim.Sim
	ctx    context.Context
	random *rand.Rand
	where  map[election.ID]int
	clocks *scenario.Clocks
	other  observe.Observer
	steps  int
	most   int // steps, before the run counts as one without end
	is     []participant

	chain verdict.Voters // of the profile Voters
	holds []holding      // likewise, of each process

	sections  verdict.Sections
	decisions verdict.Decisions
	wrong     *Violation
	left      bool // ctx has ended, so that nothing is judged any more

	struck  uint64 // processes that have crashed
	posted  int
	entries int
	timer   time.Duration // the longest that was set
}

// participant is what has been seen of a process.
type participant struct {
	down    bool
	since   time.Duration // when it crashed
	outcome election.Outcome
	asked   int // how many Starts it has not refused
	entered int
	inside  int    // the number of critical sections that it is in
	began   uint64 // the Term in which it has started last
}

// Run makes the run, and reports everything that happens to observe if it is not nil.
func (p *Plan) Run(observe observe.Observer) *Outcome {
	return p.run(context.Background(), observe)
}

// run makes the run; the outcome is nil if ctx ends before.
func (p *Plan) run(ctx context.Context, observe observe.Observer) *Outcome {
	y, err := p.begin(ctx, observe)
	if err != nil {
		return &Outcome{Violation: &Violation{Property: verdict.Sound, Reason: input.Reason(err)}}
	}
	y.playAll()
	if y.left {
		return nil
	}
	r := y.Result()
	return &Outcome{Messages: r.Messages, Crashes: y.struck, Time: y.Now(), Hash: r.TraceHash,
		Violation: y.wrong, Posted: y.posted, steps: y.steps}
}

// begin returns the run before its first step.
func (p *Plan) begin(ctx context.Context, observe observe.Observer) (*play, error) {
	// The source of random is its own: drawing here must not change what the simulator draws.
	y := &play{Plan: p, ctx: ctx, other: observe, where: p.Positions(), clocks: p.Clocks(),
		most:      p.stepLimit(),
		is:        make([]participant, len(p.IDs)),
		random:    rand.New(rand.NewPCG(p.Config.Seed, 1)),
		decisions: p.newDecisions(), sections: verdict.Sections{Split: p.splits()}}
	if p.profile == Voters {
		y.holds = make([]holding, len(p.IDs))
	}
	c := p.Config
	c.Observe = y.observe
	var err error
	y.Sim, err = sim.New(c)
	return y, err
}

// newDecisions returns the judge of the decisions of a run.
func (p *Plan) newDecisions() verdict.Decisions {
	return verdict.Decisions{Algorithm: p.Algorithm,
		Returned: len(p.RecoverAt)+len(p.RestartAt) > 0 || p.splits()}
}

// pilotSteps is how many steps a pilot takes at most.
const pilotSteps = 1 << 12

// pilot makes the run up to a time, for what it shows. The whole run takes the same steps until then.
func (p *Plan) pilot(until time.Duration, observe observe.Observer) {
	q := *p
	// The plan is still being drawn, so its prompts are not sorted yet, and their order is not to change.
	q.Prompts = slices.SortedStableFunc(slices.Values(p.Prompts), earlier)
	y, err := q.begin(context.Background(), observe)
	if err != nil {
		return
	}
	y.most = pilotSteps
	for _, w := range q.Prompts {
		if w.At < until {
			y.until(w.At)
			y.prompt(w)
		}
	}
	y.until(until)
}

func (y *play) fail(property verdict.Property, format string, args ...any) {
	if y.wrong == nil && !y.left {
		for i, arg := range args {
			if err, ok := arg.(error); ok {
				// The prefix of an error names its package, which is known from the Violation.
				args[i] = input.Reason(err)
			}
		}
		y.wrong = &Violation{Property: property, Reason: fmt.Sprintf(format, args...), At: y.Now()}
	}
}

// playAll plays the plan, waits until everything is calm, and judges.
func (y *play) playAll() {
	for _, w := range y.Prompts {
		y.until(w.At)
		y.prompt(w)
	}
	if y.Algorithm.NeverQuiesces {
		y.playRestless()
		return
	}
	// Without an end: the clock must stop when the run comes to rest.
	y.Extend(0)
	end := y.planEnd()
	for round := 0; y.goesOn(); round++ {
		y.goOn(func() bool { return y.Now() < y.latest(end) })
		if y.Now() >= y.latest(end) {
			y.fail(verdict.Rests, "it continues after %d units", y.Now()/unit)
		}
		// Each report may reveal one more dead leader. After as many rounds as processes none can be left.
		if round > len(y.IDs) || !y.askAgain() && !y.notice() {
			break
		}
	}
	y.end()
}

// askAgain begins to judge entries once processes that were apart are together again, and asks for the
// section at each: a request, or the answer to it, may have been lost. It returns whether there was any
// such process.
func (y *play) askAgain() bool {
	if !y.sections.Split || !y.goesOn() {
		return false
	}
	y.sections.Split = false
	before := y.posted
	for p := range y.is {
		if is := &y.is[p]; !is.down && y.guardsSections() {
			// Entries from the time of the split do not count: the process must enter again.
			is.entered = 0
			y.posted++
			y.Post(p, election.Event{Op: election.Start})
		}
	}
	return y.posted > before
}

// end judges the end, unless the run is wrong already.
func (y *play) end() {
	if y.goesOn() {
		y.wrong = y.judge()
	}
}

// latest returns when a run that does not end counts as endless, if its plan ends at the given time.
func (y *play) latest(end time.Duration) time.Duration {
	return end + min(max(longestRun*unit, longestTimers*min(y.timer, lastTimer)), math.MaxInt64-end)
}

// lastTimer keeps multiples of a timer within the times that there are.
const lastTimer = math.MaxInt64 / longestTimers

// playRestless plays on in a run that never comes to rest, until all is well, and for a while more: the
// leader must stay the same.
func (y *play) playRestless() {
	end := y.planEnd()
	while := y.Plan.Until - end
	y.until(y.Plan.Until)
	if y.profile == Voters {
		y.settle()
	}
	if y.askAgain() {
		y.until(y.Now() + while)
	}
	for round, before := 0, -1; y.goesOn() && y.judge() != nil; round++ {
		// Slow heartbeats take longer than that. Others may be inside for longer still, one after another: a
		// request waits as long as there is progress.
		slow := y.Now() < end+slowTimers*min(y.timer, lastTimer)
		nudged := !y.Algorithm.Heartbeats || y.Algorithm.Faults.Nudged
		reported := nudged && round <= len(y.IDs) && y.notice()
		if !slow && !reported && !y.isServing(before) || y.Now() >= y.latest(end) {
			break
		}
		before = y.entries
		y.until(y.Now() + while)
	}
	y.end()
	before := make([]election.Outcome, len(y.is))
	for p := range y.is {
		before[p] = y.is[p].outcome
	}
	// The election is right by now. It also has to stay right, without any further fault.
	y.until(y.Now() + 50*unit)
	for p := range y.is {
		if !y.is[p].outcome.Same(before[p]) {
			y.fail(verdict.Agreement, "process %d changes from %v to %v, long after the last fault",
				y.IDs[p], before[p], y.is[p].outcome)
		}
	}
}

// goesOn reports whether the run is neither wrong so far, nor left.
func (y *play) goesOn() bool { return y.wrong == nil && !y.left }

// isServing reports whether a request waits, and there were more entries than before, or a process is inside.
func (y *play) isServing(before int) bool {
	waits, progress := false, y.entries > before
	for p := range y.is {
		waits = waits || y.is[p].waits()
		progress = progress || y.is[p].inside > 0
	}
	return y.guardsSections() && waits && progress
}

// until continues until a time.
func (y *play) until(at time.Duration) {
	y.Extend(max(at, 1)) // zero would be no end
	y.goOn(func() bool { return true })
}

// goOn takes steps as long as there are any and allows holds, and judges the error that ends the run.
func (y *play) goOn(allows func() bool) {
	for y.goesOn() && allows() && y.Step() {
		// Heartbeats continue forever and are no livelock, so they are allowed in addition.
		if y.steps++; y.steps > y.most && float64(y.steps-y.most) > y.beats() {
			y.fail(verdict.Rests, "it continues after %d steps", y.most)
		}
		y.left = y.steps%contextInterval == 0 && y.ctx.Err() != nil
	}
	if y.wrong != nil || y.left {
		return
	}
	err := y.Err()
	if one, ok := errors.AsType[*observe.ProcessError](err); ok &&
		(errors.Is(err, observe.ErrPanic) || errors.Is(err, observe.ErrPort)) {
		y.fail(verdict.Sound, "process %d: %v", one.ID, one.Err)
	}
	if errors.Is(err, sim.ErrTime) {
		y.fail(verdict.Rests, "%v", err)
	}
}

// beats returns how many heartbeats there may have been, whatever else has happened: as many as
// algorithms allow, a hundred in the time that a message may take.
func (y *play) beats() float64 {
	if !y.Algorithm.Heartbeats || y.Algorithm.Delay == 0 {
		return 0
	}
	return 100 * float64(y.Topology.Links()) * float64(y.Now()/y.Algorithm.Delay)
}

// port returns the port by which p reaches q.
func (y *play) port(p, q int) (election.Port, bool) {
	for port := range election.Port(y.Topology.Ports(p)) {
		if to, _, _ := y.Topology.Link(p, port); to == q {
			return port, true
		}
	}
	return 0, false
}

// prompt posts the event of a Prompt, if its conditions hold.
func (y *play) prompt(w Prompt) {
	to := &y.is[y.where[w.To]]
	leader, led := y.where[to.outcome.Leader.ID]
	of, known := y.where[w.Of]
	switch {
	case to.down || y.wrong != nil:
	case known && w.Back:
		if !y.is[of].down {
			y.report(election.Trust, y.where[w.To], of)
		}
	case known && y.lastMessageArrived(of):
		y.report(election.Suspect, y.where[w.To], of)
	case w.Of == 0 && (to.outcome.Role == election.Undecided || led && y.lastMessageArrived(leader)):
		y.posted++
		y.Post(y.where[w.To], election.Event{Op: election.Start})
	}
}

// lastMessageArrived reports whether a process is down and none of its messages is in flight. The profile
// Chaos does not ask for that: it is about what comes out of order.
func (y *play) lastMessageArrived(p int) bool {
	return y.is[p].down && (y.profile == Chaos || y.Now()-y.is[p].since >= y.longestDelay())
}

// report reports to process p by op what a detector believes of q.
func (y *play) report(op election.Op, p, q int) {
	if port, ok := y.port(p, q); ok {
		y.posted++
		y.Post(p, election.Event{Op: op, Port: port})
	}
}

// notice reports to each process that its leader is down, and starts those without a leader, where processes
// may crash. It returns whether there was any such process. Where the detector of the plan has reported
// each crash, the processes must find a leader without that.
func (y *play) notice() bool {
	if y.Algorithm.Faults.Crash == election.NoCrash {
		return false
	}
	before := y.posted
	// Chaos asks for more than Broad: once a process has a leader, the others must find one by themselves.
	led := func(is participant) bool { return !is.down && is.outcome.Role != election.Undecided }
	start := !y.needsReports() && (y.profile != Chaos || !slices.ContainsFunc(y.is, led))
	for _, p := range y.random.Perm(len(y.IDs)) {
		if y.is[p].down {
			continue
		}
		q, known := y.where[y.is[p].outcome.Leader.ID]
		switch {
		case !known:
			if !y.guardsSections() && (start || y.Algorithm.Faults.Nudged) {
				y.posted++
				y.Post(p, election.Event{Op: election.Start})
			}
		case y.is[q].down && !y.needsReports():
			y.report(election.Suspect, p, q)
		}
	}
	return y.posted > before
}

// observe judges everything that happens.
func (y *play) observe(o *observe.Occurrence) {
	p := y.where[o.Process]
	is := &y.is[p]
	switch o.What {
	case observe.Step:
		y.step(p, is, o)
	case observe.Crash:
		// Its Starts still count after the crash: the election that it asked for must end among the others.
		*is = participant{down: true, since: o.At, asked: is.asked}
		if y.guardsSections() {
			is.asked = 0 // it will have forgotten
		}
		y.struck++
		y.sections.Crash(o.Process)
		y.decisions.Crash(o.Process)
	case observe.Recover, observe.Restart:
		is.down = false
		y.decisions.Return(o.Process)
	}
	if y.other != nil {
		y.other(o)
	}
}

// step looks at a step.
func (y *play) step(p int, is *participant, o *observe.Occurrence) {
	fx := o.Effects
	if o.Event.Op == election.Start {
		y.start(is, o)
	}
	if y.profile == Voters {
		y.hold(p, o.Event.Op)
	}
	if term, ok := verdict.Started(y.Algorithm, o.Event, fx); ok {
		is.began = term
	}
	for i := range fx.Timers {
		y.timer = max(y.timer, fx.Timers[i].Min, fx.Timers[i].Max)
	}
	if fx.Decided() {
		y.decide(p, is, fx.Outcome)
	}
	if len(fx.Signals) > 0 {
		for i := range fx.Signals {
			if r := &fx.Signals[i]; !r.Down {
				y.raised(is, o.Process, &r.Event)
			}
		}
	}
}

// start notes a Start.
func (y *play) start(is *participant, o *observe.Occurrence) {
	fx := o.Effects
	if fx.Refused() {
		late := errors.Is(fx.Err, election.ErrLateStart) && y.Algorithm.LateStart == election.LateRefused
		only := errors.Is(fx.Err, election.ErrNotInitiator) && y.Algorithm.SingleInitiator
		if !late && !only {
			y.fail(verdict.Accepted, "process %d: %v", o.Process, fx.Err)
		}
		return
	}
	is.asked++
}

// decide judges what a process believes now.
func (y *play) decide(p int, is *participant, now election.Outcome) {
	is.outcome = now
	until := y.clocks.When(p, y.Now(), now.Until)
	if property, err := y.decisions.Note(y.IDs[p], now, y.Now(), until); err != nil {
		y.fail(property, "%v", err)
	}
	if now.Role == election.Leader && y.Algorithm.Elects != election.NoLeader && now.Leader != y.Self(p) {
		y.fail(verdict.OneLeader, "process %d leads, and names %v as the leader", y.IDs[p], now.Leader)
	}
}

// raised notes that a process enters or leaves a critical section.
func (y *play) raised(is *participant, process election.ID, ev *election.Event) {
	property, err := y.sections.Note(process, ev)
	switch {
	case err != nil:
		y.fail(property, "%v", err)
	case ev.Op == election.Entered:
		is.entered++
		is.inside++
		y.entries++
	case ev.Op == election.Exited:
		is.inside--
	}
}
