package scenario_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/params"
)

// TestDelayBound: an algorithm reckons with the longest delay of the run, unless a parameter says
// otherwise. The caller's parameters stay as they are.
func TestDelayBound(t *testing.T) {
	unit, ids := scenario.Unit, []election.ID{1, 2}
	bully, err := catalog.Find("bully", "")
	require.NoError(t, err)
	own := bully.Delay
	three := map[string]params.Value{"delay": {Number: 3}}
	for _, c := range []struct {
		values  map[string]params.Value
		longest time.Duration
		want    time.Duration
	}{
		{nil, 0, own}, {nil, 1, 1}, {nil, 5 * unit, 5 * unit}, {three, 5 * unit, 3 * unit},
		{three, 0, 3 * unit},
		{map[string]params.Value{"processing": {Number: 1}}, 5 * unit, 5 * unit},
	} {
		before := len(c.values)
		a, err := scenario.Configure(bully, c.values, ids, c.longest)
		require.NoError(t, err)
		require.Equal(t, c.want, a.Delay, "%v, %v", c.values, c.longest)
		require.Len(t, c.values, before)
	}
	for delay, want := range map[time.Duration]time.Duration{0: own, 1: 5 * unit} {
		a := *bully
		a.Delay = delay
		b, err := scenario.Configure(&a, nil, ids, 5*unit)
		require.NoError(t, err)
		require.Equal(t, want, b.Delay, "only an algorithm that has a bound is given one")
	}
	invitation, err := catalog.Find("invitation", "")
	require.NoError(t, err)
	for interval, want := range map[float64]time.Duration{0: 0, 6: 5 * unit} {
		values := map[string]params.Value{"interval": {Number: interval}}
		b, err := scenario.Configure(invitation, values, ids, 5*unit)
		require.NoError(t, err)
		require.Equal(t, want, b.Delay, "a parameter makes it count on a bound")
	}
	lcr, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	a, err := scenario.Configure(lcr, nil, ids, 5*unit)
	require.NoError(t, err)
	require.Zero(t, a.Delay, "it reckons with no bound")
}

// TestWithDelay: the bound that an algorithm counts on is given where nothing else says it.
func TestWithDelay(t *testing.T) {
	unit := scenario.Unit
	bully, err := catalog.Find("bully", "")
	require.NoError(t, err)
	of := func(delay time.Duration) *election.Algorithm {
		a := *bully
		a.Delay = delay
		return &a
	}
	other := map[string]params.Value{"processing": {Number: 1}}
	given := map[string]params.Value{"delay": {Number: 7}}
	require.Nil(t, scenario.WithDelay(of(unit), nil))
	require.Nil(t, scenario.WithDelay(of(0), nil))
	require.Nil(t, scenario.WithDelay(fake(election.Ring), nil), "it has no such parameter")
	require.Equal(t, given, scenario.WithDelay(of(3*unit), given))
	require.Equal(t, map[string]params.Value{"delay": {Number: 3}}, scenario.WithDelay(of(3*unit), nil))
	require.Equal(t, map[string]params.Value{"delay": {Number: 3}, "processing": {Number: 1}},
		scenario.WithDelay(of(3*unit), other))
	require.Len(t, other, 1)
}

// TestDelayOfASchedule: under the unit schedule a message takes a unit, under the random one what the
// file says, and without a delay the algorithm's own bound is left.
func TestDelayOfASchedule(t *testing.T) {
	for file, want := range map[string]time.Duration{
		``: scenario.Unit,
		`, "schedule": "random", "delay": {"min": 1, "max": 6}`: 6 * scenario.Unit,
		`, "schedule": "random"`:                                scenario.Unit,
	} {
		all, err := scenario.Read(strings.NewReader(`{"algorithm": "bully", "ids": [1, 2], "until": 9` +
			file + `}`))
		require.NoError(t, err)
		require.Equal(t, 9*scenario.Unit, all[0].Until)
		in, err := all[0].Input(catalog.Find)
		require.NoError(t, err)
		require.Equal(t, want, in.Algorithm.Delay, file)
	}
}

// TestInUnits: a time is written as short as it is exact.
func TestInUnits(t *testing.T) {
	for want, at := range map[string]time.Duration{
		"0": 0, "1": time.Second, "-1": -time.Second, "0.5": time.Second / 2, "-0.5": -time.Second / 2,
		"0.000000001": 1, "12.03": 12030 * time.Millisecond,
	} {
		require.Equal(t, want, scenario.InUnits(at))
	}
}
