package electiontest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// description checks the description of the algorithm.
func description(t *trial) error {
	a := t.Algorithm
	if err := a.Check(); err != nil {
		return err
	}
	late := []election.LateStart{election.LateIgnored, election.LateJoins, election.LateRefused}
	switch {
	case !slices.Contains(late, a.LateStart):
		return fmt.Errorf("its LateStart is %q, not one of %q", a.LateStart, late)
	case len(a.Kinds) == 0:
		return errors.New("it has no Kinds of messages")
	case a.Knows == election.RootPort && a.Topology != election.Tree:
		return fmt.Errorf("its processes know a RootPort, but its Topology is a %s", a.Topology)
	case (a.Params == nil) != (a.Configure == nil):
		return errors.New("of Params and Configure there is one without the other")
	}
	seen := make(map[string]bool)
	for i, k := range a.Kinds {
		switch {
		case k.Name == "" || k.Name == "catch_up":
			return fmt.Errorf("kind %d has the name %q", i+1, k.Name)
		case seen[k.Name]:
			return fmt.Errorf("two kinds have the name %q", k.Name)
		}
		seen[k.Name] = true
	}
	if err := configures(a); err != nil {
		return err
	}
	if err := ordered(t); err != nil {
		return err
	}
	return timersNamed(t)
}

// timersNamed checks that timers have names: different ones within a machine, and one for each timer that a
// Node sets, both in runs within the model and in disorderly runs with random parameters.
func timersNamed(t *trial) error {
	for layer, names := range t.Timers {
		seen := make(map[string]bool)
		for timer, name := range names {
			if name != "" && seen[name] {
				return fmt.Errorf("timer %d of layer %d has the name %q, as another has", timer, layer, name)
			}
			seen[name] = true
		}
	}
	all, err := t.histories(20, nil)
	if err != nil {
		return err
	}
	for number := range min(t.Seeds, 20) {
		h, err := t.disorderly(number, disorderSteps)
		if err != nil {
			return err
		}
		all = append(all, h)
	}
	for _, h := range all {
		var unnamed error
		// Ignore other errors: the following properties test the Steps of a Node.
		_ = h.play(h.hosts(), func(_ int, m *moment, fx *election.Effects) error {
			for _, c := range fx.Timers {
				if !c.Stop && !c.All && h.in.Algorithm.TimerName(c.Layer, c.Timer) == "" {
					unnamed = fmt.Errorf("its Timers have no name for timer %d of layer %d, which %v sets",
						c.Timer, c.Layer, &happens{h, m.p, &m.ev})
				}
			}
			return unnamed
		})
		if unnamed != nil {
			return unnamed
		}
	}
	return nil
}

// configures checks that the parameters described are the parameters read.
func configures(a *election.Algorithm) error {
	if a.Configure == nil {
		return nil
	}
	// No parameter is given, so Names returns the names that Configure asks for.
	p := params.New[election.ID](nil, time.Second, nil)
	b, err := a.Configure(p)
	if err != nil {
		return fmt.Errorf("without parameters Configure returns an error: %w", err)
	}
	if b.Title() != a.Title() || b.Delay != a.Delay {
		return fmt.Errorf("without any parameter Configure gives %s with Delay %v, not %s with %v", b.Title(),
			b.Delay, a.Title(), a.Delay)
	}
	read, described := slices.Sorted(slices.Values(p.Names())), slices.Sorted(slices.Values(a.Params.Names()))
	if !slices.Equal(read, described) {
		return fmt.Errorf("the parameters that Configure reads are %q, but Params lists %q", read, described)
	}
	return nil
}

// ordered checks that Best, Mean and Worst are in this order.
func ordered(t *trial) error {
	a := t.Algorithm
	named := []struct {
		name string
		b    cost.Bound
	}{{"Best", a.Best}, {"Mean", a.Mean}, {"Worst", a.Worst}}
	for i, small := range named {
		if small.b.Count != nil && small.b.Formula == "" {
			return fmt.Errorf("%s has a Count without a Formula", small.name)
		}
		for _, large := range named[i+1:] {
			if small.b.Count == nil || large.b.Count == nil {
				continue
			}
			for _, n := range t.sizes(64) {
				if less, more := small.b.Count(n), large.b.Count(n); less > more+rounding {
					return fmt.Errorf("%s of %d processes is %v messages, more than %s, %v", small.name, n,
						less, large.name, more)
				}
			}
		}
	}
	return nil
}

