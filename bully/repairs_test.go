package bully_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
)

// play is a run whose every step the test chooses. Messages wait in one list, in the order in which they were
// sent.
type play struct {
	t        *testing.T
	in       scenario.Input
	nodes    []election.Node // nil: the process is down
	saved    [][]byte
	outcomes []election.Outcome
	waiting  []sent
	env      *election.Env
}

// sent is a message on its way; to and from are positions.
type sent struct {
	to, from int
	event    election.Event
}

func newPlay(t *testing.T, n int) *play {
	p := &play{t: t, in: scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(n)},
		nodes: make([]election.Node, n), saved: make([][]byte, n), outcomes: make([]election.Outcome, n)}
	require.NoError(t, p.in.Check())
	p.env = election.NewEnv(&p.in, nil)
	for i := range n {
		p.boot(i, nil)
	}
	return p
}

// boot makes the Node of a process that comes up, of what it had saved, and gives it its first event.
func (p *play) boot(i int, state []byte) {
	p.nodes[i] = p.in.Algorithm.New(election.Setup{Self: p.in.Self(i), Ports: len(p.nodes) - 1})
	if state != nil {
		require.NoError(p.t, new(election.State).Restore(p.nodes[i], state))
	}
	p.step(i, election.Event{Op: election.Init})
}

func (p *play) step(i int, ev election.Event) {
	if p.nodes[i] == nil {
		return // a process that is down loses what arrives
	}
	fx := p.env.Begin(i)
	p.nodes[i].Step(p.env, &ev)
	if fx.Saved() {
		p.saved[i] = new(election.State).Append(nil, p.nodes[i])
	}
	if fx.Decided() {
		p.outcomes[i] = fx.Outcome
	}
	for _, out := range fx.Sends {
		to, back, _ := p.in.Topology.Link(i, out.Port)
		p.waiting = append(p.waiting, sent{to, i, election.Event{Op: election.Recv, Port: back,
			Msg: out.Msg}})
	}
}

// deliver takes the oldest message that fits off the list.
func (p *play) deliver(fits func(sent) bool) bool {
	for k, m := range p.waiting {
		if fits(m) {
			p.waiting = append(p.waiting[:k:k], p.waiting[k+1:]...)
			p.step(m.to, m.event)
			return true
		}
	}
	return false
}

// run takes steps: "start 1", "suspect 1 3" (1 gets a Suspect for 3), "alone 2" (no answer has come to 2 in
// time), "crash 3", "restart 3" with its state, "recover 3" without it, "1<3" (a message of 3 arrives at 1),
// and "all".
func (p *play) run(steps ...string) {
	p.t.Helper()
	for _, s := range steps {
		var i, j int
		word, _, _ := strings.Cut(s, " ")
		_, _ = fmt.Sscanf(s, word+" %d %d", &i, &j)
		switch word {
		case "all":
			for p.deliver(func(sent) bool { return true }) {
			}
		case "start":
			p.step(i-1, election.Event{Op: election.Start})
		case "suspect":
			port := election.Port(j - 1)
			if j > i {
				port--
			}
			p.step(i-1, election.Event{Op: election.Suspect, Port: port})
		case "alone":
			p.step(i-1, election.Event{Op: election.Timeout})
		case "crash":
			p.nodes[i-1] = nil
		case "restart", "recover":
			p.boot(i-1, map[string][]byte{"restart": p.saved[i-1]}[word])
			p.step(i-1, election.Event{Op: election.Rejoin})
		default:
			_, err := fmt.Sscanf(s, "%d<%d", &i, &j)
			require.NoError(p.t, err, s)
			require.True(p.t, p.deliver(func(m sent) bool { return m.to == i-1 && m.from == j-1 }), s)
		}
	}
}

// requireLeader asks for this leader at all that are up, and for a Term at the leader that no follower is
// beyond.
func (p *play) requireLeader(leader election.ID) {
	p.t.Helper()
	for i, o := range p.outcomes {
		if p.nodes[i] != nil {
			require.Equal(p.t, leader, o.Leader.ID, "process %d follows another one", i+1)
			require.LessOrEqual(p.t, o.Term, p.outcomes[leader-1].Term, "process %d is in a later Term", i+1)
		}
	}
}

// TestFollowersOfAFormerLeader: 1 hears of 3 first, then of 2, which led in the meantime. 2 begins again
// before it hears of 3, and so is answered alone: it says to 3 that others may follow it.
func TestFollowersOfAFormerLeader(t *testing.T) {
	p := newPlay(t, 3)
	p.run("start 3", "all", "crash 3")
	p.run("suspect 2 3", "all", "alone 2", "all") // 2 leads in Term 2
	p.run("start 2", "3<2", "alone 2", "3<2")     // and in Term 3, of which 1 has not heard
	p.run("restart 3", "1<3", "1<2")              // 3 leads in Term 2: 1 follows it, then 2 in Term 3
	p.run("start 2", "all")
	p.requireLeader(3)
}

// TestFollowersOfACrashedLeader: 4 has come back without its state when 1 and 2 hear of 3, which led in the
// meantime and is down again. Only 2 notices, and asks in a Term that shows 4 that there was another leader.
func TestFollowersOfACrashedLeader(t *testing.T) {
	p := newPlay(t, 4)
	p.run("start 4", "all", "crash 4")
	p.run("suspect 3 4", "4<3", "alone 3", "4<3")  // 3 leads in Term 2, of which 1 and 2 have not heard
	p.run("recover 4", "1<4", "2<4", "1<3", "2<3") // 4 leads in Term 1: they follow it, then 3
	p.run("crash 3", "suspect 2 3", "all")
	p.requireLeader(4)
}

// TestFollowersOfACrashedLeaderWithState: the same where 4 comes back with its state. 3 has led in two Terms
// since, and the second of them is the one that 1 and 2 follow.
func TestFollowersOfACrashedLeaderWithState(t *testing.T) {
	p := newPlay(t, 4)
	p.run("start 4", "all", "crash 4")
	p.run("suspect 3 4", "all", "start 3", "4<3")  // 3 leads in Term 2, then in 3: not heard
	p.run("restart 4", "1<4", "2<4", "1<3", "2<3") // 4 leads in Term 2: they follow it, then 3
	p.run("crash 3", "suspect 2 3", "all")
	p.requireLeader(4)
}

// TestLaterTermWhileElecting: 2 and 3 have come back without their state. 1, which led in Term 3, asks 2 in
// Term 4 and crashes; 2, which is electing, follows 3 in that Term, and says so: else 3 would lead in Term 1,
// and what it does would be refused.
func TestLaterTermWhileElecting(t *testing.T) {
	p := newPlay(t, 3)
	p.run("crash 2", "crash 3")
	for range 3 {
		p.run("start 1", "all", "alone 1", "all")
	}
	p.run("start 1", "3<1", "recover 2", "3<2", "2<1", "crash 1")
	p.run("recover 3", "all")
	p.requireLeader(3)
	require.EqualValues(t, 4, p.outcomes[2].Term)
}
