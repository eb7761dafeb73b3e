package trace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestChrome: a viewer of the Trace Event Format gets a track for each process, a slice for each step, and
// both ends of each message that arrives. No slice of a track overlaps another.
func TestChrome(t *testing.T) {
	for _, name := range []string{"lcr", "bully", "mutex"} {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		tr := simulated(t, sim.Config{Input: inputOf(t, a), Until: 30 * sim.Unit})
		var b bytes.Buffer
		require.NoError(t, trace.WriteChrome(&b, tr))
		var file struct {
			TraceEvents []struct {
				Name, Ph string
				Ts, Dur  float64
				Tid, Id  int
				Args     map[string]any
			}
		}
		require.NoError(t, json.Unmarshal(b.Bytes(), &file))
		count, ends, flows := map[string]int{}, make(map[int]float64), make(map[int]bool)
		f, err := trace.NewFilm(tr)
		require.NoError(t, err)
		for _, e := range file.TraceEvents {
			count[e.Ph]++
			switch e.Ph {
			case "X":
				require.GreaterOrEqual(t, e.Ts, ends[e.Tid])
				ends[e.Tid] = e.Ts + e.Dur
				require.EqualValues(t, count["X"], e.Args["step"])
				require.InDelta(t, f.Steps.At[count["X"]-1]*1e6, e.Ts, 1000, "a unit is a second")
			case "s":
				flows[e.Id] = true
			case "f":
				require.True(t, flows[e.Id], "it was sent before")
			}
		}
		require.Equal(t, len(tr.Header.Scenario.IDs)+1, count["M"])
		require.Len(t, f.Steps.Do, count["X"])
		require.Equal(t, did(tr, observe.Send), count["s"])
		require.Equal(t, did(tr, observe.Deliver), count["f"])
		require.Positive(t, count["i"])
	}
}

func did(tr *trace.Trace, do observe.What) (n int) {
	for i := range tr.Events {
		if tr.Events[i].Do == do {
			n++
		}
	}
	return n
}

// TestShiViz: each line has the vector clock of its process, and a receipt knows what its sender did before.
func TestShiViz(t *testing.T) {
	tr := simulated(t, sim.Config{Input: inputOf(t, lcr.Participant()), Schedule: sim.RandomDelay, Seed: 2})
	var b bytes.Buffer
	require.NoError(t, trace.WriteShiViz(&b, tr))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Equal(t, []string{`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`, ""}, lines[:2])
	clocks, receipts := make(map[string]map[string]int), 0
	for i := 2; i < len(lines); i += 2 {
		host, text, _ := strings.Cut(lines[i], " ")
		clock := make(map[string]int)
		require.NoError(t, json.Unmarshal([]byte(text), &clock))
		require.Equal(t, clocks[host][host]+1, clock[host], "its own events are counted")
		for id, k := range clocks[host] {
			require.GreaterOrEqual(t, clock[id], k)
		}
		if clocks[host] = clock; strings.HasPrefix(lines[i+1], "receives ") {
			receipts++
			from := lines[i+1][strings.LastIndex(lines[i+1], " ")+1:]
			require.Positive(t, clock[from], lines[i+1])
		}
	}
	require.Equal(t, did(tr, observe.Deliver), receipts)

	large := &trace.Trace{Header: tr.Header, Events: make([]trace.Event, 4_000_000)}
	require.ErrorIs(t, trace.WriteShiViz(&b, large), trace.ErrTooLarge)
}

// TestSentences: what goes to several processes is one part of a sentence, and what a link does is named.
func TestSentences(t *testing.T) {
	bully, err := catalog.Find("bully", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: bully, IDs: numbered(5), Initiators: []election.ID{1},
		Crashed: []election.ID{5}}
	tr := simulated(t, sim.Config{Input: in, Seed: 1})
	all := strings.Join(trace.NewSentences(tr).Of(1, 1000), "\n")
	require.Contains(t, all,
		"\nat 4 the wait for answers runs out; sends coordinator 4 to 1, 2, 3 and 5; decides: it leads")
	require.NotContains(t, all, "takes its decision back")
	require.Contains(t, all, "1 starts; sends election 1 to 2, 3, 4 and 5; sets the wait for answers to 3\n")
	require.Contains(t, all, "\nelection 1 from 1 to 5 is lost\n")
	require.Equal(t, fmt.Sprintln(strings.Join(trace.NewSentences(tr).Of(3, 4), "\n")),
		fmt.Sprintln(strings.Join(strings.Split(all, "\n")[2:4], "\n")))
	require.Empty(t, trace.NewSentences(tr).Of(-5, 0))
}

// TestUndecided: a decision is taken back only where one was.
func TestUndecided(t *testing.T) {
	bully, err := catalog.Find("bully", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: bully, IDs: numbered(3), Initiators: []election.ID{1}}
	in.CrashAt = []scenario.At{{ID: 3, Time: 5 * sim.Unit}}
	in.SuspectAfter = sim.Unit
	var b strings.Builder
	require.NoError(t, trace.WriteLog(&b, simulated(t, sim.Config{Input: in, Seed: 1})))
	first, later, found := strings.Cut(b.String(), "crashes\n")
	require.True(t, found)
	require.Contains(t, first, "is undecided as before")
	require.NotContains(t, first, "takes its decision back")
	require.Contains(t, later, "takes its decision back")
}
