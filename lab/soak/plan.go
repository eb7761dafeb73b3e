package soak

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

const unit = sim.Unit

// Plan is one run as it is drawn: all that will happen, but for what the run leaves to chance, which its Seed
// decides.
type Plan struct {
	sim.Config
	Number  uint64   // from which it was drawn
	Prompts []Prompt // of a detector, in the order of time

	profile Profile
	final   []election.ID // of the profile Voters: what all wish in the end
	params  map[string]params.Value
}

// Prompt is an event for the process To, which gets it if it is up at that time. If Of is a process, a
// detector reports on it. The event is a Suspect, provided that Of is down and its last message has
// arrived; or a Trust if Back, provided that Of is up. If Of is zero, the event is a Start, provided
// that To has no leader or one that is down. Some algorithms take such a Start as the suspicion itself
// ([election.Algorithm.StartSuspects]).
type Prompt struct {
	At     time.Duration
	To, Of election.ID
	Back   bool // Of has come back
}

// Faults returns how many things go wrong.
func (p *Plan) Faults() int {
	n := len(p.Crashed) + len(p.CrashAt) + len(p.PauseAt) + len(p.Config.Faults.Partitions)
	if p.Config.Faults.Loss > 0 {
		n++
	}
	if p.Config.Faults.Duplicate > 0 {
		n++
	}
	return n
}

// drawing is a plan that is being drawn.
type drawing struct {
	*rand.Rand
	*Plan
	longest time.Duration // that a message takes
}

// manyMessages is how many messages of the worst election are too many.
const manyMessages = 5000

// mostProcesses is how many processes there may be where Config.Processes is zero.
const mostProcesses = 12

// Plan draws the run of a number.
func (c *Config) Plan(number uint64) (*Plan, error) {
	// The second word is "soak" in ASCII. It keeps these draws apart from other uses of the same number.
	d := &drawing{Rand: rand.New(rand.NewPCG(number, 0x736f616b))}
	d.Plan = &Plan{Number: number, profile: c.Profile, params: c.Params}
	d.Seed = number
	d.Algorithm = c.Algorithm
	n := d.size(cmp.Or(c.Processes, mostProcesses))
	d.processes(n)
	if err := d.delays(c.Params); err != nil {
		return nil, err
	}
	if err := d.links(); err != nil {
		return nil, err
	}
	d.starts()
	d.faults()
	d.trusts()
	if d.profile == Voters {
		d.KeepSaved = true
		d.voters()
	}
	slices.SortStableFunc(d.Prompts, earlier)
	if d.Algorithm.NeverQuiesces {
		d.Until = d.planEnd() + 200*max(d.longest, unit)
	}
	return d.Plan, d.Check()
}

// earlier compares Prompts by their times.
func earlier(a, b Prompt) int { return cmp.Compare(a.At, b.At) }

// oneIn is true with the probability 1/of.
func (d *drawing) oneIn(of int) bool { return d.IntN(of) == 0 }

// drawTime draws a time up to a number of longest delays.
func (d *drawing) drawTime(delays int64) time.Duration {
	return time.Duration(d.Int64N(delays*int64(d.longest) + 1))
}

// size draws how many processes there are. Few are likely: among few, rare coincidences are frequent.
func (d *drawing) size(most int) int {
	if worst := d.Algorithm.Worst.Count; worst != nil {
		// Small elections find most mistakes, and a run of thousands of messages leaves time for few runs.
		for most > 3 && worst(most) > manyMessages {
			most--
		}
	}
	n := 1 + d.IntN(most)
	switch {
	case d.profile == Chaos:
		n = min(2+d.IntN(5), most)
	case d.profile == Voters:
		n = max(min(2+d.IntN(6), 2+d.IntN(6), most), 2)
	case d.oneIn(2):
		n = 1 + d.IntN(min(most, 4))
	}
	return fittingSize(d.Algorithm.Topology, n, most)
}

// processes draws their IDs, places and priorities.
func (d *drawing) processes(n int) {
	seen := make(map[election.ID]bool)
	style := d.IntN(4)
	for _, i := range d.Perm(n) {
		// IDs are dense, sparse or anywhere in 64 bits: an algorithm may wrongly assume small or consecutive
		// ones.
		id := election.ID(i + 1)
		switch style {
		case 0:
			id = election.ID(1 + d.IntN(3*n))
		case 1:
			id = election.ID(max(d.Uint64(), 1))
		}
		for seen[id] {
			id = id%election.ID(3*n) + 1
		}
		seen[id] = true
		d.IDs = append(d.IDs, id)
	}
	if d.oneIn(3) {
		d.Priorities = make([]uint64, n)
		for p := range d.Priorities {
			// Three values only, so that equal priorities are frequent and the ID has to decide.
			d.Priorities[p] = d.Uint64N(3)
		}
	}
}

