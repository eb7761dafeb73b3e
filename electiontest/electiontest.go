// Package electiontest tests whether an election algorithm fulfils its description and the contract of
// [election.Node].
//
// A one-line test is enough:
//
//	func TestConformance(t *testing.T) {
//		electiontest.Test(t, myalgorithm.Algorithm(), electiontest.Options{})
//	}
//
// The description determines what is tested: the topology, the winner, the effect of a late Start, whether
// links must deliver in order, the maximum delay of messages, the bounds. [Options] contain what the
// description cannot express.
//
// # Properties
//
// Each property is a subtest, which -run can select:
//
//	Description  the description is complete: names of kinds and timers, consistent bounds
//	Scenarios    the scenarios of Options.Scenarios have the expected results
//	Simulation   all processes agree on the right leader, on random topologies, sizes, delays and
//	             faults within the model (package soak); the same seed gives the same run
//	Purity       the same state and event give the same effects and state, whatever else runs
//	State        a Node continues unchanged after it was saved and restored; a reset Node is like a
//	             new one; equal states have equal bytes; corrupt bytes are an error. Tested on
//	             runs of Simulation, and on disorderly runs with random parameters
//	Exhaustive   every state of small networks, including priorities, as time permits (package check)
//	Order        with the order of Ranks reversed ([election.Algorithm.Smallest]) the
//	             smallest process wins                             not without a Winner
//	Goroutines   elections with goroutines, by package local and over transport/memory
//	Repeated     consecutive elections that start while messages of the last are in flight
//	Leaving      a process that knows the end is not needed any more    not if RelaysAfterEnd
//	LateStart    a Start of a process that has relayed is ignored, is refused, or joins,
//	             as described                                      not if it has Sections
//	Allocation   no Step allocates on a Node that has been used      not if Allocates
//	Unknown      unknown Ops, Kinds, Flags, timers and ports do no harm
//	Bounds       the message counts of elections are within the bounds
//
// A failure contains the algorithm, its parameters, the property, the election that violates it, and the -run
// argument that repeats only this test. Failures of Simulation and Exhaustive include the log of the smallest
// run that fails, step by step. An election that does not end is stopped after a very large number of messages
// and time-outs, and fails like any other. Order, Goroutines and Leaving are skipped if one of these two has
// failed.
//
// # Limitations
//
// A passed test proves little, except for Exhaustive, and that only for the networks visited. Goroutines
// started by Nodes are found only if they still exist after the Step. Goroutines that others start in the
// meantime are attributed to the Nodes, so do not call Test from tests that run in parallel with others.
package electiontest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/params"
)

// Options contain what a description does not. The zero value is ready for use.
type Options struct {
	// Params are parameters of the algorithm, in the form that scenarios use. If nil, the defaults.
	Params map[string]params.Value
	// Scenarios are the names of scenario files. If nil, there are none.
	Scenarios []string
	// Find finds the algorithms of the scenarios. If nil, all scenarios use the algorithm under test.
	Find func(name, variant string) (*election.Algorithm, error)

	// Seeds is the number of simulated elections. If zero, 400.
	Seeds uint64
	// Processes is the maximum number of processes. If zero, 9.
	Processes int
	// Exhaustive are the sizes of networks whose every state is visited. If nil, the three smallest sizes of
	// the topology.
	Exhaustive []int
	// States is the maximum number of states visited per network. If zero, 20,000.
	States int

	// Allocates means that a Step may allocate memory each time. If false, it may only increase capacity once.
	Allocates bool
}

// trial is the test of one algorithm.
type trial struct {
	Options
	*election.Algorithm
	ctx context.Context
	t   *testing.T // for bubbles
}

// property is one tested property.
type property struct {
	name  string
	holds func(t *trial) error
	// promised reports whether the algorithm must have the property. If nil, always.
	promised func(t *trial) bool
}

func properties() []property {
	return []property{
		{name: "Description", holds: description},
		{name: "Scenarios", holds: scenarios, promised: func(t *trial) bool { return len(t.Scenarios) > 0 }},
		{name: "Simulation", holds: simulation},
		{name: "Purity", holds: purity},
		{name: "State", holds: state},
		{name: "Exhaustive", holds: exhaustive},
		{name: "Order", holds: turnedRound, promised: func(t *trial) bool {
			return t.Winner != nil &&
				t.Sections == 0
		}},
		{name: "Goroutines", holds: goroutines},
		{name: "Repeated", holds: repeated},
		{name: "Leaving", holds: leaving, promised: func(t *trial) bool {
			return !t.LongLived() && t.Elects != election.NoLeader && !t.RelaysAfterEnd
		}},
		{name: "LateStart", holds: lateStart, promised: func(t *trial) bool { return t.Sections == 0 }},
		{name: "Allocation", holds: allocation, promised: func(t *trial) bool { return !t.Allocates }},
		{name: "Unknown", holds: unknown},
		{name: "Bounds", holds: bounds},
	}
}

