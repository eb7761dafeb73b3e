package process_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ringConfigs returns the processes 1, 2, ... of a one-way ring, each with its transport.
func ringConfigs(t *testing.T, alg *election.Algorithm, transport func(election.ID) election.Transport,
	ids ...election.ID) []process.Config {
	t.Helper()
	ring, err := topology.Ring(len(ids), true)
	require.NoError(t, err)
	configs := make([]process.Config, len(ids))
	for i, id := range ids {
		configs[i] = process.Config{Algorithm: alg, Founding: true, Transport: transport(id)}
		require.NoError(t, configs[i].Place(ring, ranksOf(ids), i))
	}
	return configs
}

// ranksOf returns the ranks of processes without priorities.
func ranksOf(ids []election.ID) (ranks []election.Rank) {
	for _, id := range ids {
		ranks = append(ranks, election.Rank{ID: id})
	}
	return ranks
}

// inMemory returns a function that opens endpoints of a network.
func inMemory(t *testing.T, net *memory.Network) func(election.ID) election.Transport {
	return func(id election.ID) election.Transport {
		e, err := net.Endpoint(id)
		require.NoError(t, err)
		return e
	}
}

// elect runs all processes until each knows that the election has ended.
func elect(t *testing.T, configs []process.Config) []election.Outcome {
	t.Helper()
	outcomes, errs := make([]election.Outcome, len(configs)), make([]error, len(configs))
	var running sync.WaitGroup
	for i := range configs {
		running.Go(func() { outcomes[i], errs[i] = process.Run(t.Context(), configs[i]) })
	}
	running.Wait()
	require.NoError(t, errors.Join(errs...))
	return outcomes
}

func TestRunElects(t *testing.T) {
	for _, alg := range lcr.Algorithms() {
		if alg.RelaysAfterEnd {
			_, err := process.Run(t.Context(), ringConfigs(t, alg, inMemory(t, memory.New()), 1, 2)[0])
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, "lcr/wave must go on relaying")
			continue
		}
		for n, leader := range []election.ID{3, 3, 4, 8, 8, 8} {
			ids := []election.ID{3, 1, 4, 8, 5, 2}[:n+1]
			configs := ringConfigs(t, alg, inMemory(t, memory.New()), ids...)
			for i := range configs {
				configs[i].Start = true
			}
			for i, o := range elect(t, configs) {
				want := election.Outcome{Term: 1, Leader: election.Rank{ID: leader}, Role: election.Follower}
				if leader == ids[i] {
					want.Role = election.Leader
				}
				require.Equal(t, want, o, "%s, n=%d", alg.Title(), n+1)
			}
		}
	}
}

// rootedTree returns an algorithm for rooted trees whose Nodes note what they know of themselves.
func rootedTree(seen *[]election.Setup) *election.Algorithm {
	a := complete(nil)
	a.Topology, a.Knows = election.Tree, election.RootPort
	a.New = func(s election.Setup) election.Node {
		*seen = append(*seen, s)
		return fixed{}
	}
	return a
}

type fixed struct{}

func (fixed) Step(*election.Env, *election.Event) {}
func (fixed) State(*election.State)               {}

// TestSetupOnARootedTree: a process knows the way to the root.
func TestSetupOnARootedTree(t *testing.T) {
	var seen []election.Setup
	links := []election.Rank{{ID: 2}, {ID: 3}}
	self := election.Rank{ID: 1}
	for _, c := range []process.Config{
		{Self: self, Peers: links, Parent: 1}, {Self: self, Peers: links, Root: true},
		{Self: self, Root: true},
	} {
		c.Algorithm, c.Transport = rootedTree(&seen), inMemory(t, memory.New())(self.ID)
		_, err := process.New(c)
		require.NoError(t, err)
	}
	require.Equal(t, []election.Setup{{Self: self, Ports: 2, Parent: 1}, {Self: self, Ports: 2, Root: true},
		{Self: self, Root: true}}, seen)
}

func TestConfigRefused(t *testing.T) {
	tr := inMemory(t, memory.New())
	good := ringConfigs(t, lcr.Participant(), tr, 1, 2)[0]
	twoWay := lcr.Participant()
	twoWay.TwoWay = true
	for field, change := range map[string]func(c *process.Config){
		"algorithm":    func(c *process.Config) { c.Algorithm = nil },
		"self":         func(c *process.Config) { c.Self.ID = 0 },
		"transport":    func(c *process.Config) { c.Transport = nil },
		"peers: 1":     func(c *process.Config) { c.Peers = c.Peers[:1] },
		"peers[1]":     func(c *process.Config) { c.Peers = []election.Rank{c.Peers[0], {}} },
		"two-way ring": func(c *process.Config) { c.Algorithm = twoWay },
		"not a ring": func(c *process.Config) {
			c.Algorithm = complete(nil)
		},
		"itself": func(c *process.Config) {
			c.Algorithm, c.OneWay = complete(nil), false
			c.Peers = []election.Rank{{ID: c.Self.ID, Priority: 1}}
		},
		"parent: port 1, but the root": func(c *process.Config) {
			c.Algorithm, c.Root, c.Parent, c.OneWay = rootedTree(nil), true, 1, false
		},
		"parent: port 2, process 1 has 2": func(c *process.Config) {
			c.Algorithm, c.Parent, c.OneWay = rootedTree(nil), 2, false
		},
		"parent: port 0, process 1 has 0": func(c *process.Config) {
			c.Algorithm, c.Peers, c.OneWay = rootedTree(nil), nil, false
		},
		"already": func(c *process.Config) { c.Algorithm, c.OneWay = complete(nil), false },
		"saved":   func(c *process.Config) { c.Saved = []byte("?") },
		"order":   func(c *process.Config) { c.Algorithm, c.Unordered = lcr.Initiators(), true },
	} {
		c := good
		change(&c)
		_, err := process.Run(t.Context(), c)
		require.ErrorIs(t, err, election.ErrInput, field)
		require.ErrorContains(t, err, field)
	}
	c := good
	c.Algorithm, c.Unordered = lcr.Initiators(), true
	_, err := process.New(c)
	require.ErrorIs(t, err, election.ErrNeedsFIFO)
	c = good
	c.Saved = []byte("?")
	_, err = process.New(c)
	require.ErrorIs(t, err, election.ErrState)
}

