package ringtest

import (
	"slices"
	"testing"

	testify "github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// faulty is a Node of which one thing is wrong at a time.
type faulty struct {
	fault string
	heard uint32
	seen  []uint32
}

// steps is outside of the state.
var steps uint32

func (n *faulty) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		e.Send(election.Clockwise, election.Message{Kind: 1, Value: 3})
	}
	if ev.Op != election.Recv || ev.Msg.Value == 0 {
		return
	}
	n.heard++
	steps++
	n.seen = append(n.seen, n.heard)
	m := election.Message{Kind: 1, Value: ev.Msg.Value - 1}
	switch n.fault {
	case "effect":
		m.Round = steps
	case "state":
		n.heard = steps
	case "port":
		e.Send(election.Counterclockwise, m)
		return
	}
	e.Send(election.Clockwise, m)
}

func (n *faulty) State(s *election.State) {
	if n.fault != "number" {
		s.Uint32(&n.heard)
	}
	if n.fault != "slice" {
		election.VisitSlice(s, &n.seen, (*election.State).Uint32)
	}
}

func TestFaultsAreFound(t *testing.T) {
	for _, test := range []struct{ fault, found string }{
		{"", ""},
		{"number", "heard does not come back"},
		{"slice", "seen does not come back"},
		{"effect", "it.Sends[0].Msg.Round of the effects is another"},
		{"state", "the state is another"},
		{"port", "has no port 1"},
	} {
		a := &election.Algorithm{Name: "faulty", Topology: election.Ring, New: func(election.Setup) election.Node {
			return &faulty{fault: test.fault}
		}}
		err := checkPure(a, 3, 1)
		if test.found == "" {
			testify.NoError(t, err)
		} else {
			testify.ErrorContains(t, err, test.found, test.fault)
		}
	}
}

func TestWrongEndsAreFound(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Initiators(), IDs: []election.ID{3, 1, 2}, Initiators: []election.ID{1, 2}}
	good := verdict.Result{Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	testify.Empty(t, wrong(&in, &good))
	for _, test := range []struct {
		spoil func(r *verdict.Result)
		want  string
	}{
		{func(r *verdict.Result) { r.Agreed = false }, "no leader that all agree on"},
		{func(r *verdict.Result) { r.Leader = 3 }, "the leader is 3, not 2"},
		{func(r *verdict.Result) { r.Claimants = 2 }, "2 processes believe they lead"},
		{func(r *verdict.Result) { r.Terminated = false }, "not all know that the election has ended"},
	} {
		r := good
		test.spoil(&r)
		testify.Equal(t, test.want, wrong(&in, &r))
	}
}

func TestWinner(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: []election.ID{4, 2, 3, 1}, Initiators: []election.ID{1}}
	testify.Equal(t, election.ID(4), winner(&in))
	in.Priorities = []uint64{0, 7, 7, 5}
	testify.Equal(t, election.ID(3), winner(&in))
	in.Algorithm = lcr.Initiators()
	testify.Equal(t, election.ID(1), winner(&in))
	in.Initiators = nil
	testify.Equal(t, election.ID(3), winner(&in))
}

func TestOrdersAndSubsets(t *testing.T) {
	seen := map[[4]election.ID]bool{}
	for ids := range Orders(4) {
		seen[[4]election.ID(ids)] = true
	}
	testify.Len(t, seen, 24)
	var parts [][]election.ID
	for part := range Subsets([]election.ID{5, 6}) {
		parts = append(parts, slices.Clone(part))
	}
	testify.Equal(t, [][]election.ID{{5}, {6}, {5, 6}}, parts)
	for seed := range uint64(50) {
		some := Some(Random(4, seed), seed)
		testify.NotEmpty(t, some)
		slices.Sort(some)
		testify.Equal(t, some, slices.Compact(slices.Clone(some)))
	}
}
