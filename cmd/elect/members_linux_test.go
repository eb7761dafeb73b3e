package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// leaders are processes of elect lead.
type leaders struct {
	dir         string
	at, control map[string]string // addresses, by name
	running     map[string]*exec.Cmd
}

func newLeaders(t *testing.T, names string) *leaders {
	l := &leaders{t.TempDir(), map[string]string{}, map[string]string{}, map[string]*exec.Cmd{}}
	for name := range strings.FieldsSeq(names) {
		for _, of := range []map[string]string{l.at, l.control} {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close() // when all ports are known: no two are the same
			of[name] = listener.Addr().String()
		}
	}
	t.Cleanup(func() {
		for _, cmd := range l.running {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return l
}

// start starts a process with a list of members.
func (l *leaders) start(t *testing.T, name, list string) {
	args := []string{"lead", "--self", name, "--times", "300ms", "--dir", filepath.Join(l.dir, name), "--control",
		l.control[name], "--listen", l.at[name]}
	for member := range strings.FieldsSeq(list) {
		args = append(args, "--member", member+"="+l.at[member])
	}
	cmd := exec.Command(binary(t), append(args, "--", "sleep", "1000")...)
	log, err := os.OpenFile(filepath.Join(l.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer log.Close()
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	l.running[name] = cmd
}

// end asks a process to end.
func (l *leaders) end(t *testing.T, name string) {
	require.NoError(t, l.running[name].Process.Signal(syscall.SIGTERM))
	require.NoError(t, l.running[name].Wait(), "%s", l.log(t, name))
	delete(l.running, name)
}

func (l *leaders) log(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join(l.dir, name+".log"))
	require.NoError(t, err)
	return string(text)
}

// state is what elect members --json prints.
type state struct {
	Role, Leader string
	Leads        bool
	Agreed       struct{ Members []string }
	Lists        map[string][]string
}

func (s *state) agreed() string { return strings.Join(s.Agreed.Members, " ") }

// until waits until what elect members prints about a process is right.
func (l *leaders) until(t *testing.T, name string, right func(*state) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		var s state
		r := execute(t, "A=", "", "members --json "+l.control[name])
		return r.code == 0 && json.Unmarshal([]byte(r.stdout), &s) == nil && right(&s)
	}, time.Minute, 50*time.Millisecond, name)
}

// set changes the members, at the leader.
func (l *leaders) set(t *testing.T, list string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for name := range l.running {
			r := execute(t, "A=", "", "members set "+l.control[name]+" "+list)
			if r.code == 0 {
				require.Contains(t, r.stdout, "\nagreed  "+list+" (")
				return true
			}
			require.Equal(t, exit.StatusFailed, r.code)
			require.Regexp(t, `^elect: http://[0-9.:]+/members: (\w leads: send the request to it|there is no leader: try `+
				`again later|members do not answer: .*|the members are changing already|the change has begun .*)\n$`, r.stderr)
		}
		return false
	}, time.Minute, 50*time.Millisecond)
}

// TestMembersOfProcesses: three processes become five when they restart one after another with the new list, and three
// others by a command, without any restart. elect members shows who is what.
func TestMembersOfProcesses(t *testing.T) {
	const three, five = "a b c", "a b c d e"
	l := newLeaders(t, five)
	for name := range strings.FieldsSeq(three) {
		l.start(t, name, three)
	}
	l.until(t, "a", func(s *state) bool { return s.agreed() == three && s.Leader != "" })
	for _, name := range []string{"d", "e"} {
		l.start(t, name, five)
		l.until(t, name, func(s *state) bool { return s.Role == "learner" && s.agreed() == three && s.Leader != "" })
	}
	for _, name := range []string{"c", "b", "a"} {
		l.end(t, name)
		l.start(t, name, five)
		// Three of five wish it from the first restart on.
		l.until(t, name, func(s *state) bool { return s.Role == "member" && s.agreed() == five && s.Leader != "" })
	}
	l.until(t, "d", func(s *state) bool { return slices.Equal(s.Lists[five], strings.Fields(five)) })
	all := "status"
	for name := range strings.FieldsSeq(five) {
		all += " " + l.control[name]
	}
	require.Eventually(t, func() bool { return execute(t, "A=", "", all).code == 0 }, time.Minute, 50*time.Millisecond)
	require.Contains(t, l.log(t, "d"), "role=learner")
	require.Regexp(t, `msg="members: agreed" .* members="a b c d e" role=member`, l.log(t, "d"))

	l.set(t, "c d e")
	l.until(t, "a", func(s *state) bool { return s.agreed() == "c d e" && s.Role == "learner" })
	r := execute(t, "A=", "", "members "+l.control["a"])
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 1, execute(t, "A=", "", all+" 127.0.0.1:1").code, "one does not answer")
	require.Regexp(t, `(?s)^group   lead, asked at a\nleader  [cde], Term …?\d+\nagreed  c d e \(\d+\.\d+, known since .*\)\n`+
		`set     by elect members set, .*\n\nprocess  role     its list\na        learner  a b c d e\n.*`+
		`c        member   a b c d e\n`, r.stdout)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		l.end(t, name)
	}
}
