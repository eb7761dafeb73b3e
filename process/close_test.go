package process_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
)

// blocked is a transport whose Send waits until its context ends, or until release is closed if it heeds
// none.
type blocked struct {
	election.Transport
	heedless bool
	release  chan struct{}
}

func (b *blocked) Send(ctx context.Context, _ election.Packet) error {
	if b.heedless {
		<-b.release
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestCloseEndsSend: Close, the end of ctx and the end of the transport each end a waiting Send, and Run
// reports the cause.
func TestCloseEndsSend(t *testing.T) {
	cut := errors.New("cable cut")
	for name, tt := range map[string]struct {
		end  func(p *process.Process, cancel context.CancelFunc, transport chan error)
		want error
	}{
		"close": {func(p *process.Process, _ context.CancelFunc, _ chan error) { p.Close() }, nil},
		"context": {func(_ *process.Process, cancel context.CancelFunc, _ chan error) { cancel() },
			context.Canceled},
		"transport": {func(_ *process.Process, _ context.CancelFunc, fails chan error) { fails <- cut }, cut},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := pair(t, func(e *election.Env, _ *election.Event) {
					e.DecideIn(1, e.Self())
					e.Send(0, election.Message{Kind: 1})
					e.Send(0, election.Message{Kind: 1})
				})
				fails := make(chan error)
				c.Transport = &blocked{Transport: failing{c.Transport, fails}}
				decided := 0
				c.OnOutcome = func(election.Outcome) { decided++ }
				p, err := process.New(c)
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- p.Run(ctx) }()
				synctest.Wait()
				require.Empty(t, ended)
				tt.end(p, cancel, fails)
				require.ErrorIs(t, <-ended, tt.want)
				require.Zero(t, decided, "what comes after the sends of a step did not happen")
				require.Zero(t, p.Stats().Unsent)
			})
		})
	}
}

// failing is a transport whose Recv returns what comes over a channel.
type failing struct {
	election.Transport
	errs chan error
}

func (f failing) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case err := <-f.errs:
		return election.Packet{}, err
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
}

// TestHeedlessSend: Run returns when a Send that heeds no context has returned, and not before.
func TestHeedlessSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, _ *election.Event) {
			e.Send(0, election.Message{Kind: 1})
		})
		stuck := &blocked{Transport: c.Transport, heedless: true, release: make(chan struct{})}
		c.Transport = stuck
		p, ended := running(t, c)
		synctest.Wait()
		p.Close()
		synctest.Wait()
		require.Empty(t, ended)
		close(stuck.release)
		require.NoError(t, <-ended)
	})
}

// deafening is a transport whose Recv waits for release, and heeds no context.
type deafening struct {
	election.Transport
	release chan struct{}
}

func (d deafening) Recv(context.Context) (election.Packet, error) {
	<-d.release
	return election.Packet{}, errors.New("released")
}

// TestHeedlessRecv: no goroutine outlives Run, so it waits for a Recv that heeds no context.
func TestHeedlessRecv(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(*election.Env, *election.Event) {})
		stuck := deafening{c.Transport, make(chan struct{})}
		c.Transport = stuck
		p, ended := running(t, c)
		synctest.Wait()
		p.Close()
		synctest.Wait()
		require.Empty(t, ended)
		close(stuck.release)
		require.NoError(t, <-ended)
	})
}

// dialing is a transport whose Push waits for a connection, and reports the end of its context in its own
// words.
type dialing struct{ election.Transport }

func (dialing) Push(ctx context.Context, _ func(election.Packet, error) bool) (func([]election.Packet),
	error) {
	<-ctx.Done()
	return nil, errors.New("dial: operation was canceled")
}

// TestCauseOfContext: Run returns the cause of its context, whatever error of the transport comes of that.
func TestCauseOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(*election.Env, *election.Event) {})
		c.Transport = dialing{c.Transport}
		p, err := process.New(c)
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		time.AfterFunc(time.Second, func() { cancel(enough) })
		require.Equal(t, enough, p.Run(ctx))
	})
}

// TestOwnErrorAfterTheEnd: an error of the process itself is what Run returns, also if its context has ended.
func TestOwnErrorAfterTheEnd(t *testing.T) {
	c, _ := pair(t, func(e *election.Env, _ *election.Event) { e.Save() })
	ctx, cancel := context.WithCancel(t.Context())
	full := errors.New("disk full")
	c.Save = func([]byte) error {
		cancel()
		return full
	}
	p, err := process.New(c)
	require.NoError(t, err)
	require.ErrorIs(t, p.Run(ctx), full)
}

