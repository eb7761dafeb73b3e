package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestCluster: the README's first command, with a shorter lease.
func TestCluster(t *testing.T) {
	r := execute(t, "A=", "", "cluster -n 3 --lease 250ms --json")
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

// TestClusterScript: the steps, in order, and the leases below; a step that fails ends the command.
func TestClusterScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.txt")
	require.NoError(t, os.WriteFile(file, []byte("wait leader # of one\nexpect leader a\nexpect leader b\n"),
		0o600))
	r := elect(t, "", "cluster", "-n", "1", "--lease", "300ms", "--script", file)
	r.requireLine(t, exit.StatusFailed, "line 3: expect leader b: a leads")
	require.Regexp(t,
		`^ +0\.\d{3} s  a leads in Term \d+\n\nleader  Term .*\na +\d+ +0\.\d{3} s  0\.\d{3} s  -\n`+
			`\n1 lease in 0\.\d{3} s: 0 packets, 0 bytes; no two leases were valid at once\n$`, r.stdout)
}

func TestBadCluster(t *testing.T) {
	refused{
		"cluster a":                       `unexpected argument "a"`,
		"cluster -n 0":                    `-n: 0 members, at least one is needed`,
		"cluster -n 10":                   `-n: 10 members, at most 9 can be`,
		"cluster --lease 3":               `--lease: "3" is not a time, as in 20ms or 1.5s`,
		"cluster --lease 1us":             `Times.Lease: 1µs is less than 1ms`,
		"cluster --lease 1000h":           `Lease: 1000h0m0s is not between 2 ns and 625h29m59.813685247s`,
		"cluster --for -1s":               `--for: -1s is not above 0`,
		"cluster --for 1s --script x.txt": `--script and --for exclude each other`,
		"cluster --script no/such":        `--script no/such: open no/such: no such file or directory`,
		"cluster --script -":              `--script -: it has no steps`,
	}.test(t)
	elect(t, "jump", "cluster", "--script", "-").requireLine(t, exit.StatusUsage,
		`--script -: line 1: "jump" is `+
			`not one of kill, term, stop, cont, cut, heal, restart, transfer, resign, sleep, wait, expect`)
	elect(t, "", "cluster", "-n", "1", "--for", "1ms").requireLine(t, exit.StatusFailed,
		"cluster: no member led")
}
