package leadcmd

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// alone are the flags of a group of one.
const alone = "--self a --member a=127.0.0.1:0 --lease 20ms "

// output keeps what a command writes, and calls end when that contains a text.
type output struct {
	mu   sync.Mutex
	b    bytes.Buffer
	text string
	end  func()
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end != nil && strings.Contains(string(b), o.text) {
		o.end()
	}
	return o.b.Write(b)
}

// leads carries out elect lead with these flags in virtual time, which stands still while the program runs.
// The group talks in memory. A text in the output, if there is one, ends the command.
func leads(t *testing.T, line, text string, program ...string) (code int, stdout, stderr string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out, errs := &output{text: text}, &output{text: text}
		if text != "" {
			out.end, errs.end = cancel, cancel
		}
		a := console.New(nil, strings.NewReader(""), out, errs)
		o := &options{}
		cmd := &cobra.Command{}
		o.define(cmd)
		require.NoError(t, cmd.ParseFlags(strings.Fields(line)))
		c, err := o.elector()
		require.NoError(t, err)
		c.Transport, err = memory.New().Endpoint(elector.ID(c.Self))
		require.NoError(t, err)
		err = run(ctx, &work{config: c, console: a, args: program, once: o.once,
			hangups: make(chan os.Signal)})
		for _, line := range exit.Lines(err) {
			a.Complain(line)
		}
		code, stdout, stderr = exit.Status(err), out.b.String(), errs.b.String()
	})
	return code, stdout, stderr
}

// TestLeadOnce: with --once, the exit status is the status of the program.
func TestLeadOnce(t *testing.T) {
	for program, want := range map[string]struct {
		code int
		line string
	}{
		"true":                 {0, ""},
		"sh -c exit~7":         {7, "elect: sh has ended: status 7\n"},
		"sh -c kill~-9~$$":     {137, "elect: sh has ended: killed by signal 9 (killed)\n"},
		"sh -c sleep~1000&~:~": {0, ""},
	} {
		args := strings.Fields(program)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		code, _, stderr := leads(t, "--once "+alone, "", args...)
		require.Equal(t, want.code, code, stderr)
		require.True(t, strings.HasSuffix(stderr, want.line), stderr)
	}
	_, stdout, stderr := leads(t, "--once "+alone, "", "sh", "-c", "echo out; echo err >&2")
	require.Equal(t, "out\n", stdout)
	require.Contains(t, stderr, "err\n")
}

// TestEnvironment: the program knows the group, the member and the Term, and its token.
func TestEnvironment(t *testing.T) {
	_, stdout, _ := leads(t, "--once "+alone, "", "sh", "-c",
		"echo $ELECTION_GROUP $ELECTION_SELF $ELECTION_TERM $ELECTION_TOKEN")
	words := strings.Fields(stdout)
	require.Len(t, words, 4)
	require.Equal(t, []string{"lead", "a"}, words[:2])
	require.Equal(t, words[2], words[3])
}

// TestLeadAlone: if the program of the only member ends, the log contains a single line about it.
func TestLeadAlone(t *testing.T) {
	code, _, log := leads(t, alone, "the program has ended", "true")
	require.Zero(t, code, log)
	require.Contains(t, log, "no peers: this process decides alone, and no other takes over;")
	require.Contains(t, log, "the program has ended: this member gives up the lead")
	require.NotContains(t, log, "another member")
}

// TestRuns: a program that ends immediately runs again after a pause. Each pause is twice as long as the
// last, up to 32 leases.
func TestRuns(t *testing.T) {
	code, _, log := leads(t, alone, `"no candidate for"=640ms`, "true")
	require.Zero(t, code, log)
	var pauses []string
	for line := range strings.Lines(log) {
		if _, pause, ok := strings.Cut(line, `"no candidate for"=`); ok {
			pauses = append(pauses, strings.TrimSpace(pause))
		}
	}
	require.Equal(t, []string{"20ms", "40ms", "80ms", "160ms", "320ms", "640ms"}, pauses)
	require.Equal(t, 6, strings.Count(log, "this member leads: the program runs"))
}

// TestAsked: a command that is to end asks the program to end, which is no failure.
func TestAsked(t *testing.T) {
	code, stdout, log := leads(t, alone, "ready", "sh", "-c",
		"trap 'echo asked; exit 5' TERM; echo ready; sleep 1000 & wait")
	require.Zero(t, code, log)
	require.Equal(t, []string{"ready", "asked"}, slices.Collect(strings.FieldsSeq(stdout)))
	require.Contains(t, log, `msg="the program has ended, as it was asked to"`)
	require.Contains(t, log, `end="status 5"`)
}
