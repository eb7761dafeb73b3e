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

// commands is three members that run elect lead, and the lines that their programs print.
type commands struct {
	*testing.T
	members map[string]*exec.Cmd
	read    *os.File
	lines   *bufio.Scanner
	token   int // the last
}

// startCommands starts the members, with a certificate each. The script is for a shell.
func startCommands(t *testing.T, script string) *commands {
	t.Helper()
	g := &commands{T: t, members: make(map[string]*exec.Cmd)}
	certificates := t.TempDir()
	for _, line := range []string{"cert ca --dir ", "cert member --group g a b c --dir "} {
		r := elect(t, strings.Fields(line+certificates)...)
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
	for _, name := range []string{"a", "b", "c"} {
		tls := strings.NewReplacer("DIR", certificates, "NAME", name).
			Replace(" --tls-cert DIR/NAME.pem --tls-key DIR/NAME.key.pem --tls-ca DIR/ca.pem")
		// A quarter of the lease is what a busy machine has for killing the program.
		args := strings.Fields("lead --group g --times 1600ms --self " + name + list + tls + " -- sh -c")
		cmd := exec.CommandContext(t.Context(), binary(t, "elect"), append(args, script)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
		cmd.Stdout, cmd.Stderr = write, log
		require.NoError(t, cmd.Start())
		g.members[name] = cmd
	}
	require.NoError(t, write.Close())
	g.read, g.lines = read, bufio.NewScanner(read)
	return g
}

// next waits until the program runs on a member, and returns the number of the process.
func (g *commands) next() (name string, program int) {
	g.Helper()
	var token int
	require.True(g, g.lines.Scan())
	_, err := fmt.Sscanf(g.lines.Text(), "%s %d g %d", &name, &token, &program)
	require.NoError(g, err, g.lines.Text())
	require.Greater(g, token, g.token)
	g.token = token
	return name, program
}

// signal sends a signal to all members but one.
func (g *commands) signal(s syscall.Signal, but string) {
	g.Helper()
	for name, cmd := range g.members {
		if name != but {
			require.NoError(g, cmd.Process.Signal(s))
		}
	}
}

// end kills the members. No program outlives its member.
func (g *commands) end() {
	g.Helper()
	g.signal(syscall.SIGKILL, "")
	for _, cmd := range g.members {
		require.Error(g, cmd.Wait())
	}
	for g.lines.Scan() {
	}
	require.NoError(g, g.read.Close())
}

// TestCommandLead: the program runs on one member. When it ends by itself, and when its member is asked
// to end, it runs on the next with a larger token.
func TestCommandLead(t *testing.T) {
	g := startCommands(t, `echo $ELECTION_SELF $ELECTION_TOKEN $ELECTION_GROUP $$; exec sleep 1000`)
	_, program := g.next()
	require.NoError(t, syscall.Kill(program, syscall.SIGKILL))
	second, _ := g.next()
	require.NoError(t, g.members[second].Process.Signal(syscall.SIGTERM))
	require.NoError(t, g.members[second].Wait(), "a hand-over is no failure")
	delete(g.members, second)
	third, _ := g.next()
	require.NotEqual(t, second, third)
	g.end()
}

// TestCommandLeadPaused: if only the member is paused, its program runs at the same time as the next one, with its
// old token.
func TestCommandLeadPaused(t *testing.T) {
	g := startCommands(t, `trap 'echo runs on' HUP; echo $ELECTION_SELF $ELECTION_TOKEN $ELECTION_GROUP $$
		while :; do sleep 0.01; done`)
	name, program := g.next()
	require.NoError(t, g.members[name].Process.Signal(syscall.SIGSTOP))
	second, _ := g.next() // its token is larger
	require.NotEqual(t, name, second)
	require.NoError(t, syscall.Kill(program, syscall.SIGHUP))
	require.True(t, g.lines.Scan())
	require.Equal(t, "runs on", g.lines.Text())
	g.end()
}

// TestCommandLeadInDanger: a leader that loses its majority asks its program to end, and kills it before
// the next member runs it.
func TestCommandLeadInDanger(t *testing.T) {
	g := startCommands(t, `trap 'echo asked' TERM; echo $ELECTION_SELF $ELECTION_TOKEN $ELECTION_GROUP $$
		while :; do sleep 0.01; done`)
	name, program := g.next()
	g.signal(syscall.SIGSTOP, name)
	require.True(t, g.lines.Scan())
	require.Equal(t, "asked", g.lines.Text())
	g.signal(syscall.SIGCONT, name)
	_, next := g.next()
	require.NotEqual(t, program, next)
	require.ErrorIs(t, syscall.Kill(program, 0), syscall.ESRCH)
	g.end()
}
