package election_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
)

// overlaid yields the algorithms that run on an overlay, as they are and as they run there.
func overlaid(t *testing.T, visit func(own, over *election.Algorithm)) {
	t.Helper()
	for _, a := range catalog.All() {
		over, err := a.OverComplete()
		switch {
		case a.Topology == election.Hypercube || a.Topology == election.Mesh:
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, a.Title()+" runs on a ")
		case a.Synchronous:
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, "put a synchronizer below it")
		case over == a:
			require.Equal(t, election.Complete, a.Topology)
		default:
			require.NoError(t, err)
			require.Equal(t, election.Complete, over.Topology)
			if a.Sections == 0 {
				visit(a, over)
			}
		}
	}
}

// TestOverlayOfToken: an election does not restore what is lost with a crashed process, so an overlay of the
// plain token ring tolerates no crash; with Regenerate it does.
func TestOverlayOfToken(t *testing.T) {
	plain, err := catalog.Find("mutex", "tokenring")
	require.NoError(t, err)
	over, err := plain.OverComplete()
	require.NoError(t, err)
	require.Equal(t, election.Faults{}, over.Faults)
	lasting, err := mutex.TokenRing(mutex.Config{Regenerate: sim.Unit})
	require.NoError(t, err)
	over, err = lasting.OverComplete()
	require.NoError(t, err)
	require.NotZero(t, over.Faults.Crash)
}

// TestOverlayCounts: on the links of a complete graph every algorithm elects the same process as on its own
// links, by the same messages: a ring or a heap in the order of IDs. One process alone sends none.
func TestOverlayCounts(t *testing.T) {
	overlaid(t, func(own, over *election.Algorithm) {
		for n := 1; n <= 9; n++ {
			for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
				on := scenario.Input{Algorithm: own, IDs: among(n), Priorities: make([]uint64, n),
					Topology: allLinks(t, own, n)}
				for p := range n {
					on.Priorities[p] = uint64(p*5%7) % 3
				}
				if own.SingleInitiator {
					on.Initiators = []election.ID{election.ID(1 + (n-1)/2)}
				}
				if own.Title() == "treeelect/root" {
					on.Initiators = on.IDs[:1]
				}
				for _, from := range [][]election.ID{on.Initiators, on.IDs[:1]} {
					on.Initiators = from
					at := on
					at.Algorithm, at.Topology = over, nil
					what := fmt.Sprint(own.Title(), " of ", n, schedule, from)
					want, err := sim.Run(t.Context(), sim.Config{Input: on, Schedule: schedule, Seed: 3})
					require.NoError(t, err, what)
					got, err := sim.Run(t.Context(), sim.Config{Input: at, Schedule: schedule, Seed: 3})
					require.NoError(t, err, what)
					require.NoError(t, got.Err(), what)
					require.Equal(t, want.Leader, got.Leader, what)
					require.Equal(t, want.Terminated, got.Terminated, what)
					if n == 1 {
						require.Zero(t, got.Messages, what)
					} else if schedule == sim.UnitDelay {
						require.Equal(t, want.ByKind, got.ByKind, what)
						require.Equal(t, want.Time, got.Time, what)
					}
				}
			}
		}
	})
}

func among(n int) (ids []election.ID) {
	for id := range n {
		ids = append(ids, election.ID(id+1))
	}
	return ids
}

// allLinks returns, for an algorithm for graphs, the one with every link; otherwise its default.
func allLinks(t *testing.T, a *election.Algorithm, n int) topology.Topology {
	if a.Topology != election.Graph {
		return nil
	}
	var links [][2]int
	for p := range n {
		for q := range p {
			links = append(links, [2]int{q, p})
		}
	}
	all, err := topology.New(election.Graph, n, links)
	require.NoError(t, err)
	return all
}

