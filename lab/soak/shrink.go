package soak

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// Shrunk describes how the smallest Plan fails, and how it was found.
type Shrunk struct {
	Violation *Violation
	Tried     int // how many smaller plans were run

	steps int // of these, together
}

// mostShrinking is how many steps smaller plans may take together: those without end take very many. It is a
// variable since a test lowers it.
var mostShrinking = 1 << 27

// tries is how many Seeds are tried for a smaller plan: what is left of the chance in a run is another
// as soon as anything else is.
const tries = 24

// Shrink makes a Plan smaller as long as it still violates the same property: it leaves out
// processes, those that start, crashes, returns, pauses and prompts, one after another, and makes delays
// and places simpler, until nothing can be left out any more, ctx ends, or it has taken very many steps.
func Shrink(ctx context.Context, p *Plan, v *Violation) (*Plan, *Shrunk) {
	s := &Shrunk{Violation: v}
	p = scenario.Shrink(p, smallerPlans,
		func(q *Plan) (*Plan, bool) { return q, q != nil && s.fails(ctx, q) },
		func() bool { return s.hasBudget(ctx) })
	return p, s
}

// hasBudget reports whether there may be more runs.
func (s *Shrunk) hasBudget(ctx context.Context) bool {
	return ctx.Err() == nil && s.steps < mostShrinking
}

// fails reports whether a plan violates the same property, with one of a few Seeds.
func (s *Shrunk) fails(ctx context.Context, p *Plan) bool {
	if p.Check() != nil || p.SuspectAfter > 0 && p.SuspectAfter < p.longestDelay() || !p.storeRestarts() {
		return false // nor does a detector report a crash before the last message has arrived
	}
	first := p.Config.Seed
	for i := range uint64(tries) {
		// The Seed of the original comes first, as it is the likeliest to fail. After it small ones, which
		// read better in a report.
		p.Config.Seed = first
		if i > 0 {
			p.Config.Seed = i - 1
		}
		s.Tried++
		o := p.run(ctx, nil)
		if o == nil {
			return false
		}
		s.steps += o.steps
		if o.Violation != nil && o.Violation.Property == s.Violation.Property {
			s.Violation = o.Violation
			return true
		}
		if p.Schedule == sim.UnitDelay && len(p.Prompts) == 0 && p.Faults() == 0 {
			return false // no Seed makes a difference
		}
	}
	return false
}

// smallerPlans return the i-th smaller plan of a kind, or none, and whether there may be more.
var smallerPlans = []func(p *Plan, i int) (q *Plan, more bool){
	dropProcess, dropCrash,
	drop(func(p *Plan) *[]scenario.Pause { return &p.PauseAt }),
	drop(func(p *Plan) *[]scenario.ClockRate { return &p.ClockRates }),
	drop(func(p *Plan) *[]fault.Partition { return &p.Config.Faults.Partitions }),
	dropInitiator, dropReturn,
	drop(func(p *Plan) *[]Prompt { return &p.Prompts }),
	drop(func(p *Plan) *[]scenario.Command { return &p.Commands }),
	drop(func(p *Plan) *[]scenario.Wish { return &p.Wishes }),
	simpleLinks, simplePriorities, simpleSchedule, simpleDelay, simpleStart, simpleTime, simpleIDs,
	simpleOrder,
}

// clone copies what the others change.
func (p *Plan) clone() *Plan {
	q := *p
	q.IDs, q.Priorities, q.Initiators = slices.Clone(p.IDs), slices.Clone(p.Priorities),
		slices.Clone(p.Initiators)
	q.StartTimes, q.Crashed = slices.Clone(p.StartTimes), slices.Clone(p.Crashed)
	q.CrashAt, q.RecoverAt, q.RestartAt = slices.Clone(p.CrashAt), slices.Clone(p.RecoverAt),
		slices.Clone(p.RestartAt)
	q.PauseAt, q.Prompts = slices.Clone(p.PauseAt), slices.Clone(p.Prompts)
	q.ClockRates = slices.Clone(p.ClockRates)
	q.final = slices.Clone(p.final)
	q.Wishes, q.Commands = slices.Clone(p.Wishes), slices.Clone(p.Commands)
	for k := range q.Wishes {
		q.Wishes[k].Voters = slices.Clone(p.Wishes[k].Voters)
	}
	for k := range q.Commands {
		q.Commands[k].Voters = slices.Clone(p.Commands[k].Voters)
	}
	// Groups are slices of slices: copy the inner ones too, as simpleIDs writes to them.
	q.Config.Faults.Partitions = nil
	for _, cut := range p.Config.Faults.Partitions {
		cut.Groups = [][]election.ID{slices.Clone(cut.Groups[0])}
		q.Config.Faults.Partitions = append(q.Config.Faults.Partitions, cut)
	}
	return &q
}

