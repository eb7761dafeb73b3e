package process_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestWhatANodeKnows: its peers on a complete graph, itself alone anywhere else.
func TestWhatANodeKnows(t *testing.T) {
	for topology, want := range map[election.Shape]string{
		election.Complete: "1 of 2 ports: 2(priority 9), 3, 0",
		election.Ring:     "1 of 2 ports: 0, 0, 0",
	} {
		synctest.Test(t, func(t *testing.T) {
			var got string
			c, _ := pair(t, func(e *election.Env, _ *election.Event) {
				got = fmt.Sprintf("%v of %d ports: %v, %v, %v", e.Self(), e.Ports(), e.Peer(0), e.Peer(1),
					e.Peer(2))
			})
			c.Algorithm.Topology = topology
			c.Peers = append(c.Peers, election.Rank{ID: 3})
			p, ended := running(t, c)
			synctest.Wait()
			require.Equal(t, want, got)
			p.Close()
			require.NoError(t, <-ended)
		})
	}
}

// TestNextTermStopsTimers: the next Term stops the timers of the previous election in all layers.
func TestNextTermStopsTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts, rung := 0, 0
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				if starts++; starts == 1 {
					e.SetTimer(1, time.Second, time.Second)
					e.SetTimer(2, time.Hour, time.Hour)
				}
			case election.Timeout:
				rung++
			}
		})
		c.Algorithm.Elects = election.OneLeader
		p, ended := running(t, c)
		require.NoError(t, p.Start())
		synctest.Wait()
		require.NoError(t, p.Reelect())
		time.Sleep(2 * time.Hour)
		synctest.Wait() // or the race detector sees no order between the process and what follows
		require.Equal(t, 2, starts)
		require.Zero(t, rung)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestObserve: every step with its event, its effects and what it chose, a restart and a message not sent.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				require.Less(t, e.Choose(2), 2)
				require.Less(t, e.Choose(7), 7)
				e.Send(0, election.Message{Kind: 1, Value: 8})
				e.DecideIn(3, e.Self())
			case election.Trust:
				e.SetTimer(4, time.Second, time.Second)
			}
		})
		c.Transport = broken{send: errors.New("no route")}
		c.Saved = make([]byte, 9)
		var seen []string
		c.Observe = func(o *observe.Occurrence) {
			line := fmt.Sprintf("%d at %v: %v", o.Process, o.At, o.What)
			switch o.What {
			case observe.Restart:
				line += fmt.Sprintf(" from %d bytes", len(o.State))
			case observe.Lose:
				line += fmt.Sprintf(" %d over %d", o.Event.Msg.Value, o.Event.Port)
			case observe.Step:
				line += fmt.Sprintf(" %v: %v", o.Event.Op, o.Effects)
				for _, choice := range o.Choices {
					require.Less(t, choice.Chosen, choice.Of)
					line += fmt.Sprintf(" one of %d", choice.Of)
				}
			}
			seen = append(seen, line)
		}
		p, ended := running(t, c)
		time.Sleep(time.Second)
		require.NoError(t, p.Start())
		synctest.Wait()
		require.NoError(t, p.Trust(2))
		time.Sleep(time.Minute)
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, []string{
			"1 at 0s: restart from 9 bytes", "1 at 0s: step init: ", "1 at 0s: step rejoin: ",
			"1 at 1s: step start: decide one of 2 one of 7", "1 at 1s: lose 8 over 0",
			"1 at 1s: step trust: timers", "1 at 2s: step timeout: ",
		}, seen)

		c.Saved, seen = nil, nil
		p, ended = running(t, c)
		synctest.Wait()
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, []string{"1 at 0s: step init: "}, seen, "without a saved state it does not restart")
	})
}

// TestRefusedRun: the error of Run is the Start that was refused, with the Outcome of the election all the
// same.
func TestRefusedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Refuse(election.ErrNotInitiator)
				e.DecideIn(2, e.Peer(0))
				e.Done()
			}
		})
		c.Start = true
		o, err := process.Run(t.Context(), c)
		require.ErrorIs(t, err, election.ErrNotInitiator)
		require.Equal(t, election.Outcome{Term: 2, Leader: election.Rank{ID: 2, Priority: 9},
			Role: election.Follower}, o)
	})
}

