package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// These tests run the command as processes, in which real leases expire. Its own module has the other tests.

// folder holds the binaries, once there is one.
var folder string

// binaries builds the command and two examples of services, once for all tests.
var binaries = sync.OnceValues(func() (string, error) {
	var err error
	if folder, err = os.MkdirTemp("", "chaos"); err != nil {
		return "", err
	}
	for _, source := range []string{"../cmd/elect", "../examples/service", "../examples/kubernetes"} {
		cmd := exec.Command("go", "build", "-o", folder+string(filepath.Separator), ".")
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", errors.New(string(out))
		}
	}
	return folder, nil
})

// binary returns the path of a program.
func binary(t *testing.T, name string) string {
	t.Helper()
	dir, err := binaries()
	require.NoError(t, err)
	return filepath.Join(dir, name)
}

// ran is what a command line came to.
type ran struct {
	code           int
	stdout, stderr string
}

// elect carries out a command line.
func elect(t *testing.T, args ...string) ran {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t, "elect"), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	return ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// TestCommandCluster: the README's first command, with a shorter lease.
func TestCommandCluster(t *testing.T) {
	r := elect(t, strings.Fields("cluster -n 3 --lease 250ms --json")...)
	require.Zero(t, r.code, r.stderr)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	var summary struct {
		Verdict string
		Leases  []struct{ After string }
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &summary))
	require.Equal(t, "one leader at a time", summary.Verdict)
	var causes []string
	for _, l := range summary.Leases {
		causes = append(causes, l.After)
	}
	require.Subset(t, causes, []string{"kill", "term"})
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), line)
	}
}

// TestCommandScript: the steps, in order, and the leases below; a step that fails ends the command.
func TestCommandScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.txt")
	require.NoError(t, os.WriteFile(file, []byte("wait leader # of one\nexpect leader a\nexpect leader b\n"),
		0o600))
	r := elect(t, "cluster", "-n", "1", "--lease", "300ms", "--script", file)
	require.Equal(t, 1, r.code)
	require.Equal(t, "elect: line 3: expect leader b: a leads\n", r.stderr)
	require.Regexp(t,
		`^ +0\.\d{3} s  a leads in Term …?\d+\n\nleader  Term .*\na +…?\d+ +0\.\d{3} s  0\.\d{3} s  -\n`+
			`\n1 lease in 0\.\d{3} s: 0 packets, 0 bytes; no two leases were valid at once\n$`, r.stdout)
}

// TestCommandSpan: a cluster that ends before a member leads has failed.
func TestCommandSpan(t *testing.T) {
	r := elect(t, strings.Fields("cluster -n 1 --for 1ms")...)
	require.Equal(t, 1, r.code)
	require.Equal(t, "elect: cluster: no member led\n", r.stderr)
}

// TestCommandLeadOnce: with --once, the exit status is the exit status of the program.
func TestCommandLeadOnce(t *testing.T) {
	const alone = "lead --once --self a --member a=127.0.0.1:0 --times 20ms --"
	for program, want := range map[string]ran{
		"true":                 {},
		"sh -c exit~7":         {code: 7, stderr: "elect: sh has ended: status 7\n"},
		"sh -c kill~-9~$$":     {code: 137, stderr: "elect: sh has ended: killed by signal 9 (killed)\n"},
		"sh -c sleep~1000&~:~": {},
	} {
		args := strings.Fields(alone + " " + program)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		r := elect(t, args...)
		require.Equal(t, want.code, r.code, r.stderr)
		require.True(t, strings.HasSuffix(r.stderr, want.stderr), r.stderr)
	}
	r := elect(t, append(strings.Fields(alone), "sh", "-c", "echo out; echo err >&2")...)
	require.Equal(t, "out\n", r.stdout)
	require.Contains(t, r.stderr, "err\n")
}

// TestCommandGroupOfCertificate: elect cert and elect lead have the same default group.
func TestCommandGroupOfCertificate(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, elect(t, "cert", "ca", "--dir", dir).code)
	require.Zero(t, elect(t, "cert", "member", "--dir", dir, "b").code)
	r := elect(t, strings.Fields(strings.ReplaceAll(
		"lead --once --self b --member b=127.0.0.1:0 --times 20ms --tls-cert DIR/b.pem "+
			"--tls-key DIR/b.key.pem --tls-ca DIR/ca.pem -- true", "DIR", dir))...)
	require.Zero(t, r.code, r.stderr)
}