// delays draws how long messages take, and configures the algorithm for that.
func (d *drawing) delays(values map[string]params.Value) error {
	plain, err := scenario.Configure(d.Algorithm, values, d.IDs, 0)
	if err != nil {
		return err
	}
	d.longest = d.longestFor(plain, values)
	values = d.leaseTime(d.lasting(values))
	a, err := scenario.Configure(d.Algorithm, values, d.IDs, d.longest)
	if err != nil {
		// A time among the values is too short for so long a delay, and right for the bound of its own.
		a, d.longest = plain, min(d.longest, plain.Delay)
	}
	d.Algorithm = a
	if d.Schedule == sim.RandomDelay {
		d.Delay = sim.Delay{Min: 1 + time.Duration(d.Int64N(int64(d.longest))), Max: d.longest}
		switch d.IntN(4) {
		case 0:
			d.Delay.Min = 1
		case 1:
			if a.Delay == 0 {
				d.Delay = sim.Delay{Distribution: sim.Exponential, Mean: 1 + d.longest/2}
				d.longest = d.Delay.Longest()
			}
		}
		d.Unordered = !a.NeedsFIFO && d.oneIn(2)
	}
	d.longest = max(min(d.longest, 4*unit), 1) // for what follows, as long as most take
	return nil
}

// leaseTime draws how long a lease lasts, if it is not given: mostly so short that pauses and cuts last for
// several. By default all that goes wrong would have ended before the first lease.
func (d *drawing) leaseTime(values map[string]params.Value) map[string]params.Value {
	name := d.Algorithm.Params.NameOf(params.LeaseTime)
	if _, given := values[name]; given || name == "" || d.oneIn(4) {
		return values
	}
	lasts := float64(12+d.IntN(24)) * float64(d.longest) / float64(unit)
	all := map[string]params.Value{name: {Number: lasts}}
	maps.Copy(all, values)
	d.params = all
	return all
}

// longestFor draws how long a message may take, and whether all take a unit. A bound that is given, or that
// no parameter sets, is kept to.
func (d *drawing) longestFor(a *election.Algorithm, values map[string]params.Value) time.Duration {
	longest := unit
	d.Schedule = sim.RandomDelay
	switch kind := d.IntN(4); {
	case d.profile == Chaos: // a unit, at random
	case kind == 0:
		longest = 1 + time.Duration(d.Int64N(int64(4*unit)))
	case kind == 1:
		d.Schedule = sim.UnitDelay
	}
	if a.NeverQuiesces {
		longest = max(longest, shortestRound) // else a token goes round too often before the run ends
	}
	bound := a.Params.NameOf(params.DelayBound)
	if _, given := values[bound]; a.Delay > 0 && (given || bound == "") {
		longest = min(longest, a.Delay)
	}
	if longest < unit {
		d.Schedule = sim.RandomDelay // under the other a message takes a unit
	}
	return longest
}

// shortestRound is the least of the longest delays of a run that does not come to rest.
const shortestRound = unit / 64

// starts draws which processes start, and when.
func (d *drawing) starts() {
	n := len(d.IDs)
	switch {
	case d.Algorithm.SingleInitiator && d.Algorithm.Knows == election.RootPort && !d.oneIn(4): // only the root may, perhaps
	case d.Algorithm.SingleInitiator:
		d.Initiators = []election.ID{d.IDs[d.IntN(n)]}
	// In the other third Initiators stays nil: all processes start.
	case !d.oneIn(3):
		for _, p := range d.Perm(n)[:1+d.IntN(n)] {
			d.Initiators = append(d.Initiators, d.IDs[p])
		}
	}
	if d.Algorithm.Synchronous {
		// Where only some start each message must take the Delay.
		if d.Schedule == sim.RandomDelay || d.Algorithm.Delay != unit {
			d.Initiators = nil
		}
		return
	}
	// All at once; and so they must where messages have a budget, which may end before the last process asks.
	if d.profile != Chaos && d.oneIn(2) || d.Algorithm.Params.NameOf(params.MessageBudget) != "" {
		return
	}
	within := int64(4)
	if d.oneIn(4) {
		within = 40
	}
	if d.Algorithm.Faults.Unaided() && !d.guardsSections() &&
		(d.profile != Chaos || d.Algorithm.StartSuspects) {
		for _, id := range d.Initiators[min(1, len(d.Initiators)):] {
			// As prompts the later Starts reach only processes without a live leader, as in a service.
			d.Prompts = append(d.Prompts, Prompt{At: d.drawTime(within), To: id})
		}
		d.Initiators = d.Initiators[:min(1, len(d.Initiators))]
		return
	}
	for range d.Starts() {
		d.StartTimes = append(d.StartTimes, d.drawTime(within))
	}
}