// TestOverlayFlag: no algorithm for rings uses the bit by which an overlay distinguishes the two links
// between two processes apart.
func TestOverlayFlag(t *testing.T) {
	sent := 0
	for _, a := range catalog.All() {
		if a.Topology != election.Ring {
			continue
		}
		for n := 1; n <= 20; n++ {
			_, err := sim.Run(t.Context(), sim.Config{Until: 500 * sim.Unit,
				Input: scenario.Input{Algorithm: a, IDs: among(n)},
				Observe: func(o *observe.Occurrence) {
					if o.What != observe.Step {
						return
					}
					for _, out := range o.Effects.Sends {
						sent++
						require.Zero(t, out.Msg.Flags&0x80, a.Title())
					}
				}})
			require.NoError(t, err)
		}
	}
	require.Greater(t, sent, 5000)
}

// loud sends a bit that an overlay has taken.
type loud struct{}

func (loud) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		e.Send(election.Clockwise, election.Message{Kind: 1, Flags: 0x80})
	}
}

func (loud) State(*election.State) {}

// TestOverlayRefusesFlag: a Node that uses that bit fails, instead of electing the wrong process.
func TestOverlayRefusesFlag(t *testing.T) {
	a := &election.Algorithm{Name: "loud", Topology: election.Ring, Winner: election.LargestOfAll,
		Kinds: []election.Kind{{Name: "word"}},
		New:   func(election.Setup) election.Node { return loud{} }}
	over, err := a.OverComplete()
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: over, IDs: among(3)}})
	require.ErrorIs(t, err, observe.ErrPanic)
	require.ErrorContains(t, err, "loud sends bit 7 of Flags")
}

// TestOverlayRepeats: one election after another, each by the same messages.
func TestOverlayRepeats(t *testing.T) {
	overlaid(t, func(own, over *election.Algorithm) {
		ids := []election.ID{5, 2, 9, 4, 7}
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: over, IDs: ids,
			Initiators: []election.ID{2}}})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		first := s.Result()
		require.NoError(t, first.Err(), own.Title())
		require.True(t, first.Terminated, own.Title())
		for again := uint64(2); again < 5; again++ {
			s.Post(1, election.Event{Op: election.Start})
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), own.Title())
			require.Equal(t, first.Leader, r.Leader, own.Title())
			require.Equal(t, again*first.Messages, r.Messages, own.Title())
			require.Equal(t, again, s.Outcome(3).Term, own.Title())
		}
	})
}

var overlayChaos = flag.Int64("overlay", -1, "run only the chaos of this number")

// TestOverlayChaos: processes crash and recover at any moment, and each live process hears of the others at a
// different time. In the end all live processes follow one of them: the largest, if the algorithm elects the
// largest of all.
func TestOverlayChaos(t *testing.T) {
	overlaid(t, func(own, over *election.Algorithm) {
		t.Run(own.Title(), func(t *testing.T) {
			if *overlayChaos >= 0 {
				require.NoError(t, shaken(over, uint64(*overlayChaos)))
				return
			}
			runs := uint64(1500)
			if !*long {
				runs = 200
			}
			for number := range runs {
				if err := shaken(over, number); err != nil {
					t.Fatalf("%v\nalone: go test . -run '%s$' -overlay %d", err, t.Name(), number)
				}
			}
		})
	})
}

// shake is a run of TestOverlayChaos.
type shake struct {
	*rand.Rand
	*sim.Sim
	config sim.Config
	crash  [][]time.Duration // of each process, in turn a crash and a return
	words  []word
}

// word is a report of a detector: its time, its receiver and the process that it is about.
type word struct {
	to, of int
	at     time.Duration
}

func (r *shake) up(p int, at time.Duration) bool {
	up := true
	for _, t := range r.crash[p] {
		if t <= at {
			up = !up
		}
	}
	return up
}