// stepper is a Node whose every Step is a function; its state is the number of its steps.
type stepper struct {
	step  func(e *election.Env, ev *election.Event)
	steps uint64
}

func (n *stepper) Step(e *election.Env, ev *election.Event) {
	n.steps++
	n.step(e, ev)
}
func (n *stepper) State(s *election.State) { s.Uint64(&n.steps) }

// complete describes an algorithm for complete graphs whose Nodes do step.
func complete(step func(e *election.Env, ev *election.Event)) *election.Algorithm {
	return &election.Algorithm{
		Name: "scripted", Topology: election.Complete, Elects: election.Successors,
		Kinds: []election.Kind{{Name: "word"}},
		New:   func(election.Setup) election.Node { return &stepper{step: step} },
	}
}

// pair returns process 1 of two, whose Node does step, and the endpoint of process 2.
func pair(t *testing.T, step func(e *election.Env, ev *election.Event)) (process.Config, election.Transport) {
	t.Helper()
	tr := inMemory(t, memory.New())
	return process.Config{
		Algorithm: complete(step), Founding: true, Self: election.Rank{ID: 1}, Transport: tr(1),
		Peers: []election.Rank{{Priority: 9, ID: 2}},
	}, tr(2)
}

// running runs a process until the test ends, or until it ends itself.
func running(t *testing.T, c process.Config) (*process.Process, <-chan error) {
	t.Helper()
	p, err := process.New(c)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	return p, ended
}

// TestStepOrder: save, send, timers, raise, publish.
func TestStepOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.Decide(e.Peer(0))
				e.Raise(election.Event{Op: election.Command})
				e.SetTimer(1, time.Second, time.Second)
				e.Send(0, election.Message{Kind: 1})
				e.Save()
			case election.Timeout:
				order = append(order, "timeout after "+ev.At.String())
			}
		})
		c.Transport = &witness{Transport: c.Transport, sent: func() { order = append(order, "send") }}
		c.Save = func(b []byte) error { order = append(order, "save "+string('0'+b[1])); return nil }
		c.OnRaise = func(election.Event) { order = append(order, "raise") }
		c.OnOutcome = func(o election.Outcome) { order = append(order, "publish "+o.Leader.String()) }
		c.Start = true
		p, ended := running(t, c)
		<-time.After(time.Minute)
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, []string{"save 2", "send", "raise", "publish 2(priority 9)", "timeout after 1s",
			"publish 0"}, order)
	})
}

// witness reports every Send. It is no Pusher, so the process receives with a pump.
type witness struct {
	election.Transport
	sent func()
}

func (w *witness) Send(ctx context.Context, p election.Packet) error {
	w.sent()
	return w.Transport.Send(ctx, p)
}

// TestBeliefWhileSending: without a lease, what a process believed before holds until all is sent, and there
// are no renewals.
func TestBeliefWhileSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(0, election.Message{Kind: 1})
				e.Decide(e.Peer(0))
			}
		})
		var p *process.Process
		var sending []election.Role
		c.Transport = &witness{c.Transport, func() { sending = append(sending, p.Outcome().Role) }}
		c.OnRenew = func(election.Outcome) { t.Error("it was renewed") }
		var err error
		p, err = process.New(c)
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- p.Run(t.Context()) }()
		for range 3 {
			require.NoError(t, p.Start())
			synctest.Wait()
		}
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, []election.Role{election.Undecided, election.Follower, election.Follower}, sending)
	})
}

func TestNothingLeavesUnsaved(t *testing.T) {
	full := errors.New("disk full")
	c, _ := pair(t, func(e *election.Env, ev *election.Event) {
		e.Send(0, election.Message{Kind: 1})
		e.Save()
	})
	c.Transport = &witness{Transport: c.Transport, sent: func() { t.Error("it was sent") }}
	c.Save = func([]byte) error { return full }
	_, err := process.Run(t.Context(), c)
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "process 1")
}

