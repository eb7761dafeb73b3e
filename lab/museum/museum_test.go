// Package museum keeps the mistakes that algorithms of this project have been printed with, or
// are known for, and those that it had itself, and shows that the checks find every one of them.
package museum

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

var update = flag.Bool("update", false, "write docs/museum.md anew")

const document = "../../docs/museum.md"

// exhibit is one mistake.
type exhibit struct {
	name, source, wrong string
	setting             string // what else the reader has to know, of the mutant and the control alike

	limit  bool // the code is right: the algorithm is used where it cannot work
	mutant check.Config
	right  control
	also   []control // what else is right, such as the mistake where it does no harm
	// counted: what is wrong is seen in the number of messages of one run in the simulator. It names the run.
	counted string
	// played: it takes a crash and starts at given times, in the simulator.
	played bool
	// prompts are what processes of a played run learn of others, and late starts.
	prompts []prompt
	seed    uint64 // of a played run with random delays
	// held are tests of drivers and of the contract, as directory.Test, which hold what the exhibit breaks.
	held []string
}

// prompt is an event that a service posts to a process, at a time.
type prompt struct {
	at time.Duration
	to election.ID
	op election.Op
	of election.ID // the process that it is about; zero for a Start
}

// control is the same setting without the mistake; of a limit, the same algorithm where it can work.
type control struct {
	name string
	check.Config
}

// found is what the checks say of an exhibit.
type found struct {
	by, property, reason string
	steps, states        uint64
	before               []string // what there is before the first step
	lines                []string // a line for each step
	cycle                int      // from which line on they repeat for ever; len(lines) if none do
	right                string
	also                 []string
}

func exhibits() []exhibit {
	return slices.Concat(ringExhibits(), completeExhibits(), graphExhibits(), overlayExhibits(),
		leaseExhibits(),
		driverExhibits())
}

// most is how many states a check here visits at most.
const most = 3_000_000

// TestMuseum: no mistake survives, nothing right is called a mistake, and docs/museum.md says so.
func TestMuseum(t *testing.T) {
	var all []found
	list := exhibits()
	for i := range list {
		t.Run(list[i].name, func(t *testing.T) {
			find := byChecker
			switch {
			case list[i].counted != "":
				find = byCounting
			case list[i].played:
				find = byPlaying
			}
			all = append(all, find(t, &list[i]))
		})
	}
	if t.Failed() || len(all) != len(list) {
		return
	}
	got := write(list, all)
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(got), 0o644))
	}
	b, err := os.ReadFile(document)
	require.NoError(t, err)
	before, _, ok := strings.Cut(string(b), mark)
	require.True(t, ok)
	require.Equal(t, got, before+mark+"\n", "run: go test ./lab/museum -update")
}

// byChecker finds the shortest way to what goes wrong, and that nothing does without the mistake.
func byChecker(t *testing.T, x *exhibit) (f found) {
	r := checked(t, x.name, x.mutant)
	require.ErrorIs(t, r.Err(), check.ErrViolated, "it survives, of %d states", r.States)
	require.NotNil(t, r.Counterexample)
	trail := r.Counterexample
	f.by, f.property, f.reason = "checker", trail.Property.Text(), trail.Reason.Error()
	if _, broken, ok := strings.Cut(f.reason, audit); ok {
		f.property = "audit: " + broken
		f.reason = strings.Replace(f.reason, "election: a node panicked: "+audit, "", 1)
	}
	f.steps, f.states = uint64(len(trail.Steps)), r.States
	var err error
	f.before, f.lines, err = describe(x.mutant, trail)
	require.NoError(t, err)
	require.Len(t, f.lines, len(trail.Steps), "a line for each step")
	f.cycle = trail.Cycle
	f.right = allRight(t, x.name, x.right)
	for _, c := range x.also {
		f.also = append(f.also, allRight(t, x.name, c))
	}
	return f
}

// results are those of the checks that have been run, by name: more than one test takes them.
var results = make(map[string]*check.Result)

// checked visits every state of a check, or those until the first mistake.
func checked(t *testing.T, name string, c check.Config) *check.Result {
	t.Helper()
	if r, ok := results[name]; ok {
		return r
	}
	c.MaxStates, c.Workers = most, 1
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err, name)
	results[name] = r
	return r
}

// ofRight is the name of the check of a control.
func ofRight(exhibit string, right control) string { return exhibit + ", right: " + right.name }

// allRight visits every state, finds nothing wrong in any, and says so.
func allRight(t *testing.T, exhibit string, right control) string {
	r := checked(t, ofRight(exhibit, right), right.Config)
	require.NoError(t, r.Err(), "%s: %v", right.name, r.Counterexample)
	require.True(t, r.Exhausted, "%s: %d states are not all", right.name, r.States)
	return fmt.Sprintf("%s: %d states, all right", right.name, r.States)
}

