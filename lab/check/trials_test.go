package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
)

// trial is what three voters go through, of which 2 and 3 are candidates: a handover at any moment, a crash
// and a return of any of them, clocks that are wrong by as much as the leases allow for, losses and copies.
type trial struct {
	rates    [3]int // of the clocks: 1 is as slow as it may be, 2 as fast
	together bool   // both claim at the beginning; otherwise 3 does, and 2 later
	durable  bool   // a voter comes back with what it saved
	cold     bool   // one without memory makes do with what a majority says
	asks     bool   // candidates ask before they claim
	prefers  bool   // 2 has a larger priority than 3
	returns  bool   // a candidate stands again as soon as it is back
	crashes  int
	ticks    int
	long     bool
}

// config returns the check. A lease lasts for two ticks by a slow clock, and for one by a fast clock; a grant,
// and a quarantine, for four and two. So nothing ends between two ticks.
func (o trial) config(t *testing.T) check.Config {
	settings := lease.Config{Lease: 2 * second, Renew: 2 * second, Delay: 2 * second, Drift: 1.0 / 3,
		Stagger: second, Cold: -1, Eager: !o.asks, Durable: o.durable}
	if o.together {
		settings.Stagger = -1
	}
	if o.cold {
		settings.Cold = second
	}
	require.Equal(t, 4*second, settings.GrantTime())
	a := leases(t, settings)
	if o.prefers {
		a = preferring(a)
	}
	// The voter is the smallest: a candidate waits for each larger process.
	candidates := rising(3)[1:]
	if o.returns {
		a = busy(a, lease.Resign(0, 0), candidates)
	} else {
		a = busy(a, lease.Resign(0, 0), nil)
	}
	c := leaseCheck(a, o.ticks, second)
	c.Initiators = candidates
	c.Kept, c.Crashes = kept(t, c.Algorithm), o.crashes
	if c.Recoveries = o.crashes; o.durable {
		c.Recoveries, c.Restarts = 0, o.crashes
	}
	for i, rate := range o.rates {
		c.ClockRates = append(c.ClockRates, scenario.ClockRate{ID: election.ID(i + 1), Rate: float64(rate)})
	}
	if o.cold { // Terms may go back
		c.Only(verdict.OneLease)
	}
	if c.MaxStates = mostTrials; o.long {
		c.MaxStates = mostLeasesLong
	}
	return c
}

// mostTrials is how many states of a row are visited where it is checked again.
const mostTrials = 3_000_000

// preferring returns leases in which a process gets a priority when it starts: the smaller one, the larger.
func preferring(a *election.Algorithm) *election.Algorithm {
	return wrapped(a, func(n election.Node, self election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.Step(e, &election.Event{Op: election.Command, At: ev.At, Msg: lease.Prefer(uint64(9 - self))})
		}
		n.Step(e, ev)
	})
}

// wrapped returns an algorithm whose Nodes take their steps by way of a function.
func wrapped(a *election.Algorithm,
	step func(n election.Node, self election.ID, e *election.Env, ev *election.Event)) *election.Algorithm {
	copied := *a
	copied.New = func(s election.Setup) election.Node { return &wrapper{a.New(s), s.Self.ID, step} }
	return &copied
}

type wrapper struct {
	election.Node
	self election.ID
	step func(n election.Node, self election.ID, e *election.Env, ev *election.Event)
}

func (w *wrapper) Step(e *election.Env, ev *election.Event) {
	own := *ev // an observer sees what it was
	w.step(w.Node, w.self, e, &own)
}

