package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/suspend"
)

// The first arguments of this test binary as a program that reads the clock.
const (
	asReader  = "clock-reader"
	asSleeper = "clock-sleeper"
)

// bootAhead returns the beginning of a command that runs in a time namespace on a machine that was suspended
// for so long before. The monotonic clock is the machine's.
func bootAhead(slept time.Duration) []string {
	return []string{"unshare", "--time", "--boottime", strconv.Itoa(int(slept / time.Second))}
}

// needTimeSpaces skips a test if this user, or this kernel, has no time namespaces.
func needTimeSpaces(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/ns/time"); err != nil {
		t.Skip("the kernel has no time namespaces:", err)
	}
	if !has("unshare") {
		t.Skip("unshare is not installed")
	}
	args := append(bootAhead(time.Hour), "true")
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil && strings.Contains(string(out), syscall.EPERM.Error()) {
		t.Skip(string(out))
	}
	require.NoError(t, err, string(out))
}

// TestClockStopped: the clock of a program that is stopped while it reads it does not go back on a machine
// that has been suspended before.
func TestClockStopped(t *testing.T) {
	needTimeSpaces(t)
	args := append(bootAhead(time.Hour), os.Args[0], asReader)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.SysProcAttr = dieWithParent()
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stdout)
	require.True(t, lines.Scan(), "the program reads the clock")
	for i := range 40 {
		require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
		time.Sleep(time.Duration(5+i) * time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
		time.Sleep(time.Duration(1+i%3) * time.Millisecond)
	}
	require.NoError(t, stdin.Close())
	require.True(t, lines.Scan())
	require.Equal(t, "it went back 0 times, by 0s at most", lines.Text())
	require.NoError(t, cmd.Wait())
}

// runReader reads the clock until its input ends, and prints how often that went back.
func runReader() {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	now := suspend.Clock()
	last := now()
	fmt.Println("it reads")
	for times, most := 0, time.Duration(0); ; {
		select {
		case <-ended:
			fmt.Printf("it went back %d times, by %v at most\n", times, most)
			return
		default:
		}
		at := now()
		if back := last - at; back > 0 {
			times, most = times+1, max(most, back)
		}
		last = at
	}
}

// TestClockSuspended: the time for which the machine is suspended counts. A program that runs cannot be moved
// to another time namespace, so one process executes itself in one after another.
func TestClockSuspended(t *testing.T) {
	needTimeSpaces(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], asSleeper)
	cmd.SysProcAttr = dieWithParent()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	var readings []time.Duration
	for line := range strings.Lines(string(out)) {
		at, err := time.ParseDuration(strings.TrimSpace(line))
		require.NoError(t, err, string(out))
		readings = append(readings, at)
	}
	require.Len(t, readings, naps+1)
	for i, at := range readings[1:] {
		passed := at - readings[i]
		require.GreaterOrEqual(t, passed, time.Hour)
		require.Less(t, passed, time.Hour+time.Minute)
	}
}

// naps is how often the machine is suspended for an hour.
const naps = 3

// runSleeper prints the time, and again each time that the machine has been suspended for an hour.
func runSleeper() {
	had := len(os.Args) - 2 // an argument for each nap
	fmt.Println(suspend.Now())
	if had == naps {
		return
	}
	args := append(bootAhead(time.Duration(had+1)*time.Hour), os.Args...)
	path, err := exec.LookPath(args[0])
	if err == nil {
		err = syscall.Exec(path, append(args, "again"), os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
