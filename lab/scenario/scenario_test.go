package scenario_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

var errUnknown = errors.New("unknown")

// find knows the variants of lcr and the algorithms that are only descriptions, by their shape.
func find(name, variant string) (*election.Algorithm, error) {
	switch name {
	case "ring":
		return twoWay(), nil
	case "complete", "tree", "graph", "mesh", "hypercube":
		return fake(election.Shape(name)), nil
	}
	for _, a := range lcr.Algorithms() {
		if name == a.Name && (variant == "" || variant == a.Variant) {
			return a, nil
		}
	}
	if variant == "none" {
		return nil, input.Errorf("no such variant")
	}
	return nil, errUnknown
}

func one(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	all, err := scenario.Read(strings.NewReader(text))
	require.NoError(t, err, text)
	require.Len(t, all, 1)
	return all[0]
}

func TestInputRefuses(t *testing.T) {
	long := strings.Repeat("x", 10000)
	shown := long[:40] + "..."
	for text, want := range map[string]string{
		``:                                 `algorithm: missing`,
		`"algorithm": "lcd"`:               `algorithm: unknown`,
		`"algorithm": "` + long + `"`:      `algorithm: "` + shown + `" is none`,
		`"variant": "` + long + `"`:        `variant: "` + shown + `" is none`,
		`"variant": "most"`:                `algorithm: unknown`,
		`"algorithm": "` + long[:40] + `"`: `algorithm: unknown`,
		`"variant": "` + long[:40] + `"`:   `algorithm: unknown`,
		`"variant": "none"`:                `no such variant`,
		`"params": {"b": 1, "a": "x"}`:     `params.a: lcr takes no parameters`,
		`"params": {"b": 1, "b c": 1}`:     `params.b: lcr takes no parameters`,
		`"params": {"b c": 1}`:             `params["b c"]: lcr takes no parameters`,
		`"ids": []`:                        `ids: at least one process is required`,
		`"ids": [2, 2]`:                    `ids[1]: 2 is already the id of ids[0]`,
		`"ids": [1], "priorities": []`:     `priorities: 0 for 1 ids`,
		`"initiators": [4]`:                `initiators[0]: 4 is not a process`,
		`"topology": {}`:                   `topology.kind: missing`,
		`"topology": {"kind": "mesh"}`:     `topology.rows: required for a mesh`,
		`"expect": {"leader": 7}`:          `expect.leader: 7 is not a process`,
		`"expect": {"entry_order": []}`:    `expect.entry_order: lcr/participant has no critical section`,
		`"expect": {"entries": []}`:        `expect.entries: lcr/participant has no critical section`,
		`"expect": {"by_kind": {"election": 1, "electd": 0}}`: `expect.by_kind.electd: lcr/participant ` +
			`has no such kind of message`,
		`"topology": {"kind": "hypercube", "dimension": 0}`: `topology.dimension: 0 makes 1 processes, not 3`,
		`"topology": {"kind": "ring", "edges": []}`:         `topology.edges: not a property of the kind ring`,
		`"topology": {"kind": "ring", "parent": {}}`:        `topology.parent: not a property of the kind ring`,
		`"topology": {"kind": "ring", "dimension": 0}`:      `topology.dimension: not a property of the kind ring`,
		`"topology": {"kind": "ring", "rows": 1}`:           `topology.rows: not a property of the kind ring`,
		`"topology": {"kind": "ring", "cols": 1}`:           `topology.cols: not a property of the kind ring`,
		`"topology": {"kind": "complete", "bidirectional": true}`: `topology.bidirectional: ` +
			`not a property of the kind complete`,
		`"topology": {"kind": "complete"}`: `topology: lcr/participant needs a ring, not a complete graph`,
		`"algorithm": "ring", "topology": {"kind": "ring", "bidirectional": false}`: `topology: fake needs a two-way ` +
			`ring`,
		`"algorithm": "mesh"`: `topology: fake needs a mesh, and 3 processes do not form a mesh of at least 3 x 3`,
	} {
		if !strings.Contains(text, `"algorithm"`) && text != "" {
			text += `, "algorithm": "lcr"`
		}
		if !strings.Contains(text, `"ids"`) {
			text = strings.TrimPrefix(text+`, "ids": [1, 2, 3]`, ", ")
		}
		_, err := one(t, "{"+text+"}").Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+want, text)
		assert.Equal(t, strings.HasSuffix(want, "unknown"), errors.Is(err, errUnknown))
	}
}

