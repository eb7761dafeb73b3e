package clustercmd

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Lines of a member that leads in Term 7 without end.
const (
	status = `{"kind":"status","leader":"a","term":7,"packets":3,"bytes":90}`
	leads  = `{"kind":"lease","term":7,"from":1,"until":9000000000000000000}`
)

// played carries out elect cluster with one member, a program that writes these lines.
func played(t *testing.T, line, script string, reports ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := console.New(nil, strings.NewReader(script), &out, &errs)
	o := &options{}
	cmd := &cobra.Command{}
	o.define(cmd)
	require.NoError(t, cmd.ParseFlags(strings.Fields("-n 1 --script - "+line)))
	o.config.Command = func() *exec.Cmd {
		return exec.Command("sh", "-c", `printf '%s\n' "$@"; exec cat`, "member", strings.Join(reports, "\n"))
	}
	err := run(t.Context(), a, o)
	for _, line := range exit.Lines(err) {
		a.Complain(line)
	}
	return exit.Status(err), out.String(), errs.String()
}

// TestReport: each event is a line, and a table of the leases stands below, or an object with the verdict.
func TestReport(t *testing.T) {
	code, stdout, stderr := played(t, "", "wait leader a\nkill a\nexpect leader a", leads, status)
	require.Equal(t, exit.StatusFailed, code)
	require.Equal(t, "elect: line 3: expect leader a: no member leads that can be reached\n", stderr)
	require.Regexp(t, `^ +\d+\.\d{3} s  a leads in Term 7\n +\d+\.\d{3} s  kill a\n\nleader  Term .*\n`+
		`a +7 .*\n\n1 lease in \d+\.\d{3} s: 3 packets, 90 bytes; no two leases were valid at once\n$`, stdout)

	code, stdout, stderr = played(t, "--json", "wait leader\nexpect one leader", leads, status)
	require.Zero(t, code, stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 2)
	var event struct{ Event, Member string }
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &event))
	require.Equal(t, "leads a", event.Event+" "+event.Member)
	var summary struct {
		Verdict string
		Leases  []struct{ Member string }
		Packets int
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &summary))
	require.Equal(t, "one leader at a time", summary.Verdict)
	require.Len(t, summary.Leases, 1)
	require.Equal(t, 3, summary.Packets)
}

// TestNoLease: a script without any leader fails, even if all steps succeed.
func TestNoLease(t *testing.T) {
	const none = "cluster: no member led"
	code, _, stderr := played(t, "", "expect no leader", status)
	require.Equal(t, exit.StatusFailed, code)
	require.Equal(t, "elect: "+none+"\n", stderr)
	_, stdout, _ := played(t, "--json", "expect no leader", status)
	require.Contains(t, stdout, `"verdict":"`+none+`"`)
}