// reconfigured returns the plan with its algorithm configured for its processes and delays. It is nil if
// that cannot be.
func (p *Plan) reconfigured() *Plan {
	a, err := scenario.Configure(p.Algorithm, p.params, p.IDs, p.longestDelay())
	if err != nil {
		return nil
	}
	p.Algorithm = a
	return p
}

func dropProcess(p *Plan, i int) (*Plan, bool) {
	if i >= len(p.IDs) {
		return nil, false
	}
	links, left, ok := withoutProcess(&p.Input, i)
	if !ok {
		return nil, true
	}
	q := p.clone()
	q.Topology, q.IDs, q.Priorities = links, nil, nil
	for _, at := range left {
		q.IDs = append(q.IDs, p.IDs[at])
		if p.Priorities != nil {
			q.Priorities = append(q.Priorities, p.Priorities[at])
		}
	}
	gone := func(id election.ID) bool { return !slices.Contains(q.IDs, id) }
	for k := len(q.Initiators) - 1; k >= 0; k-- {
		if gone(q.Initiators[k]) {
			q.removeStart(k)
		}
	}
	if p.Initiators == nil && q.StartTimes != nil && !p.Algorithm.SingleInitiator {
		q.StartTimes = nil
		for _, at := range left {
			q.StartTimes = append(q.StartTimes, p.StartTimes[at])
		}
	}
	lost := func(at scenario.At) bool { return gone(at.ID) }
	q.CrashAt, q.RecoverAt = slices.DeleteFunc(q.CrashAt, lost), slices.DeleteFunc(q.RecoverAt, lost)
	q.RestartAt = slices.DeleteFunc(q.RestartAt, lost)
	// The model requires one process that stays up. Without it the smaller plan would fail for another
	// reason.
	if q.guardsSections() && !slices.ContainsFunc(q.IDs, q.neverCrashes) {
		return nil, true
	}
	q.PauseAt = slices.DeleteFunc(q.PauseAt, func(s scenario.Pause) bool { return gone(s.ID) })
	q.ClockRates = slices.DeleteFunc(q.ClockRates, func(r scenario.ClockRate) bool { return gone(r.ID) })
	q.Config.Faults.Partitions = slices.DeleteFunc(q.Config.Faults.Partitions,
		func(cut fault.Partition) bool {
			cut.Groups[0] = slices.DeleteFunc(cut.Groups[0], gone)
			return len(cut.Groups[0]) == 0
		})
	q.Prompts = slices.DeleteFunc(q.Prompts,
		func(w Prompt) bool { return gone(w.To) || w.Of != 0 && gone(w.Of) })
	q.Wishes = slices.DeleteFunc(q.Wishes, func(w scenario.Wish) bool { return gone(w.ID) })
	q.Commands = slices.DeleteFunc(q.Commands,
		func(c scenario.Command) bool { return c.Process != 0 && gone(c.Process) })
	for _, list := range q.lists() {
		if *list = slices.DeleteFunc(*list, gone); len(*list) == 0 && *list != nil {
			return nil, true // there must be voters
		}
	}
	if q.Wishes != nil && !slices.ContainsFunc(q.IDs, q.isWished) {
		return nil, true // lists without a process in common may found two groups
	}
	return q.reconfigured(), true
}

// isWished reports whether a process is among the voters of all wishes.
func (p *Plan) isWished(id election.ID) bool {
	return slices.Contains(p.final, id) &&
		!slices.ContainsFunc(p.Wishes, func(w scenario.Wish) bool { return !slices.Contains(w.Voters, id) })
}

// lists returns the lists of voters in a plan.
func (p *Plan) lists() []*[]election.ID {
	all := []*[]election.ID{&p.final}
	for k := range p.Wishes {
		all = append(all, &p.Wishes[k].Voters)
	}
	for k := range p.Commands {
		all = append(all, &p.Commands[k].Voters)
	}
	return all
}

// neverCrashes reports whether a process never crashes.
func (p *Plan) neverCrashes(id election.ID) bool {
	return !slices.ContainsFunc(p.CrashAt, func(at scenario.At) bool { return at.ID == id })
}

