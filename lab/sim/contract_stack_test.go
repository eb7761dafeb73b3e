package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// trialEcho measures the round trip to every peer.
type trialEcho struct {
	sent   time.Duration
	trips  []time.Duration
	report func(time.Duration)
}

const (
	echoPing uint8 = iota + 1
	echoPong
)

func (n *trialEcho) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start:
		n.sent = ev.At
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: echoPing})
		}
	case ev.Op == election.Recv && ev.Msg.Kind == echoPing:
		e.Send(ev.Port, election.Message{Kind: echoPong})
	case ev.Op == election.Recv:
		n.trips = append(n.trips, ev.At-n.sent)
		n.report(ev.At - n.sent)
	}
}

func (n *trialEcho) State(s *election.State) {
	s.Duration(&n.sent)
	election.VisitSlice(s, &n.trips, (*election.State).Duration)
}

// TestContractRoundTrip: Event.At is enough to measure with.
func TestContractRoundTrip(t *testing.T) {
	var trips []time.Duration
	a := &election.Algorithm{Name: "trial_echo", Topology: election.Complete, TwoWay: true, Elects: election.Successors,
		Kinds: []election.Kind{{Name: "ping"}, {Name: "pong"}},
		New: func(election.Setup) election.Node {
			return &trialEcho{report: func(d time.Duration) { trips = append(trips, d) }}
		}}
	_, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3}, Initiators: []election.ID{2},
		StartTimes: []time.Duration{5 * sim.Unit}}})
	require.NoError(t, err)
	require.Equal(t, []time.Duration{2 * sim.Unit, 2 * sim.Unit}, trips)
}

// trialDetector sends heartbeats and suspects a process that is silent for three units.
type trialDetector struct {
	heard    []time.Duration
	suspects []bool
}

const (
	beatEvery = sim.Unit
	silence   = 3 * sim.Unit
)

func (n *trialDetector) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.heard = make([]time.Duration, e.Ports())
		n.suspects = make([]bool, e.Ports())
		for port := range n.heard {
			n.heard[port] = ev.At
		}
		e.SetTimer(0, beatEvery, beatEvery)
	case election.Timeout:
		for port := range n.heard {
			e.Send(election.Port(port), election.Message{Kind: 1})
			if ev.At-n.heard[port] > silence && !n.suspects[port] {
				n.suspects[port] = true
				e.Raise(election.Event{Op: election.Suspect, At: ev.At, Port: election.Port(port)})
			}
		}
		e.SetTimer(0, beatEvery, beatEvery)
	case election.Recv:
		n.heard[ev.Port] = ev.At
		if n.suspects[ev.Port] {
			n.suspects[ev.Port] = false
			e.Raise(election.Event{Op: election.Trust, At: ev.At, Port: ev.Port})
		}
	}
}

func (n *trialDetector) State(s *election.State) {
	election.VisitSlice(s, &n.heard, (*election.State).Duration)
	election.VisitSlice(s, &n.suspects, (*election.State).Bool)
}

// TestContractDetectorBelow: a detector and a bully share one process and its links, and the
// bully hears from the detector under it that the coordinator is down.
func TestContractDetectorBelow(t *testing.T) {
	a := bullyAlgorithm()
	a.New = func(s election.Setup) election.Node {
		return election.Stack(&trialDetector{}, &trialBully{me: s.Self})
	}
	s, err := sim.New(sim.Config{Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3, 4, 5},
		CrashAt:   []scenario.At{{ID: 5, Time: 20 * sim.Unit}, {ID: 4, Time: 40 * sim.Unit}},
		RecoverAt: []scenario.At{{ID: 5, Time: 60 * sim.Unit}}}, Until: 19 * sim.Unit})
	require.NoError(t, err)
	for _, stage := range []struct {
		until  time.Duration
		leader election.ID
	}{{19, 5}, {39, 4}, {59, 3}, {80, 5}} {
		s.Extend(stage.until * sim.Unit)
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err())
		require.Equal(t, stage.leader, r.Leader, "at %d", stage.until)
		require.Equal(t, 1, r.Claimants)
	}
}

// trialPoll is a one-election Node for complete graphs: each process sends its Rank to all.
type trialPoll struct {
	me    election.Rank
	spoke bool
	heard uint32
	best  election.Rank
}

func (n *trialPoll) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start:
		n.speak(e)
	case election.Recv:
		n.speak(e)
		n.heard++
		if n.best.Less(ev.Msg.Rank) {
			n.best = ev.Msg.Rank
		}
	default:
		return
	}
	if int(n.heard) == e.Ports() {
		e.Decide(n.best)
		e.Done()
	}
}

