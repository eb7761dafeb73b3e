package cluster

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignals: a process is paused, resumed, and asked to end or killed. Its end is described in words.
func TestSignals(t *testing.T) {
	c := Config{Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RUN_AS=mute")
		return cmd
	}}
	for do, want := range map[string]string{doTerm: "signal: terminated", doKill: "signal: killed"} {
		p, _, stdout, err := c.execute()
		require.NoError(t, err)
		var status syscall.WaitStatus
		changed := func(option int) {
			pid, err := syscall.Wait4(p.pid(), &status, option, nil)
			require.NoError(t, err)
			require.Equal(t, p.pid(), pid)
		}
		require.NoError(t, p.do(doStop))
		changed(syscall.WUNTRACED)
		require.True(t, status.Stopped())
		require.Equal(t, syscall.SIGSTOP, status.StopSignal())
		require.NoError(t, p.do(doContinue))
		changed(syscall.WCONTINUED)
		require.True(t, status.Continued())
		require.NoError(t, p.do(do))
		_, err = io.Copy(io.Discard, stdout)
		require.NoError(t, err)
		require.Equal(t, want, p.wait())
	}
}
