package electiontest

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// scenarios runs the scenarios of files.
func scenarios(t *trial) error {
	for _, name := range t.Scenarios {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		all, err := scenario.Read(bytes.NewReader(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i, s := range all {
			if err := t.scenario(s); err != nil {
				return fmt.Errorf("%s: scenario %d, %s: %w", name, i, s.Name, err)
			}
		}
	}
	return nil
}

func (t *trial) scenario(s *scenario.Scenario) error {
	c, err := sim.FromScenario(s, t.Find)
	if err != nil {
		return err
	}
	in, bound := bounded(c.Input)
	c.Input = in
	r, err := sim.Run(t.ctx, c)
	if err = bound.or(err); err != nil {
		return err
	}
	if s.Expect != nil {
		return s.Expect.Compare(&r.Result, &r.Time)
	}
	if c.Algorithm.Elects == election.NoLeader {
		return nil
	}
	return r.Err()
}

// soaking returns the configuration of the simulation.
func (t *trial) soaking() soak.Config {
	return soak.Config{Algorithm: t.Algorithm, Params: t.Options.Params, Processes: t.Processes,
		Runs: t.Seeds}
}

// simulation simulates random elections, and repeats some of them.
func simulation(t *trial) error {
	c := t.soaking()
	r, err := soak.Run(t.ctx, c)
	if err != nil {
		return err
	}
	if f := r.Failure; f != nil {
		return fmt.Errorf("seed %d: %w\n%s", f.Seed, f.Violation, smallest(f))
	}
	// Repeat some runs: the hash differs if an algorithm depends on anything but its events.
	for seed := range min(t.Seeds, 50) {
		plan, err := c.Plan(seed)
		if err != nil {
			return err
		}
		if first, again := plan.Run(nil), plan.Run(nil); first.Hash != again.Hash {
			return fmt.Errorf("seed %d: the same run is another when it is made again: trace hash %016x, "+
				"then %016x", seed, first.Hash, again.Hash)
		}
	}
	return nil
}

// exhaustive visits every state of small networks.
func exhaustive(t *trial) error {
	for _, n := range t.small() {
		for _, w := range t.networks(n) {
			if err := t.visit(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// network is a network whose every state is visited.
type network struct {
	ids    []election.ID
	adjust func(c *check.Config)
}

// networks returns the networks of n processes whose states are visited.
func (t *trial) networks(n int) (all []network) {
	add := func(ids []election.ID, adjust func(c *check.Config)) { all = append(all, network{ids, adjust}) }
	orders := [][]election.ID{upTo(n), shuffled(n, 1)}
	if n > 3 {
		// Larger networks have too many states for more than one order.
		orders = orders[:1]
	}
	for _, ids := range orders {
		add(ids, func(*check.Config) {})
		if !t.NeedsFIFO && n <= 3 {
			add(ids, func(c *check.Config) { c.Unordered = true })
		}
	}
	if n == 2 || n == 3 {
		add(upTo(n), func(c *check.Config) { c.Priorities = falling(n) })
	}
	if t.Faults.Loss && n == 2 {
		add(upTo(n), func(c *check.Config) { c.Losses = 1 })
	}
	if t.Faults.Copies && n <= 3 {
		add(upTo(n), func(c *check.Config) { c.Duplicates = 1 })
	}
	if t.Faults.Crash != election.NoCrash && t.Sections == 0 && (n == 2 || t.Faults.Reported && n == 3) {
		add(upTo(n), func(c *check.Config) { c.Crashes, c.Nudge = 1, !t.Faults.Reported })
	}
	return all
}

// falling returns priorities by which the last process, with the largest ID, has the lowest one, and others are
// equal.
func falling(n int) []uint64 {
	all := make([]uint64, n)
	for p := range all {
		all[p] = uint64(n-p) / 2
	}
	return all
}

// config returns the checker's configuration for a network.
func (t *trial) config(w network) (check.Config, error) {
	in, err := t.input(w.ids)
	if err != nil {
		return check.Config{}, err
	}
	c := check.Config{Input: in, MaxStates: t.States, Started: t.budgeted(), Delay: in.Algorithm.Delay,
		Nudge: t.Faults.Unaided()}
	if in.Algorithm.NeverQuiesces {
		if c.Until = 12 * c.Delay; t.Store {
			c.Until *= 10 // as long as nothing is stored, a candidate waits for a lease
		}
	}
	w.adjust(&c)
	return c, nil
}

// visit visits the states of one network.
func (t *trial) visit(w network) error {
	c, err := t.config(w)
	if err != nil {
		return err
	}
	r, err := check.Run(t.ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", visited(&c), err)
	}
	if e := r.Counterexample; e != nil {
		return fmt.Errorf("%s: %s: %w\n%s", visited(&c), e.Property.Text(), e.Reason, stepsOf(c.Input, e))
	}
	if err := r.Err(); err != nil && (r.Exhausted || errors.Is(err, check.ErrTooLarge)) {
		return fmt.Errorf("%s: %w", visited(&c), err)
	}
	return nil
}

// visited describes which states are visited.
func visited(c *check.Config) string {
	text := among(&c.Input)
	if c.Unordered {
		text += ", on links that do not keep the order"
	}
	if c.Losses > 0 {
		text += fmt.Sprintf(", lost messages: %d", c.Losses)
	}
	if c.Duplicates > 0 {
		text += fmt.Sprintf(", doubled messages: %d", c.Duplicates)
	}
	if c.Crashes > 0 {
		text += fmt.Sprintf(", crashes: %d", c.Crashes)
	}
	if c.Delay > 0 {
		text += fmt.Sprintf(", delays up to %s units", inUnits(c.Delay))
	}
	return text
}

// repeated runs consecutive elections.
func repeated(t *trial) error {
	for seed := range min(t.Seeds, 30) {
		n := t.size(seed)
		in, err := t.input(shuffled(n, seed))
		if err != nil {
			return err
		}
		if seed%3 == 2 {
			in.Priorities = falling(n)
		}
		in, bound := bounded(in)
		c := sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed,
			Unordered: !t.NeedsFIFO && seed%2 == 1}
		if t.Synchronous { // a single process starts each election except the first
			c.Schedule, c.Unordered = sim.UnitDelay, false
		}
		r := &series{trial: t, in: &c.Input, seed: seed, decisions: verdict.Decisions{Algorithm: t.Algorithm}}
		if !t.LongLived() {
			c.Observe = r.watch
		}
		if r.Sim, err = sim.New(c); err != nil {
			return err
		}
		if err = bound.or(r.all()); r.wrong != nil {
			err = r.wrong
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", among(&in), seed, err)
		}
	}
	return nil
}

// series is a sequence of elections.
type series struct {
	*trial
	*sim.Sim
	in        *scenario.Input
	seed      uint64
	decisions verdict.Decisions
	wrong     error
}

// watch checks every decision.
func (r *series) watch(o *observe.Occurrence) {
	if o.What != observe.Step || !o.Effects.Decided() || r.wrong != nil {
		return
	}
	_, r.wrong = r.decisions.Note(o.Process, o.Effects.Outcome, o.At, 0)
}

func (r *series) all() error {
	switch {
	case r.Elects == election.NoLeader:
		return r.requests()
	case r.LongLived():
		return r.succession()
	}
	const elections = 4
	var last int
	for term := uint64(1); term < elections; term++ {
		p, err := r.stepToAnEnd(term)
		if err != nil {
			return err
		}
		r.Post(p, election.Event{Op: election.Start})
		last = p
	}
	if err := r.rest(); err != nil {
		return err
	}
	res := r.Result()
	if err := res.Err(); err != nil {
		return fmt.Errorf("after %d elections, each begun before the last was over everywhere: %w", elections,
			err)
	}
	for p, id := range r.in.IDs {
		if term := r.Outcome(p).Term; term != elections {
			return fmt.Errorf("after %d elections process %d is in Term %d", elections, id, term)
		}
	}
	every := func(int) bool { return true }
	if err := r.in.Winner(every, func(p int) bool { return p == last }).Judge(res.Leader); err != nil {
		return fmt.Errorf("in election %d %w", elections, err)
	}
	return nil
}

// rest continues until nothing is left to happen.
func (r *series) rest() error {
	r.Extend(r.Now() + 20_000*sim.Unit)
	if r.NeverQuiesces {
		r.Extend(r.Now() + 200*sim.Unit)
	}
	return r.Run(r.ctx)
}

// stepToAnEnd steps until a process that may start knows that an election has ended.
func (r *series) stepToAnEnd(term uint64) (int, error) {
	// Check the processes in another order in each run, so that the next Start comes from different ones.
	first := int(r.seed)
	n := len(r.in.IDs)
	may := func(int) bool { return true }
	if r.Knows == election.RootPort && r.SingleInitiator {
		root := r.in.Starters()[0]
		may = func(p int) bool { return r.in.IDs[p] == root }
	}
	for {
		for i := range n {
			p := (first + i) % n
			if may(p) && r.Ended(p) && r.Outcome(p).Term == term {
				return p, nil
			}
		}
		if !r.Step() { // the election is bounded
			return 0, fmt.Errorf("in election %d no process knows of the end, and %s", term,
				whyNot(r.Run(r.ctx)))
		}
	}
}

// whyNot returns why a run does not continue.
func whyNot(err error) string {
	if err == nil {
		return "nothing is left to happen"
	}
	return err.Error()
}

// succession crashes the leader and makes the others suspect it: the next election must have another leader.
func (r *series) succession() error {
	if err := r.rest(); err != nil {
		return err
	}
	first := r.Result()
	if err := first.Err(); err != nil {
		return err
	}
	switch n := len(r.in.IDs); {
	case r.Faults.MostDown(n) == 0, n == 1:
		return nil
	case n == 2 && r.Store: // the store never leads
		return nil
	}
	gone := r.in.Positions()[first.Leader]
	r.Crash(gone)
	for p := range r.in.IDs {
		for port := range election.Port(r.in.Ports(p)) {
			if q, _, ok := r.in.Topology.Link(p, port); ok && q == gone && p != gone {
				r.Post(p, election.Event{Op: election.Suspect, Port: port})
			}
		}
	}
	if err := r.rest(); err != nil {
		return err
	}
	next := r.Result()
	if err := next.Err(); err != nil {
		return fmt.Errorf("after the leader has crashed: %w", err)
	}
	// If a detector of each process reports the crash again, at another time, a process may start an election
	// of its own. The initiators of the last election are then unknown.
	if r.Below > 0 && r.in.Algorithm.Winner != nil && r.in.Algorithm.Winner.ByStart {
		return nil
	}
	up := func(p int) bool { return p != gone }
	if err := r.in.Winner(up, up).Judge(next.Leader); err != nil {
		return fmt.Errorf("after the leader has crashed %w", err)
	}
	return nil
}

// requests makes all processes request the critical section again.
func (r *series) requests() error {
	if r.Sections == 0 {
		return nil
	}
	for round := 1; round <= 3; round++ {
		if err := r.rest(); err != nil {
			return err
		}
		if got, want := len(r.Result().Entries),
			round*len(r.in.IDs); got != want && !(round > 1 && r.budgeted()) {
			return fmt.Errorf("after %d rounds of requests there were %d entries, not %d", round, got, want)
		}
		for p := range r.in.IDs {
			r.Post(p, election.Event{Op: election.Start})
		}
	}
	return nil
}
