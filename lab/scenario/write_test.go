package scenario_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/params"
)

func TestWrite(t *testing.T) {
	one, dimension := &scenario.Scenario{Name: "a \"b\"\\\n\x1f", IDs: []election.ID{1 << 53, 1<<53 + 1}}, 0
	two := &scenario.Scenario{
		Topology:   &scenario.Links{Kind: election.Hypercube, Dimension: &dimension, Rows: 2, Cols: 3},
		Initiators: []election.ID{}, Seed: 1<<64 - 1, Delay: &scenario.Delay{Min: 1, Mean: 3*scenario.Unit +
			2_500_000},
		Params: map[string]params.Value{"b": {Number: 1e15}, "a": {Number: 1e-7},
			"c": {ByID: map[uint64]float64{9: 1, 10: 0.5}}},
	}
	tree := &scenario.Scenario{Topology: &scenario.Links{
		Edges: [][2]election.ID{{1, 2}, {1, 3}}, Parent: map[election.ID]election.ID{10: 1, 9: 1},
	}}
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, one))
	require.Equal(t, `{"name": "a \"b\"\\\n\u001f", "ids": [9007199254740992, "9007199254740993"]}`+"\n",
		b.String())
	b.Reset()
	require.NoError(t, scenario.Write(&b, one, two, tree))
	require.Equal(t, `[
  {"name": "a \"b\"\\\n\u001f", "ids": [9007199254740992, "9007199254740993"]},
  {"topology": {"kind": "hypercube", "dimension": 0, "rows": 2, "cols": 3}, "initiators": [], `+
		`"seed": "18446744073709551615", "delay": {"min": 0.000000001, "mean": 3.0025}, `+
		`"params": {"a": 1e-7, "b": 1000000000000000, "c": {"10": 0.5, "9": 1}}},
  {"topology": {"edges": [[1, 2], [1, 3]], "parent": {"10": 1, "9": 1}}}
]
`, b.String())
	roundTrip(t, []*scenario.Scenario{one, two, tree, {Note: "a, b: <c> & \",\n\" \u2028"}})
	roundTrip(t, []*scenario.Scenario{one})
}

func TestWriteFaults(t *testing.T) {
	s := &scenario.Scenario{
		Crashed: []election.ID{7}, RestartAt: []scenario.At{{ID: 1, Time: scenario.Unit}},
		SuspectAfter: 5 * scenario.Unit / 2,
		PauseAt:      []scenario.Pause{{ID: 2, From: scenario.Unit / 2, Until: 2 * scenario.Unit}},
		Faults: fault.Plan{Loss: 1, Duplicate: 0.1, Reorder: 1e-9, Partitions: []fault.Partition{
			{From: scenario.Unit, Until: 9 * scenario.Unit, Groups: [][]election.ID{{1, 2}, {3}},
				OneWay: true},
			{Groups: [][]election.ID{{1}}}, {},
		}},
	}
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, s))
	require.Equal(t,
		`{"crashed": [7], "restart_at": [[1, 1]], "suspect_after": 2.5, "pause_at": [[2, 0.5, 2]], "loss": 1, "duplicate": 0.1, "reorder": 1e-9, `+
			`"partitions": [{"from": 1, "until": 9, "groups": [[1, 2], [3]], "one_way": true}, {"groups": [[1]]}, {}]}`+"\n", b.String())
	roundTrip(t, []*scenario.Scenario{s})
	none := one(t,
		`{"loss": 0, "duplicate": -0, "reorder": 0.0, "partitions": [{"from": 0, "one_way": false}]}`)
	b.Reset()
	require.NoError(t, scenario.Write(&b, none))
	require.Equal(t, `{"partitions": [{}]}`+"\n", b.String(), "what is zero is not written")
}

// What cannot be read is not written.
func TestWriteRefuses(t *testing.T) {
	for want, s := range map[string]scenario.Scenario{
		`scenario.ids[0]: 0 is not a valid id`: {IDs: make([]election.ID,
			1)},
		`scenario.start_times[0]: -0.000000001 is not a time`:               {StartTimes: []time.Duration{-1}},
		`scenario.start_times[0]: -9223372036.854775808 is not a time`:      {StartTimes: []time.Duration{math.MinInt64}},
		`scenario.crash_at[0][1]: 1000000.5 is longer than 1000000 units`:   {CrashAt: []scenario.At{{ID: 1, Time: 1e15 + 5e8}}},
		`json: unsupported value: NaN`:                                      {Params: map[string]params.Value{"a": {Number: math.NaN()}}},
		`scenario.loss: 2 is not a probability, from 0 to 1`:                {Faults: fault.Plan{Loss: 2}},
		`scenario.schedule: "later" is not a schedule (unit, random, hand)`: {Schedule: "later"},
	} {
		err := scenario.Write(&bytes.Buffer{}, &s)
		assert.ErrorIs(t, err, election.ErrInput)
		assert.EqualError(t, err, prefix+want)
	}
	require.EqualError(t, scenario.Write(&bytes.Buffer{}), prefix+"no scenario to write")
	require.ErrorIs(t, scenario.Write(full{}, &scenario.Scenario{}), errFull)
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestJSON(t *testing.T) {
	type report struct {
		Found    scenario.Scenario
		Shortest *scenario.Scenario
	}
	before := report{scenario.Scenario{Name: "<a>"}, &scenario.Scenario{IDs: []election.ID{1}}}
	text, err := json.Marshal(before)
	require.NoError(t, err)
	var after report
	require.NoError(t, json.Unmarshal(text, &after))
	require.Equal(t, before, after)

	err = json.Unmarshal([]byte(`{"Found": {"ids": [-1]}}`), &after)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "scenario.ids[0]: -1 is not an id")
	require.Equal(t, before, after, "what cannot be read changes nothing")
}

// TestWriteNumbers: numbers are as short as they are exact, and sizes decimal.
func TestWriteNumbers(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 1e-6: "0.000001", 9e-7: "9e-7", 12: "12",
	} {
		text, err := (&scenario.Scenario{Params: map[string]params.Value{"a": {Number: n}}}).MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, `{"params":{"a":`+want+`}}`, string(text))
	}
	text, err := (&scenario.Scenario{Topology: &scenario.Links{Kind: election.Mesh, Rows: 12,
		Cols: 30}}).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"topology":{"kind":"mesh","rows":12,"cols":30}}`, string(text))
}

// TestEmptyLists: a list without elements is not left out.
func TestEmptyLists(t *testing.T) {
	for _, text := range []string{`{"steps": [{"do": "start", "process": 1, "choices": []}]}`,
		`{"partitions": [{"groups": []}]}`} {
		var b strings.Builder
		require.NoError(t, scenario.Write(&b, one(t, text)))
		require.Equal(t, text+"\n", b.String())
	}
}