func TestInputRefusesLinks(t *testing.T) {
	const tree, graph = `"kind": "tree"`, `"kind": "graph"`
	for text, want := range map[string]string{
		tree:                                  `edges: a tree needs edges, or a parent for each process except the root`,
		graph:                                 `edges: a graph needs edges`,
		graph + `, "edges": [[5, 6], [6, 8]]`: `edges[1]: 8 is not a process`,
		graph + `, "edges": [[5, 6], [6, 6]]`: `edges[1]: joins 6 to itself`,
		graph + `, "edges": [[5, 6], [6, 5]]`: `edges[1]: 6 and 5 are already joined by edges[0]`,
		graph + `, "edges": []`:               `edges: no path joins 5 and 6`,
		graph + `, "edges": [[6, 5], [7, 9]]`: `edges: no path joins 5 and 7`,
		tree + `, "edges": [[6, 5], [7, 9]]`:  `edges: no path joins 5 and 7`,
		tree +
			`, "edges": [[5, 6], [6, 7], [7, 5], [7, 9]]`: `edges[2]: 7 and 5 close a cycle, which a tree cannot have`,
		graph + `, "edges": [[5, 6]], "parent": {"6": 5}`: `parent: not a property of the kind graph`,
	} {
		s := one(t, `{"algorithm": "graph", "ids": [5, 6, 7, 9], "topology": {`+text+`}}`)
		_, err := s.Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+"topology."+want, text)
	}
	_, err := one(t,
		`{"algorithm": "graph", "ids": [5, 5], "topology": {"kind": "graph", "edges": [[5, 6]]}}`).Input(find)
	require.EqualError(t, err, prefix+"ids[1]: 5 is already the id of ids[0]")
}

func TestInputRefusesRun(t *testing.T) {
	for text, want := range map[string]string{
		`"delay": {}`:                                        `delay: every message takes one unit, unless the schedule is random`,
		`"schedule": "unit", "delay": {}`:                    `delay: every message takes one unit, unless the schedule is random`,
		`"schedule": "random", "delay": {}`:                  `delay.max: a uniform delay needs a max above 0, not 0`,
		`"schedule": "random", "delay": {"max":1,"mean": 1}`: `delay.mean: a uniform delay has only min and max`,
		`"schedule": "random", "delay": {"min":2,"max":1.5}`: `delay.min: 2 is not between 0 and max, 1.5`,
		`"schedule": "random", "delay": {"distribution": "exponential"}`: `delay.mean: ` +
			`an exponential delay needs a mean above 0, not 0`,
		`"schedule": "random", "delay": {"distribution": "exponential", "mean": 1, "min": 1}`: `delay.min: ` +
			`an exponential delay has only a mean`,
		`"schedule": "random", "delay": {"distribution": "exponential", "mean": 1, "max": 1}`: `delay.max: ` +
			`an exponential delay has only a mean`,
	} {
		_, err := one(t, `{"algorithm": "lcr", "ids": [1], `+text+`}`).Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+want, text)
	}
	for _, c := range []struct {
		s    scenario.Scenario
		want string
	}{ // what no file can hold
		{scenario.Scenario{Schedule: "sometimes"},
			`schedule: "sometimes" is not a schedule (unit, random, hand)`},
		{scenario.Scenario{Schedule: "random", Delay: &scenario.Delay{Distribution: "flat"}},
			`delay.distribution: "flat" is not a distribution (uniform, exponential)`},
		{scenario.Scenario{Schedule: "random", Delay: &scenario.Delay{Min: -scenario.Unit / 2, Max: 1}},
			`delay.min: -0.5 is not between 0 and max, 0.000000001`},
		{scenario.Scenario{Topology: &scenario.Links{Kind: "star"}},
			`topology.kind: "star" is not one of (ring, complete, tree, graph, hypercube, mesh)`},
	} {
		c.s.Algorithm, c.s.IDs = "lcr", []election.ID{1}
		_, err := c.s.Input(find)
		assert.EqualError(t, err, prefix+c.want)
	}
}

