package leadcmd

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// alone are the flags of a group of one.
const alone = "--self a --member a=127.0.0.1:0 --times 20ms "

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

// given returns the settings of a command line.
func given(t *testing.T, line string) *settings {
	s, cmd := &settings{}, &cobra.Command{}
	s.define(cmd)
	require.NoError(t, cmd.ParseFlags(strings.Fields(line)))
	return s
}

// hangUp is a text upon which the command gets SIGHUP instead of an end.
const hangUp = "hang up"

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
		w, err := given(t, line).work(a, program)
		require.NoError(t, err)
		w.config.Transport, err = memory.New().Endpoint(elector.ID(w.config.Self))
		require.NoError(t, err)
		hangups := make(chan os.Signal, 1)
		w.hangups = hangups
		if text == hangUp {
			out.end = func() {
				select {
				case hangups <- syscall.SIGHUP:
				default:
				}
			}
		}
		err = run(ctx, w)
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
		"trap 'echo asked; exit 5' TERM; sleep 1000 & echo ready; wait")
	require.Zero(t, code, log)
	require.Equal(t, []string{"ready", "asked"}, slices.Collect(strings.FieldsSeq(stdout)))
	require.Contains(t, log, `msg="the program has ended, as it was asked to"`)
	require.Contains(t, log, `end="status 5"`)
}

// TestHangUp: upon SIGHUP the settings are read again, and the program gets the signal.
func TestHangUp(t *testing.T) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGHUP) // under nohup, programs would ignore it
	defer signal.Stop(received)
	path := file(t, `{"self": "a", "members": "a=127.0.0.1:0", "times": "20ms"}`)
	for flags, want := range map[string]string{
		"--once --config " + path: `level=INFO msg="the settings are read again" group=lead member=a members=a`,
		"--once " + alone:         "",
	} {
		code, stdout, log := leads(t, flags, hangUp, "sh", "-c",
			"trap 'echo heard; exit 3' HUP; sleep 1000 & echo "+hangUp+"; wait")
		require.Equal(t, 3, code, log)
		require.Equal(t, hangUp+"\nheard\n", stdout)
		require.Contains(t, log, want)
		require.Equal(t, want != "", strings.Contains(log, "settings"))
	}
	code, _, log := leads(t, "--once --config "+path+" --member a=127.0.0.1:0", hangUp, "sh", "-c",
		"trap 'exit 3' HUP; echo '{}{' >"+path+"; sleep 1000 & echo "+hangUp+"; wait")
	require.Equal(t, 3, code, log)
	require.Contains(t, log, `level=ERROR msg="the settings stay as they were" group=lead member=a err="`+path+
		`: there is more behind the JSON object"`)
}

// TestStore: a program runs while a lease in a store lasts, which is released when it ends.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := console.New(nil, strings.NewReader(""), &out, &errs)
			w, err := given(t, "--self a --times 50ms --once --store file://"+dir).work(a, []string{"printenv", "ELECTION_TOKEN"})
			require.NoError(t, err)
			w.hangups = make(chan os.Signal)
			require.NoError(t, run(t.Context(), w), errs.String())
			require.NotEmpty(t, out.String())
		})
	}
	for line, want := range map[string]string{
		"--self a --store x": `--store: "x" is not the URL of a store`,
		"--self a --store file:///x --member a=127.0.0.1:0": `--member: "a=127.0.0.1:0" has no effect with --store: unset one of the two`,
		"--self a --store file:///x --listen :1":            `--listen: ":1" has no effect with --store`,
		"--self a":                                          "--member: it is not set",
		"--store file:///x":                                 "--self: it is not set",
	} {
		_, err := given(t, line).work(nil, nil)
		require.Contains(t, input.Reason(err), want, line)
	}
}