// removeStart removes one of the processes that start.
func (p *Plan) removeStart(k int) {
	p.Initiators = slices.Delete(p.Initiators, k, k+1)
	if len(p.StartTimes) > 0 {
		p.StartTimes = slices.Delete(p.StartTimes, k, k+1)
	}
}

func dropInitiator(p *Plan, i int) (*Plan, bool) {
	starters := p.Initiators
	if starters == nil {
		starters = p.IDs
	}
	synchronous := p.Algorithm.Synchronous && p.Schedule == sim.RandomDelay // then all must start
	if i >= len(starters) || p.Algorithm.SingleInitiator || synchronous {
		return nil, false
	}
	q := p.clone()
	q.Initiators = slices.Clone(starters)
	q.removeStart(i)
	return q, true
}

// dropCrash leaves out a crash of a process, its next return, and the prompts about the process if it does not
// crash any more.
func dropCrash(p *Plan, i int) (*Plan, bool) {
	if i >= len(p.CrashAt) {
		return nil, false
	}
	q := p.clone()
	crash := p.CrashAt[i]
	q.CrashAt = slices.Delete(q.CrashAt, i, i+1)
	// The returns of a process are between its crashes, so the next one belongs to this crash.
	next := time.Duration(math.MaxInt64)
	for _, at := range p.CrashAt {
		if at.ID == crash.ID && at.Time > crash.Time {
			next = min(next, at.Time)
		}
	}
	its := func(at scenario.At) bool { return at.ID == crash.ID && crash.Time < at.Time && at.Time <= next }
	q.RecoverAt, q.RestartAt = slices.DeleteFunc(q.RecoverAt, its), slices.DeleteFunc(q.RestartAt, its)
	if len(q.CrashAt) == 0 {
		q.SuspectAfter = 0 // a failure detector has nothing to report
	}
	if q.neverCrashes(crash.ID) {
		q.Prompts = slices.DeleteFunc(q.Prompts, func(w Prompt) bool { return w.Of == crash.ID })
	}
	return q, true
}

// drop returns a function that leaves out the i-th element of a list.
func drop[E any](list func(*Plan) *[]E) func(p *Plan, i int) (*Plan, bool) {
	return func(p *Plan, i int) (*Plan, bool) {
		if i >= len(*list(p)) {
			return nil, false
		}
		q := p.clone()
		*list(q) = slices.Delete(*list(q), i, i+1)
		return q, true
	}
}

func dropReturn(p *Plan, i int) (*Plan, bool) {
	switch n := len(p.RecoverAt); {
	case p.Algorithm.Faults.Crash == election.MustRestart:
		return nil, false
	case i < n:
		return drop(func(p *Plan) *[]scenario.At { return &p.RecoverAt })(p, i)
	default:
		return drop(func(p *Plan) *[]scenario.At { return &p.RestartAt })(p, i-n)
	}
}

// simpleLinks makes links lose nothing, then duplicate nothing.
func simpleLinks(p *Plan, i int) (*Plan, bool) {
	if i > 1 {
		return nil, false
	}
	q := p.clone()
	if i == 0 {
		q.Config.Faults.Loss = 0
	} else {
		q.Config.Faults.Duplicate = 0
	}
	if q.Faults() == p.Faults() {
		return nil, true
	}
	return q, true
}

func simplePriorities(p *Plan, i int) (*Plan, bool) {
	if i > 0 || p.Priorities == nil {
		return nil, false
	}
	q := p.clone()
	q.Priorities = nil
	return q, true
}

// simpleSchedule makes every message take a unit.
func simpleSchedule(p *Plan, i int) (*Plan, bool) {
	if i > 0 || p.Schedule == sim.UnitDelay {
		return nil, false
	}
	q := p.clone()
	q.Schedule, q.Delay, q.Unordered = sim.UnitDelay, sim.Delay{}, false
	return q.reconfigured(), true
}

// simpleDelay makes links keep the order, and delays from one nanosecond, or half a unit, to a unit.
func simpleDelay(p *Plan, i int) (*Plan, bool) {
	choices := []sim.Delay{{Min: unit / 2, Max: unit}, {Min: 1, Max: unit}}
	if i > len(choices) || p.Schedule == sim.UnitDelay {
		return nil, false
	}
	q := p.clone()
	if i == 0 {
		if !p.Unordered {
			return nil, true
		}
		q.Unordered = false
		return q, true
	}
	if slices.Contains(choices[:i], p.Delay) {
		return nil, true
	}
	q.Delay = choices[i-1]
	return q.reconfigured(), true
}