func TestInput(t *testing.T) {
	for text, want := range map[string]struct {
		shape  election.Shape
		oneWay bool
	}{
		`"algorithm": "lcr"`: {election.Ring, true},
		`"algorithm": "lcr", "topology": {"kind": "ring"}`:                        {election.Ring, true},
		`"algorithm": "lcr", "topology": {"kind": "ring", "bidirectional": true}`: {election.Ring, false},
		`"algorithm": "ring"`:                               {election.Ring, false},
		`"algorithm": "ring", "topology": {"kind": "ring"}`: {election.Ring, false},
		`"algorithm": "complete", "topology": {"kind": "complete"}`: {election.Complete,
			false},
		`"algorithm": "tree", "topology": {"kind": "tree", "edges": [[5,6],[7,5]]}`:  {election.Tree, false},
		`"algorithm": "graph", "topology": {"kind": "tree", "edges": [[5,6],[7,5]]}`: {election.Tree, false},
		`"algorithm": "graph", "topology": {"kind": "graph", "edges": [[5,6],[7,5]]}`: {election.Graph,
			false},
		`"algorithm": "lcr", "schedule": "random", "delay": {"max": 2}, "params": {}`: {election.Ring, true},
		`"algorithm": "lcr", "schedule": "random", "delay": {"distribution": "exponential", "mean": 2},
		 "expect": {"leader": null, "by_kind": {"catch_up": 0, "elected": 3}}`: {election.Ring, true},
	} {
		in, err := one(t, `{"ids": [5, 6, 7], `+text+`}`).Input(find)
		require.NoError(t, err, text)
		require.Equal(t, want.shape, in.Topology.Shape(), text)
		require.Equal(t, want.oneWay, in.Topology.OneWay(), text)
		require.Equal(t, 3, in.Topology.Len())
	}
	s := one(t,
		`{"algorithm": "graph", "ids": [5, 6, 7], "topology": {"kind": "graph", "edges": [[5, 7], [6, 5], [6, 7]]},
		"priorities": [1, 2, 3], "initiators": [6], "start_times": [1.5], "crashed": [5],
		"crash_at": [[6, 2]], "recover_at": [[5, 3]],
		"restart_at": [[6, 3]], "pause_at": [[7, 1, 2]], "loss": 0.5, "duplicate": 1, "reorder": 0.25,
		"partitions": [{"until": 3, "groups": [[5], [6, 7]]}]}`)
	in, err := s.Input(find)
	require.NoError(t, err)
	q, back, ok := in.Topology.Link(0, 1)
	require.Equal(t, []any{1, election.Port(0), true}, []any{q, back, ok},
		"the second link of 5 is the first of 6")
	in.Algorithm, in.Topology = nil, nil
	require.Equal(t, scenario.Input{
		IDs: s.IDs, Priorities: s.Priorities, Initiators: s.Initiators, StartTimes: s.StartTimes,
		Crashed: s.Crashed, CrashAt: s.CrashAt, RecoverAt: s.RecoverAt,
		RestartAt: []scenario.At{{ID: 6, Time: 3 * scenario.Unit}},
		PauseAt:   []scenario.Pause{{ID: 7, From: scenario.Unit, Until: 2 * scenario.Unit}},
		Faults: fault.Plan{Loss: 0.5, Duplicate: 1, Reorder: 0.25, Partitions: []fault.Partition{
			{Until: 3 * scenario.Unit, Groups: [][]election.ID{{5}, {6, 7}}}}},
	}, in)
}

// What the files expect is what a simulation brings.
func TestRunFile(t *testing.T) {
	file, err := os.Open("../../testdata/scenarios/lcr.json")
	require.NoError(t, err)
	defer file.Close()
	all, err := scenario.Read(file)
	require.NoError(t, err)
	for _, s := range all {
		c, err := sim.FromScenario(s, find)
		require.NoError(t, err, s.Name)
		r, err := sim.Run(context.Background(), c)
		require.NoError(t, err, s.Name)
		require.NoError(t, r.Err(), s.Name)
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
	}
}
