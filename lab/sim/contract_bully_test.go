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

// The Nodes in the contract_*_test.go files are not for use. They are the hardest users that the
// contract was tried on before the algorithms were written: what they need, it must offer.

// trialBully is a bully: long-lived, with timers and Terms of its own, that comes back without
// its state.
type trialBully struct {
	me       election.Rank
	electing bool
	answered bool
	term     uint64
	leader   election.Rank
}

const (
	bullyElection uint8 = iota + 1
	bullyAlive
	bullyCoordinator
)

const (
	timerAlive uint8 = iota
	timerCoordinator
)

func bullyAlgorithm() *election.Algorithm {
	return &election.Algorithm{
		Name: "trial_bully", Topology: election.Complete, TwoWay: true, Elects: election.Successors,
		Winner: election.LargestOfLive, Faults: election.Faults{Crash: election.MayRecover},
		Kinds: []election.Kind{{Name: "election"}, {Name: "alive"}, {Name: "coordinator", Announces: true}},
		New:   func(s election.Setup) election.Node { return &trialBully{me: s.Self} },
	}
}

func (n *trialBully) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start, election.Rejoin:
		n.elect(e)
	case election.Suspect:
		if e.Peer(ev.Port) == n.leader {
			n.elect(e)
		}
	case election.Timeout:
		if ev.Timer == timerAlive {
			n.win(e)
		} else {
			n.electing = false
			n.elect(e)
		}
	case election.Recv:
		n.receive(e, ev)
	}
}

func (n *trialBully) receive(e *election.Env, ev *election.Event) {
	n.term = max(n.term, ev.Msg.Term)
	switch ev.Msg.Kind {
	case bullyElection:
		e.Send(ev.Port, n.message(bullyAlive))
		if n.leader == n.me && !n.electing {
			e.Send(ev.Port, n.message(bullyCoordinator))
		} else {
			n.elect(e)
		}
	case bullyAlive:
		if n.electing && !n.answered {
			n.answered = true
			e.StopTimer(timerAlive)
			e.SetTimer(timerCoordinator, 6*sim.Unit, 6*sim.Unit)
		}
	case bullyCoordinator:
		if ev.Msg.Rank.Less(n.me) {
			n.elect(e)
			return
		}
		n.settle(e, ev.Msg.Rank, election.Follower)
	}
}

func (n *trialBully) elect(e *election.Env) {
	if n.electing {
		return
	}
	n.electing, n.answered = true, false
	n.term++
	higher := false
	for port := range election.Port(e.Ports()) {
		if n.me.Less(e.Peer(port)) {
			higher = true
			e.Send(port, n.message(bullyElection))
		}
	}
	if !higher {
		n.win(e)
		return
	}
	e.Withdraw(n.term)
	e.SetTimer(timerAlive, 3*sim.Unit, 3*sim.Unit)
}

func (n *trialBully) win(e *election.Env) {
	n.settle(e, n.me, election.Leader)
	for port := range election.Port(e.Ports()) {
		e.Send(port, n.message(bullyCoordinator))
	}
}

func (n *trialBully) settle(e *election.Env, leader election.Rank, role election.Role) {
	n.leader, n.electing = leader, false
	e.StopTimer(timerAlive)
	e.StopTimer(timerCoordinator)
	e.DecideIn(n.term, leader)
	e.Done()
}

func (n *trialBully) message(kind uint8) election.Message {
	return election.Message{Kind: kind, Term: n.term, Rank: n.me}
}

func (n *trialBully) State(s *election.State) {
	s.Bool(&n.electing)
	s.Bool(&n.answered)
	s.Uint64(&n.term)
	s.Rank(&n.leader)
}

// TestContractBully: timers, the peers' Ranks, the word of a detector and a return without state
// are enough for a bully, and its counts come out to the unit.
func TestContractBully(t *testing.T) {
	ids := func(n ...election.ID) []election.ID { return n }
	tests := []struct {
		name     string
		in       scenario.Input
		leader   election.ID
		messages uint64
		at       time.Duration
	}{
		{"seven of fifteen", scenario.Input{IDs: ids(6, 7, 9, 10, 12, 13, 15), Initiators: ids(7),
			Crashed: ids(15)}, 13, 31, 5 * sim.Unit},
		{"lowest of five", scenario.Input{IDs: ids(1, 2, 3, 4, 5), Initiators: ids(1), Crashed: ids(5)}, 4,
			20, 5 * sim.Unit},
		{"three at once", scenario.Input{IDs: ids(1, 2, 3, 4, 5), Initiators: ids(1, 2, 3), Crashed: ids(5)},
			4, 20, 5 * sim.Unit},
		{"the highest returns", scenario.Input{IDs: ids(1, 2, 3, 4, 5), Initiators: ids(2), Crashed: ids(5),
			RecoverAt: []scenario.At{{ID: 5, Time: 15 * sim.Unit}}}, 5, 17, 16 * sim.Unit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Algorithm = bullyAlgorithm()
			r, err := sim.Run(context.Background(), sim.Config{Input: tt.in})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, tt.leader, r.Leader)
			require.Equal(t, 1, r.Claimants)
			require.Equal(t, tt.messages, r.Messages)
			require.Equal(t, tt.at, r.Time)
		})
	}
}

// TestContractDetectorOutside: a failure detector outside the Nodes reports to them, and the next
// process takes over.
func TestContractDetectorOutside(t *testing.T) {
	s, err := sim.New(sim.Config{Input: scenario.Input{
		Algorithm: bullyAlgorithm(), IDs: []election.ID{1, 2, 3, 4},
		CrashAt: []scenario.At{{ID: 4, Time: 20 * sim.Unit}}}, Until: 30 * sim.Unit})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	for p := range 3 {
		require.Equal(t, election.ID(4), s.Outcome(p).Leader.ID)
	}
	s.Post(0, election.Event{Op: election.Suspect, Port: 2})
	s.Extend(0)
	require.NoError(t, s.Run(t.Context()))
	for p := range 3 {
		require.Equal(t, election.ID(3), s.Outcome(p).Leader.ID)
	}
	require.NoError(t, func() error { r := s.Result(); return r.Err() }())
}