// needsReports reports whether processes may crash if a failure detector reports that: then the detector is
// that of [scenario.Input].SuspectAfter, which is never wrong, and no Prompt reports a crash.
func (p *Plan) needsReports() bool {
	return p.Algorithm.Faults.Crash != election.NoCrash && p.Algorithm.Faults.Reported
}

// guardsSections reports whether what is started asks for a critical section, not for an election.
func (p *Plan) guardsSections() bool { return p.Algorithm.Sections > 0 }

// faults draws what goes wrong within the model.
func (d *drawing) faults() {
	a, n := d.Algorithm, len(d.IDs)
	switch {
	case a.Faults.Loss && !a.NeverQuiesces:
		d.Config.Faults.Loss = float64(d.IntN(9)) / 20
	case a.Faults.Loss:
		// On links that go on losing messages a run that never comes to rest does not show what is never
		// done, only what is not done before it ends. So links lose all for a moment, now and then.
		for range d.IntN(4) {
			d.cut(2)
		}
	}
	if a.Faults.Copies {
		// A copy begets copies of all that follows from it: where half of all messages are doubled, a sound
		// election among ten may take four million.
		d.Config.Faults.Duplicate = float64(d.IntN(5)) / 16
	}
	if a.Faults.Drift > 0 && d.oneIn(2) {
		d.drift(a.Faults.Drift)
	}
	if a.Faults.Pause && d.oneIn(2) {
		d.pauses(40)
	}
	if a.Faults.Cut && d.oneIn(2) {
		d.cut(40)
	}
	switch {
	case d.splits() && d.guardsSections():
		// What happens in a group that is cut off, and then crashes, is known to no process that is up.
	case a.Faults.Crash != election.NoCrash:
		if d.needsReports() { // none comes before the last message of the crashed process
			d.SuspectAfter = d.longestDelay() + d.drawTime(6)
		}
		for range d.IntN(2 + n) {
			d.crash(d.IntN(n))
		}
		if len(d.CrashAt) == 0 {
			d.SuspectAfter = 0
		}
	case a.Delay == 0 && !a.Faults.Pause && d.oneIn(4):
		d.pauses(20)
	}
}

// pauses lets a process or two pause for up to a number of longest delays.
func (d *drawing) pauses(delays int64) {
	for range 1 + d.IntN(2) {
		from := d.drawTime(20)
		d.PauseAt = append(d.PauseAt, scenario.Pause{ID: d.IDs[d.IntN(len(d.IDs))], From: from,
			Until: from + 1 + d.drawTime(delays)})
	}
}

// drift lets clocks run too fast or too slowly, mostly by as much as is allowed.
func (d *drawing) drift(most float64) {
	for _, id := range d.IDs {
		rate := 1 + most
		switch d.IntN(4) {
		case 0:
			rate = 1 - most
		case 1:
			rate = 1 + most*(2*d.Float64()-1)
		case 2:
			continue
		}
		d.ClockRates = append(d.ClockRates, scenario.ClockRate{ID: id, Rate: math.Round(rate*1e6) / 1e6})
	}
}

// cut cuts the links between some processes and the others, for up to a number of longest delays.
func (d *drawing) cut(delays int64) {
	if group := d.group(); group != nil {
		d.cutFrom(group, d.drawTime(20), delays)
	}
}

// group draws some processes, and leaves some. It is nil if there is only one.
func (d *drawing) group() (group []election.ID) {
	n := len(d.IDs)
	if n == 1 {
		return nil
	}
	for _, p := range d.Perm(n)[:1+d.IntN(n-1)] {
		group = append(group, d.IDs[p])
	}
	return group
}

// cutFrom cuts the links of a group from a time on.
func (d *drawing) cutFrom(group []election.ID, from time.Duration, delays int64) {
	d.Config.Faults.Partitions = append(d.Config.Faults.Partitions, fault.Partition{From: from,
		Until: from + 1 + d.drawTime(delays), Groups: [][]election.ID{group}})
}

// splits reports whether processes may be out of touch with each other for longer than the algorithm allows
// for. Where all promises hold though messages are lost, they hold in a cut.
func (p *Plan) splits() bool {
	a := p.Algorithm
	return a.Delay > 0 && len(p.PauseAt) > 0 || !a.Faults.Loss && len(p.Config.Faults.Partitions) > 0
}