func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []election.Op
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			heard = append(heard, ev.Op)
			if ev.Op == election.Start {
				e.Refuse(election.ErrNotInitiator)
			}
		})
		var refused error
		c.OnRefuse = func(err error) { refused = err }
		c.Founding = false
		p, err := process.New(c)
		require.NoError(t, err)
		for _, news := range []func(election.ID) error{p.Suspect, p.Trust} {
			for _, id := range []election.ID{0, 1, 3} {
				require.ErrorIs(t, news(id), election.ErrInput)
			}
		}
		require.NoError(t, p.Suspect(2), "before it runs")
		ended := make(chan error, 1)
		go func() { ended <- p.Run(t.Context()) }()
		synctest.Wait()
		require.NoError(t, p.Command(election.Message{}))
		require.NoError(t, p.Start())
		synctest.Wait()
		require.Equal(t, []election.Op{election.Init, election.Rejoin, election.Suspect, election.Command,
			election.Start}, heard)
		require.ErrorIs(t, refused, election.ErrNotInitiator)
		p.Close()
		require.NoError(t, <-ended)
		require.ErrorIs(t, p.Start(), election.ErrClosed)
		require.ErrorIs(t, p.Run(t.Context()), election.ErrInput, "a process runs once")
	})
}

func TestPortsAndPanics(t *testing.T) {
	c, _ := pair(t, func(e *election.Env, ev *election.Event) { e.Send(1, election.Message{Kind: 1}) })
	_, err := process.Run(t.Context(), c)
	require.ErrorIs(t, err, observe.ErrPort)
	c, _ = pair(t, func(e *election.Env, ev *election.Event) { panic("no idea") })
	_, err = process.Run(t.Context(), c)
	require.ErrorIs(t, err, observe.ErrPanic)
	require.ErrorContains(t, err, "no idea: process 1")
}

// TestForgery: a packet that is not from a peer is dropped.
func TestForgery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []uint64
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				got = append(got, ev.Msg.Value)
				e.Send(0, election.Message{Kind: 77})
			}
		})
		net := memory.New()
		tr := inMemory(t, net)
		peer, stranger := tr(2), tr(3)
		c.Transport = tr(1)
		p, ended := running(t, c)
		send := func(tr election.Transport, port election.Port, value uint64) {
			require.NoError(t, tr.Send(t.Context(),
				election.Packet{From: 2, To: 1, Port: port,
					Msg: election.Message{Kind: 1, Value: value}}))
		}
		send(stranger, 0, 1)
		send(peer, 0, 3)
		synctest.Wait()
		require.Equal(t, []uint64{3}, got)
		s := p.Stats()
		require.Equal(t, process.Stats{Sent: 1, Received: 1, Dropped: 1,
			ByKind: []observe.KindCount{{Kind: "unknown_2", Count: 1}}}, s)
		answer, err := peer.Recv(t.Context())
		require.NoError(t, err)
		require.NotZero(t, answer.Incarnation)
		require.Equal(t, election.Packet{From: 1, To: 2, Msg: election.Message{Kind: 77},
			Incarnation: answer.Incarnation, Seq: 1}, answer)

		require.NoError(t, peer.Close())
		send(stranger, 0, 9)
		require.NoError(t, p.Command(election.Message{}))
		require.NoError(t, c.Transport.Close())
		require.ErrorIs(t, <-ended, election.ErrClosed)
	})
}

func TestContextEndsRun(t *testing.T) {
	why := errors.New("enough")
	for _, pumped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := pair(t, func(e *election.Env, ev *election.Event) { e.SetTimer(1, time.Hour, time.Hour) })
			if pumped {
				c.Transport = &witness{Transport: c.Transport}
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := process.Run(ctx, c)
				ended <- err
			}()
			synctest.Wait()
			cancel(why)
			require.Equal(t, why, <-ended)
			_, err := process.Run(ctx, c)
			require.Equal(t, why, err)
		})
	}
}

// TestTimersOfRun: timers are exact, even if a timer is stopped after it has fired.
func TestTimersOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type rung struct {
			timer uint8
			at    time.Duration
		}
		var heard []rung
		busy := make(chan bool)
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Init:
				e.SetTimer(1, time.Second, time.Second)
				e.SetTimer(2, time.Second, time.Second)
				e.SetTimer(3, 3*time.Second, 5*time.Second)
			case election.Command:
				<-busy // while this lasts, 1 and 2 run out
				e.StopTimer(1)
				e.SetTimer(2, time.Second, time.Second)
			case election.Timeout:
				heard = append(heard, rung{ev.Timer, ev.At})
			}
		})
		p, ended := running(t, c)
		require.NoError(t, p.Command(election.Message{}))
		<-time.After(time.Second)
		synctest.Wait()
		busy <- true
		<-time.After(time.Minute)
		p.Close()
		require.NoError(t, <-ended)
		require.Len(t, heard, 2)
		require.Equal(t, rung{2, 2 * time.Second}, heard[0])
		require.Equal(t, uint8(3), heard[1].timer)
		require.GreaterOrEqual(t, heard[1].at, 3*time.Second)
		require.LessOrEqual(t, heard[1].at, 5*time.Second)
	})
}
