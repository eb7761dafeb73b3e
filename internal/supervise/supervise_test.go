//go:build unix

package supervise_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/internal/supervise"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// long is how long a lease lasts that does not end during a test.
func long() time.Duration { return time.Hour }

// shell runs a script, and returns its lines and its end. All processes that it has started have ended then.
func shell(t *testing.T, ctx context.Context, script string, change func(*supervise.Program),
	left func() time.Duration, onLine func(line string)) ([]string, supervise.End) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	p := supervise.Program{Args: []string{"sh", "-c", script}, Stdout: write, Drain: time.Hour}
	if change != nil {
		change(&p)
	}
	ended := make(chan supervise.End, 1)
	go func() {
		end := p.Run(ctx, left)
		_ = write.Close()
		ended <- end
	}()
	var lines []string
	for s := bufio.NewScanner(read); s.Scan(); {
		lines = append(lines, s.Text())
		if onLine != nil {
			onLine(s.Text())
		}
	}
	require.NoError(t, read.Close())
	return lines, <-ended
}

// TestOwnEnd: a program that ends by itself takes all with it that it has started.
func TestOwnEnd(t *testing.T) {
	for script, want := range map[string]supervise.End{
		"exit 0":                 {},
		"exit 3":                 {Code: 3},
		"kill -9 $$":             {Code: 137},
		"sleep 1000 & exit 4":    {Code: 4},
		"(sleep 1000 &) ; true":  {},
		"trap '' TERM; exit 130": {Code: 130},
	} {
		_, end := shell(t, t.Context(), script, nil, long, nil)
		require.Equal(t, want, end, script)
	}
	lines, _ := shell(t, t.Context(), "echo $ELECTION_TOKEN $0 $HOME", func(p *supervise.Program) {
		p.Env = []string{"ELECTION_TOKEN=7", "HOME=here"}
	}, long, nil)
	require.Equal(t, []string{"7 sh here"}, lines)
	p := supervise.Program{Args: []string{"/dev/null"}}
	require.ErrorIs(t, p.Run(t.Context(), long).Err, syscall.EACCES)
}

// TestAsked: a program is asked to end when the context ends, also one that is paused.
func TestAsked(t *testing.T) {
	for name, script := range map[string]string{
		"ends":   "trap 'echo asked; exit 5' TERM; sleep 1000 & echo runs; wait",
		"paused": "trap 'echo asked; exit 5' TERM; sleep 1000 & echo runs; kill -STOP $$; wait",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		lines, end := shell(t, ctx, script, nil, long, func(line string) {
			if line == "runs" {
				cancel()
			}
		})
		require.Equal(t, []string{"runs", "asked"}, lines, name)
		require.Equal(t, supervise.End{Code: 5, Asked: true}, end, name)
	}
}

// TestKilled: a program that does not heed SIGTERM is killed before the lease ends, or when it was to
// have ended.
func TestKilled(t *testing.T) {
	const margin = 20 * time.Millisecond
	const stubborn = "trap '' TERM; sleep 1000 & echo runs; wait"
	for name, c := range map[string]struct {
		drain time.Duration
		left  time.Duration // after the first look
	}{
		"lease": {time.Hour, margin},
		"drain": {1, time.Hour},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var looks, killed atomic.Int64
		left := func() time.Duration {
			if looks.Add(1) == 1 {
				return margin + 1 // which is renewed once, or not
			}
			return c.left
		}
		_, end := shell(t, ctx, stubborn, func(p *supervise.Program) {
			p.Drain, p.Margin = c.drain, margin
			p.Killed = func() { killed.Add(1) }
		}, left, func(string) { cancel() })
		require.Equal(t, supervise.End{Code: 137, Asked: true}, end, name)
		require.EqualValues(t, 1, killed.Load(), name)
	}
}

// TestSignals: signals are passed on to the program and to what it has started.
func TestSignals(t *testing.T) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGHUP) // under nohup, programs would ignore it
	defer signal.Stop(received)
	signals := make(chan os.Signal, 1)
	const script = `trap 'echo parent; wait; exit 6' HUP
		sh -c "trap 'echo child; exit' HUP; sleep 1000 & echo runs; wait" & wait`
	lines, end := shell(t, t.Context(), script, func(p *supervise.Program) { p.Signals = signals }, long,
		func(line string) {
			if line == "runs" {
				signals <- syscall.SIGHUP
			}
		})
	require.ElementsMatch(t, []string{"runs", "parent", "child"}, lines)
	require.Equal(t, 6, end.Code)
}

// TestWriters: output that is no file is complete when Run returns.
func TestWriters(t *testing.T) {
	var b strings.Builder
	p := supervise.Program{Args: []string{"sh", "-c", "sleep 1000 & echo one; echo two"}, Stdout: &b,
		Stderr: io.Discard}
	require.Zero(t, p.Run(t.Context(), long).Code)
	require.Equal(t, "one\ntwo\n", b.String())
}

func TestEnd(t *testing.T) {
	require.Equal(t, "status 3", supervise.End{Code: 3}.String())
	require.Equal(t, "killed by signal 9 (killed)", supervise.End{Code: 137}.String())
	require.Equal(t, "permission denied", supervise.End{Code: 126, Err: syscall.EACCES}.String())
}
