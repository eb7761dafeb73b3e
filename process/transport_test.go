package process_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// wires are channels between processes: a transport as a user might write it.
type wires map[election.ID]chan election.Packet

// wire is one process's end.
type wire struct {
	all  wires
	self election.ID
}

func (w wire) Send(ctx context.Context, p election.Packet) error {
	p.From = w.self
	select {
	case w.all[p.To] <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w wire) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case p := <-w.all[w.self]:
		return p, nil
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
}

func (wire) Close() error { return nil }

func TestRunOverWires(t *testing.T) {
	ids := []election.ID{3, 1, 4, 8, 5, 2}
	all := make(wires)
	for _, id := range ids {
		all[id] = make(chan election.Packet) // the pumps keep them moving
	}
	configs := ringConfigs(t, lcr.Participant(),
		func(id election.ID) election.Transport { return wire{all, id} }, ids...)
	for i := range configs {
		configs[i].Start = true
	}
	for _, o := range elect(t, configs) {
		require.Equal(t, election.ID(8), o.Leader.ID)
	}
}

// broken is a transport that fails.
type broken struct {
	send, recv error
}

func (b broken) Send(context.Context, election.Packet) error { return b.send }
func (b broken) Recv(ctx context.Context) (election.Packet, error) {
	if b.recv != nil {
		return election.Packet{}, b.recv
	}
	<-ctx.Done()
	return election.Packet{}, ctx.Err()
}
func (broken) Close() error { return nil }

func TestTransportFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) { e.Send(0, election.Message{Kind: 1}) })

		c.Transport = broken{send: errors.New("no route")}
		p, ended := running(t, c)
		synctest.Wait()
		require.Equal(t, uint64(1), p.Stats().Unsent)
		require.Equal(t, []observe.KindCount{{Kind: "word", Count: 1}}, p.Stats().ByKind)
		p.Close()
		require.NoError(t, <-ended, "a message that could not be sent is lost, not more")

		c.Transport = broken{send: fmt.Errorf("%w: cable cut", election.ErrClosed)}
		_, ended = running(t, c)
		require.ErrorIs(t, <-ended, election.ErrClosed)

		c.Transport = broken{recv: errors.New("cable cut")}
		_, ended = running(t, c)
		require.ErrorContains(t, <-ended, "cable cut")
	})
}

// strangers is a transport on which a packet that is for another process has always arrived.
type strangers struct{ send error }

func (s strangers) Send(context.Context, election.Packet) error { return s.send }
func (strangers) Recv(context.Context) (election.Packet, error) {
	return election.Packet{From: 9, To: 9}, nil
}
func (strangers) Close() error { return nil }

// TestFloodOfStrangers: a process ends while its Recv always has a packet to drop, and ignores its context:
// after Close, after the end of the context of Run, and after the transport fails to send.
func TestFloodOfStrangers(t *testing.T) {
	c, _ := pair(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(0, election.Message{Kind: 1})
		}
	})
	cut := fmt.Errorf("%w: cable cut", election.ErrClosed)
	c.Transport = strangers{send: cut}
	run := func(end func(*process.Process, context.CancelFunc)) error {
		p, err := process.New(c)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		for p.Stats().Dropped == 0 {
			runtime.Gosched()
		}
		end(p, cancel)
		return <-ended
	}
	require.NoError(t, run(func(p *process.Process, _ context.CancelFunc) { p.Close() }))
	require.ErrorIs(t, run(func(_ *process.Process, cancel context.CancelFunc) { cancel() }),
		context.Canceled)
	require.ErrorIs(t, run(func(p *process.Process, _ context.CancelFunc) {
		require.NoError(t, p.Start())
	}), election.ErrClosed)
}

// TestFromNobody: the call of a process to itself cannot be forged over a transport.
func TestFromNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inbox := make(chan election.Packet)
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {})
		c.Transport = wire{wires{1: inbox}, 1}
		p, ended := running(t, c)
		inbox <- election.Packet{}
		inbox <- election.Packet{To: 1}
		synctest.Wait()
		require.Equal(t, uint64(2), p.Stats().Dropped)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestElectionsInTurn keeps processes running and starts one election after another.
func TestElectionsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := []election.ID{3, 1, 4, 8, 5, 2}
		var ps []*process.Process
		var ends []<-chan error
		for _, c := range ringConfigs(t, lcr.Max(), inMemory(t, memory.New()), ids...) {
			p, ended := running(t, c)
			ps, ends = append(ps, p), append(ends, ended)
		}
		for term := uint64(1); term <= 3; term++ {
			synctest.Wait()
			for i, p := range ps {
				if i%2 == int(term)%2 {
					require.NoError(t, p.Start())
				}
			}
			synctest.Wait()
			for _, p := range ps {
				o := p.Outcome()
				require.Equal(t, election.ID(8), o.Leader.ID)
				require.GreaterOrEqual(t, o.Term, term)
			}
		}
		for i, p := range ps {
			p.Close()
			require.NoError(t, <-ends[i])
		}
	})
}

// TestUnreadStays: packets that a process has not dealt with when it ends are there for the next, in their
// order, over a transport that takes them back.
func TestUnreadStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []uint64
		busy := make(chan bool)
		c, peer := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				got = append(got, ev.Msg.Value)
				e.Done()
				<-busy
			}
		})
		send := func(values ...uint64) {
			for _, v := range values {
				p := election.Packet{From: 2, To: 1, Msg: election.Message{Kind: 1, Value: v}}
				require.NoError(t, peer.Send(t.Context(), p))
			}
		}
		send(1, 2, 3) // the batch of which the first ends the election
		for want := uint64(1); want <= 5; want++ {
			ended := make(chan error)
			go func() {
				_, err := process.Run(t.Context(), c)
				ended <- err
			}()
			synctest.Wait()
			if want == 1 {
				send(4, 5)
			}
			busy <- true
			require.NoError(t, <-ended)
			require.Equal(t, want, got[len(got)-1])
		}
		require.Len(t, got, 5)
	})
}

// TestRestart: a process that comes back with what it saved does not take part again in an
// election that it may have taken part in, but in the next.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := memory.New()
		configs := ringConfigs(t, lcr.Participant(), inMemory(t, net), 1, 2, 3)
		var saved []byte
		configs[0].Save = func(b []byte) error { saved = append(saved[:0], b...); return nil }
		var ps []*process.Process
		for _, c := range configs {
			p, _ := running(t, c)
			ps = append(ps, p)
		}
		require.NoError(t, ps[2].Start())
		synctest.Wait()
		require.Equal(t, uint64(1), ps[0].Outcome().Term)
		require.NotEmpty(t, saved)

		ps[0].Close()
		synctest.Wait()
		configs[0].Saved, configs[0].Founding = saved, false
		ps[0], _ = running(t, configs[0])
		synctest.Wait()
		require.Zero(t, ps[0].Outcome())
		require.NoError(t, ps[0].Start())
		synctest.Wait()
		for _, p := range ps {
			require.Equal(t, uint64(2), p.Outcome().Term)
			require.Equal(t, election.ID(3), p.Outcome().Leader.ID)
			p.Close()
		}
	})
}
