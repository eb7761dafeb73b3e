package params_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// TestParams: every kind of parameter is read, an absent one leaves what there was, and the first
// thing that is wrong is told.
func TestParams(t *testing.T) {
	type values = map[string]params.Value
	ids := []election.ID{1, 2, math.MaxUint64}
	type all struct {
		time   time.Duration
		table  map[uint64]time.Duration
		id     election.ID
		choice string
		yes    bool
	}
	read := func(v values) (all, error) {
		got := all{time: 7, id: 9, choice: "old", yes: true}
		p := params.New(v, time.Second, ids)
		p.Time("time", &got.time)
		p.TimeByID("table", &got.table)
		p.Process("id", (*uint64)(&got.id))
		p.Choice("choice", &got.choice, "new", "old")
		p.Truth("yes", &got.yes)
		return got, p.Err()
	}
	got, err := read(nil)
	require.NoError(t, err)
	require.Equal(t, all{time: 7, id: 9, choice: "old", yes: true}, got)
	got, err = read(values{"time": {Number: 1.5}, "table": {ByID: map[uint64]float64{1: 2}},
		"id": {Text: "18446744073709551615"}, "choice": {Text: "new"}, "yes": {Text: "no"}})
	require.NoError(t, err)
	require.Equal(t, all{time: 1500 * time.Millisecond, table: map[uint64]time.Duration{1: 2 * time.Second},
		id: math.MaxUint64, choice: "new"}, got)
	for text, want := range map[string]bool{"yes": true, "true": true, "no": false, "false": false} {
		got, err = read(values{"yes": {Text: text}})
		require.NoError(t, err)
		require.Equal(t, want, got.yes, text)
	}
	for _, c := range []struct {
		values values
		want   string
	}{
		{values{"time": {Text: "soon"}}, `params.time: "soon" is not a time: a plain number of units`},
		{values{"time": {ByID: map[uint64]float64{1: 2}}}, `params.time: a table of 1 numbers is not a time: a plain number of units`},
		{values{"time": {Number: math.NaN()}}, `params.time: NaN is not a time`},
		{values{"time": {Number: math.Inf(1)}}, `params.time: +Inf units is too long`},
		{values{"table": {Number: 1}}, `params.table: 1 is not a table of times by process`},
		{values{"table": {ByID: map[uint64]float64{3: 1}}}, `params.table: 3 is not a process`},
		{values{"table": {ByID: map[uint64]float64{2: -1}}}, `params.table.2: -1 is not a time`},
		{values{"id": {Number: 3}}, `params.id: 3 is not a process`},
		{values{"id": {Number: 1.5}}, `params.id: 1.5 is not an id`},
		{values{"id": {}}, `params.id: 0 is not an id`},
		{values{"id": {Text: "one"}}, `params.id: "one" is not an id`},
		{values{"choice": {Text: "other"}}, `params.choice: "other" is not one of new, old`},
		{values{"yes": {Number: 2}}, `params.yes: 2 is neither yes nor no`},
		{values{"b": {}, "a": {}}, `params: "a" is not a parameter; there are time, table, id, choice, yes`},
	} {
		_, err := read(c.values)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+c.want)
	}
}
