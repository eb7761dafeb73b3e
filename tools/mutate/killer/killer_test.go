// Package killer checks all small elections of one algorithm, or of all of them, exhaustively, and runs
// the worked examples: what a change of an algorithm cannot easily get past, in seconds.
package killer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/mutex"
)

var (
	only   = flag.String("only", "", "only the algorithm of this name")
	update = flag.Bool("update", false, "write the counts of states anew")
)

const pinned = "testdata/states.txt"

// most is how many states a check here visits at most.
const most = 20000

// tried reports whether the algorithms of a name are tried: two in short tests.
func tried(name string) bool {
	if *only == "" && testing.Short() && !*update {
		return slices.Contains([]string{"lcr", "mutex"}, name)
	}
	return *only == "" || name == *only
}

// TestStates: every small election is right, and has as many states, steps and messages as it had;
// its description says what it said.
func TestStates(t *testing.T) {
	var got []string
	for _, a := range append(catalog.All(), beating(t)...) {
		if !tried(a.Name) {
			continue
		}
		got = append(got, described(a))
		for _, c := range configs(a) {
			r, err := check.Run(t.Context(), c.Config)
			require.NoError(t, err, c.name)
			require.NotErrorIs(t, r.Err(), check.ErrViolated, "%s", c.name)
			line := fmt.Sprintf("%s: states %d, transitions %d, messages %d, longest %d", c.name, r.States,
				r.Transitions, r.Messages, r.Longest)
			if !r.Exhausted {
				line = c.name + ": too many"
			}
			got = append(got, line)
		}
	}
	if *update {
		require.Empty(t, *only)
		require.NoError(t, os.MkdirAll(filepath.Dir(pinned), 0o755))
		require.NoError(t, os.WriteFile(pinned, []byte(strings.Join(got, "\n")+"\n"), 0o644))
	}
	b, err := os.ReadFile(pinned)
	require.NoError(t, err)
	var want []string
	for line := range strings.Lines(string(b)) {
		if name, _, _ := strings.Cut(line, " "); tried(strings.Split(name, "/")[0]) {
			want = append(want, strings.TrimSpace(line))
		}
	}
	require.Len(t, got, len(want), "run: go test ./tools/mutate/killer -update")
	for i := range want {
		require.Equal(t, want[i], got[i], "run: go test ./tools/mutate/killer -update")
	}
}

// described returns what a description says, in one line; IDs take 100 bits, priorities 2000 and so on.
func described(a *election.Algorithm) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%s is described:%s; %s wins; %s, %s, %s; faults%s, %d of 9 down;", a.Title(),
		said(*a), a.Wins(),
		a.Best.Formula, a.Mean.Formula, a.Worst.Formula, said(a.Faults), a.Faults.MostDown(9))
	for _, k := range a.Kinds {
		fmt.Fprintf(&line, "%s of %d", said(k), k.Bits(cost.Widths{ID: 100, Priority: 2000, N: 30_000,
			LogN: 400_000}))
	}
	return line.String()
}

// said returns the fields of a struct that are not zero; those only that are flags, numbers, texts
// or lists of texts.
func said(of any) string {
	var text strings.Builder
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool, reflect.String, reflect.Int, reflect.Int64, reflect.Float64:
			if !f.IsZero() {
				fmt.Fprintf(&text, " %s %v", v.Type().Field(i).Name, f)
			}
		case reflect.Slice:
			if texts, ok := f.Interface().([]string); ok && texts != nil {
				fmt.Fprintf(&text, " %s %q", v.Type().Field(i).Name, texts)
			}
		}
	}
	return text.String()
}

// beating are the algorithms that send heartbeats, with a parameter for that. Runs of theirs are
// watched for a while.
func beating(t *testing.T) (list []*election.Algorithm) {
	c := bully.Config{Heartbeat: 2 * scenario.Unit}
	for _, with := range []func(bully.Config) (*election.Algorithm, error){bully.Rules, bully.Halting} {
		a, err := with(c)
		require.NoError(t, err)
		list = append(list, a)
	}
	return list
}

// config is a check with a name.
type config struct {
	name string
	check.Config
}

// configs returns the checks of one variant.
func configs(a *election.Algorithm) (list []config) {
	add := func(name string, c check.Config) {
		c.Algorithm, c.MaxStates, c.Workers, c.Delay = a, most, 1, a.Delay
		c.Nudge = a.Faults.Nudged
		if a.NeverQuiesces {
			if len(c.IDs) != 2 {
				return
			}
			c.Until, c.MaxStates, name = 10*a.Delay, 2*most, "beating "+name
		}
		if a.Title() == "mutex/tokenring" { // a late start may find its token used up
			c.Algorithm, c.Started, name = roundTrips(c.IDs), true, strings.TrimSpace(name+" started")
		}
		list = append(list, config{strings.TrimSpace(fmt.Sprintf("%s %v %s", a.Title(), c.IDs, name)), c})
	}
	for _, ids := range orders(a) {
		in := scenario.Input{IDs: ids}
		add("", check.Config{Input: in})
		if !a.NeedsFIFO && a.Delay == 0 && a.Sections == 0 {
			add("unordered", check.Config{Input: in, Unordered: true})
		}
		if a.Delay == 0 && a.Title() != "mutex/tokenring" && a.Name != "itairodeh" { // which draws
			add("started", check.Config{Input: in, Started: true})
		}
		in.Initiators = ids[:1]
		add("one", check.Config{Input: in})
		in.Priorities = make([]uint64, len(ids))
		in.Priorities[len(ids)/2] = 1
		add("one, priority", check.Config{Input: in})
		if a.Faults.Unaided() && len(ids) > 1 {
			in := scenario.Input{IDs: ids}
			add("crash", check.Config{Input: in, Crashes: 1})
			if len(ids) == 2 {
				if a.Faults.Recover { // an arbiter needs its state, and so do groups
					add("recover", check.Config{Input: in, Crashes: 1, Recoveries: 1})
				}
				add("restart", check.Config{Input: in, Crashes: 1, Restarts: 1})
			}
			if a.Faults.MostDown(len(ids)) > 0 { // of two that need a majority none leads alone
				in.Crashed, in.Initiators = []election.ID{slices.Max(ids)}, []election.ID{slices.Min(ids)}
				add("down", check.Config{Input: in})
			}
		}
	}
	return list
}

// roundTrips is a ring whose first process has the token.
func roundTrips(ids []election.ID) *election.Algorithm {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: scenario.Unit, First: ids[0],
		Hops: uint32(2 * len(ids))})
	if err != nil {
		panic(err)
	}
	return a
}

// orders returns the IDs in the orders that matter.
func orders(a *election.Algorithm) [][]election.ID {
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

// TestExamples: the worked examples come out as they are written down, to the message. Of a lease, whose
// times are drawn and which never comes to rest, there is none.
func TestExamples(t *testing.T) {
	if *only == "lease" {
		t.Skip("no worked example")
	}
	files, err := filepath.Glob("../../../testdata/scenarios/" + *only + "*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		list, err := scenario.Read(f)
		require.NoError(t, f.Close())
		require.NoError(t, err)
		for _, s := range list {
			in, err := s.Input(catalog.Find)
			require.NoError(t, err, s.Name)
			r, err := sim.Run(t.Context(), sim.Config{Input: in, Acts: s.Acts,
				Until: 1000 * sim.Unit})
			require.NoError(t, err, s.Name)
			require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
		}
	}
}
