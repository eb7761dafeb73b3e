package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/terminaltest"
	"github.com/go-election/election/page/bridge"
)

// onTerminal returns what a terminal shows of a command line.
func onTerminal(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	near, far := terminaltest.Open(t)
	var stderr strings.Builder
	runWith(t.Context(), catalog.All(), args, strings.NewReader(stdin), far, &stderr)
	// What a terminal was given may come in parts. At its end there is an error of its own.
	require.NoError(t, far.Close())
	shown, err := io.ReadAll(near)
	require.ErrorIs(t, err, syscall.EIO)
	require.NotEmpty(t, shown, "%q: %s", args, &stderr)
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

// shellWords returns the arguments of each elect in a pipe, as a shell reads them.
func shellWords(t *testing.T, pipe string) (commands [][]string) {
	t.Helper()
	for _, part := range regexp.MustCompile(`\|\s+elect `).Split("| "+strings.TrimSpace(pipe), -1)[1:] {
		out, err := exec.Command("sh", "-c", `elect() { printf '%s\0' "$@"; }; elect `+part).Output()
		require.NoError(t, err, "%s", part)
		commands = append(commands, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	}
	return commands
}

// opened returns the file that the page opens with a proposed command line.
func opened(t *testing.T, proposed string) (file string) {
	t.Helper()
	commands := shellWords(t, proposed)
	last := commands[len(commands)-1]
	require.Equal(t, []string{"page", "--open"}, last[:2])
	stdin := ""
	for _, command := range commands[:len(commands)-1] {
		stdin = elect(t, "", command...).stdout
		require.NotEmpty(t, stdin, "%q", command)
	}
	r := served(t, stdin, func(address string) {
		file = fetch(t, strings.Replace(address, "?open=", "", 1))
	}, last[2:]...) // --open would start a browser
	require.Zero(t, r.code, r.stderr)
	return file
}

// requireReadable requires that the page reads a file: a trace, with what the algorithm does, or scenarios,
// with which the reader can interfere.
func requireReadable(t *testing.T, file, kind string) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"text": file})
	require.NoError(t, err)
	reply, err := new(bridge.Bridge).Call(t.Context(), "read", args, nil)
	require.NoError(t, err)
	var got struct {
		Kind   string
		Replay any
	}
	require.NoError(t, json.Unmarshal(reply.JSON, &got))
	require.Equal(t, kind, got.Kind)
	require.Nil(t, got.Replay)
}

// TestProposePage: on a terminal, elect sim proposes a command that opens the same run on the page.
func TestProposePage(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("COLUMNS", "80")
	t.Setenv("NO_COLOR", "1")
	dir := t.TempDir()
	file, several := filepath.Join(dir, "a b.json"), filepath.Join(dir, "it's.json")
	require.NoError(t, os.WriteFile(file, []byte(right), 0o600))
	require.NoError(t, os.WriteFile(several, []byte("["+right+","+right+"]"), 0o600))
	for line, last := range map[string]string{
		"sim|--scenario|FILE":          "elect page --open --scenario ",
		"sim|--scenario|SEVERAL":       "elect page --open --scenario ",
		"sim|--scenario|FILE|--seed|5": "elect page --open --trace -",
		"sim|lcr|-n|3":                 "elect page --open --trace -",
		"sim|lcr|-n|3|--color|never":   "elect page --open --trace -",
		"sim|lcr|-n|3|--trace|TRACE":   "elect page --open --trace ",
		"run|lcr|-n|3|--trace|TRACE":   "elect page --open --trace ",
		"sim|lcr|-n|20|--order|random|--seed|7|--schedule|random|--delay|1,3|--fifo=false|--force": "elect " +
			"page --open --trace -",
		"sim|bully|-n|5|--crash-at|5@0.5|--suspect-after|2|--initiators|3,1": "elect page --open --trace -",
		"sim|hs|-n|9|--loss|0.2|--partition|1,2~3@1-4|--partition|1>2@5-6":   "elect page --open --trace -",
		"sim|mutex|--param|election=lcr|--param|critical_section=2|-n|5":     "elect page --open --trace -",
		"sim|echo|--topology|grid:2x3|--initiators|2":                        "elect page --open --trace -",
	} {
		args := strings.Split(strings.NewReplacer("FILE", file, "SEVERAL", several,
			"TRACE", filepath.Join(dir, "$a.ndjson")).Replace(line), "|")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", "|")
		}
		shown := onTerminal(t, "", args...)
		result, proposed, ok := strings.Cut(shown, "\n\nTo see it step by step:\n")
		if several == args[len(args)-1] {
			result, proposed, ok = strings.Cut(shown, "\n\nTo see the first step by step:\n")
		}
		require.True(t, ok, "%s: %s", line, shown)
		require.Contains(t, proposed, last, line)
		file := opened(t, proposed)
		requireReadable(t, file, map[string]string{"sim": "scenarios", "run": "trace"}[args[0]])
		switch {
		case strings.HasSuffix(last, " -"):
			require.Equal(t, elect(t, "", append(args, "--trace", "-")...).stdout, file, line)
		case strings.Contains(last, "--trace"):
			text, err := os.ReadFile(args[len(args)-1])
			require.NoError(t, err)
			require.Equal(t, string(text), file)
		default:
			require.Contains(t, file, right)
		}
		if args[0] == "sim" { // without a terminal, the rest of the output is the same
			require.Equal(t, result+"\n", elect(t, "", args...).stdout)
		}
	}
}

// TestNoPage: no command is proposed if programs read the result or if no command can open the run.
func TestNoPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(file, []byte("["+right+","+right+"]"), 0o600))
	for _, line := range []string{
		"sim lcr -n 3 --json", "sim lcr -n 3 --trace -", "sim --scenario - --log -", "sim --scenario -",
		"sim --scenario FILE --json", "sim --scenario FILE --seed 5", "run lcr -n 3",
		"sim lcr -n 1025 --order best", "sim lcr -n 500 --order worst", "sim lcr -n 3 --trace /dev/full",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "FILE", file))
		require.NotContains(t, onTerminal(t, right, args...), "step by step", line)
	}
}