// byCounting counts the messages of one run under the unit schedule.
func byCounting(t *testing.T, x *exhibit) (f found) {
	count := func(c check.Config) uint64 {
		r, err := sim.Run(t.Context(), sim.Config{Input: c.Input, Until: c.Until})
		require.NoError(t, err)
		if !c.Algorithm.Leaderless {
			require.NoError(t, r.Err())
		}
		return r.Messages
	}
	got, right := count(x.mutant), count(x.right.Config)
	require.Greater(t, got, right)
	f.by, f.property = "simulator", "no more messages than there should be"
	f.reason = fmt.Sprintf("%d messages %s", got, x.counted)
	f.right = fmt.Sprintf("%s: %d messages", x.right.name, right)
	return f
}

// byPlaying makes one run, under the unit schedule or with random delays.
func byPlaying(t *testing.T, x *exhibit) (f found) {
	words := newTeller(x.mutant)
	r, broken, err := played(t, x, x.mutant, words.see)
	require.Error(t, err)
	f.by, f.property, f.reason = "simulator", broken.Text(), err.Error()
	if _, what, ok := strings.Cut(f.reason, audit); ok {
		var of *observe.ProcessError
		require.ErrorAs(t, err, &of)
		what, _, _ = strings.Cut(what, ": process")
		f.property, f.reason = "audit: "+what, fmt.Sprintf("process %d: %s", of.ID, what)
		words.breaks(f.reason)
	}
	f.before, f.lines, f.steps, f.cycle = words.before, words.lines, uint64(len(words.lines)),
		len(words.lines)
	r, _, err = played(t, x, x.right.Config, nil)
	require.NoError(t, err)
	switch n := len(r.Entries); {
	case x.right.Config.Algorithm.Leaderless:
		f.right = x.right.name + ": every request is served"
	case n > 0:
		f.right = fmt.Sprintf("%s: all follow %d, %d entries with larger and larger tokens", x.right.name,
			r.Leader, n)
	default:
		f.right = fmt.Sprintf("%s: all follow %d", x.right.name, r.Leader)
	}
	return f
}

// played makes one run, and returns what is wrong with it.
func played(t *testing.T, x *exhibit, c check.Config, see observe.Observer) (sim.Result, verdict.Property,
	error) {
	var sections verdict.Sections
	var broken verdict.Property
	var wrong error
	config := sim.Config{Input: c.Input, Observe: see, Seed: x.seed, OnRaise: func(p int, ev election.Event) {
		if wrong == nil {
			broken, wrong = sections.Note(c.IDs[p], &ev)
		}
	}}
	if x.seed > 0 {
		config.Schedule = sim.RandomDelay
	}
	require.NoError(t, config.Input.Check())
	s, err := sim.New(config)
	require.NoError(t, err)
	err = runPrompts(t, s, x.prompts, &config.Input, c.Until)
	r := s.Result()
	switch {
	case errors.Is(err, observe.ErrPanic):
		broken, wrong = verdict.Sound, err
	case wrong == nil && c.Algorithm.Leaderless:
		require.NoError(t, err)
		broken, wrong = verdict.Served, verdict.Unserved(unserved(c, r.Entries))
	case wrong == nil:
		require.NoError(t, err)
		broken, wrong = verdict.Agreement, r.Err()
	}
	return r, broken, wrong
}

// unserved returns the processes that have asked for the critical section and have not entered it.
func unserved(c check.Config, entries []verdict.Entry) []election.ID {
	return slices.DeleteFunc(slices.Clone(c.Initiators), func(id election.ID) bool {
		return slices.ContainsFunc(entries, func(e verdict.Entry) bool { return e.ID == id })
	})
}

// runPrompts posts each prompt at its time, and runs to the end.
func runPrompts(t *testing.T, s *sim.Sim, prompts []prompt, in *scenario.Input, until time.Duration) error {
	where := in.Positions()
	for _, p := range prompts {
		s.Extend(p.at)
		if err := s.Run(t.Context()); err != nil {
			return err
		}
		ev := election.Event{Op: p.op}
		for to, _, ok := in.Topology.Link(where[p.to], ev.Port); p.of != 0 && ok && in.IDs[to] != p.of; {
			ev.Port++
			to, _, ok = in.Topology.Link(where[p.to], ev.Port)
		}
		s.Post(where[p.to], ev)
	}
	s.Extend(until)
	return s.Run(t.Context())
}
