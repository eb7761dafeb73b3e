package electiontest

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// leaving runs elections in which each process leaves as soon as it knows the end, as drivers allow. The others
// must learn of the end nevertheless.
func leaving(t *trial) error {
	for seed := range min(t.Seeds, 20) {
		in, err := t.input(shuffled(t.size(seed), seed))
		if err != nil {
			return err
		}
		in, bound := bounded(in)
		r, err := leave(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed,
			Unordered: !t.NeedsFIFO && seed%2 == 1})
		if err = bound.or(err); err == nil {
			err = in.Elected(&r)
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d, where a process that has called Env.Done leaves: %w; "+
				"is it still needed, so that its RelaysAfterEnd must be true?", among(&in), seed, err)
		}
	}
	return nil
}

// leave runs an election in which a process goes down when it knows the end, and returns the results of all.
func leave(c sim.Config) (r verdict.Result, err error) {
	s, err := sim.New(c)
	if err != nil {
		return r, err
	}
	left := make([]bool, len(c.IDs))
	for s.Step() {
		for p := range c.IDs {
			if !left[p] && s.Ended(p) {
				left[p] = true
				// In the simulator, a process leaves by crashing: no later message to it arrives.
				s.Crash(p)
			}
		}
	}
	beliefs := verdict.Beliefs{Groups: c.Algorithm.Elects == election.GroupLeaders}
	for p := range c.IDs {
		beliefs.Add(s.Outcome(p), left[p])
	}
	beliefs.Fill(&r)
	return r, s.Err()
}
