package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lcr"
)

// TestOutside: what lies outside the model comes from the description.
func TestOutside(t *testing.T) {
	few := lcr.Participant()
	few.Faults = election.Faults{Crash: true, Down: func(n int) int { return n / 2 }}
	for _, c := range []struct {
		name   string
		config check.Config
		want   string
	}{
		{"as it is", check.Config{Input: input(lcr.Participant(), rising(3))}, ""},
		{"crash", check.Config{Input: input(lcr.Participant(), rising(3)), Crashes: 1},
			"lcr/participant promises nothing where processes crash"},
		{"loss", check.Config{Input: input(lcr.Participant(), rising(3)), Losses: 1},
			"lcr/participant promises nothing where messages are lost"},
		{"any number may crash, again and again",
			check.Config{Input: input(bully.Algorithms()[0], rising(3)), Delay: bully.DefaultDelay,
				Crashes: 4, Recoveries: 4}, ""},
		{"a minority may crash", check.Config{Input: input(few, rising(5)), Crashes: 2}, ""},
		{"a majority crashes", check.Config{Input: input(few, rising(5)), Crashes: 3},
			"lcr/participant promises nothing where more than 2 processes crash"},
		{"no return", check.Config{Input: input(few, rising(5)), Crashes: 1, Recoveries: 1},
			"lcr/participant promises nothing where processes come back without their state"},
		{"no restart", check.Config{Input: input(few, rising(5)), Crashes: 1, Restarts: 1},
			"lcr/participant promises nothing where processes come back with the state that they saved last"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.config.Outside()) })
	}
}
