package museum

import (
	"errors"
	"flag"
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

var (
	long   = flag.Bool("long", false, "search more states, and shrink more runs")
	update = flag.Bool("update", false, "regenerate docs/museum.md")
)

const document = "../../docs/museum.md"

// found contains the results of the checks of an exhibit.
type found struct {
	by, property  string
	fewest        *shortest // that the Entry names
	steps, states uint64
}

// exhibits returns all exhibits of the document.
func exhibits() []Entry { return slices.Concat(All(), driverExhibits()) }

// most is how many states a check here visits at most.
const most = 3_000_000

// TestMuseum: the checker finds every mistake, reports nothing right as a mistake, and docs/museum.md
// contains the results.
func TestMuseum(t *testing.T) {
	var all []found
	list := exhibits()
	for i := range list {
		t.Run(list[i].Name, func(t *testing.T) {
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
	got, code := write(list, all), listTrails(list, all)
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(got), 0o644))
		require.NoError(t, os.WriteFile("trails.go", []byte(code), 0o644))
	}
	compiled, err := os.ReadFile("trails.go")
	require.NoError(t, err)
	require.Equal(t, code, string(compiled), "run: go test ./lab/museum -update")
	b, err := os.ReadFile(document)
	require.NoError(t, err)
	before, _, ok := strings.Cut(string(b), mark)
	require.True(t, ok)
	require.Equal(t, got, before+mark+"\n", "run: go test ./lab/museum -update")
}

// byChecker finds the shortest way to what goes wrong, and that nothing does without the mistake.
func byChecker(t *testing.T, x *Entry) (f found) {
	r := checked(t, x.Name, x.Config)
	require.ErrorIs(t, r.Err(), check.ErrViolated, "it survives, of %d states", r.States)
	require.NotNil(t, r.Counterexample)
	trail := r.Counterexample
	f.by, f.property = "checker", trail.Property.Text()
	if _, broken, ok := strings.Cut(trail.Reason.Error(), Audit); ok {
		f.property = "audit: " + broken
	}
	fewest, byHand := exercise(t, x)
	f.fewest = &shortest{fewest.Property, len(fewest.Steps), byHand}
	f.steps, f.states = uint64(len(trail.Steps)), r.States
	seen, err := replay(x.Config, trail)
	require.NoError(t, err)
	require.Equal(t, f.steps, seen, "the simulator takes the same steps")
	for _, c := range slices.Concat([]Control{x.Control}, x.Also) {
		allRight(t, x.Name, c)
	}
	return f
}

// exercise returns the shortest trail to a mistake, and whether its steps show the mistake as acts. By hand,
// processes may start at any time, so the trail may be shorter than with all starts first. Delays are as the
// algorithm requires, and it announces its leader.
func exercise(t *testing.T, x *Entry) (*check.Trail, bool) {
	trail := checked(t, x.Name, x.Config).Counterexample
	if x.Limit || strings.HasPrefix(x.Name, driver) || len(x.Config.IDs) > mostProcesses ||
		len(trail.Steps) > mostSteps {
		return trail, false
	}
	c := x.Config
	if len(c.Kept) > 0 { // messages arrive again and again, in any order
		return trail, false
	}
	c.Started, c.NoAnnouncement = false, false
	if c.Until > 0 {
		c.Delay, c.Tick = c.Algorithm.Delay, 0
		c.Until = max(c.Until-c.Until%c.Delay, c.Delay) // whole ticks, as the page checks them
	}
	found := trail
	if x.Config.Started || x.Config.NoAnnouncement || c.Until > 0 {
		found = checked(t, x.Name+", by hand", c).Counterexample
	}
	if found == nil {
		return trail, false
	}
	if found = fewest(t, &c, found); !showsByHand(t, &c, &x.Control.Config, found) {
		return trail, false
	}
	return found, true
}

// fewest returns a trail with fewer steps, if there is one. To the checker a start that is refused is a move,
// which is no step; and of runs without end, or with too many messages, it shows not the shortest. TestPar
// holds that none is shorter.
func fewest(t *testing.T, c *check.Config, trail *check.Trail) *check.Trail {
	report := func(s scenario.Step) bool { return s.Do == observe.Suspect || s.Do == observe.Trust }
	if c.Delay > 0 || slices.ContainsFunc(trail.Steps, report) { // a shorter one may hold a false report
		return trail
	}
	steps, err := check.Shrink(t.Context(), c.Input, trail.Steps, trail.Property)
	require.NoError(t, err)
	less := *trail
	less.Steps = steps
	return &less
}

// showsByHand reports whether acts show a mistake that are the steps of a trail: in their order, at
// times that an algorithm that measures time allows, and with no faults beyond its model.
func showsByHand(t *testing.T, c, right *check.Config, trail *check.Trail) bool {
	model := *c
	model.Unordered = false
	steps := slices.Clone(trail.Steps)
	for i := range steps {
		if steps[i].At = nil; len(steps[i].Choices) > 0 {
			return false
		}
	}
	if model.Outside() != "" {
		return false
	}
	if a := c.Algorithm; a.Elects == election.LeaseHolders || a.DelayBound() > 0 {
		for i := range steps {
			steps[i].At = new(time.Duration(i) * scenario.Unit)
		}
		var err error
		if steps, err = check.Earliest(t.Context(), c.Input, steps); errors.Is(err, election.ErrInput) {
			return false // a step comes only at a time of its own, such as the time of a timer
		}
		require.NoError(t, err)
	}
	// If the only mistake is a short timeout, the same acts also make the right algorithm fail, since one of
	// them fires the timer too early.
	return steps != nil && shownBy(t, c, steps, trail.Property) == trail.Property &&
		shownBy(t, right, trail.Steps, "") == ""
}

// results contains the results of checks by name, since several tests use them.
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
func ofRight(exhibit string, right Control) string { return exhibit + ", right: " + right.Name }

// allRight visits every state and finds nothing wrong in any.
func allRight(t *testing.T, exhibit string, right Control) {
	r := checked(t, ofRight(exhibit, right), right.Config)
	require.NoError(t, r.Err(), "%s: %v", right.Name, r.Counterexample)
	require.True(t, r.Exhausted, "%s: %d states are not all", right.Name, r.States)
}

// byCounting counts the messages of one run under the unit schedule.
func byCounting(t *testing.T, x *Entry) (f found) {
	count := func(c check.Config) uint64 {
		r, err := sim.Run(t.Context(), sim.Config{Input: c.Input, Until: c.Until})
		require.NoError(t, err)
		if c.Algorithm.Elects != election.NoLeader {
			require.NoError(t, r.Err())
		}
		return r.Messages
	}
	got, right := count(x.Config), count(x.Control.Config)
	require.Greater(t, got, right)
	f.by, f.property = "simulator", "no more messages than there should be"
	return f
}

// byPlaying makes one run, under the unit schedule or with random delays.
func byPlaying(t *testing.T, x *Entry) (f found) {
	require.NoError(t, x.Config.Input.Check())
	seen := &counter{in: &x.Config.Input}
	_, broken, err := played(t, x, x.Config, seen.see)
	require.Error(t, err)
	f.by, f.property = "simulator", broken.Text()
	if _, what, ok := strings.Cut(err.Error(), Audit); ok {
		what, _, _ = strings.Cut(what, ": process")
		f.property = "audit: " + what
		seen.steps++ // the Node panics in this step, which no observer sees
	}
	f.steps = seen.steps
	_, _, err = played(t, x, x.Control.Config, nil)
	require.NoError(t, err)
	return f
}

// played makes one run, and returns what is wrong with it.
func played(t *testing.T, x *Entry, c check.Config, see observe.Observer) (sim.Result, verdict.Property,
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
	case wrong == nil && c.Algorithm.Elects == election.NoLeader:
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