func shaken(a *election.Algorithm, number uint64) (err error) {
	r := &shake{Rand: rand.New(rand.NewPCG(number, 0))}
	c := &r.config
	c.Algorithm, c.Seed, c.Schedule, c.Unordered = a, number, sim.RandomDelay, !a.NeedsFIFO && r.IntN(2) == 0
	c.Delay = sim.Delay{Min: 1 + time.Duration(r.Int64N(int64(sim.Unit))), Max: sim.Unit}
	ids, priorities := catalogtest.Ranked(r.Rand, 1+r.IntN(7))
	c.IDs, c.Priorities = ids, priorities
	r.crash = make([][]time.Duration, len(ids))
	c.Initiators = []election.ID{ids[r.IntN(len(ids))]}
	for range r.IntN(6) {
		r.strike(r.IntN(len(ids)))
	}
	slices.SortStableFunc(r.words, func(a, b word) int { return int(a.at - b.at) })
	if err := c.Check(); err != nil {
		return err
	}
	if r.Sim, err = sim.New(*c); err != nil {
		return err
	}
	for _, w := range r.words {
		if err := r.until(w.at); err != nil {
			return err
		}
		if r.up(w.to, w.at) && !r.up(w.of, w.at) {
			r.Post(w.to, election.Event{Op: election.Suspect, Port: r.port(w.to, w.of)})
		}
	}
	if err := r.until(200 * sim.Unit); err != nil {
		return err
	}
	if r.Outcome(0).Term == 0 { // the initiator was down
		r.Post(0, election.Event{Op: election.Start})
	}
	if err := r.until(400 * sim.Unit); err != nil {
		return err
	}
	if r.Extend(1e6 * sim.Unit); r.Step() {
		return fmt.Errorf("no rest by %v", r.Now())
	}
	return r.judge()
}

func (r *shake) until(at time.Duration) error {
	r.Extend(max(at, 1))
	return r.Run(context.Background())
}

// strike crashes a process other than the first, which may recover later. All others suspect it while it is
// down, including processes that recover in the meantime.
func (r *shake) strike(p int) {
	at := time.Duration(r.Int64N(int64(20 * sim.Unit)))
	if done := r.crash[p]; len(done) > 0 {
		at += done[len(done)-1]
	}
	if p == 0 || len(r.crash[p])%2 == 1 {
		return
	}
	c := &r.config
	c.CrashAt = append(c.CrashAt, scenario.At{ID: c.IDs[p], Time: at})
	r.crash[p] = append(r.crash[p], at)
	if r.IntN(3) > 0 {
		back := at + 1 + time.Duration(r.Int64N(int64(20*sim.Unit)))
		c.RestartAt = append(c.RestartAt, scenario.At{ID: c.IDs[p], Time: back})
		r.crash[p] = append(r.crash[p], back)
	}
	for to := range c.IDs {
		if to == p {
			continue
		}
		for when := at; when < 150*sim.Unit; when += 10 * sim.Unit {
			r.words = append(r.words, word{to, p, when + sim.Unit + 1 +
				time.Duration(r.Int64N(int64(9*sim.Unit)))})
		}
	}
}

func (r *shake) port(p, q int) election.Port {
	for port := range election.Port(r.config.Topology.Ports(p)) {
		if to, _, _ := r.config.Topology.Link(p, port); to == q {
			return port
		}
	}
	panic("no link")
}

func (r *shake) judge() error {
	var live []election.Candidate // an overlay elects as if there were no others
	for p, c := range r.config.Candidates() {
		if r.up(p, r.Now()) {
			live = append(live, c)
		}
	}
	first := r.Outcome(0)
	for p, id := range r.config.IDs {
		if !r.up(p, r.Now()) {
			continue
		}
		o := r.Outcome(p)
		leads := o.Leader.ID == id
		if o.Leader != first.Leader || o.Term != first.Term || (o.Role == election.Leader) != leads ||
			o.Role == election.Undecided {
			return fmt.Errorf("among %v: %d is %v of %v in Term %d, not of %v in Term %d", r.config.IDs, id,
				o.Role, o.Leader, o.Term, first.Leader, first.Term)
		}
	}
	leader := slices.Index(r.config.IDs, first.Leader.ID)
	rule := r.config.Algorithm.Winner
	if !r.up(leader, r.Now()) {
		return fmt.Errorf("among %v: %v leads and is down", r.config.IDs, first.Leader)
	}
	if rule == nil { // any process may lead
		return nil
	}
	if want := rule.Of(live); !rule.ByStart && first.Leader.ID != want {
		return fmt.Errorf("among %v: %v leads, not %d, the %s", r.config.IDs, first.Leader, want, rule)
	}
	return nil
}

