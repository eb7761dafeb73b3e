package trace_test

import (
	"strings"
	"testing"
	"time"

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

// TestHeadline: a title says what the run shows: what goes wrong, which process notices, which leads, after
// how long and how many messages.
func TestHeadline(t *testing.T) {
	at := func(id election.ID, units float64) scenario.At {
		return scenario.At{ID: id, Time: time.Duration(units * float64(scenario.Unit))}
	}
	in := func(name string, n int, initiators ...election.ID) scenario.Input {
		name, variant, _ := strings.Cut(name, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		return scenario.Input{Algorithm: a, IDs: numbered(n), Initiators: initiators}
	}
	crash := func(in scenario.Input, at ...scenario.At) scenario.Input {
		in.CrashAt = at
		return in
	}
	down := func(in scenario.Input, ids ...election.ID) scenario.Input {
		in.Crashed = ids
		return in
	}
	late := crash(in("bully", 5, 2), at(5, 0.5))
	late.StartTimes = []time.Duration{scenario.Unit}
	apart := crash(in("bully", 4, 1, 3), at(2, 19), at(4, 19))
	apart.Faults.Partitions = []fault.Partition{{Groups: [][]election.ID{{1, 2}, {3, 4}}}}
	for want, in := range map[string]scenario.Input{
		"2 crashes at 19 and 4 at 19; no process leads, 2 follow processes that are down, 14 messages": apart,
		"5 leads after 5 units, 14 messages in all":                                                    in("lcr", 5),
		"process 2 starts; 5 leads after 1 unit, 18 messages in all":                                   in("bully", 5, 2),
		"5 crashes at 0.5; 4 notices and leads after 4 units, 13 messages in all": crash(in("bully", 5, 2),
			at(5, 0.5)),
		"5 crashes at 0.5; 2 notices; 4 leads after 5 units, 13 messages in all": late,
		"5 is down; 2 notices; 4 leads after 4 units, 13 messages in all":        down(in("bully", 5, 2), 5),
		"4 and 5 are down; 2 notices; 3 leads after 4 units, 10 messages in all": down(in("bully", 5, 2),
			4, 5),
		"3 processes are down; 1 notices; 2 leads after 4 units, 12 messages in all": down(in("bully", 5, 1),
			3, 4, 5),
		"5 crashes at 9; no process leads, 4 follow 5, which is down, 6 messages": crash(
			in("bully", 5, 4), at(5, 9)),
		"3 crashes at 0.5 and 4 at 1.5; no process leads, 2 messages": crash(in("lcr", 4, 1), at(3, 0.5),
			at(4, 1.5)),
		"4 entries, 24 messages": in("mutex/ricartagrawala", 4),
		"5 entries, 44 messages": in("mutex/arbiter", 5),
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
	require.Equal(t, "violated after 6 units: only the right one leads: process 3 leads", timed)
	// A run whose steps are given has an axis of steps.
	in.Initiators = []election.ID{2}
	r, err = trace.NewRecorder(&in, trace.About{Property: verdict.RightLeader, Note: "process 3 leads"})
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Observe: r.Observe})
	require.NoError(t, err)
	stepped, about := heading(t, r.Trace())
	require.Equal(t, "violated at step 8: only the right one leads: process 3 leads", stepped)
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
		require.True(t, strings.HasPrefix(about, "process 2 starts; "), about)
		require.Contains(t, about, ". The log begins: 0: 2 starts; 0: 2 sends election 2 to 3; 1: 3 receives "+
			"election 2 from 2 (2.4); 1: 3 sends election 3 to ")
	}
}

// TestStarts: starts are one moment, whatever their times, as long as nothing else happens. The number of a
// process alone would read as how many they are.
func TestStarts(t *testing.T) {
	for _, c := range []struct {
		starts        []election.ID
		title, moment string
	}{
		{[]election.ID{5, 4, 3, 2, 1}, "no process leads, 20 messages", ">1: all start, the last at 5<"},
		{[]election.ID{5}, "process 5 starts; no process leads, 4 messages", ">1: process 5 starts<"},
		{[]election.ID{5, 3}, "5 and 3 start; no process leads, 8 messages", ">1: 5 and 3 start, the last at 2<"},
		{[]election.ID{5, 3, 1}, "no process leads, 12 messages", ">1: 5, 3 and 1 start, the last at 3<"},
	} {
		tr := byHand(t, "echo", 5, c.starts...)
		title, _ := heading(t, tr)
		assert.Equal(t, c.title, title)
		assert.Contains(t, drawn(t, tr, svgOf), c.moment)
	}
}
