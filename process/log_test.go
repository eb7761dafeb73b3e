package process_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/process"
)

// plainLog returns a logger that writes lines without a time to b.
func plainLog(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// TestLogLines: what a process logs, word for word: this is what its operator reads. Processes have the names
// that the Config gives them.
func TestLogLines(t *testing.T) {
	logLines(t, nil, strings.NewReplacer())
	logLines(t, func(id election.ID) string { return string(rune('a' - 1 + id)) },
		strings.NewReplacer("member=1", "member=a", "leader=2", "leader=b", "to=1", "to=a",
			"peer=2", "peer=b", "peer=3", "peer=c"))
}

func logLines(t *testing.T, name func(election.ID) string, named *strings.Replacer) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.Refuse(election.ErrNotInitiator)
			case election.Trust:
				e.DecideIn(7, e.Peer(0))
			case election.Suspect:
				e.Withdraw(8)
			case election.Command:
				e.Send(0, election.Message{Kind: 1})
			}
		})
		var log bytes.Buffer
		c.Log, c.Name = plainLog(&log), name
		inbox := make(chan election.Packet)
		c.Transport = deaf{wire{wires{1: inbox}, 1}}
		p, ended := running(t, c)
		for _, do := range []func() error{
			p.Start,
			func() error { return p.Trust(2) },
			func() error { return p.Suspect(2) },
			func() error { return p.Command(election.Message{}) },
			func() error { inbox <- election.Packet{From: 3, To: 1, Port: 4}; return nil },
			func() error { inbox <- election.Packet{From: 2, To: 1, Incarnation: 5, Seq: 6}; return nil },
			func() error { inbox <- election.Packet{From: 2, To: 1, Incarnation: 5, Seq: 6}; return nil },
		} {
			require.NoError(t, do())
			synctest.Wait()
		}
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, named.Replace(strings.Join([]string{
			`level=WARN msg="start refused" member=1 err="election: this process may not start the election"`,
			`level=INFO msg=decided member=1 term=7 leader=2 role=follower`,
			`level=INFO msg=undecided member=1 term=8`,
			`level=WARN msg="message not sent" member=1 peer=2 err="no route"`,
			`level=WARN msg="packet dropped: it is for another process, or no link leads to its sender; ` +
				`are Self and Peers right at both ends?" member=1 peer=3 to=1 port=4`,
			`level=DEBUG msg="packet dropped: it has arrived before" member=1 peer=2 seq=6`,
			`level=DEBUG msg="process ends" member=1 err=<nil>`,
		}, "\n")), strings.TrimSpace(log.String()))
		require.Equal(t, process.Stats{Sent: 1, Unsent: 1, Received: 1, Dropped: 1, Copies: 1,
			ByKind: p.Stats().ByKind}, p.Stats())
	})
}

// deaf is a wire that sends nothing.
type deaf struct{ wire }

func (deaf) Send(context.Context, election.Packet) error { return errors.New("no route") }

// TestLogOfOverload: see TestLogLines.
func TestLogOfOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan bool)
		c, peer := pair(t, func(_ *election.Env, ev *election.Event) {
			if ev.Op == election.Command {
				<-busy
			}
		})
		var log bytes.Buffer
		c.Log, c.Backlog = plainLog(&log), 1
		c.Algorithm.Faults.Crash = election.StaysDown
		p, ended := running(t, c)
		require.NoError(t, p.Command(election.Message{}))
		synctest.Wait()
		for range 2 {
			require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1}))
		}
		busy <- true
		p.Close()
		require.NoError(t, <-ended)
		require.Equal(t, []string{
			`level=WARN msg="no heartbeats: this algorithm learns of a crash by Suspect only" member=1 ` +
				`algorithm=scripted`,
			`level=WARN msg="packet dropped: as many as Backlog of its link wait" member=1 peer=2 backlog=1`,
			`level=DEBUG msg="process ends" member=1 err=<nil>`,
		}, strings.Split(strings.TrimSpace(log.String()), "\n"))
	})
}