// crash lets a process crash at some time after it has come back last, and perhaps come back.
// A detector may report it to the others once its last message must have arrived. Where critical sections are
// shared the first process stays up, and the others come back with their state: else a fencing token might be
// given twice.
func (d *drawing) crash(p int) {
	survives := &d.Algorithm.Faults
	// The first processes never crash, so that no more are down together than the algorithm survives.
	if p < len(d.IDs)-survives.MostDown(len(d.IDs)) && d.profile != Voters { // where all come back
		return
	}
	id, at, last := d.IDs[p], d.drawTime(20), time.Duration(0)
	if turns := d.turnsOf(id); len(turns) > 0 {
		if turns[len(turns)-1].Do == observe.Crash {
			return // down for good
		}
		last = turns[len(turns)-1].Time
		at += last
	}
	if d.profile == Chaos && !d.oneIn(4) {
		at = d.nearStep(id, last, at)
	}
	d.CrashAt = append(d.CrashAt, scenario.At{ID: id, Time: at})
	for _, to := range d.IDs {
		if to != id && !d.needsReports() && d.IntN(4) > 0 {
			d.Prompts = append(d.Prompts, Prompt{At: at + d.longest + d.drawTime(6), To: to, Of: id})
		}
	}
	stays := d.IntN(3) == 0 && !d.isStore(id)
	if d.profile != Voters && (stays && survives.Crash != election.MustRestart || survives.Crash == election.StaysDown) {
		return
	}
	back := scenario.At{ID: id, Time: at + 1 + d.drawTime(20)}
	if d.profile == Chaos && !d.oneIn(4) {
		back.Time = d.nearStep(0, at, back.Time)
	}
	if survives.Crash != election.MayRecover || d.oneIn(3) || d.profile == Voters || d.isStore(id) {
		d.RestartAt = append(d.RestartAt, back)
	} else {
		d.RecoverAt = append(d.RecoverAt, back)
	}
}

// isStore reports whether a process must restart with its state after a crash.
func (p *Plan) isStore(id election.ID) bool { return p.Algorithm.Store && id == slices.Min(p.IDs) }

// storeRestarts reports whether the store, if there is one, restarts with its state after each crash.
func (p *Plan) storeRestarts() bool {
	crashes, restarts := 0, 0
	for _, t := range p.Turns() {
		if p.isStore(t.ID) {
			switch t.Do {
			case observe.Crash:
				crashes++
			case observe.Restart:
				restarts++
			}
		}
	}
	return crashes == restarts && !slices.ContainsFunc(p.Crashed, p.isStore)
}

// trusts draws when the detector reports the returns. That of SuspectAfter does so unasked.
func (d *drawing) trusts() {
	if d.needsReports() {
		return
	}
	for _, back := range slices.Concat(d.RecoverAt, d.RestartAt) {
		for _, to := range d.IDs {
			if to != back.ID && d.IntN(4) > 0 {
				d.Prompts = append(d.Prompts, Prompt{At: back.Time + d.drawTime(6), To: to, Of: back.ID,
					Back: true})
			}
		}
	}
}

// turnsOf returns the crashes and returns of a process, in order.
func (p *Plan) turnsOf(id election.ID) []scenario.Turn {
	return slices.DeleteFunc(p.Turns(), func(t scenario.Turn) bool { return t.ID != id })
}

// nearStep returns a time after another, next to a step of the run as it is planned so far: of a process or,
// if of is zero, of any. Times drawn at random seldom coincide with a step that matters. If there is no such
// step, it returns otherwise.
func (d *drawing) nearStep(of election.ID, after, otherwise time.Duration) time.Duration {
	var times []time.Duration
	d.pilot(after+20*d.longest, func(o *observe.Occurrence) {
		if o.What == observe.Step && o.At > after && (of == 0 || of == o.Process) &&
			(len(o.Effects.Sends) > 0 || o.Effects.Rare()) {
			times = append(times, o.At)
		}
	})
	if len(times) == 0 {
		return otherwise
	}
	// One nanosecond later its effects are out, and nothing has answered them yet.
	at := times[d.IntN(len(times))] + 1
	if d.oneIn(2) {
		at += d.drawTime(2) - d.longest
	}
	return max(at, after+1)
}

// longestDelay returns how long a message takes at most.
func (p *Plan) longestDelay() time.Duration {
	if p.Schedule != sim.RandomDelay {
		return unit
	}
	return p.Delay.Longest()
}

// planEnd returns when the last of what is planned has happened.
func (p *Plan) planEnd() (last time.Duration) {
	for _, t := range p.StartTimes {
		last = max(last, t)
	}
	for _, list := range [][]scenario.At{p.CrashAt, p.RecoverAt, p.RestartAt} {
		for _, at := range list {
			last = max(last, at.Time+p.SuspectAfter)
		}
	}
	for _, pause := range p.PauseAt {
		last = max(last, pause.Until)
	}
	for _, cut := range p.Config.Faults.Partitions {
		last = max(last, cut.Until)
	}
	for _, c := range p.Commands {
		last = max(last, c.Time)
	}
	for _, w := range p.Prompts {
		last = max(last, w.At)
	}
	return last
}