// simpleStart makes one process start at the beginning, then all.
func simpleStart(p *Plan, i int) (*Plan, bool) {
	if i > len(p.StartTimes) || len(p.StartTimes) == 0 {
		return nil, false
	}
	q := p.clone()
	if i == len(p.StartTimes) {
		if slices.Max(p.StartTimes) > 0 {
			return nil, true
		}
		q.StartTimes = nil
		return q, true
	}
	if p.StartTimes[i] == 0 {
		return nil, true
	}
	q.StartTimes[i] = 0
	return q, true
}

// simpleTime rounds a time of the plan to halves of a unit.
func simpleTime(p *Plan, i int) (*Plan, bool) {
	q := p.clone()
	times, _ := q.parts()
	if i >= len(times) {
		return nil, false
	}
	const half = unit / 2
	// Round up: a prompt that came earlier could precede the last message of the crashed process.
	rounded := (*times[i] + half - 1) / half * half
	if rounded == *times[i] {
		return nil, true
	}
	*times[i] = rounded
	slices.SortStableFunc(q.Prompts, earlier)
	slices.SortStableFunc(q.Commands, earlierCommand)
	return q, true
}

// simpleIDs numbers the processes from 1 in the order of their IDs, on which the outcome depends.
func simpleIDs(p *Plan, i int) (*Plan, bool) {
	if i > 0 {
		return nil, false
	}
	sorted := slices.Sorted(slices.Values(p.IDs))
	q := p.clone()
	_, ids := q.parts()
	for _, id := range ids {
		*id = election.ID(1 + slices.Index(sorted, *id)) // 0 stays 0
	}
	if slices.Equal(q.IDs, p.IDs) {
		return nil, true
	}
	return q.reconfigured(), true
}

// parts returns all times and IDs of a plan.
func (p *Plan) parts() (times []*time.Duration, ids []*election.ID) {
	for _, list := range [][]election.ID{p.IDs, p.Initiators, p.Crashed} {
		for k := range list {
			ids = append(ids, &list[k])
		}
	}
	for k := range p.StartTimes {
		times = append(times, &p.StartTimes[k])
	}
	for _, list := range [][]scenario.At{p.CrashAt, p.RecoverAt, p.RestartAt} {
		for k := range list {
			times, ids = append(times, &list[k].Time), append(ids, &list[k].ID)
		}
	}
	for k := range p.PauseAt {
		one := &p.PauseAt[k]
		times, ids = append(times, &one.From, &one.Until), append(ids, &one.ID)
	}
	for k := range p.ClockRates {
		ids = append(ids, &p.ClockRates[k].ID)
	}
	for k := range p.Config.Faults.Partitions {
		cut := &p.Config.Faults.Partitions[k]
		times = append(times, &cut.From, &cut.Until)
		for i := range cut.Groups[0] {
			ids = append(ids, &cut.Groups[0][i])
		}
	}
	for k := range p.Wishes {
		times, ids = append(times, &p.Wishes[k].Time), append(ids, &p.Wishes[k].ID)
	}
	for k := range p.Commands {
		times, ids = append(times, &p.Commands[k].Time), append(ids, &p.Commands[k].Process)
	}
	for _, list := range p.lists() {
		for k := range *list {
			ids = append(ids, &(*list)[k])
		}
	}
	for k := range p.Prompts {
		one := &p.Prompts[k]
		times, ids = append(times, &one.At), append(ids, &one.To, &one.Of)
	}
	return append(times, &p.SuspectAfter), ids // without a detector, zero is rounded to zero
}

// simpleOrder makes processes start in the order of their places, or takes the links that the
// algorithm runs on by default.
func simpleOrder(p *Plan, i int) (*Plan, bool) {
	q := p.clone()
	switch i {
	case 0:
		if len(p.StartTimes) > 0 || slices.IsSorted(p.Initiators) {
			return nil, true
		}
		slices.Sort(q.Initiators)
	case 1:
		t, err := scenario.Default(p.Algorithm, p.IDs)
		if err != nil || topology.Equal(t, p.Topology) {
			return nil, true
		}
		q.Topology = t
	default:
		return nil, false
	}
	return q, true
}
