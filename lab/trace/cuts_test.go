package trace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// severed runs bully, of which 1 does not reach the others for a while, or no longer if it is not healed.
func severed(t *testing.T, cut fault.Partition, heal bool, planned ...fault.Partition) *trace.Trace {
	t.Helper()
	c := network(t, "bully", 4, nil)
	c.Faults.Partitions, c.Initiators = planned, []election.ID{2}
	r, err := trace.NewRecorder(&c.Input, trace.About{Schedule: c.Schedule})
	require.NoError(t, err)
	c.Observe, c.Until = r.Observe, scenario.Unit/2
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	if cut.Groups != nil {
		_, err := s.Do(scenario.Step{Do: observe.Cut, Groups: cut.Groups, OneWay: cut.OneWay})
		require.NoError(t, err)
	}
	s.Extend(5 * scenario.Unit / 2)
	require.NoError(t, s.Run(t.Context()))
	if heal {
		_, err := s.Do(scenario.Step{Do: observe.Heal})
		require.NoError(t, err)
	}
	s.Extend(20 * scenario.Unit)
	require.NoError(t, s.Run(t.Context()))
	require.NoError(t, r.Close())
	return r.Trace()
}

// links are the links of the events of a kind, in their order.
func linksOf(tr *trace.Trace, do observe.What) (all []string) {
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Do == do {
			q, _, _ := tr.Header.Links.Link(int(e.Process)-1, e.Port)
			all = append(all, fmt.Sprint(uint64(e.Process), q+1))
		}
	}
	return all
}

// TestCutsAreEvents: a trace has each link that is cut by hand, each way, and each that heals. It is read
// again as it was written, and replayed.
func TestCutsAreEvents(t *testing.T) {
	one := [][]election.ID{{1}}
	both, way := severed(t, fault.Partition{Groups: one}, true), severed(t, fault.Partition{Groups: one,
		OneWay: true}, true)
	for name, c := range map[string]struct {
		trace *trace.Trace
		links []string
	}{
		"both ways": {both, []string{"1 2", "1 3", "1 4", "2 1", "3 1", "4 1"}},
		"one way":   {way, []string{"1 2", "1 3", "1 4"}},
	} {
		require.Equal(t, c.links, linksOf(c.trace, observe.Cut), name)
		require.Equal(t, c.links, linksOf(c.trace, observe.Heal), name)
		file := written(t, c.trace)
		again, err := trace.Read(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, c.trace.Events, again.Events, name)
		replays(t, again)
		bad := strings.Replace(string(file), `"do":"cut","port":0`, `"do":"cut","port":9`, 1)
		_, err = trace.Read(strings.NewReader(bad))
		require.ErrorContains(t, err, "process 1 has no link at port 9 to be cut")
	}
	log := drawn(t, way, trace.WriteLog)
	require.Contains(t, log, "1.2  can no longer reach 2\n")
	require.Contains(t, log, "reaches 4 again\n")
}

// TestCutsAreDrawn: a band lasts from the cut to its end, and the title says which links it is about.
func TestCutsAreDrawn(t *testing.T) {
	one := [][]election.ID{{1}}
	planned := fault.Partition{Groups: one, From: scenario.Unit, Until: 9 * scenario.Unit}
	for name, c := range map[string]struct {
		trace *trace.Trace
		says  string
	}{
		"both ways": {severed(t, fault.Partition{Groups: one}, true),
			"cut from 0.5 to 2.5: 1 | 2, 1 | 3, 1 | 4"},
		"one way": {severed(t, fault.Partition{Groups: one, OneWay: true}, true),
			"cut from 0.5 to 2.5: 1 -/-&gt; 2, 1 -/-&gt; 3, 1 -/-&gt; 4"},
		"to the end": {severed(t, fault.Partition{Groups: one}, false), "cut from 0.5: 1 | 2, 1 | 3, 1 | 4"},
		"planned":    {severed(t, fault.Partition{}, false, planned), "cut from 1 to 9: 1 | the rest"},
	} {
		picture := drawn(t, c.trace, svgOf)
		require.Equal(t, 1, strings.Count(picture, `<g class="partition"><title>`+c.says+"</title>"),
			"%s: %s", name,
			picture)
		require.Equal(t, 1, strings.Count(picture, `<g class="partition">`), name)
		network := drawn(t, c.trace, trace.WriteLinks)
		require.Equal(t, 3, strings.Count(network, `<g class="cut">`), name)
	}
}

// TestHealEndsABand: the band of a partition of the plan ends where it is healed by hand before its time.
func TestHealEndsABand(t *testing.T) {
	planned := fault.Partition{Groups: [][]election.ID{{1}}, From: scenario.Unit, Until: 9 * scenario.Unit}
	band := func(heal bool) float64 {
		for _, part := range strings.SplitAfter(drawn(t, severed(t, fault.Partition{}, heal, planned), svgOf),
			"</g>") {
			if _, group, ok := strings.Cut(part, `<g class="partition">`); ok {
				all := elements(t, `<g class="partition">`+group)
				return all[2].number(t, "height")
			}
		}
		t.Fatal("no band")
		return 0
	}
	require.Less(t, band(true), band(false))
}
