// Package museum keeps the mistakes that algorithms of this project have been printed with, or
// are known for, and shows that the checks find every one of them.
package museum

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
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
	// counted: what is wrong is seen in the number of messages of a large run, in the simulator.
	counted bool
	// played: it takes a crash and starts at given times, in the simulator.
	played bool
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
	return slices.Concat(ringExhibits(), completeExhibits(), graphExhibits())
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
			case list[i].counted:
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
	c := x.mutant
	c.MaxStates, c.Workers = most, 1
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.ErrorIs(t, r.Err(), check.ErrViolated, "it survives, of %d states", r.States)
	require.NotNil(t, r.Counterexample)
	trail := r.Counterexample
	f.by, f.property, f.reason = "checker", trail.Property.Text(), trail.Reason.Error()
	if _, broken, ok := strings.Cut(f.reason, audit); ok {
		f.property = "audit: " + broken
		f.reason = strings.Replace(f.reason, "election: a node panicked: "+audit, "", 1)
	}
	f.steps, f.states = uint64(len(trail.Steps)), r.States
	f.before, f.lines, err = describe(c, trail)
	require.NoError(t, err)
	require.Len(t, f.lines, len(trail.Steps), "a line for each step")
	f.cycle = trail.Cycle
	f.right = allRight(t, x.right)
	for _, c := range x.also {
		f.also = append(f.also, allRight(t, c))
	}
	return f
}

// allRight visits every state, finds nothing wrong in any, and says so.
func allRight(t *testing.T, right control) string {
	c := right.Config
	c.MaxStates, c.Workers = most, 1
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err(), "%s: %v", right.name, r.Counterexample)
	require.True(t, r.Exhausted, "%s: %d states are not all", right.name, r.States)
	return fmt.Sprintf("%s: %d states, all right", right.name, r.States)
}

// byCounting counts the messages of one run under the unit schedule.
func byCounting(t *testing.T, x *exhibit) (f found) {
	count := func(c check.Config) uint64 {
		r, err := sim.Run(t.Context(), sim.Config{Input: c.Input})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		return r.Messages
	}
	got, right := count(x.mutant), count(x.right.Config)
	require.Greater(t, got, right)
	f.by, f.property = "simulator", "no more messages than there should be"
	f.reason = fmt.Sprintf("%d messages where the smallest of %d starts, whose IDs rise", got,
		len(x.mutant.IDs))
	f.right = fmt.Sprintf("%s: %d messages", x.right.name, right)
	return f
}

// byPlaying makes one run under the unit schedule.
func byPlaying(t *testing.T, x *exhibit) (f found) {
	words := newTeller(x.mutant)
	r, broken, err := played(t, x.mutant, words.see)
	require.Error(t, err)
	f.by, f.property, f.reason = "simulator", broken.Text(), err.Error()
	f.before, f.lines, f.steps, f.cycle = words.before, words.lines, uint64(len(words.lines)),
		len(words.lines)
	r, _, err = played(t, x.right.Config, nil)
	require.NoError(t, err)
	f.right = fmt.Sprintf("%s: all follow %d", x.right.name, r.Leader)
	if n := len(r.Entries); n > 0 {
		f.right += fmt.Sprintf(", %d entries with larger and larger tokens", n)
	}
	return f
}

// played makes one run, and returns what is wrong with it.
func played(t *testing.T, c check.Config, see observe.Observer) (sim.Result, verdict.Property, error) {
	var sections verdict.Sections
	var broken verdict.Property
	var wrong error
	r, err := sim.Run(t.Context(), sim.Config{Input: c.Input, Observe: see,
		OnRaise: func(p int, ev election.Event) {
			if wrong == nil {
				broken, wrong = sections.Note(c.IDs[p], &ev)
			}
		}})
	require.NoError(t, err)
	if wrong == nil {
		broken, wrong = verdict.Agreement, r.Err()
	}
	return r, broken, wrong
}
