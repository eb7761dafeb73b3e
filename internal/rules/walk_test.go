package rules_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/internal/counters"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// footprint is a set of blocks that one step has run.
type footprint struct {
	Event  string // "start"
	Blocks []int
	First  string // where it was first seen
}

// heading precedes what TestWalk prints for its parent.
const heading = "footprints: "

// How many elections are drawn for each setting, of each kind.
const (
	soaked  = 12
	stormed = 12
)

// setting is an algorithm with parameters.
type setting struct {
	algorithm *election.Algorithm
	values    map[string]params.Value
}

// more are the parameters with which algorithms run, besides their defaults.
var more = map[string][]map[string]params.Value{
	"bully":      {{"heartbeat": {Number: 5}}, {"announce": {Text: "lower"}}},
	"invitation": {{"interval": {Number: 5}}},
	"storelease": {{"watch": {Number: 1}, "lease": {Number: 8}},
		{"stale": {Number: 3}, "fails": {Number: 3}, "durable": {Number: 1}, "lease": {Number: 8}}},
	"modbully": {{"heartbeat": {Number: 5}}, {"refresh": {Number: 9}, "echo": {Text: "yes"}}},
}

// settings returns what is walked.
func settings(t *testing.T) (all []setting) {
	for _, a := range catalog.All() {
		all = append(all, setting{a, nil})
		for _, v := range more[a.Name] {
			if a.Variant == "convenience" || v["echo"].Text == "" {
				all = append(all, setting{a, v})
			}
		}
	}
	add := func(a *election.Algorithm, err error) {
		require.NoError(t, err)
		all = append(all, setting{a, nil})
	}
	for _, d := range []detect.Detector{detect.Deadline{}, detect.Phi{}, detect.Chen{}} {
		add(detect.Under(lcr.Max(), d))
	}
	ring := mutex.Config{CriticalSection: time.Second, Regenerate: 5 * time.Second, First: 1}
	add(mutex.TokenRing(ring))
	ring.Bridge = true
	add(mutex.TokenRing(ring))
	return all
}

// walker collects footprints.
type walker struct {
	seen   map[string]*footprint
	set    *counters.Set
	blocks []int
	steps  int // of this run
}

// observer collects the steps of a run.
func (w *walker) observer(run string) observe.Observer {
	w.blocks, w.steps = w.set.Take(w.blocks[:0]), 0 // discard the blocks from making the run
	return func(o *observe.Occurrence) {
		w.steps++
		if w.blocks = w.set.Take(w.blocks[:0]); o.What != observe.Step {
			return
		}
		what := observe.What(o.Event.Op).String()
		if o.Event.Op == election.Recv && o.Event.Msg.Kind == election.CatchUp {
			what = "catch up"
		}
		key := fmt.Sprint(what, w.blocks)
		if w.seen[key] == nil {
			w.seen[key] = &footprint{what, slices.Clone(w.blocks),
				fmt.Sprintf("%s, step %d, process %d", run, w.steps, o.Process)}
		}
	}
}

// soak takes runs within the model of the algorithm.
func (w *walker) soak(t *testing.T, s setting) {
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		c := soak.Config{Algorithm: s.algorithm, Params: s.values, Processes: 6, Profile: profile}
		for number := range uint64(soaked) {
			plan, err := c.Plan(number)
			require.NoError(t, err)
			out := plan.Run(w.observer(fmt.Sprintf("%s %v, profile %q, run %d", s.algorithm.Title(), s.values,
				profile, number)))
			require.Nil(t, out.Violation)
		}
	}
}

