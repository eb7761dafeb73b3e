package bridge_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/page/bridge"
)

// TestTwoLeases: a film names the step after which two leases are valid simultaneously, by the clocks of the
// run. It names none if a process leads after the previous lease has expired.
func TestTwoLeases(t *testing.T) {
	var b bridge.Bridge
	entries := 0
	for _, x := range museum.All() {
		if x.Property != verdict.OneLease {
			continue
		}
		entries++
		found, err := check.Run(t.Context(), x.Config)
		require.NoError(t, err)
		in := x.Config.Input
		in.Algorithm = x.Algorithm()
		require.NoError(t, in.Check())
		s, err := scenario.Of(&in)
		require.NoError(t, err)
		s.Steps = found.Counterexample.Steps
		var head trace.FilmHead
		ask(t, &b, "film", object{"scenario": s}, &head)
		require.NotEmpty(t, head.Wrong, x.ID())
		last := head.Wrong[len(head.Wrong)-1]
		require.Regexp(t, `^process \d leads in Term \d+ while the lease of process \d in Term \d+ is valid$`,
			last.Why)
	}
	require.GreaterOrEqual(t, entries, 5)

	// The leader pauses for longer than its lease, and another one begins to lead.
	text := json.RawMessage(`{"algorithm": "lease", "ids": [1, 2, 3], "clock_rates": [[1, 1.01]], "until": 400,
		"pause_at": [[3, 100, 200]]}`)
	film, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": text}, nil).Data)
	require.NoError(t, err)
	require.Empty(t, film.Head.Wrong)
	leaders := make(map[uint16]bool)
	for i, p := range film.Changes.Process {
		if film.Changes.Until[i] > 0 {
			leaders[p] = true
		}
	}
	require.GreaterOrEqual(t, len(leaders), 2)
}

// TestLights: a film without a violation names no step as wrong. This holds for each algorithm under each
// setting, including algorithms with several groups, and runs in which a crashed leader returns.
func TestLights(t *testing.T) {
	var b bridge.Bridge
	wrong := func(sugar object) *trace.FilmHead {
		var s json.RawMessage
		ask(t, &b, "scenario", sugar, &s)
		head := &trace.FilmHead{}
		ask(t, &b, "film", object{"scenario": s}, head)
		return head
	}
	for _, a := range catalog.All() {
		for _, more := range []object{{"seed": 4}, {"delay": "random", "seed": 3}} {
			maps.Copy(more, object{"algorithm": a.Title(), "order": "random"})
			head := wrong(more)
			require.Empty(t, head.Wrong, a.Title())
			require.Equal(t, a.Sections > 0, len(head.Sections) > 0, a.Title())
		}
	}
	for _, name := range []string{"bully/rules", "modbully/base", "invitation", "lease"} {
		head := wrong(object{"algorithm": name, "ids": []int{1, 2, 3, 4, 5}, "until": 200,
			"crash_at": [][]float64{{5, 20}}, "restart_at": [][]float64{{5, 60}},
			"start_times": []float64{0, 10, 20, 30, 40}})
		require.Empty(t, head.Wrong, name)
	}
}

// TestLightsOfParts: two simultaneous leaders of one Term are reported even if the algorithm promises
// nothing: each part of a partitioned network elects a leader.
func TestLightsOfParts(t *testing.T) {
	var b bridge.Bridge
	var head trace.FilmHead
	ask(t, &b, "film", object{"scenario": object{"algorithm": "bully", "ids": []int{1, 2, 3},
		"partitions": []object{{"from": 0, "until": 50, "groups": [][]int{{3}, {1, 2}}}}}}, &head)
	require.Len(t, head.Wrong, 1)
	require.Equal(t, "processes 3 and 2 both lead in Term 1", head.Wrong[0].Why)
}

// TestLightsOfMistakes: a film names the step at which a mistake of the museum shows that must never be in a
// state.
func TestLightsOfMistakes(t *testing.T) {
	var b bridge.Bridge
	seen := make(map[verdict.Property]int)
	for _, x := range museum.All() {
		switch x.Property {
		case verdict.OneLeader, verdict.GroupsOnce, verdict.Exclusive:
		default:
			continue
		}
		found, err := check.Run(t.Context(), x.Config)
		require.NoError(t, err)
		if found.Counterexample == nil {
			continue // the simulator shows it
		}
		in := x.Config.Input
		in.Algorithm = x.Algorithm()
		require.NoError(t, in.Check())
		s, err := scenario.Of(&in)
		require.NoError(t, err)
		s.Steps = found.Counterexample.Steps
		film, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": s}, nil).Data)
		require.NoError(t, err)
		require.NotEmpty(t, film.Head.Wrong, x.ID())
		// The last step may begin with what brings a process back.
		require.InDelta(t, len(film.Steps.Do), film.Head.Wrong[0].Step, 1, x.ID())
		seen[x.Property]++
	}
	require.Len(t, seen, 3)
}

// TestSections: a film contains the number of processes that wait for the critical section, and which are
// inside. A crash ends a request.
func TestSections(t *testing.T) {
	var b bridge.Bridge
	for variant, want := range map[string][][]int{
		// The others wait forever for a reply of the crashed process.
		"ricartagrawala": {{4, 1}, {5, 2}, {6, 3}, {7, 2}},
		"tokenring":      {{4, 1}, {5, 2}, {6, 3}, {7, 2}, {8, 1, 0}, {9, 1}, {10, 0, 1}, {11, 0}},
	} {
		var head trace.FilmHead
		ask(t, &b, "film", object{"scenario": object{"algorithm": "mutex", "variant": variant,
			"ids":  []int{1, 2, 3},
			"acts": []object{{"after": 6, "do": "crash", "process": 3}}}}, &head)
		require.Equal(t, want, head.Sections, variant)
	}
}
