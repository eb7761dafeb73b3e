package check_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/mutex"
)

// only selects the lines of one package, which mutants of the package change.
var only = flag.String("only", "", "compare the counts of this algorithm only")

// TestCountsOfAlgorithms compares, for each variant, the states, transitions and messages of small elections, those in
// which a process crashes, and one simulated run. Changes of what an algorithm does show here. A check that has more
// states than smallElections allows is cut off, and knows no longest run.
func TestCountsOfAlgorithms(t *testing.T) {
	all := append(catalog.All(), beating(t)...)
	if *only != "" {
		all = slices.DeleteFunc(all, func(a *election.Algorithm) bool { return a.Name != *only })
	}
	var rows []string
	for _, a := range all {
		var whole, crash total
		for _, c := range smallElections(a) {
			r := run(t, c)
			require.NotErrorIs(t, r.Err(), check.ErrViolated, "%s %v", a.Title(), c.IDs)
			if c.Crashes > 0 {
				crash.add(r)
			} else {
				whole.add(r)
			}
		}
		row := fmt.Sprintf("%s%s: %v", a.Title(), either(a.NeverQuiesces, " with heartbeats", ""), whole)
		if crash.checks > 0 {
			row += fmt.Sprintf("; with a crash %v", crash)
		}
		rows = append(rows, row+"; simulated: "+simulated(t, a))
	}
	compareRows(t, "algorithms.txt", rows)
}

// total adds up the results of several checks.
type total struct {
	checks, wrong, longest, messages, steps int
	open                                    int // checks that know no longest run: endless, or cut off
	states, transitions, reduced            uint64
}

func (s *total) add(r *check.Result) {
	s.checks++
	s.states, s.transitions, s.reduced = s.states+r.States, s.transitions+r.Transitions, s.reduced+r.Reduced
	if r.Longest < 0 || r.Messages < 0 {
		s.open++
	} else {
		s.longest, s.messages = s.longest+r.Longest, s.messages+r.Messages
	}
	if x := r.Counterexample; x != nil {
		s.wrong, s.steps = s.wrong+1, s.steps+len(x.Steps)
	}
}

func (s total) String() string {
	text := fmt.Sprintf("%d checks of %d states, %d transitions", s.checks, s.states, s.transitions)
	if s.open < s.checks {
		text += fmt.Sprintf(", %d messages, longest %d", s.messages, s.longest)
	}
	if s.open > 0 {
		text += fmt.Sprintf(", %d without a longest run", s.open)
	}
	return text
}

// simulated returns the messages, bits and trace hash of a run with random delays.
func simulated(t *testing.T, a *election.Algorithm) string {
	t.Helper()
	in := scenario.Input{Algorithm: a}
	in.IDs, in.Priorities = catalogtest.Ranked(rand.New(rand.NewPCG(1, 0)), catalogtest.Fits(a, 8))
	c := sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: 1, Until: 100 * sim.Unit}
	if a.Synchronous {
		c.Schedule = sim.UnitDelay
	}
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err, a.Title())
	return fmt.Sprintf("%d messages, %d bits, trace %016x", r.Messages, r.Bits, r.TraceHash)
}

// beating returns variants that send heartbeats because of a parameter.
func beating(t *testing.T) (list []*election.Algorithm) {
	t.Helper()
	for _, with := range []func(bully.Config) (*election.Algorithm, error){bully.Rules, bully.Halting} {
		a, err := with(bully.Config{Heartbeat: 2 * scenario.Unit})
		require.NoError(t, err)
		list = append(list, a)
	}
	return list
}

// smallElections returns checks of one variant: of few processes in different orders, with different starts,
// links and priorities.
func smallElections(a *election.Algorithm) (list []check.Config) {
	const most = 3_000
	add := func(in scenario.Input, change func(*check.Config)) {
		c := check.Config{Input: in, Delay: a.Delay, MaxStates: most, Workers: 1, Nudge: a.Faults.Nudged}
		c.Algorithm = a
		if a.NeverQuiesces {
			if len(c.IDs) != 2 {
				return
			}
			if c.Until, c.MaxStates = 10*a.Delay, 2*most; a.Store {
				c.Until *= 11 // as long as nothing is stored, a candidate waits for a lease
			}
		}
		if a.Title() == "mutex/tokenring" { // a late start may find its token used up
			c.Algorithm, c.Started = roundTrips(c.IDs), true
		}
		change(&c)
		list = append(list, c)
	}
	plain := func(*check.Config) {}
	for _, ids := range smallOrders(a) {
		in := scenario.Input{IDs: ids}
		add(in, plain)
		if !a.NeedsFIFO && a.Delay == 0 && a.Sections == 0 {
			add(in, func(c *check.Config) { c.Unordered = true })
		}
		if a.Delay == 0 && !drawsAtStart(a) {
			add(in, func(c *check.Config) { c.Started = true })
		}
		in.Initiators = ids[:1]
		add(in, plain)
		in.Priorities = make([]uint64, len(ids))
		in.Priorities[len(ids)/2] = 1
		add(in, plain)
		if !a.Faults.Unaided() || len(ids) < 2 {
			continue
		}
		in = scenario.Input{IDs: ids}
		add(in, func(c *check.Config) { c.Crashes = 1 })
		if len(ids) == 2 {
			if a.Faults.Crash == election.MayRecover {
				add(in, func(c *check.Config) { c.Crashes, c.Recoveries = 1, 1 })
			}
			add(in, func(c *check.Config) { c.Crashes, c.Restarts = 1, 1 })
		}
		if a.Faults.MostDown(len(ids)) > 0 { // of two that need a majority none leads alone
			in.Crashed, in.Initiators = []election.ID{slices.Max(ids)}, []election.ID{slices.Min(ids)}
			add(in, plain)
		}
	}
	return list
}