// everyRank is a View of process 0 among others.
type everyRank []election.Rank

func (v everyRank) Self(int) election.Rank                       { return v[0] }
func (v everyRank) Ports(int) int                                { return len(v) - 1 }
func (v everyRank) Peer(_ int, port election.Port) election.Rank { return v[port+1] }

// TestOverlayPure: the same state and the same event give the same effects and the same state; a
// state that is saved and restored is the same; and a step allocates nothing once there is room, as
// long as links and Term stay the same.
func TestOverlayPure(t *testing.T) {
	view := everyRank{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}
	overlaid(t, func(own, a *election.Algorithm) {
		r := rand.New(rand.NewPCG(1, 2))
		fresh := func() election.Node { return a.New(election.Setup{Self: view[0], Ports: 4}) }
		node := fresh()
		one, two := election.NewEnv(view, nil), election.NewEnv(view, nil)
		one.Begin(0)
		node.Step(one, &election.Event{Op: election.Init})
		zero := new(election.State).Append(nil, fresh())
		for range 3000 {
			ev := happening(r)
			ev.Msg.Kind = uint8(r.IntN(len(a.Kinds) + 2))
			before := new(election.State).Append(nil, node)
			twin := fresh()
			require.NoError(t, new(election.State).Restore(twin, before), own.Title())
			require.Equal(t, before, new(election.State).Append(nil, twin), own.Title())
			fx, fx2, again := one.Begin(0), two.Begin(0), ev
			node.Step(one, &ev)
			twin.Step(two, &again)
			require.Equal(t, again, ev)
			require.Equal(t, append([]election.Outgoing{}, fx.Sends...),
				append([]election.Outgoing{}, fx2.Sends...), own.Title())
			require.Equal(t, fx.Outcome, fx2.Outcome, own.Title())
			require.Equal(t, fx.String(), fx2.String(), own.Title())
			require.Equal(t, new(election.State).Append(nil, node), new(election.State).Append(nil, twin),
				own.Title())
			new(election.State).Reset(twin)
			require.Equal(t, zero, new(election.State).Append(nil, twin), own.Title())
			require.Error(t, new(election.State).Restore(twin, before[:r.IntN(len(before))]))
			require.Equal(t, zero, new(election.State).Append(nil, twin), own.Title())
		}
		ev := election.Event{Op: election.Init}
		step := func() {
			one.Begin(0)
			node.Step(one, &ev)
			ev = happening(r)
			ev.Op, ev.Msg.Term, ev.Msg.Value, ev.Msg.Kind = election.Recv, 5, 3,
				uint8(1+r.IntN(len(own.Kinds)))
		}
		for range 5000 {
			step()
		}
		require.Zero(t, testing.AllocsPerRun(5000, step), own.Title())
	})
}

// happening returns an event that may or may not make sense.
func happening(r *rand.Rand) election.Event {
	ops := []election.Op{election.Recv, election.Recv, election.Recv, election.Recv, election.Start,
		election.Reelect, election.Rejoin,
		election.Suspect, election.Suspect, election.Trust, election.Init}
	return election.Event{Op: ops[r.IntN(len(ops))], Port: election.Port(r.IntN(4)), Msg: election.Message{
		Term: r.Uint64N(4), Value: r.Uint64N(6), Round: r.Uint32N(4), Flags: uint8(r.IntN(2) | r.IntN(2)<<7),
		Rank: election.Rank{ID: election.ID(1 + r.IntN(5))}}}
}
