package detect

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// TestRefused: what cannot be right is refused, in one line that names the field and the value.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		d    Detector
		want string
	}{
		{Deadline{Interval: -1}, "Interval: -1ns is not between 0 and 40031h"},
		{Deadline{Interval: 1, Timeout: 1}, "Timeout: 1ns is not longer than Interval + Delay, 1ns"},
		{Deadline{Interval: 10, Timeout: 10},
			"Timeout: 10ns is not longer than Interval + Delay, 10ns: beats"},
		{Deadline{Interval: 10, Timeout: 15, Delay: 5},
			"Timeout: 15ns is not longer than Interval + Delay, 15ns"},
		{Phi{Deviation: -1}, "Deviation: -1ns is not between 0 and"},
		{Phi{Threshold: 301}, "Threshold: 301 is not between 1 and 300"},
		{Phi{Window: 1<<14 + 1}, "Window: 16385 is not between 1 and 16384"},
		{Phi{Pause: 5, Delay: 6}, "Pause: 5ns is less than Delay, 6ns, by which a beat may be late"},
		{Phi{Interval: 1000, Delay: 17421, Exponential: true},
			"Delay: 17.421µs is longer than 17.419µs, which this Threshold allows for"},
		{Chen{Window: 1 << 20}, "Window: 1048576 is not between 1 and 16384"},
		{Chen{Margin: 6, Delay: 6}, "Margin: 6ns is not longer than Delay, 6ns, by which a beat may be late"},
		{Chen{Delay: -6}, "Delay: -6ns is not between 0 and"},
	} {
		_, err := c.d.plan(0)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
	}
}

// TestBounds: the smallest and the largest values that are accepted.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		d                      Detector
		interval, first, delay time.Duration
	}{
		{Deadline{Interval: 1, Timeout: 4}, 1, 4, 2},
		{Deadline{Interval: 1, Delay: 5}, 1, 7, 5},
		{Deadline{Timeout: 3, Delay: 1}, 1, 3, 1},
		{Deadline{Interval: 1, Timeout: 2}, 1, 2, 0},
		{Deadline{Interval: 10, Delay: 1}, 10, 21, 1},
		{Chen{Interval: 10, Delay: 1}, 10, 21, 1},
		{Chen{Interval: 10, Margin: 1}, 10, 11, 0},
		{Chen{Interval: 10, Margin: 5}, 10, 15, 4},
		{Chen{Margin: 3, Delay: 1}, 1, 4, 1},
		{Chen{Interval: 10, Margin: 2, Window: 1 << 14}, 10, 12, 1},
		{Phi{Interval: 1000, Threshold: 1, Window: 1 << 14, Pause: 5, Delay: 5}, 1000, 1325, 5},
	} {
		plan, err := c.d.plan(0)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{c.interval, c.first, c.delay},
			[]time.Duration{plan.interval, plan.first, plan.delay}, "%+v", c.d)
	}
	for _, d := range []Detector{Phi{Threshold: 300}, Deadline{Timeout: params.MaxTimeout},
		Phi{Interval: 1000, Delay: 17419, Exponential: true}} {
		_, err := d.plan(0)
		require.NoError(t, err)
	}
}

// TestDefaults: with a bound on delays all durations follow from it; if the detector has none, the bound of the
// algorithm counts.
func TestDefaults(t *testing.T) {
	const y = 5.612001 // of a threshold of 8
	// in intervals, until suspected
	for name, first := range map[string]struct{ plain, bounded, largest float64 }{
		"deadline":    {9.5, 3, 8.5},
		"phi":         {4 + y/4, 4 + y/4, 3},
		"exponential": {2 * 8 * math.Ln10, 2 * 8 * math.Ln10, 8*math.Ln10 - 1},
		"chen":        {9.5, 3, 8.5},
	} {
		d := all()[name]
		plan, err := d.plan(0)
		require.NoError(t, err)
		require.Equal(t, 100*ms, plan.interval)
		require.InDelta(t, first.plain*1e8, float64(plan.first), 1e3, name)
		require.InDelta(t, first.largest*1e8, float64(plan.delay), 2, name)
		for _, delay := range []time.Duration{ms, 3 * time.Second, 24 * time.Hour} {
			plan, err := d.plan(delay)
			require.NoError(t, err, "%s %v", name, delay)
			require.Equal(t, delay, plan.delay)
			require.Equal(t, delay, plan.interval)
			require.InEpsilon(t, first.bounded*float64(delay), float64(plan.first), 1e-5, name)
		}
		for _, delay := range []time.Duration{1, plan.delay} {
			_, err := d.plan(delay)
			require.NoError(t, err, "%s %v", name, delay)
		}
	}
	plan, err := Deadline{Delay: ms}.plan(5 * ms)
	require.NoError(t, err)
	require.Equal(t, ms, plan.delay)
	p, _ := heard(t, Phi{Deviation: 20 * ms, Pause: 200 * ms}, every(100*ms, 300)...)
	require.InDelta(t, 300e6+20e6*y, float64(p.until-p.last), 1e3)
	p, _ = heard(t, Phi{}, every(100*ms, 300)...)
	require.InDelta(t, 400e6+10e6*y, float64(p.until-p.last), 1e3, "a tenth of the interval")
}