func (n *trialPoll) speak(e *election.Env) {
	if n.spoke {
		return
	}
	n.spoke, n.best = true, n.me
	for port := range election.Port(e.Ports()) {
		e.Send(port, election.Message{Kind: 1, Rank: n.me})
	}
}

func (n *trialPoll) State(s *election.State) {
	s.Bool(&n.spoke)
	s.Uint32(&n.heard)
	s.Rank(&n.best)
}

// trialArbiter grants one resource. The election below elects the arbiter. A process that requests the
// resource while there is no arbiter requests an election.
type trialArbiter struct {
	me      election.Rank
	arbiter election.Rank
	wants   bool
	asked   bool
	queue   []election.Port
	busy    bool
	entered func(id election.ID, at time.Duration, term uint64)
	term    uint64
}

const (
	arbiterRequest uint8 = iota + 1
	arbiterGrant
	arbiterRelease
)

func (n *trialArbiter) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // a request from the user of this process
		n.wants = true
		if n.arbiter.ID == 0 {
			e.Lower(election.Event{Op: election.Start, At: ev.At})
		}
		n.ask(e)
	case election.Decided:
		n.arbiter, n.term = ev.Msg.Rank, ev.Msg.Term
		n.ask(e)
	case election.Timeout:
		n.wants = false
		if port, ok := n.way(e); ok {
			e.Send(port, election.Message{Kind: arbiterRelease, Term: n.term})
		}
	case election.Recv:
		n.receive(e, ev)
	}
}

func (n *trialArbiter) receive(e *election.Env, ev *election.Event) {
	switch ev.Msg.Kind {
	case arbiterRequest:
		n.queue = append(n.queue, ev.Port)
	case arbiterRelease:
		n.busy = false
	case arbiterGrant:
		n.entered(n.me.ID, ev.At, ev.Msg.Term)
		e.SetTimer(0, 3*sim.Unit, 3*sim.Unit)
		return
	}
	if !n.busy && len(n.queue) > 0 {
		n.busy = true
		e.Send(n.queue[0], election.Message{Kind: arbiterGrant, Term: n.term})
		n.queue = n.queue[1:]
	}
}

// ask sends the request once the receiver is known.
func (n *trialArbiter) ask(e *election.Env) {
	if port, ok := n.way(e); ok && n.wants && !n.asked {
		n.asked = true
		e.Send(port, election.Message{Kind: arbiterRequest, Term: n.term})
	}
}

func (n *trialArbiter) way(e *election.Env) (election.Port, bool) {
	for port := range election.Port(e.Ports()) {
		if e.Peer(port) == n.arbiter {
			return port, true
		}
	}
	return 0, false
}

func (n *trialArbiter) State(s *election.State) {
	s.Rank(&n.arbiter)
	s.Bool(&n.wants)
	s.Bool(&n.asked)
	election.VisitSlice(s, &n.queue, (*election.State).Port)
	s.Bool(&n.busy)
	s.Uint64(&n.term)
}

// TestContractArbiter: an arbiter with an election inside. The request starts the election, the
// election's decision reaches the arbiter above it, and three messages serve each entry.
func TestContractArbiter(t *testing.T) {
	type entry struct {
		id   election.ID
		at   time.Duration
		term uint64
	}
	var entries []entry
	a := &election.Algorithm{Name: "trial_arbiter", Topology: election.Complete, TwoWay: true,
		Elects: election.Successors,
		Kinds:  []election.Kind{{Name: "one"}, {Name: "two"}, {Name: "three"}},
		New: func(s election.Setup) election.Node {
			poll := election.Algorithm{
				New: func(s election.Setup) election.Node { return &trialPoll{me: s.Self} },
			}
			inner := poll.NewNode(s, false)
			return election.Stack(&inner, &trialArbiter{me: s.Self,
				entered: func(id election.ID, at time.Duration, term uint64) {
					entries = append(entries, entry{id, at, term})
				}})
		}}
	r, err := sim.Run(context.Background(), sim.Config{Input: scenario.Input{
		Algorithm: a, IDs: []election.ID{1, 2, 3, 4}, Initiators: []election.ID{2, 3}}})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.Equal(t, election.ID(4), r.Leader)
	require.Equal(t, uint64(4*3+2*3), r.Messages)
	// All have the Ranks of all after two units. Then as for an arbiter known from the start.
	require.Equal(t, []entry{{2, 4 * sim.Unit, 1}, {3, 9 * sim.Unit, 1}}, entries)
}
