package process_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
)

// slowWire takes a time for each Send, and refuses the packet if it is deaf.
type slowWire struct {
	wire
	takes time.Duration
	deaf  bool
}

func (w slowWire) Send(ctx context.Context, p election.Packet) error {
	time.Sleep(w.takes)
	if w.deaf {
		return deaf{}.Send(ctx, p)
	}
	return nil
}

// slowLog takes a time for each record of this text.
type slowLog struct {
	slog.Handler
	text  string
	takes time.Duration
}

func (l slowLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == l.text {
		time.Sleep(l.takes)
	}
	return l.Handler.Handle(ctx, r)
}

func (l slowLog) WithAttrs(list []slog.Attr) slog.Handler {
	l.Handler = l.Handler.WithAttrs(list)
	return l
}

// TestWarnsOfSlowCalls: a call that takes longer than the algorithm's Delay is logged by name, whichever call
// it is. No other duration counts: neither a call that takes exactly a Delay, nor the time between two steps.
func TestWarnsOfSlowCalls(t *testing.T) {
	sleep := func(d time.Duration) { time.Sleep(d) }
	for name, slow := range map[string]func(c *process.Config, d time.Duration){
		"Save": func(c *process.Config, d time.Duration) {
			c.Save = func([]byte) error { sleep(d); return nil }
		},
		"OnOutcome": func(c *process.Config, d time.Duration) {
			c.OnOutcome = func(o election.Outcome) {
				if o.Role != election.Undecided { // not at the end of the process
					sleep(d)
				}
			}
		},
		"OnEnd": func(c *process.Config, d time.Duration) {
			c.OnEnd = func(election.Outcome) { sleep(d) }
		},
		"OnRaise": func(c *process.Config, d time.Duration) {
			c.OnRaise = func(election.Event) { sleep(d) }
		},
		"OnRefuse": func(c *process.Config, d time.Duration) {
			c.OnRefuse = func(error) { sleep(d) }
		},
		"Observe": func(c *process.Config, d time.Duration) {
			c.Observe = func(o *observe.Occurrence) {
				if o.What == observe.Step && o.Event.Op == election.Start {
					sleep(d)
				}
			}
		},
		"Log": func(c *process.Config, d time.Duration) {
			c.Log = slog.New(slowLog{c.Log.Handler(), "decided", d})
		},
		"Log, of a refusal": func(c *process.Config, d time.Duration) {
			c.Log = slog.New(slowLog{c.Log.Handler(), "start refused", d})
		},
		"Transport.Send": func(c *process.Config, d time.Duration) {
			c.Transport = slowWire{takes: d}
		},
		"Transport.Send, which fails": func(c *process.Config, d time.Duration) {
			c.Transport = slowWire{takes: d, deaf: true}
		},
		"Observe, of a loss": func(c *process.Config, d time.Duration) {
			c.Transport = slowWire{deaf: true}
			c.Observe = func(o *observe.Occurrence) {
				if o.What == observe.Lose {
					sleep(d)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			const delay = time.Second
			call, _, _ := strings.Cut(name, ",")
			require.Empty(t, slowCalls(t, delay, func(c *process.Config) { slow(c, delay) }))
			require.Empty(t, slowCalls(t, 0, func(c *process.Config) { slow(c, time.Hour) }),
				"no time-out depends on the process")
			require.Equal(t, []string{`level=WARN msg="a call takes longer than a message may: other ` +
				`processes may suspect this one" member=1 call=` + call + ` took=1.000000001s delay=1s`},
				slowCalls(t, delay, func(c *process.Config) { slow(c, delay+1) }))
		})
	}
}

// slowCalls runs a process that makes every call there is at its Start, and returns what it logs of slow
// ones.
func slowCalls(t *testing.T, delay time.Duration, change func(*process.Config)) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Save()
				e.Send(0, election.Message{Kind: 1})
				e.Raise(election.Event{Op: election.Entered})
				e.Refuse(election.ErrNotInitiator)
				e.DecideIn(1, e.Self())
				e.Done()
			}
		})
		var log bytes.Buffer
		c.Log, c.Algorithm.Delay, c.Transport = plainLog(&log), delay, slowWire{}
		change(&c)
		p, ended := running(t, c)
		time.Sleep(time.Hour)
		require.NoError(t, p.Start())
		time.Sleep(2 * time.Hour)
		p.Close()
		require.NoError(t, <-ended)
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "takes longer") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	})
	return lines
}
