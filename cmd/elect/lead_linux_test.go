package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLead: the program runs on one member, with a certificate each. When its member is asked to end,
// when the program ends by itself and when its member is killed, it ends there, and runs on the next
// with a larger token.
func TestLead(t *testing.T) {
	certificates := t.TempDir()
	for _, line := range []string{"cert ca --dir ", "cert member --group g a b c --dir "} {
		r := elect(t, "", strings.Fields(line+certificates)...)
		require.Zero(t, r.code, r.stderr)
	}
	list := ""
	for _, name := range []string{"a", "b", "c"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		list += fmt.Sprintf(" --member %s=%s", name, l.Addr())
		require.NoError(t, l.Close())
	}
	read, write, err := os.Pipe() // which all members and their programs hold open for as long as they live
	require.NoError(t, err)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer log.Close()
	members := make(map[string]*exec.Cmd)
	for _, name := range []string{"a", "b", "c"} {
		tls := strings.NewReplacer("DIR", certificates, "NAME", name).
			Replace(" --tls-cert DIR/NAME.pem --tls-key DIR/NAME.key.pem --tls-ca DIR/ca.pem")
		args := strings.Fields("lead --group g --lease 500ms --self " + name + list + tls + " --")
		args = append(args, "sh", "-c",
			`echo $ELECTION_SELF $ELECTION_TOKEN $ELECTION_GROUP $$; exec sleep 1000`)
		cmd := exec.CommandContext(t.Context(), binary(t), args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
		cmd.Stdout, cmd.Stderr = write, log
		require.NoError(t, cmd.Start())
		members[name] = cmd
	}
	require.NoError(t, write.Close())
	lines := bufio.NewScanner(read)
	last := 0
	next := func() (name string, program int) {
		var token int
		require.True(t, lines.Scan())
		_, err := fmt.Sscanf(lines.Text(), "%s %d g %d", &name, &token, &program)
		require.NoError(t, err, lines.Text())
		require.Greater(t, token, last)
		last = token
		return name, program
	}

	_, program := next()
	require.NoError(t, syscall.Kill(program, syscall.SIGKILL))
	second, _ := next()
	require.NoError(t, members[second].Process.Signal(syscall.SIGTERM))
	require.NoError(t, members[second].Wait(), "a hand-over is no failure")
	third, _ := next()
	require.NotEqual(t, second, third)
	for name, cmd := range members {
		if name != second {
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
		}
	}
	require.False(t, lines.Scan(), "no program outlives its member")
	require.NoError(t, read.Close())
}
