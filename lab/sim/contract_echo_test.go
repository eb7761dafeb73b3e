package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// trialWave asks all processes of a graph from a single initiator and announces the largest to all:
// the first that asks is the parent, a later one's question counts as its answer.
type trialWave struct {
	me        election.Rank
	best      election.Rank
	initiator bool
	asked     bool
	parent    election.Port
	answers   uint32
	children  []election.Port
}

const (
	waveDemand uint8 = iota + 1
	waveReport
	waveElected
)

func (n *trialWave) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start:
		if n.asked {
			e.Refuse(election.ErrLateStart)
			return
		}
		n.initiator = true
		n.ask(e, election.Port(e.Ports()))
	case ev.Op != election.Recv:
		return
	case ev.Msg.Kind == waveElected:
		n.announce(e, ev.Msg.Rank)
		return
	case ev.Msg.Kind == waveDemand && !n.asked:
		n.parent = ev.Port
		n.ask(e, ev.Port)
	case ev.Msg.Kind == waveReport:
		n.children = append(n.children, ev.Port)
		if n.best.Less(ev.Msg.Rank) {
			n.best = ev.Msg.Rank
		}
		n.answers++
	default:
		n.answers++
	}
	switch {
	case n.initiator && int(n.answers) == e.Ports():
		n.announce(e, n.best)
	case !n.initiator && int(n.answers) == e.Ports()-1:
		e.Send(n.parent, election.Message{Kind: waveReport, Rank: n.best})
	}
}

func (n *trialWave) ask(e *election.Env, except election.Port) {
	n.asked, n.best = true, n.me
	for port := range election.Port(e.Ports()) {
		if port != except {
			e.Send(port, election.Message{Kind: waveDemand})
		}
	}
}

func (n *trialWave) announce(e *election.Env, leader election.Rank) {
	e.Decide(leader)
	e.Done()
	for _, port := range n.children {
		e.Send(port, election.Message{Kind: waveElected, Rank: leader})
	}
}

func (n *trialWave) State(s *election.State) {
	s.Rank(&n.best)
	s.Bool(&n.initiator)
	s.Bool(&n.asked)
	s.Port(&n.parent)
	s.Uint32(&n.answers)
	election.VisitSlice(s, &n.children, (*election.State).Port)
}

func waveInput(t *testing.T, n int, links [][2]int) scenario.Input {
	t.Helper()
	graph, err := topology.New(election.Graph, n, links)
	require.NoError(t, err)
	in := scenario.Input{Topology: graph, Algorithm: &election.Algorithm{
		Name: "trial_wave", Topology: election.Graph, TwoWay: true, SingleInitiator: true,
		Winner: election.LargestOfAll,
		Kinds:  []election.Kind{{Name: "demand"}, {Name: "report"}, {Name: "elected", Announces: true}},
		New:    func(s election.Setup) election.Node { return &trialWave{me: s.Self} },
	}}
	for i := range n {
		in.IDs = append(in.IDs, election.ID(i+1))
	}
	return in
}

// TestContractSingleInitiator: an algorithm for one initiator, on a graph. Alone it takes one
// message each way over every link and one more to each of the others.
func TestContractSingleInitiator(t *testing.T) {
	links := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	for starter := range election.ID(4) {
		in := waveInput(t, 4, links)
		in.Initiators = []election.ID{starter + 1}
		r := run(t, sim.Config{Input: in})
		require.NoError(t, r.Err())
		require.EqualValues(t, 4, r.Leader)
		require.EqualValues(t, 2*len(links)+3, r.Messages)
	}
}

// TestContractTwoStartersAtOnce: two that start at one moment never share an election: the larger
// starter's displaces the other, on every schedule, and all agree in its Term.
func TestContractTwoStartersAtOnce(t *testing.T) {
	in := waveInput(t, 6, [][2]int{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}})
	in.Initiators = []election.ID{}
	for seed := range uint64(500) {
		s, err := sim.New(sim.Config{Input: in, Schedule: sim.RandomDelay, Unordered: seed%2 == 0,
			Seed: seed})
		require.NoError(t, err)
		one := int(seed % 6)
		two := (one + 1 + int(seed/6%5)) % 6
		s.Post(one, start())
		s.Post(two, start())
		require.NoError(t, s.Run(t.Context()), "seed %d", seed)
		s.Post(int(seed%5), start())
		require.NoError(t, s.Run(t.Context()), "seed %d", seed)
		r := s.Result()
		require.NoError(t, r.Err(), "seed %d", seed)
		require.EqualValues(t, 6, r.Leader)
		for p := range 6 {
			require.Equal(t, s.Outcome(0).Term, s.Outcome(p).Term, "seed %d", seed)
		}
	}
}
