package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
)

// heading returns the title of a picture and its description.
func heading(t *testing.T, tr *trace.Trace) (title, about string) {
	t.Helper()
	for _, e := range elements(t, drawn(t, tr, svgOf)) {
		if e.name == "title" && title == "" {
			title = e.text
		}
		if e.name == "desc" {
			about = e.text
		}
	}
	return title, about
}

// TestHeadline: a title tells what went wrong, and which process leads after how long and how many messages.
func TestHeadline(t *testing.T) {
	in := func(name string, n int, initiators ...election.ID) scenario.Input {
		name, variant, _ := strings.Cut(name, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		return scenario.Input{Algorithm: a, IDs: numbered(n), Initiators: initiators}
	}
	crash := func(in scenario.Input, ids ...election.ID) scenario.Input {
		for _, id := range ids {
			in.CrashAt = append(in.CrashAt, scenario.At{ID: id, Time: scenario.Unit / 2})
		}
		return in
	}
	apart := in("bully", 4, 1, 3)
	apart.CrashAt = []scenario.At{{ID: 2, Time: 19 * scenario.Unit}, {ID: 4, Time: 19 * scenario.Unit}}
	apart.Faults.Partitions = []fault.Partition{{Groups: [][]election.ID{{1, 2}, {3, 4}}}}
	for want, in := range map[string]scenario.Input{
		"2 and 4 crash; no process leads, 2 follow processes that are down, 14 messages": apart,
		"5 leads after 5 units, 14 messages in all":                                      in("lcr", 5),
		"5 crashes; 4 leads after 4 units, 13 messages in all":                           crash(in("bully", 5, 2), 5),
		"4 processes crash; 1 leads after 3 units, 8 messages in all":                    crash(in("bully", 5, 1), 2, 3, 4, 5),
		"4 entries, 24 messages":                                                         in("mutex/ricartagrawala", 4),
		"5 entries, 44 messages":                                                         in("mutex/arbiter", 5),
	} {
		got, about := heading(t, simulated(t, sim.Config{Input: in, Schedule: sim.UnitDelay}))
		assert.Equal(t, want, got)
		assert.True(t, strings.HasPrefix(about, want+". "+in.Algorithm.Title()+", "), about)
	}
}

// TestHeadlineHasFewFigures: where delays are random, a title has hundredths of a unit, and the log has all.
func TestHeadlineHasFewFigures(t *testing.T) {
	tr := simulated(t, sim.Config{Input: network(t, "lcr", 8, nil).Input, Schedule: sim.RandomDelay, Seed: 3})
	title, _ := heading(t, tr)
	require.Regexp(t, `^8 leads after [0-9]+\.[0-9]{1,2} units, `, title)
	require.Regexp(t, `(?m)^ *[0-9]+\.[0-9]{3} .*leads`, drawn(t, tr, trace.WriteLog))
}

// TestHeadlineOfACounterexample: it says the step, the property and the reason; the description says how the
// run begins.
func TestHeadlineOfACounterexample(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: numbered(3)}
	r, err := trace.NewRecorder(&in, trace.About{Property: verdict.RightLeader, Note: "process 3 leads"})
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Schedule: sim.UnitDelay, Observe: r.Observe})
	require.NoError(t, err)
	tr := r.Trace()
	timed, _ := heading(t, tr)
	require.Equal(t, "violated after 6 units: only the right process leads: process 3 leads", timed)
	// A run whose steps are given has an axis of steps.
	in.Initiators = []election.ID{2}
	r, err = trace.NewRecorder(&in, trace.About{Property: verdict.RightLeader, Note: "process 3 leads"})
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Observe: r.Observe})
	require.NoError(t, err)
	stepped, about := heading(t, r.Trace())
	require.Equal(t, "violated at step 8: only the right process leads: process 3 leads", stepped)
	require.Contains(t, about, ". The log begins: ")
	require.Equal(t, 7, strings.Count(about[strings.Index(about, "The log begins: "):], "; "), about)
}

// TestDescription: it has the result first, and the first lines of the log last, in both kinds of pictures.
func TestDescription(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	for _, n := range []int{3, 40} { // the larger is an overview
		_, about := heading(t, simulated(t, sim.Config{Schedule: sim.UnitDelay,
			Input: scenario.Input{Algorithm: a, IDs: numbered(n), Initiators: []election.ID{2}}}))
		require.Regexp(t, "^[0-9]+ leads after ", about)
		require.Contains(t, about, ". The log begins: 0: 2 starts; 0: 2 sends election 2 to 3; 1: 3 receives "+
			"election 2 from 2 (2.4); 1: 3 sends election 3 to ")
	}
}

// TestStarts: starts are one moment, whatever their times, as long as nothing else happens. The number of a
// process alone would read as how many they are.
func TestStarts(t *testing.T) {
	for _, c := range []struct {
		starts []election.ID
		moment string
	}{
		{[]election.ID{5, 4, 3, 2, 1}, ">1: all start, the last at 5<"},
		{[]election.ID{5}, ">1: process 5 starts<"},
		{[]election.ID{5, 3}, ">1: 5 and 3 start, the last at 2<"},
		{[]election.ID{5, 3, 1}, ">1: 5, 3 and 1 start, the last at 3<"},
	} {
		tr := byHand(t, "echo", 5, c.starts...)
		assert.Contains(t, drawn(t, tr, svgOf), c.moment)
	}
}
