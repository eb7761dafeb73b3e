package sim

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// FromScenario returns the run that a scenario describes. find returns the algorithm, as for
// [scenario.Scenario.Input]. An error wraps [election.ErrInput].
func FromScenario(s *scenario.Scenario, find func(name, variant string) (*election.Algorithm, error)) (Config,
	error) {
	in, err := s.Input(find)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		Input: in, Schedule: s.Schedule, Seed: s.Seed, Unordered: s.FIFO != nil && !*s.FIFO,
		Until: s.Until, Steps: s.Steps, Acts: s.Acts,
	}
	if c.Schedule == "" {
		c.Schedule = UnitDelay
	}
	if s.Delay != nil {
		c.Delay = *s.Delay
	}
	return c, nil
}

// Scenario returns the scenario from which [FromScenario] makes this run, except for the parameters of its
// algorithm, which a Config does not contain. It shares the lists of the Config. The error is from
// [scenario.Of].
func (c *Config) Scenario() (*scenario.Scenario, error) {
	s, err := scenario.Of(&c.Input)
	if err != nil {
		return nil, err
	}
	s.Schedule, s.Seed, s.Until, s.Steps, s.Acts = c.Schedule, c.Seed, c.Until, c.Steps, c.Acts
	if c.Schedule == RandomDelay {
		if c.Delay != (Delay{}) {
			delay := c.Delay
			s.Delay = &delay
		}
		if c.Unordered {
			s.FIFO = new(bool)
		}
	}
	return s, nil
}

// SameLinks reports whether messages take the times that they take in another run of the same processes.
func (c *Config) SameLinks(o *Config) bool {
	drawn := c.Schedule != UnitDelay || c.Faults.Chance()
	return c.Schedule == o.Schedule && c.Unordered == o.Unordered && c.Delay == o.Delay &&
		(c.Seed == o.Seed || !drawn)
}
