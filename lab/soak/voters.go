package soak

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Parameters of package lease.
const (
	// Voters keep their memory. Without it a group whose voters change may forget what it has agreed on.
	durable = "durable"
	// Candidates claim without asking first. Asking hides mistakes: it is refused for the same reasons as a claim.
	eager = "eager"
)

// lasting makes voters keep their memory, and candidates eager in some runs.
func (d *drawing) lasting(values map[string]params.Value) map[string]params.Value {
	if d.profile != Voters {
		return values
	}
	all := map[string]params.Value{durable: {Number: 1}}
	if d.oneIn(3) {
		all[eager] = params.Value{Number: 1}
	}
	maps.Copy(all, values)
	d.params = all
	return all
}

// mostLists is how many lists of voters there are in the wishes of a run.
const mostLists = 3

// voters draws which voters processes wish, what commands there are, and more faults close to these.
func (d *drawing) voters() {
	d.commands()
	// All wishes have a process in common: of two lists without one, each may found a group.
	common := d.IntN(len(d.IDs))
	var lists [mostLists][]election.ID
	for i := range lists {
		lists[i] = d.subset(common)
	}
	d.final = d.subset(common)
	agree := d.oneIn(2)
	for _, id := range d.IDs {
		i := 0
		if !agree {
			i = d.IntN(mostLists)
		}
		d.Wishes = append(d.Wishes, scenario.Wish{At: scenario.At{ID: id}, Voters: lists[i]})
	}
	if !d.oneIn(3) {
		d.Initiators, d.StartTimes = nil, nil // most are candidates
	}
	for _, at := range d.RestartAt {
		d.Prompts = append(d.Prompts, Prompt{At: at.Time + 1, To: at.ID})
		if d.oneIn(2) {
			d.Wishes = append(d.Wishes, scenario.Wish{At: at, Voters: lists[d.IntN(mostLists)]})
		}
	}
}

// subset draws some processes, among them the one at a place.
func (d *drawing) subset(with int) (ids []election.ID) {
	n := len(d.IDs)
	many := d.IntN(n + 1)
	for p, id := range d.IDs {
		if p == with || d.IntN(n) < many {
			ids = append(ids, id)
		}
	}
	return ids
}

// commands draws commands, and faults close to them.
func (d *drawing) commands() {
	n := len(d.IDs)
	for range 2 + d.IntN(8) {
		c := scenario.Command{Time: d.drawTime(120)}
		if d.oneIn(8) {
			c.Process = d.IDs[d.IntN(n)]
		}
		switch d.IntN(8) {
		case 0:
			c.Name = "take back"
		case 1:
			c.Name = "complete"
		case 2:
			c.Name = "resign"
		default:
			c.Name, c.Voters = "change", d.subset(d.IntN(n))
		}
		d.Commands = append(d.Commands, c)
		// A leader that has just begun a change can always take it back.
		if c.Voters != nil && d.oneIn(3) {
			d.Commands = append(d.Commands, scenario.Command{Time: c.Time + d.drawTime(4), Process: c.Process,
				Name: "take back"})
		}
		// One cut directly follows another: a process that has missed a change meets others that its leader has lost.
		for at := c.Time - min(d.drawTime(6), c.Time); !d.oneIn(3); {
			d.cutFrom(d.group(), at, 60)
			at = d.Config.Faults.Partitions[len(d.Config.Faults.Partitions)-1].Until - 1
		}
		if d.oneIn(3) {
			d.crashAt(d.IDs[d.IntN(n)], c.Time+d.drawTime(6))
		}
	}
	slices.SortStableFunc(d.Commands, earlierCommand)
}

// earlierCommand compares commands by their times.
func earlierCommand(a, b scenario.Command) int { return cmp.Compare(a.Time, b.Time) }

// crashAt adds a crash and a return of a process, unless the plan already contains one at that time or later.
func (d *drawing) crashAt(id election.ID, at time.Duration) {
	if turns := d.turnsOf(id); len(turns) > 0 && turns[len(turns)-1].Time >= at {
		return
	}
	d.CrashAt = append(d.CrashAt, scenario.At{ID: id, Time: at})
	d.RestartAt = append(d.RestartAt, scenario.At{ID: id, Time: at + 1 + d.drawTime(20)})
}

// holding is what a process holds about the voters.
type holding struct {
	lease.Configuration
	old, now []election.ID
}

// leaseNode returns the Node of package lease in a process. A Node that is wrong on purpose may contain it.
func leaseNode(node election.Node) election.Node {
	for {
		outer, ok := node.(interface{ Inside() election.Node })
		if !ok {
			return node
		}
		node = outer.Inside()
	}
}