func (o trial) what() string {
	words := []string{either(o.together, "claim together", "3 claims first")}
	for _, w := range []struct {
		is   bool
		word string
	}{{o.asks, "ask first"}, {o.prefers, "2 has the larger priority"}, {o.returns, "claim again after a return"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	memory := either(o.durable, "durable", either(o.cold, "lost, cold start", "lost"))
	return fmt.Sprintf("%s | %s | %d | %s | %d", strings.Trim(fmt.Sprint(o.rates), "[]"), strings.Join(words, ", "),
		o.crashes, either(o.crashes > 0, memory, "-"), o.ticks)
}

// clocks are all choices of clocks, each as wrong as may be.
var clocks = [][3]int{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {2, 2, 2}}

// togetherTrials are the rows of the table.
func togetherTrials() (all []trial) {
	slow, fast := [3]int{1, 1, 1}, [3]int{2, 1, 1} // of the voter that is no candidate
	all = append(all,
		trial{rates: slow, durable: true, crashes: 1, ticks: 2},
		trial{rates: fast, durable: true, crashes: 1, ticks: 2},
		trial{rates: fast, durable: true, returns: true, crashes: 1, ticks: 2},
		trial{rates: fast, cold: true, crashes: 1, ticks: 2},
		trial{rates: fast, asks: true, ticks: 1},
		trial{rates: slow, asks: true, prefers: true, ticks: 1},

		trial{rates: fast, durable: true, crashes: 1, ticks: 3, long: true},
		trial{rates: fast, cold: true, crashes: 1, ticks: 3, long: true},
		trial{rates: fast, asks: true, durable: true, crashes: 1, ticks: 2, long: true},
		trial{rates: slow, asks: true, prefers: true, together: true, ticks: 1, long: true},
	)
	for _, rates := range clocks[2:] {
		all = append(all, trial{rates: rates, durable: true, crashes: 1, ticks: 2, long: true})
	}
	return all
}

// TestFaultsTogether: a handover at any moment, a voter that comes back and clocks that are wrong, together:
// no two leases at once, and Terms increase.
func TestFaultsTogether(t *testing.T) {
	const header = "clocks of 1, 2 and 3 | candidates | crashes and returns | memory | ticks | states | " +
		"farthest | verdict"
	documented(t, "together-leases", header, trialRows(t, false))
	if *long {
		printed(t, header+" | minutes | MB", trialRows(t, true))
	}
}

// TestHandoverReturnDrift visits the states of one row of the table, all of them on a long run: a handover at any moment, a
// crash and a return of any process, and a voter whose clock is as fast as may be, for a whole lease.
func TestHandoverReturnDrift(t *testing.T) {
	c := trial{rates: [3]int{2, 1, 1}, durable: true, crashes: 1, ticks: 2}.config(t)
	if !*long {
		c.MaxStates = 50_000
	}
	r := run(t, c)
	require.Nil(t, r.Counterexample)
	if !*long {
		require.ErrorIs(t, r.Stopped, check.ErrLimit)
		return
	}
	require.True(t, r.Exhausted)
	require.EqualValues(t, 697_296, r.States)
}

func trialRows(t *testing.T, further bool) (rows []row) {
	for _, o := range togetherTrials() {
		if o.long == further {
			rows = append(rows, row{o.what(), func() string {
				begin := time.Now()
				r := run(t, o.config(t))
				require.Nil(t, r.Counterexample, "%+v", o)
				cells := fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
				if further {
					cells += fmt.Sprintf(" | %.1f | %d", time.Since(begin).Minutes(), r.Bytes>>20)
				}
				return cells
			}})
		}
	}
	return rows
}

// TestMistakesTogether: the checks find what is wrong with clocks that differ, with a return, with a handover
// and where candidates ask first. What they show is a run of the simulator, in which a Judge finds the same.
func TestMistakesTogether(t *testing.T) {
	const (
		free, claim, granted = 2, 4, 5 // kinds
		next                 = 2       // a flag of CLAIM
	)
	for name, m := range map[string]struct {
		trial
		step   func(n election.Node, self election.ID, e *election.Env, ev *election.Event)
		breaks verdict.Property
		steps  int
	}{
		// A grant, and a quarantine, last for a lease by the voter's own clock: too short by one that is fast.
		"a quarantine without drift": {trial{rates: [3]int{2, 1, 2}, durable: true, crashes: 1, ticks: 2}, func(n election.Node, _ election.ID, e *election.Env, ev *election.Event) {
			if ev.Op == election.Rejoin {
				ev.At -= 2 * second
			}
			n.Step(e, ev)
		}, verdict.OneLease, 12},
		// A CLAIM of the next Term ends the grant, whether or not the leader has handed over.
		"a successor that is none": {trial{rates: [3]int{1, 1, 2}, ticks: 2},
			func(n election.Node, _ election.ID, e *election.Env, ev *election.Event) {
				if m := &ev.Msg; ev.Op == election.Recv && m.Kind == claim && m.Flags == 0 {
					m.Flags, m.Rank = next, election.Rank{Priority: 1}
				}
				n.Step(e, ev)
			}, verdict.OneLease, 10},
		// An answer to a question counts as a grant.
		"FREE is a grant": {trial{rates: [3]int{1, 1, 1}, together: true, asks: true, ticks: 1},
			func(n election.Node, _ election.ID, e *election.Env, ev *election.Event) {
				if ev.Op == election.Recv && ev.Msg.Kind == free {
					m := ev.Msg
					n.Step(e, ev)
					ev.Msg = election.Message{Kind: granted, Term: m.Term + 1, Value: 1, Round: m.Round + 1}
				}
				n.Step(e, ev)
			}, verdict.LaterTerms, 9},
	} {
		c := m.trial.config(t)
		c.Algorithm = wrapped(c.Algorithm, m.step)
		trail := fails(t, c, m.breaks)
		property, reason := ruled(t, c.Input, trail.Steps, m.breaks)
		require.Equal(t, m.breaks, property, name)
		require.EqualError(t, reason, trail.Reason.Error(), name)
		require.Len(t, trail.Steps, m.steps, name)
	}
}
