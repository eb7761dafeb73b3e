package scenario_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

// TestClocks: what the clock of a process shows, and how long it takes to go on by a time.
func TestClocks(t *testing.T) {
	in := scenario.Input{IDs: []election.ID{1, 2, 3, 4}, ClockRates: []scenario.ClockRate{
		{ID: 2, Rate: 1.01}, {ID: 3, Rate: 0.5}, {ID: 4, Rate: 10}}}
	c := in.Clocks()
	for _, tt := range []struct {
		p         int
		at, shows time.Duration
	}{
		{0, 7, 7}, {1, 100 * time.Second, 101 * time.Second}, {1, 99, 99}, {1, 100, 101}, {2, 7, 3},
		{2, 8, 4},
		{2, math.MaxInt64, math.MaxInt64 / 2}, {3, time.Hour, 10 * time.Hour}, {3, 0, 0},
	} {
		require.Equal(t, tt.shows, c.Local(tt.p, tt.at), "%+v", tt)
	}
	for _, tt := range []struct {
		p        int
		d, takes time.Duration
	}{
		{0, 7, 7}, {1, 0, 0}, {1, 101, 100}, {1, 1, 1}, {1, 102, 101}, {2, 1, 2}, {2, 3, 6}, {3, 1, 1},
		{3, 10, 1},
		{3, 11, 2}, {2, 4611686018426500000, 9223372036853000000}, {2, 4611686018427000000, math.MaxInt64},
		{2, math.MaxInt64, math.MaxInt64},
		{0, math.MaxInt64 - 2e6, math.MaxInt64 - 2e6}, {0, math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, tt.takes, c.After(tt.p, tt.d), "%+v", tt)
	}
	for p := range in.IDs {
		for _, d := range []time.Duration{1, 2, 999_999, 1_000_000, 1_000_001, time.Second + 1, time.Hour +
			7} {
			takes := c.After(p, d)
			require.GreaterOrEqual(t, c.Local(p, takes), d, "process %d, %v", p, d)
			require.Less(t, c.Local(p, takes-1), d, "process %d, %v: not earlier", p, d)
		}
	}
	slightly := scenario.Input{IDs: in.IDs, ClockRates: []scenario.ClockRate{{ID: 1, Rate: 1.000001}}}
	require.Equal(t, time.Duration(1_000_000), slightly.Clocks().After(0, 1_000_000), "rounded up")
	in.ClockRates = in.ClockRates[:1]
	require.Equal(t, time.Duration(101), in.Clocks().Local(1, 100), "a single clock that is wrong")
	in.ClockRates = nil
	right := in.Clocks()
	require.Nil(t, right)
	require.Equal(t, time.Hour, right.Local(1, time.Hour))
	require.Equal(t, time.Hour, right.After(1, time.Hour))
}

// TestClockRates: each rate is one of a process, is listed once, and is from a tenth to ten.
func TestClockRates(t *testing.T) {
	for _, tt := range []struct {
		rates []scenario.ClockRate
		want  string
	}{
		{[]scenario.ClockRate{{1, 0.1}, {2, 10}}, ""},
		{[]scenario.ClockRate{{1, 1}, {3, 1}}, "clock_rates[1]: 3 is not a process"},
		{[]scenario.ClockRate{{1, 1}, {1, 1}}, "clock_rates[1]: 1 is listed twice"},
		{[]scenario.ClockRate{{1, 0.09}}, "clock_rates[0]: 0.09 is not between 0.1 and 10"},
		{[]scenario.ClockRate{{1, 10.5}}, "clock_rates[0]: 10.5 is not between 0.1 and 10"},
		{[]scenario.ClockRate{{1, math.NaN()}}, "clock_rates[0]: NaN is not between 0.1 and 10"},
	} {
		in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2}, ClockRates: tt.rates}
		if err := in.Check(); tt.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, prefix+tt.want)
		}
	}
	s := one(t, `{"clock_rates":[[3,1.01],[4,0.5]]}`)
	require.Equal(t, []scenario.ClockRate{{3, 1.01}, {4, 0.5}}, s.ClockRates)
	text, err := s.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"clock_rates":[[3,1.01],[4,0.5]]}`, string(text))
}