// hold looks at what process p holds after a step, and judges what a quorum has stored.
func (y *play) hold(p int, op election.Op) {
	node, before := leaseNode(y.Node(p)), &y.holds[p]
	now := holding{lease.Inspect(node), before.old, before.now}
	if now.Configuration == before.Configuration {
		return
	}
	if now.Label != before.Label || before.now == nil {
		now.old, now.now = y.votersOf(p, node)
	}
	// A leader that has begun a change completes it in the step in which it is confirmed.
	if op == election.Recv && before.Leads && before.Joint && now.Leads && now.Label == before.Label+1 {
		y.confirmed(before)
	}
	if now.Confirmed && (!before.Confirmed || now.Label != before.Label) {
		y.confirmed(&now)
	}
	*before = now
}

// confirmed judges a configuration that a quorum has stored.
func (y *play) confirmed(h *holding) {
	if property, err := y.chain.Note(h.Label, h.old, h.now); err != nil {
		y.fail(property, "%v", err)
	}
}

// votersOf returns the voters that process p holds, in ascending order.
func (y *play) votersOf(p int, node election.Node) (old, now []election.ID) {
	add := func(id election.ID, v lease.Voter) {
		if v.Old {
			old = append(old, id)
		}
		if v.New {
			now = append(now, id)
		}
	}
	add(y.IDs[p], lease.VoterAt(node, election.NoPort))
	for port := range election.Port(y.Topology.Ports(p)) {
		q, _, _ := y.Topology.Link(p, port)
		add(y.IDs[q], lease.VoterAt(node, port))
	}
	slices.Sort(old)
	slices.Sort(now)
	return old, now
}

// manyLeases is how many leases a group has to agree on the voters that all wish.
const manyLeases = 60

// settle ends the faults of a run whose voters change: all processes return with one wish, and the program of the
// leader asks for these voters. In the end one process must lead, and all must hold them.
func (y *play) settle() {
	if !y.goesOn() {
		return
	}
	founded := slices.ContainsFunc(y.holds, func(h holding) bool { return h.Agreed })
	back := observe.Restart
	if !founded {
		// A founding was perhaps cut off after some processes were bound to it. They wait for the others of their
		// list, and an operator would have to delete their memory. Then Terms begin again.
		back, y.decisions = observe.Recover, y.newDecisions()
	}
	for p, id := range y.IDs {
		if !y.is[p].down {
			y.Crash(p)
		}
		y.do(scenario.Step{Do: back, Process: id, Voters: y.final})
		y.posted++
		y.Post(p, election.Event{Op: election.Start})
	}
	wanted := slices.Sorted(slices.Values(y.final))
	lasts := y.leaseLength()
	var since time.Duration // when the present leader began
	var term uint64
	for end := y.Now() + manyLeases*lasts; y.goesOn() && !y.isSettled(wanted); {
		if y.Now() > end {
			y.fail(verdict.Agreement, "%s, and all wish %v; %s", &y.chain, wanted, y.beliefs())
			return
		}
		y.until(y.Now() + lasts/8)
		for p := range y.holds {
			h := &y.holds[p]
			if !h.Leads {
				continue
			}
			if now := y.is[p].outcome.Term; now != term {
				term, since = now, y.Now()
			}
			y.ask(p, h, wanted, y.Now()-since > 4*lasts)
		}
	}
}

// ask gives a leader the next command on the way to the voters that all wish. If the leader has led for long
// without getting there, it resigns: a voter may have granted a claim with a larger Term, whose owner has crashed,
// and refuses this leader as long as it leads.
func (y *play) ask(p int, h *holding, wanted []election.ID, long bool) {
	id := y.IDs[p]
	switch {
	case long && !slices.Equal(h.now, wanted):
		y.do(scenario.Step{Do: observe.Command, Process: id, Command: "resign"})
	case !h.Confirmed:
	case h.Joint:
		y.do(scenario.Step{Do: observe.Command, Process: id, Command: "complete"})
	case !slices.Equal(h.now, wanted):
		y.do(scenario.Step{Do: observe.Command, Process: id, Command: "change", Voters: wanted})
	}
}

// do takes a step that is possible.
func (y *play) do(step scenario.Step) {
	y.posted++
	if _, err := y.Do(step); err != nil && y.Err() == nil {
		panic(err) // a mistake of this package
	}
}

// isSettled reports whether one process leads, and all hold the same voters.
func (y *play) isSettled(wanted []election.ID) bool {
	leads := 0
	for p := range y.holds {
		h := &y.holds[p]
		if h.Leads {
			leads++
		}
		// A leader that is not one of the voters it has confirmed hands over.
		if h.Leads && !h.Confirmed || !h.Agreed || h.Joint || !h.Recovered || !slices.Equal(h.now, wanted) {
			return false
		}
	}
	return leads == 1
}

// leaseLength returns how long a lease lasts.
func (y *play) leaseLength() time.Duration {
	v, ok := y.params[y.Algorithm.Params.NameOf(params.LeaseTime)]
	if !ok {
		return 100 * y.Algorithm.Delay
	}
	return time.Duration(math.Ceil(v.Number * float64(sim.Unit)))
}
