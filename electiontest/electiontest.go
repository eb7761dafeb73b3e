// Package electiontest tries whether an election algorithm keeps what its description promises, and the
// contract of [election.Node].
//
// A test of one line is enough:
//
//	func TestConformance(t *testing.T) {
//		electiontest.Test(t, myalgorithm.Algorithm(), electiontest.Options{})
//	}
//
// What is tried comes from the description: the links, which process wins, what becomes of a late Start,
// whether links must keep the order, how long messages may take, the bounds. [Options] add what it cannot
// say.
//
// # Properties
//
// Each is a subtest, to be chosen with -run:
//
//	Description  the description is whole: names of kinds and timers, bounds that do not contradict each other
//	Scenarios    the scenarios of Options.Scenarios come out as they expect
//	Simulation   one leader, the right one, known to all, on random links, sizes, delays and faults
//	             within the model (package soak); and the same again for the same seed
//	Purity       the same state and event give the same effects and state, whatever else runs
//	State        saved, restored and reset, a Node goes on as if nothing had been; equal states have
//	             equal bytes; damaged bytes are an error. That is tried on runs of Simulation, and on
//	             disorderly ones with parameters that are drawn
//	Exhaustive   every state of small networks, with priorities too, as far as there is time (package check)
//	Order        with the order of Ranks turned round ([election.Algorithm.Smallest])
//	             the smallest wins as the largest does             not without a Winner
//	Goroutines   processes elect as goroutines, by package local and over transport/memory
//	Repeated     one election after another, the next while messages of the last are under way
//	Leaving      a process that knows of the end is needed no more   not if RelaysAfterEnd
//	LateStart    a Start of a process that relays already is ignored, refused, or joins,
//	             as the description says                             not if it has Sections
//	Allocation   no Step allocates on a Node that has been used      not if Allocates
//	Unknown      unknown Ops, Kinds, Flags, timers and ports do no harm
//	Bounds       elections take as many messages as the description says
//
// A failure names the algorithm, its parameters, the property and the election in which that does not hold,
// and the -run that tries it alone. Under those of Simulation and Exhaustive stands the log of the smallest
// run that shows it, step by step. An election that goes on and on is a failure like any other: it is stopped
// after very many messages and time-outs. Order, Goroutines and Leaving are left out where one of these
// two has failed.
//
// # Limitations
//
// Finding nothing proves little, except for Exhaustive, and that only for the networks that it has
// been through. Nodes that start goroutines are found only if these are still there when
// their Step is over; and goroutines that others start meanwhile are taken for theirs, so Test is not for
// tests that run in parallel with others.
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

// Options say what a description does not. The zero value is ready for use.
type Options struct {
	// Params are parameters of the algorithm, as scenarios have them. If nil, the defaults.
	Params map[string]params.Value
	// Scenarios are files of scenarios. If nil, there are none.
	Scenarios []string
	// Find finds the algorithms of the scenarios. If nil, all are about the one that is tried.
	Find func(name, variant string) (*election.Algorithm, error)

	// Seeds is how many elections are simulated. If zero, 400.
	Seeds uint64
	// Processes is how many take part at most. If zero, 9.
	Processes int
	// Exhaustive are the sizes of networks whose every state is visited. If nil, the smallest three
	// that the shape can have.
	Exhaustive []int
	// States is how many states of each are visited at most. If zero, 20,000.
	States int

	// Allocates: a Step may allocate memory each time. If false, it may only make room once.
	Allocates bool
}

// trial is an algorithm that is tried.
type trial struct {
	Options
	*election.Algorithm
	ctx context.Context
	t   *testing.T // for bubbles
}

// property is one thing that is promised.
type property struct {
	name  string
	holds func(t *trial) error
	// promised reports whether it is. If nil, always.
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
			return !t.LongLived && !t.Leaderless && !t.RelaysAfterEnd
		}},
		{name: "LateStart", holds: lateStart, promised: func(t *trial) bool { return t.Sections == 0 }},
		{name: "Allocation", holds: allocation, promised: func(t *trial) bool { return !t.Allocates }},
		{name: "Unknown", holds: unknown},
		{name: "Bounds", holds: bounds},
	}
}

// Test tries every property of an algorithm, each as a subtest. Without a sound description there is
// nothing else to try, and where the simulated elections or those of which every state was visited fail,
// those of goroutines are left out: they would say the same less clearly.
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

// unsaid says what is not tried since the description does not say how it must be; empty if that is nothing.
func unsaid(a *election.Algorithm) string {
	if a == nil || a.Leaderless || a.Winner != nil {
		return ""
	}
	return fmt.Sprintf("%s: it has no Winner: any one leader will do", a.Title())
}

// repeats are the properties that say the same less clearly where Simulation or Exhaustive has failed.
var repeats = map[string]bool{"Order": true, "Goroutines": true, "Leaving": true}

// inOrder asks of one property after another whether it holds, as far as that depends on those before.
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

// said says which algorithm breaks a property, how, and how that is tried alone: test is the name of the
// subtest.
func said(test, property string, a *election.Algorithm, o Options, err error) string {
	about := a.Title()
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		about += fmt.Sprintf(", %s %v", name, shown(o.Params[name]))
	}
	return fmt.Sprintf("%s: %s: %v\nalone: go test -run %s", about, property, err, chosen(test))
}

// shown returns a parameter as a scenario has it.
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

// chosen returns what to give to -run, as a shell takes it, for one subtest alone.
func chosen(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return "'" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'"
}

// try tries one property.
func try(t *testing.T, p property, a *election.Algorithm, o Options) (err error) {
	defer func() {
		// A Node of the user may panic. The other properties are tried all the same.
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

// sizes returns the numbers of processes up to a largest that the shape can have, or the smallest few.
func (t *trial) sizes(most int) []int {
	smallest := map[election.Shape]int{election.Hypercube: 1 << 2, election.Mesh: 3 * 3}
	return topology.Sizes(t.Topology, max(most, smallest[t.Topology]))
}

// size returns the number of processes of an election with this seed: the smallest where others may take too
// many messages.
func (t *trial) size(seed uint64) int {
	sizes := t.sizes(t.Processes)
	n := sizes[int(seed)%len(sizes)]
	if t.Worst.Count != nil && t.Worst.Count(n) > 5000 {
		return sizes[0]
	}
	return n
}

// small returns the sizes of which every state is visited.
func (t *trial) small() []int {
	if t.Options.Exhaustive != nil {
		return t.Options.Exhaustive
	}
	return t.sizes(3)
}

// configured returns the algorithm for these processes, on links that take a unit.
func (t *trial) configured(ids []election.ID) (*election.Algorithm, error) {
	return scenario.Configure(t.Algorithm, t.Options.Params, ids, scenario.Unit)
}

// input returns an election among these, all of which start, on the algorithm's own links.
func (t *trial) input(ids []election.ID) (in scenario.Input, err error) {
	in.IDs = slices.Clone(ids)
	if in.Algorithm, err = t.configured(ids); err != nil {
		return in, err
	}
	return in, in.Check()
}

// budgeted reports whether a token or the like may be gone before the last has asked: then all ask at
// once.
func (t *trial) budgeted() bool {
	return t.Algorithm.Params.NameOf(params.MessageBudget) != ""
}
