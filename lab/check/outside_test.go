package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/lease"
)

// TestOutside: what lies outside the model comes from the description.
func TestOutside(t *testing.T) {
	few := lcr.Participant()
	few.Faults = election.Faults{Crash: election.StaysDown, Down: func(n int) int { return n / 2 }}
	part := func(starters []election.ID) scenario.Input {
		in := input(floodmax.Algorithms()[0], rising(3))
		in.Initiators = starters
		return in
	}
	for _, c := range []struct {
		name   string
		config check.Config
		want   string
	}{
		{"as it is", check.Config{Input: input(lcr.Participant(), rising(3))}, ""},
		{"crash", check.Config{Input: input(lcr.Participant(), rising(3)), Crashes: 1},
			"lcr/participant promises nothing if processes crash"},
		{"loss", check.Config{Input: input(lcr.Participant(), rising(3)), Losses: 1},
			"lcr/participant promises nothing if messages are lost"},
		{"any number may crash, again and again",
			check.Config{Input: input(bully.Algorithms()[0], rising(3)), Delay: bully.DefaultDelay,
				Crashes: 4, Recoveries: 4}, ""},
		{"a minority may crash", check.Config{Input: input(few, rising(5)), Crashes: 2}, ""},
		{"a majority crashes", check.Config{Input: input(few, rising(5)), Crashes: 3},
			"lcr/participant promises nothing if more than 2 processes crash"},
		{"no return", check.Config{Input: input(few, rising(5)), Crashes: 1, Recoveries: 1},
			"lcr/participant promises nothing if processes return without their state"},
		{"no restart", check.Config{Input: input(few, rising(5)), Crashes: 1, Restarts: 1},
			"lcr/participant promises nothing if processes return with the state that they saved last"},
		{"no order", check.Config{Input: input(dkr.Algorithm(), rising(3)), Unordered: true},
			"dkr needs links that keep messages in order"},
		{"no order, where none is needed", check.Config{Input: input(lcr.Participant(), rising(3)),
			Unordered: true}, ""},
		{"order", check.Config{Input: input(dkr.Algorithm(), rising(3))}, ""},
		{"no time", check.Config{Input: input(bully.Algorithms()[0], rising(3))},
			"bully/rules needs messages that take at most 1"},
		{"late", check.Config{Input: input(bully.Algorithms()[0], rising(3)), Delay: 2 * bully.DefaultDelay},
			"bully/rules needs messages that take at most 1, here they take up to 2"},
		{"late, with leases", check.Config{Input: input(lease.Algorithms()[0], rising(3)),
			Delay: 2 * lease.Algorithms()[0].Delay}, ""},
		{"early", check.Config{Input: input(bully.Algorithms()[0], rising(3)), Delay: bully.DefaultDelay / 2},
			""},
		{"some start, messages take less", check.Config{Input: part(rising(1)),
			Delay: bully.DefaultDelay / 2},
			"floodmax/basic needs simultaneous starts, exact clocks, and messages that all take 1"},
		{"some start", check.Config{Input: part(rising(1)), Delay: bully.DefaultDelay}, ""},
		{"all start", check.Config{Input: part(nil), Delay: bully.DefaultDelay / 2}, ""},
		{"any time", check.Config{Input: input(lcr.Participant(), rising(3)), Delay: bully.DefaultDelay}, ""},
		{"copies", check.Config{Input: input(dkr.Algorithm(), rising(3)), Duplicates: 1},
			"dkr promises nothing if messages arrive twice"},
		{"pauses", check.Config{Input: input(lcr.Participant(), rising(3)), Pauses: 1},
			"lcr/participant promises nothing if processes pause"},
		{"cuts", check.Config{Input: input(lcr.Participant(), rising(3)), Cuts: 1},
			"lcr/participant promises nothing if the network is cut"},
		{"much", check.Config{Input: input(dkr.Algorithm(), rising(3)), Unordered: true, Losses: 1,
			Crashes: 1},
			"dkr needs links that keep messages in order, and promises nothing if messages are lost, or " +
				"processes crash"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.config.Outside()) })
	}
}

// TestOutsideClocks: clocks may be as wrong as the algorithm says, where its promises rest on time.
func TestOutsideClocks(t *testing.T) {
	fast := func(a *election.Algorithm) scenario.Input {
		in := input(a, rising(3))
		in.ClockRates = []scenario.ClockRate{{ID: 2, Rate: 1.5}}
		return in
	}
	slow := func(a *election.Algorithm) scenario.Input {
		in := input(a, rising(3))
		in.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 1 - a.Faults.Drift},
			{ID: 2, Rate: 1 + a.Faults.Drift}}
		return in
	}
	for _, c := range []struct {
		name   string
		config check.Config
		want   string
	}{
		{"wrong clocks", check.Config{Input: fast(floodmax.Algorithms()[0]), Delay: bully.DefaultDelay},
			"floodmax/basic needs simultaneous starts, exact clocks, and messages that all take 1"},
		{"wrong clocks, not synchronous", check.Config{Input: fast(bully.Algorithms()[0]),
			Delay: bully.DefaultDelay}, "bully/rules needs exact clocks"},
		{"wrong clocks, and no time", check.Config{Input: fast(lcr.Participant())}, ""},
		{"too wrong clocks", check.Config{Input: fast(lease.Algorithms()[0]),
			Delay: lease.Algorithms()[0].Delay},
			"lease needs clocks that are wrong by at most 0.1 %"},
		{"clocks within bounds", check.Config{Input: slow(lease.Algorithms()[0]),
			Delay: lease.Algorithms()[0].Delay}, ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.config.Outside()) })
	}
}
