package process_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestEndTakesBack: a process that has ended, for any reason, believes in no leader, and reports so once.
func TestEndTakesBack(t *testing.T) {
	full := errors.New("disk full")
	leads := election.Outcome{Term: 7, Leader: election.Rank{ID: 1}, Role: election.Leader}
	for name, end := range map[string]struct {
		do   func(p *process.Process, c *process.Config, cancel func())
		want error
	}{
		"close": {func(p *process.Process, _ *process.Config, _ func()) { p.Close() }, nil},
		"context": {func(_ *process.Process, _ *process.Config, cancel func()) { cancel() },
			context.Canceled},
		"transport": {func(_ *process.Process, c *process.Config, _ func()) { _ = c.Transport.Close() },
			election.ErrClosed},
		"save": {func(p *process.Process, _ *process.Config, _ func()) {
			_ = p.Reelect()
		}, full},
		"panic": {func(p *process.Process, _ *process.Config, _ func()) {
			_ = p.Command(election.Message{})
		}, observe.ErrPanic},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := pair(t, func(e *election.Env, ev *election.Event) {
					switch ev.Op {
					case election.Start:
						e.DecideIn(leads.Term, leads.Leader)
						e.Done()
					case election.Reelect:
						e.Save()
					case election.Command:
						panic("no idea")
					}
				})
				var heard []election.Outcome
				c.OnOutcome = func(o election.Outcome) { heard = append(heard, o) }
				c.Save = func([]byte) error { return full }
				c.Start = true
				p, err := process.New(c)
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- p.Run(ctx) }()
				synctest.Wait()
				require.Equal(t, leads, p.Outcome(), "the end of an election is not that of the process")
				end.do(p, &c, cancel)
				require.ErrorIs(t, <-ended, end.want)
				require.Equal(t, election.Outcome{Term: 7}, p.Outcome())
				require.Equal(t, []election.Outcome{leads, {Term: 7}}, heard)
			})
		})
	}
}

// TestResultStays: the outcome of one election is the result of Run, whatever comes behind it; without an end
// there is none.
func TestResultStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leads := election.Outcome{Leader: election.Rank{ID: 1}, Role: election.Leader}
		ends := true
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if e.DecideIn(leads.Term, leads.Leader); ends {
				e.Done()
			}
		})
		var heard []election.Outcome
		c.OnOutcome = func(o election.Outcome) { heard = append(heard, o) }
		o, err := process.Run(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, leads, o)
		require.Equal(t, []election.Outcome{leads}, heard)

		ends = false
		ctx, cancel := context.WithCancel(t.Context())
		c.OnOutcome = func(election.Outcome) { cancel() }
		o, err = process.Run(ctx, c)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, o)
	})
}

// TestRunsOnce: a process runs once, even if ctx has already ended.
func TestRunsOnce(t *testing.T) {
	c, _ := pair(t, func(*election.Env, *election.Event) {})
	p, err := process.New(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.Run(ctx), context.Canceled)
	require.ErrorIs(t, p.Start(), election.ErrClosed)
	require.ErrorIs(t, p.Run(t.Context()), election.ErrInput)
}

// TestConfigIsTheCallers: a process does not look at the slices that it was made with again.
func TestConfigIsTheCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := pair(t, func(e *election.Env, ev *election.Event) { e.Send(0, election.Message{Kind: 1}) })
		var restarted []byte
		c.Observe = func(o *observe.Occurrence) {
			if o.What == observe.Restart {
				restarted = append(restarted, o.State...)
			}
		}
		c.Saved = []byte{0, 5, 0, 0, 0, 0, 0, 0, 0} // the election has not ended; 5 steps
		want := bytes.Clone(c.Saved)
		p, err := process.New(c)
		require.NoError(t, err)
		clear(c.Peers)
		clear(c.Saved)
		ended := make(chan error, 1)
		go func() { ended <- p.Run(t.Context()) }()
		_, err = peer.Recv(t.Context())
		require.NoError(t, err)
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, want, restarted)
	})
}

// TestLog: a panic is logged with its stack, and an undecided process does not log a decision.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		c, _ := pair(t, explode)
		c.Start = true
		c.Log = slog.New(slog.NewTextHandler(&text, nil))
		_, err := process.Run(t.Context(), c)
		require.ErrorIs(t, err, observe.ErrPanic)
		require.Contains(t, text.String(), "process_test.explode")
		require.Contains(t, text.String(), "undecided member=1 term=3")
		require.NotContains(t, text.String(), "msg=decided")
	})
}

func explode(e *election.Env, ev *election.Event) {
	if e.Withdraw(3); ev.Op == election.Start {
		panic("no idea")
	}
}

// TestNoSuchPort: a packet whose port would be negative in 32 bits is dropped like any other that is wrong.
func TestNoSuchPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := memory.New()
		configs := ringConfigs(t, lcr.Max(), inMemory(t, net), 1, 2)
		p, ended := running(t, configs[0])
		require.NoError(t, configs[1].Transport.Send(t.Context(),
			election.Packet{From: 2, To: 1, Port: election.NoPort, Msg: election.Message{Kind: 1, Term: 1}}))
		synctest.Wait()
		require.EqualValues(t, 1, p.Stats().Dropped)
		p.Close()
		require.NoError(t, <-ended)
	})
}