// Test tests every property of an algorithm, each as a subtest. If the description is invalid, nothing else is
// tested. If Simulation or Exhaustive fails, the elections with goroutines are skipped: they would report the
// same error less clearly.
func Test(t *testing.T, a *election.Algorithm, o Options) {
	t.Helper()
	if text := unsaid(a); text != "" {
		t.Log(text)
	}
	inOrder(&trial{Options: o, Algorithm: a}, func(p property) bool {
		return t.Run(p.name, func(t *testing.T) {
			if err := try(t, p, a, o); err != nil {
				t.Error(said(t.Name(), p.name, a, o, err))
			}
		})
	})
}

// unsaid returns what is not tested because the description does not specify it, or the empty string.
func unsaid(a *election.Algorithm) string {
	if a == nil || a.Elects == election.NoLeader || a.Winner != nil {
		return ""
	}
	return fmt.Sprintf("%s: it has no Winner: any one leader will do", a.Title())
}

// repeats are the properties that report the same error less clearly if Simulation or Exhaustive has failed.
var repeats = map[string]bool{"Order": true, "Goroutines": true, "Leaving": true}

// inOrder tests the properties one after another and skips properties that depend on failed ones.
func inOrder(t *trial, holds func(p property) bool) {
	failed := make(map[string]bool)
	for _, p := range properties() {
		switch {
		case p.promised != nil && !p.promised(t), failed["Description"],
			repeats[p.name] && (failed["Simulation"] || failed["Exhaustive"]):
			continue
		}
		failed[p.name] = !holds(p)
	}
}

// said returns the text of a failure: the algorithm, the property, the error, and how to repeat only this test.
// test is the name of the subtest.
func said(test, property string, a *election.Algorithm, o Options, err error) string {
	about := a.Title()
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		about += fmt.Sprintf(", %s %v", name, shown(o.Params[name]))
	}
	return fmt.Sprintf("%s: %s: %v\nalone: go test -run %s", about, property, err, chosen(test))
}

// shown returns a parameter in the form that scenarios use.
func shown(v params.Value) string {
	switch {
	case v.ByID != nil:
		return fmt.Sprint(v.ByID)
	case v.Lists != nil:
		return fmt.Sprint(v.Lists)
	case v.Text != "":
		return v.Text
	}
	return fmt.Sprint(v.Number)
}

// chosen returns the argument of -run, quoted for a shell, that selects one subtest.
func chosen(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return "'" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'"
}

// try tests one property.
func try(t *testing.T, p property, a *election.Algorithm, o Options) (err error) {
	defer func() {
		// A Node of the user may panic. Test the other properties nevertheless.
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if o.Seeds == 0 {
		o.Seeds = 400
	}
	if o.Processes == 0 {
		o.Processes = 9
	}
	if o.States == 0 {
		o.States = 20_000
	}
	if o.Find == nil {
		o.Find = func(string, string) (*election.Algorithm, error) { return a, nil }
	}
	return p.holds(&trial{Options: o, Algorithm: a, ctx: t.Context(), t: t})
}

// sizes returns the valid numbers of processes up to most, or the smallest few.
func (t *trial) sizes(most int) []int {
	smallest := map[election.Shape]int{election.Hypercube: 1 << 2, election.Mesh: 3 * 3}
	return topology.Sizes(t.Topology, max(most, smallest[t.Topology]))
}

// size returns the number of processes of the election with this seed. It is the smallest one if larger ones
// could take too many messages.
func (t *trial) size(seed uint64) int {
	sizes := t.sizes(t.Processes)
	n := sizes[int(seed)%len(sizes)]
	if t.Worst.Count != nil && t.Worst.Count(n) > 5000 {
		return sizes[0]
	}
	return n
}

// small returns the sizes whose every state is visited.
func (t *trial) small() []int {
	if t.Options.Exhaustive != nil {
		return t.Options.Exhaustive
	}
	return t.sizes(3)
}

// configured returns the algorithm configured for these processes, with a link delay of one unit.
func (t *trial) configured(ids []election.ID) (*election.Algorithm, error) {
	return scenario.Configure(t.Algorithm, t.Options.Params, ids, scenario.Unit)
}

// input returns an election among these processes on the algorithm's own topology, with all of them starting.
func (t *trial) input(ids []election.ID) (in scenario.Input, err error) {
	in.IDs = slices.Clone(ids)
	if in.Algorithm, err = t.configured(ids); err != nil {
		return in, err
	}
	return in, in.Check()
}

// budgeted reports whether a message budget may be used up before the last process has requested: then all
// request simultaneously.
func (t *trial) budgeted() bool {
	return t.Algorithm.Params.NameOf(params.MessageBudget) != ""
}
