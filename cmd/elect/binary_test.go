package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// execute runs the command as a process of its own.
func execute(t *testing.T, env, stdin, line string) ran {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), strings.Fields(line)...)
	cmd.Env = append(os.Environ(), env)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	return ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		line, stdin string
		code        int
	}{
		{"list", "", 0},
		{"sim lcr -n 1000 --order random --seed 7", "", 0},
		{"run hs -n 200 --json", "", 0},
		{"sim --scenario - --json", right, 0},
		{"sim --scenario -", strings.Replace(right, "22", "21", 1), exit.StatusFailed},
		{"sim lcr -n 3 --initiators none", "", exit.StatusFailed},
		{"sim lcr -n 0", "", exit.StatusUsage},
		{"smi", "", exit.StatusUsage},
		{"sim lcr -n 1e12", "", exit.StatusUsage},
	} {
		r := execute(t, "A=", c.stdin, c.line)
		require.Equal(t, c.code, r.code, c.line)
		lines := 0
		if c.code != 0 {
			lines = 1
			require.True(t, strings.HasPrefix(r.stderr, "elect: "), r.stderr)
		}
		require.Equal(t, lines, strings.Count(r.stderr, "\n"), r.stderr)
		require.NotContains(t, r.stdout+r.stderr, "\x1b", "colour without a terminal")
	}
}

func TestOneSeedOneRun(t *testing.T) {
	for _, line := range []string{
		"sim lcr -n 1000 --order random --seed 7 --json",
		"sim hs -n 300 --order random --schedule random --seed 8 --json",
		"sim lcr/wave -n 40 --schedule random --fifo=false --seed 9 --json",
	} {
		one, two := execute(t, "GOMAXPROCS=1", "", line), execute(t, "GOMAXPROCS=2", "", line)
		require.Zero(t, one.code, one.stderr)
		require.Equal(t, hashOf(t, one.stdout), hashOf(t, two.stdout))
		require.Equal(t, measured.ReplaceAllString(one.stdout, ""), measured.ReplaceAllString(two.stdout, ""))
	}
}

// interrupt presses Ctrl-C when ready reports that the command is running.
func interrupt(t *testing.T, ready func(stdin io.Writer, stdout *bufio.Reader)) {
	cmd := exec.CommandContext(t.Context(), binary(t), "sim", "--json", "--scenario", "-")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	ready(stdin, bufio.NewReader(stdout))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, exit.StatusInterrupted, cmd.ProcessState.ExitCode())
	require.Equal(t, "elect: interrupted\n", stderr.String())
}

func TestInterruptARun(t *testing.T) {
	ids := make([]string, 100_000) // far too many messages to wait for
	for i := range ids {
		ids[i] = strconv.Itoa(i + 1)
	}
	file := "[" + right + `,{"algorithm": "lcr", "variant": "max", "ids": [` + strings.Join(ids, ",") + "]}]"
	interrupt(t, func(stdin io.Writer, stdout *bufio.Reader) {
		_, err := io.WriteString(stdin, file)
		require.NoError(t, err)
		require.NoError(t, stdin.(io.Closer).Close())
		first, err := stdout.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, first, `"leader":8`)
	})
}

func TestInterruptWhileWaitingForInput(t *testing.T) {
	interrupt(t, func(stdin io.Writer, _ *bufio.Reader) {
		_, err := stdin.Write(bytes.Repeat([]byte(" "), 1<<20)) // no pipe holds so much: it is being read
		require.NoError(t, err)
	})
}

func TestBrokenPipe(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	cmd := exec.CommandContext(t.Context(), binary(t), "list")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.Error(t, cmd.Run())
	require.NoError(t, writer.Close())
	require.LessOrEqual(t, strings.Count(stderr.String(), "\n"), 1, stderr.String())
}