// storm takes a run outside the model: messages are lost, doubled and overtaken, and processes crash,
// come back and get commands at any moment.
func (w *walker) storm(t *testing.T, s setting, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	in := scenario.Input{Faults: fault.Plan{Loss: 0.05, Duplicate: 0.05, Reorder: 0.05}}
	for id := range catalogtest.Fits(s.algorithm, 4) {
		in.IDs = append(in.IDs, election.ID(id+1))
	}
	var err error
	in.Algorithm, err = scenario.Configure(s.algorithm, s.values, in.IDs, 0)
	require.NoError(t, err)
	in.Topology, err = scenario.Default(in.Algorithm, in.IDs)
	require.NoError(t, err)
	run, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Force: true, Seed: seed,
		KeepSaved: true,
		Observe:   w.observer(fmt.Sprintf("%s %v, storm %d", s.algorithm.Title(), s.values, seed))})
	require.NoError(t, err)
	for range 200 {
		for range rng.IntN(20) {
			run.Step()
		}
		p := rng.IntN(len(in.IDs))
		switch fault := rng.IntN(20); {
		case fault == 0 && seed%2 == 0: // in every second storm all stay up
			run.Crash(p)
		case fault == 1 && seed%2 == 0:
			run.Restart(p)
		case fault == 2 && seed%2 == 0:
			require.NoError(t, run.RestartSaved(p))
		case run.Status(p) == sim.Up:
			event := outside(&in, rng, p)
			w.blocks = w.set.Take(w.blocks[:0]) // discard the blocks from making the event
			run.Post(p, event)
		}
	}
}

// outside returns an event from outside.
func outside(in *scenario.Input, rng *rand.Rand, p int) election.Event {
	ops := []election.Op{election.Suspect, election.Trust, election.Suspect, election.Trust, election.Start,
		election.Reelect}
	switch {
	case rng.IntN(2) == 0:
		return election.Event{Op: ops[rng.IntN(len(ops))], Port: election.Port(rng.IntN(in.Ports(p)))}
	case in.Algorithm.Name == "mutex" && rng.IntN(2) == 0:
		return mutex.Request(0, uint32(rng.IntN(5)/4))
	case in.Algorithm.Name == "mutex":
		return mutex.Release(0, uint32(rng.IntN(5)/4))
	case in.Algorithm.Name == "storelease":
		commands := []election.Message{lease.Resign(0, 0), lease.Renew(), lease.Raise(rng.Uint64N(20)), lease.Lapse(),
			lease.SitDown(), lease.Prefer(rng.Uint64N(3)), lease.Resign(0, in.IDs[1])}
		return election.Event{Op: election.Command, Msg: commands[rng.IntN(len(commands))]}
	case in.Algorithm.Name == "lease":
		commands := []election.Message{lease.Resign(0, 0), lease.Renew(), lease.Raise(rng.Uint64N(20)),
			lease.Lapse(), lease.SitDown(), lease.Prefer(rng.Uint64N(3)), lease.Resign(0, in.IDs[0]),
			lease.Abandon(), lease.Complete(), lease.TakeBack(),
			lease.LendFor(time.Duration(rng.Uint64N(400))*time.Second, in.IDs[rng.IntN(2)])}
		if rng.IntN(2) == 0 { // the voters change
			one := in.IDs[rng.IntN(2)]
			commands = []election.Message{lease.Wish(in.IDs[0], 0, 1), lease.Change(one, 0, 1, false)}
		}
		return election.Event{Op: election.Command, Msg: commands[rng.IntN(len(commands))]}
	}
	return election.Event{Op: election.Start}
}

// TestWalk runs in the instrumented build that TestSteps makes, and prints the footprints.
func TestWalk(t *testing.T) {
	if !counters.Instrumented() {
		return // it would find nothing; TestSteps judges what it finds there
	}
	w := &walker{seen: make(map[string]*footprint), set: counters.Of()}
	for _, s := range settings(t) {
		w.soak(t, s)
		storms := uint64(stormed)
		if s.algorithm.Name == "lease" {
			storms *= 8 // what its voters remind each other of is rare
		}
		for seed := range storms {
			w.storm(t, s, seed)
		}
	}
	all := make([]*footprint, 0, len(w.seen))
	for _, f := range w.seen {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *footprint) int { return strings.Compare(a.First, b.First) })
	text, err := json.Marshal(all)
	require.NoError(t, err)
	fmt.Println(heading + string(text))
}