// TestAllocations: a message that arrives, and the answer, cost no allocation.
func TestAllocations(t *testing.T) {
	c, peer := pair(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Recv {
			e.Send(0, election.Message{Kind: 1})
		}
	})
	p, ended := running(t, c)
	seq := uint64(0)
	require.Zero(t, testing.AllocsPerRun(500, func() {
		seq++
		if err := peer.Send(t.Context(), election.Packet{To: 1, Incarnation: 1, Seq: seq}); err != nil {
			panic(err)
		}
		if _, err := peer.Recv(t.Context()); err != nil {
			panic(err)
		}
	}))
	p.Close()
	require.NoError(t, <-ended)
}

// TestChoicesOfAFailedStep: they are forgotten with it.
func TestChoicesOfAFailedStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Recv:
				e.Choose(9)
				panic("no idea")
			case election.Start:
				e.Choose(2)
			}
		})
		var chosen []int
		c.Observe = func(o *observe.Occurrence) {
			for _, choice := range o.Choices {
				chosen = append(chosen, choice.Of)
			}
		}
		p, ended := running(t, c)
		require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1}))
		synctest.Wait()
		require.EqualValues(t, 1, p.Stats().Rejected)
		require.NoError(t, p.Start())
		synctest.Wait()
		require.Equal(t, []int{2}, chosen)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestFailureInAnOverlay: a Node that panics inside an overlay leaves no trace in what the next step
// sees: the overlay goes past a process that is suspected later.
func TestFailureInAnOverlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := complete(func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Recv:
				panic("no idea")
			case election.Start:
				e.Send(election.Counterclockwise, election.Message{Kind: 1})
			}
		})
		ring.Topology, ring.Elects = election.Ring, election.OneLeader
		c, _ := pair(t, nil)
		var err error
		c.Algorithm, err = ring.OverComplete()
		require.NoError(t, err)
		tr := inMemory(t, memory.New())
		c.Transport, c.Peers = tr(1), []election.Rank{{ID: 2}, {ID: 3}, {ID: 4}}
		three, four := tr(3), tr(4)
		p, ended := running(t, c)
		require.NoError(t, four.Send(t.Context(),
			election.Packet{To: 1, Msg: election.Message{Kind: 1, Term: 1}}))
		synctest.Wait()
		require.EqualValues(t, 1, p.Stats().Rejected)
		require.NoError(t, p.Suspect(4))
		require.NoError(t, p.Start())
		_, err = three.Recv(t.Context())
		require.NoError(t, err)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestSmallestState: a state of one byte is a state.
func TestSmallestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, nil)
		c.Algorithm.New = func(election.Setup) election.Node { return fixed{} }
		var restarted []byte
		c.Observe = func(o *observe.Occurrence) { restarted = append(restarted, o.State...) }
		c.Saved = []byte{1}
		p, ended := running(t, c)
		synctest.Wait()
		require.Equal(t, []byte{1}, restarted)
		p.Close()
		require.NoError(t, <-ended)
		c.Saved = []byte{2}
		_, err := process.New(c)
		require.ErrorIs(t, err, election.ErrState)
	})
}

// halfway is a Node that panics in the middle of a step, when it has changed what no State visits.
type halfway struct {
	begun  bool
	starts *[]bool
}

func (n *halfway) Step(_ *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Recv:
		n.begun = true
		panic("no idea")
	case election.Start:
		*n.starts = append(*n.starts, n.begun)
	}
}
func (*halfway) State(*election.State) {}

// TestFailedNodeIsMadeAnew: of a step that failed nothing is left, not even what is not part of the state.
func TestFailedNodeIsMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts []bool
		c, peer := pair(t, nil)
		c.Algorithm.New = func(election.Setup) election.Node { return &halfway{starts: &starts} }
		p, ended := running(t, c)
		require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1}))
		synctest.Wait()
		require.NoError(t, p.Start())
		synctest.Wait()
		require.Equal(t, []bool{false}, starts)
		p.Close()
		require.NoError(t, <-ended)
	})
}
