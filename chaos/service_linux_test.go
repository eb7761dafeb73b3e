package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestService: of three programs one leads. When it is asked to end, another leads with a larger token.
func TestService(t *testing.T) {
	names := []string{"a", "b", "c"}
	var list []string
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		list = append(list, name+"="+l.Addr().String())
		require.NoError(t, l.Close())
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	members := make(map[string]*exec.Cmd)
	for _, name := range names {
		cmd := exec.CommandContext(t.Context(), binary(t, "service"), append([]string{name}, list...)...)
		cmd.Stdout, cmd.Stderr = write, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
		require.NoError(t, cmd.Start())
		members[name] = cmd
	}
	require.NoError(t, write.Close())
	lines := bufio.NewScanner(read)
	last := 0
	next := func() (name string) {
		var token int
		require.True(t, lines.Scan())
		_, err := fmt.Sscanf(lines.Text(), "%s leads; its writes carry token %d", &name, &token)
		require.NoError(t, err, lines.Text())
		require.Greater(t, token, last)
		last = token
		return name
	}
	end := func(name string) {
		require.NoError(t, members[name].Process.Signal(syscall.SIGTERM))
		require.NoError(t, members[name].Wait())
		delete(members, name)
	}
	first := next()
	end(first)
	second := next()
	require.NotEqual(t, first, second)
	for name := range members {
		end(name)
	}
	require.NoError(t, read.Close())
}
