package mutex_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
)

// at is when something happens to a process.
func at(id election.ID, units float64) scenario.At {
	return scenario.At{ID: id, Time: time.Duration(units * float64(unit))}
}

// TestArbiterReturns: with modbully, a process that recovers may lead in a Term that has had a leader. Its
// tokens are nevertheless larger than the earlier tokens of that Term, and it serves requests from before its
// crash.
func TestArbiterReturns(t *testing.T) {
	for _, c := range []struct {
		name    string
		variant modbully.Variant
		config  sim.Config
		tokens  []uint64
	}{
		// 1 is back without its state when 3 is, and asks 3 to take over in the Term that 3 has led.
		{"in its own Term", modbully.Convenience, sim.Config{Input: scenario.Input{IDs: among(3),
			Initiators: []election.ID{2, 3}, StartTimes: []time.Duration{0, 29 * unit},
			CrashAt:   []scenario.At{at(1, 1), at(3, 17.5)},
			RecoverAt: []scenario.At{at(1, 20.5)}, RestartAt: []scenario.At{at(3, 24)}}},
			[]uint64{1<<32 | 2<<30 | 1, 2<<32 | 2<<30 | 1}},
		// 3 has never heard of the reign of 1, whose crash 2 has not noticed.
		{"in the Term of another", modbully.Base, sim.Config{Input: scenario.Input{IDs: among(3),
			Priorities: []uint64{1, 0, 0}, Initiators: []election.ID{2, 3},
			StartTimes: []time.Duration{0, 40 * unit},
			CrashAt:    []scenario.At{at(3, 1.5), at(1, 8)}, RestartAt: []scenario.At{at(3, 20)}}},
			[]uint64{1<<32 | 2<<30 | 1, 2<<32 | 1<<30 | 1}},
		// What 2 has asked for is lost in the crash of 3, and 2 does not see that 3 was away.
		{"before anything was granted", modbully.Convenience, sim.Config{Input: scenario.Input{IDs: among(3),
			CrashAt: []scenario.At{at(3, 0.5)}, RestartAt: []scenario.At{at(3, 0.843)}},
			Schedule: sim.RandomDelay, Delay: sim.Delay{Min: 1, Max: unit}, Seed: 13},
			[]uint64{2<<32 | 2<<30 | 1, 2<<32 | 2<<30 | 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			elect, err := modbully.New(c.variant, modbully.Config{})
			require.NoError(t, err)
			a, err := mutex.Arbiter(mutex.Config{CriticalSection: unit, Election: elect})
			r := simulate(t, c.config, a, err)
			var tokens []uint64
			for _, entry := range r.Entries {
				tokens = append(tokens, entry.Token)
			}
			require.Equal(t, c.tokens, tokens)
		})
	}
}

// TestTokensOutlastCrashes: if all processes crash at about the same time and recover with their saved state,
// at any moment of the protocol, no two are inside at the same time and tokens increase. Nothing reports the
// recoveries, so some requests are lost, and wait.
func TestTokensOutlastCrashes(t *testing.T) {
	runs := uint64(3000)
	if !*long {
		runs /= 10
	}
	again := uint64(0) // entries after all have been down
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 8))
		within := func(units int64) time.Duration { return time.Duration(rng.Int64N(units * int64(unit))) }
		c := sim.Config{Input: scenario.Input{IDs: among(2 + rng.IntN(3))}, Schedule: sim.RandomDelay,
			Delay: sim.Delay{Min: 1, Max: unit}, Unordered: rng.IntN(2) == 0, Seed: seed}
		for range c.IDs {
			c.StartTimes = append(c.StartTimes, within(40))
		}
		down := time.Duration(0)
		for range 3 {
			down += unit + within(12)
			for _, id := range c.IDs {
				c.CrashAt = append(c.CrashAt, scenario.At{ID: id, Time: down - within(1)})
				c.RestartAt = append(c.RestartAt, scenario.At{ID: id, Time: down + 1 + within(1)})
			}
			down += unit
		}
		var sections verdict.Sections
		c.OnRaise = func(p int, ev election.Event) {
			_, err := sections.Note(c.IDs[p], &ev)
			require.NoError(t, err, "seed %d", seed)
			if ev.Op == election.Entered && ev.Msg.Value > 1024 { // else none had entered before
				again++
			}
		}
		c.Observe = func(o *observe.Occurrence) {
			if o.What == observe.Crash {
				sections.Crash(o.Process)
			}
		}
		a, err := mutex.RicartAgrawala(mutex.Config{CriticalSection: unit})
		simulate(t, c, a, err)
	}
	require.Greater(t, again, runs/4)
}