// TestTimersHoldNothing: a process that has ended can be collected, though a timer of it had an hour to run.
func TestTimersHoldNothing(t *testing.T) {
	c, _ := pair(t, func(e *election.Env, _ *election.Event) {
		e.SetTimer(1, time.Hour, time.Hour)
		e.DecideIn(1, e.Self())
	})
	var p *process.Process
	c.OnOutcome = func(election.Outcome) { p.Close() }
	p, err := process.New(c)
	require.NoError(t, err)
	require.NoError(t, p.Run(t.Context()))
	left := weak.Make(p)
	p = nil
	// Not one collection alone: Go's scheduler unlinks a stopped timer, and what its function refers to, when
	// it next looks at the timers of that processor. A timer that still runs stays for its hour.
	for rounds := 0; left.Value() != nil && rounds < 100; rounds++ {
		runtime.GC()
	}
	require.True(t, left.Value() == nil, "a timer holds the process")
}

// explosive is a transport that panics.
type explosive struct {
	election.Transport
	send, recv bool
}

func (x *explosive) Send(ctx context.Context, p election.Packet) error {
	if x.send {
		panic("no cable")
	}
	return x.Transport.Send(ctx, p)
}

func (x *explosive) Recv(ctx context.Context) (election.Packet, error) {
	if x.recv {
		panic("no socket")
	}
	return x.Transport.Recv(ctx)
}

// TestPanics: a panic of a callback or of the transport ends the process like a panic of a Node, and leaves
// nothing behind.
func TestPanics(t *testing.T) {
	for name, panics := range map[string]func(c *process.Config){
		"OnOutcome": func(c *process.Config) { c.OnOutcome = func(election.Outcome) { panic("no idea") } },
		"OnEnd":     func(c *process.Config) { c.OnEnd = func(election.Outcome) { panic("no idea") } },
		"OnRaise":   func(c *process.Config) { c.OnRaise = func(election.Event) { panic("no idea") } },
		"OnRefuse":  func(c *process.Config) { c.OnRefuse = func(error) { panic("no idea") } },
		"Observe":   func(c *process.Config) { c.Observe = func(*observe.Occurrence) { panic("no idea") } },
		"Save":      func(c *process.Config) { c.Save = func([]byte) error { panic("no idea") } },
		"Send":      func(c *process.Config) { c.Transport = &explosive{Transport: c.Transport, send: true} },
		"Recv":      func(c *process.Config) { c.Transport = &explosive{Transport: c.Transport, recv: true} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := pair(t, func(e *election.Env, _ *election.Event) {
					e.Save()
					e.Send(0, election.Message{Kind: 1})
					e.Raise(election.Event{Op: election.Entered})
					e.Refuse(election.ErrNotInitiator)
					e.DecideIn(1, e.Self())
					e.Done()
				})
				var log bytes.Buffer
				c.Log = slog.New(slog.NewTextHandler(&log, nil))
				panics(&c)
				p, ended := running(t, c)
				err := <-ended
				require.ErrorIs(t, err, process.ErrCallback)
				require.NotErrorIs(t, err, observe.ErrPanic)
				require.ErrorContains(t, err, "election: a callback or the transport panicked: no ")
				require.ErrorIs(t, p.Start(), election.ErrClosed)
				require.Equal(t, election.Undecided, p.Outcome().Role)
				require.Contains(t, log.String(), "close_test.go")
			})
		})
	}
}

// TestNoContextNoTransport: what is not given is refused in one line.
func TestNoContextNoTransport(t *testing.T) {
	c, _ := pair(t, func(*election.Env, *election.Event) {})
	p, err := process.New(c)
	require.NoError(t, err)
	var none context.Context
	require.EqualError(t, p.Run(none), "election: bad input: context: missing: process 1")
	c.Transport = (*blocked)(nil)
	_, err = process.New(c)
	require.EqualError(t, err, "election: bad input: transport: missing")
}

// TestFirstCauseCounts: a process that is closed and whose context ends later was closed.
func TestFirstCauseCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, _ *election.Event) { e.DecideIn(1, e.Self()) })
		var p *process.Process
		ctx, cancel := context.WithCancel(t.Context())
		c.OnOutcome = func(o election.Outcome) {
			if o.Role == election.Leader {
				p.Close()
				cancel()
				synctest.Wait()
			}
		}
		var err error
		p, err = process.New(c)
		require.NoError(t, err)
		require.NoError(t, p.Run(ctx))
	})
}