// drawsAtStart reports whether a start is left to chance: then no first state has all starts in it.
func drawsAtStart(a *election.Algorithm) bool { return a.Name == "itairodeh" }

// roundTrips returns a ring whose first process has the token.
func roundTrips(ids []election.ID) *election.Algorithm {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: scenario.Unit, First: ids[0],
		Hops: uint32(2 * len(ids))})
	if err != nil {
		panic(err)
	}
	return a
}

// smallOrders returns IDs in the orders that matter.
func smallOrders(a *election.Algorithm) [][]election.ID {
	switch a.Topology {
	case election.Hypercube:
		return [][]election.ID{{1}, {1, 2}, {2, 1}, {4, 1, 2, 3}, {1, 2, 3, 4}, {3, 4, 2, 1}}
	case election.Mesh:
		return [][]election.ID{{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	case election.Complete:
		return [][]election.ID{{1}, {1, 2}, {2, 1}, {1, 2, 3}, {3, 1, 2}, {1, 2, 3, 4}}
	}
	return [][]election.ID{{1}, {1, 2}, {2, 1}, {1, 2, 3}, {3, 2, 1}, {2, 4, 1, 3}, {4, 3, 2, 1}}
}

// TestCountsOfFreedoms compares what checks come to with each freedom that a Config grants: of algorithms that
// differ in what they need, and of toys, whose steps and descriptions are drawn. Changes of the checker show
// here.
func TestCountsOfFreedoms(t *testing.T) {
	var rows []string
	list := func(name string, checks []check.Config) {
		var s total
		refused, replayed := 0, 0
		for _, c := range checks {
			r, err := check.Run(t.Context(), c)
			if err != nil {
				refused++
				continue
			}
			s.add(r)
			if r.Counterexample != nil && replays(t, c.Input, r.Counterexample) {
				replayed++
			}
		}
		rows = append(rows, fmt.Sprintf("%s: %v, %d reduced, %d refused; %d wrong in %d steps, of which %d in the "+
			"simulator too", name, s, s.reduced, refused, s.wrong, s.steps, replayed))
	}
	for _, o := range liberties() {
		var checks []check.Config
		for _, a := range manners(t) {
			for n := 1; n <= 3; n++ {
				c := check.Config{Input: input(a, falling(n)), Delay: a.Delay, MaxStates: 300, Workers: 1}
				if a.NeverQuiesces {
					c.Until = 6 * a.Delay
				}
				o.allow(&c)
				checks = append(checks, c)
			}
		}
		list(o.name, checks)
	}
	for seeds := range 20 {
		var checks []check.Config
		for seed := range 50 {
			d := draw(50*seeds + seed)
			c := drawnCheck(&d)
			freedoms(&d, &c)
			checks = append(checks, c)
		}
		list(fmt.Sprintf("toys %d to %d", 50*seeds, 50*seeds+49), checks)
	}
	compareRows(t, "freedoms.txt", rows)
}

// replays reports whether a Judge, and the simulator, agree with what the checker has found.
func replays(t *testing.T, in scenario.Input, x *check.Trail) bool {
	t.Helper()
	require.NoError(t, in.Check())
	r, err := check.Judge(t.Context(), in, x.Steps, x.Property)
	if err != nil || r.Broken != x.Property || r.Reason.Error() != x.Reason.Error() {
		return false
	}
	run, err := sim.New(sim.Config{Input: in, Steps: x.Steps})
	return err == nil && run.Run(t.Context()) == nil
}

// compareRows compares rows with a file in testdata, or writes the file.
func compareRows(t *testing.T, name string, rows []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.Empty(t, *only)
		asWritten(t, file, strings.Join(rows, "\n")+"\n")
		return
	}
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	have := strings.Split(strings.TrimSpace(string(b)), "\n")
	if *only != "" {
		have = slices.DeleteFunc(have, func(row string) bool {
			name, _, _ := strings.Cut(row, ":")
			name, _, _ = strings.Cut(name, " ")
			name, _, _ = strings.Cut(name, "/")
			return name != *only
		})
	}
	require.Equal(t, have, rows, "run the test with -update, and look at what has changed")
}

// asWritten compares a file with a text, or writes it.
func asWritten(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run the test with -update, and look at what has changed")
}

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}