const rounding = 1e-6

// bounds compares message counts with the bounds.
func bounds(t *trial) error {
	a := t.Algorithm
	for _, n := range t.sizes(t.Processes) {
		for _, arranged := range []struct {
			name string
			b    cost.Bound
		}{{"Best", a.Best}, {"Worst", a.Worst}} {
			if err := attained(t, arranged.name, arranged.b, n); err != nil {
				return err
			}
		}
		for seed := range min(t.Seeds, 20) {
			c, err := t.counted(shuffled(n, seed))
			if err != nil {
				return err
			}
			// Timers depend on the bound on delays, so count an algorithm with such a bound only under unit
			// delays.
			if c.Seed = seed; seed%2 == 1 && a.Delay == 0 {
				c.Schedule = sim.RandomDelay
			}
			some := seed%3 == 2 && !a.SingleInitiator && !a.LongLived()
			if some {
				c.Initiators = slices.Clone(c.IDs[:1+int(seed)%n])
			}
			r, err := t.count(c)
			if err != nil {
				return fmt.Errorf("among %v: %w", c.IDs, err)
			}
			if err := t.within(&c, float64(r.Messages), some); err != nil {
				return err
			}
		}
	}
	return nil
}

// within compares the messages of a run with the bounds. Best does not hold if only some processes start.
func (t *trial) within(c *sim.Config, messages float64, some bool) error {
	n, ports := len(c.IDs), c.Topology.Links()
	how := fmt.Sprintf("seed %d, %s delays", c.Seed, cmp.Or(c.Schedule, sim.UnitDelay))
	if some {
		how = fmt.Sprintf("%v start, %s", c.Initiators, how)
	}
	if most := t.Worst.At(n, ports); messages > most+rounding {
		return fmt.Errorf("%v take %v messages, more than Worst allows for: %v (%s); %s", c.IDs, messages,
			most, t.Worst.Formula, how)
	}
	if least := t.Best.At(n, ports); messages < least-rounding && !t.Best.Loose && !some {
		return fmt.Errorf("%v take %v messages, fewer than Best: %v (%s); %s", c.IDs, messages, least,
			t.Best.Formula, how)
	}
	return nil
}

// attained compares the messages of the arrangement that should attain a bound with the bound.
func attained(t *trial, name string, b cost.Bound, n int) error {
	if b.Arrange == nil || b.Count == nil || b.Loose {
		return nil
	}
	places := b.Arrange(n)
	if places == nil {
		return nil
	}
	ids := make([]election.ID, len(places))
	for i, v := range places {
		ids[i] = election.ID(v)
	}
	// An arrangement that repeats a process could attain any count.
	if sorted := slices.Sorted(slices.Values(ids)); len(ids) != n || !slices.Equal(sorted, upTo(n)) {
		return fmt.Errorf("%s.Arrange(%d) is %v, not 1 to %d in some order", name, n, places, n)
	}
	c, err := t.counted(ids)
	if err != nil {
		return err
	}
	r, err := t.count(c)
	if err != nil {
		return fmt.Errorf("the arrangement of %s, %v: %w", name, places, err)
	}
	if want := b.Count(n); float64(r.Messages) < want-rounding || float64(r.Messages) > want+rounding {
		return fmt.Errorf("the arrangement of %s, %v, takes %d messages, not %v (%s)", name, places,
			r.Messages, want, b.Formula)
	}
	return nil
}

// counted returns the run whose messages are counted: all processes start simultaneously.
func (t *trial) counted(ids []election.ID) (sim.Config, error) {
	in, err := t.input(ids)
	c := sim.Config{Input: in}
	if t.NeverQuiesces {
		c.Until = 1 // later messages are heartbeats
	}
	return c, err
}

// count runs the election and counts its messages. It stops a run that does not end.
func (t *trial) count(c sim.Config) (sim.Result, error) {
	var bound *limit
	c.Input, bound = bounded(c.Input)
	r, err := sim.Run(t.ctx, c)
	return r, bound.or(err)
}

func upTo(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// shuffled returns 1 to n in a random order derived from seed.
func shuffled(n int, seed uint64) []election.ID {
	ids := upTo(n)
	sim.Shuffle(seed, n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}
