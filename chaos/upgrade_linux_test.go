package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// before is the last commit before members negotiated versions and rules. The tests build it from the history.
const before = "f6d92c7317846d2069bdfd5e87ed0645ebbac20f"

// former returns the path of elect as it was at that commit.
var former = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "election-former-")
	if err != nil {
		return "", err
	}
	script := `git -C .. cat-file -e "$1^{commit}" || { echo "commit $1 is missing: clone the repository with its history" >&2
		exit 1; }; git -C .. archive "$1" | tar -x -C "$2" && cd "$2" && go build -o "$2/elect" ./cmd/elect`
	if out, err := exec.Command("sh", "-c", script, "sh", before, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(dir, "elect"), nil
})

// upgrade is a group of three members that run elect lead, each of either version.
type upgrade struct {
	*testing.T
	dir     string
	args    map[string][]string
	health  map[string]string
	members map[string]*exec.Cmd
	write   *os.File
	lines   chan string
	token   int
	leader  string
	program int // process of the leader's program
}

// upgradeLease is long, so that a busy machine loses no lease.
const upgradeLease = 3 * time.Second

func newUpgrade(t *testing.T, durable, secure bool) *upgrade {
	u := &upgrade{T: t, dir: t.TempDir(), args: make(map[string][]string), health: make(map[string]string),
		members: make(map[string]*exec.Cmd), lines: make(chan string, 100)}
	names := []string{"a", "b", "c"}
	if secure {
		for _, line := range []string{"cert ca --dir ", "cert member --group g a b c --dir "} {
			r := elect(t, strings.Fields(line+u.dir)...)
			require.Zero(t, r.code, r.stderr)
		}
	}
	list := ""
	free := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return l.Addr().String()
	}
	for _, name := range names {
		list += fmt.Sprintf(" --member %s=%s", name, free())
	}
	// A program that runs at the same time as another one does not get the lock.
	script := `exec 9>>` + u.dir + `/lock; flock -n 9 || echo two programs run at the same time
		echo $ELECTION_SELF $ELECTION_TOKEN $$; exec sleep 1000`
	for _, name := range names {
		u.health[name] = free()
		line := fmt.Sprintf("lead --group g --times %v --self %s --http %s", upgradeLease, name, u.health[name]) + list
		if secure {
			line += strings.NewReplacer("DIR", u.dir, "NAME", name).
				Replace(" --tls-cert DIR/NAME.pem --tls-key DIR/NAME.key.pem --tls-ca DIR/ca.pem")
		}
		if durable {
			line += " --dir " + filepath.Join(u.dir, "state-"+name)
		}
		u.args[name] = append(strings.Fields(line+" -- sh -c"), script)
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	u.write = write
	go func() {
		defer close(u.lines)
		for s := bufio.NewScanner(read); s.Scan(); {
			u.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		for _, cmd := range u.members {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		_ = write.Close()
		for line := range u.lines {
			t.Errorf("unexpected: %s", line)
		}
		_ = read.Close()
		if log, err := os.ReadFile(filepath.Join(u.dir, "log")); err == nil && t.Failed() {
			t.Logf("%s", log)
		}
	})
	return u
}

// start starts a member.
func (u *upgrade) start(name, path string) {
	u.Helper()
	log, err := os.OpenFile(filepath.Join(u.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(u, err)
	defer log.Close()
	args := slices.Clone(u.args[name])
	if old, _ := former(); path == old {
		args[slices.Index(args, "--times")] = "--lease" // its name at that commit
		// That version refuses a file with a line that it does not know. docs/compatibility.md says what to do.
		state := filepath.Join(u.dir, "state-"+name)
		if b, err := os.ReadFile(filepath.Join(state, "g,"+name+".state")); err == nil && bytes.Contains(b, []byte("\nwas-member\n")) {
			require.NoError(u, os.RemoveAll(state))
		}
	}
	cmd := exec.CommandContext(u.Context(), path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = u.write, log
	require.NoError(u, cmd.Start())
	u.members[name] = cmd
}

// stop ends a member.
func (u *upgrade) stop(name string, with syscall.Signal) {
	u.Helper()
	require.NoError(u, u.members[name].Process.Signal(with))
	if err := u.members[name].Wait(); with == syscall.SIGTERM {
		require.NoError(u, err)
	}
	delete(u.members, name)
	if name == u.leader {
		u.next()
	}
}

// next waits for the next leader.
func (u *upgrade) next() {
	u.Helper()
	select {
	case line := <-u.lines:
		var token int
		_, err := fmt.Sscanf(line, "%s %d %d", &u.leader, &token, &u.program)
		require.NoError(u, err, line)
		require.Greater(u, token, u.token)
		u.token = token
	case <-time.After(2 * time.Minute):
		u.Fatal("there is no leader")
	}
}

// settle waits until all members have been healthy for longer than a member is silent after its start.
func (u *upgrade) settle() {
	u.Helper()
	good, began := time.Now(), time.Now()
	for time.Since(good) < 2*upgradeLease {
		for name := range u.members {
			r, err := http.Get("http://" + u.health[name] + "/healthz")
			if err == nil {
				_ = r.Body.Close()
			}
			if err != nil || r.StatusCode != http.StatusOK {
				good = time.Now()
			}
		}
		require.Less(u, time.Since(began), 2*time.Minute, "the members are not healthy")
		time.Sleep(50 * time.Millisecond)
	}
}

// roll restarts one member after another with another version. The restart of a follower changes no leader, and the
// restart of the leader hands over once, as in any rolling restart. In the middle the leader is killed.
func (u *upgrade) roll(to string) {
	u.Helper()
	for i, name := range []string{"b", "a", "c"} {
		u.stop(name, syscall.SIGTERM)
		u.start(name, to)
		u.settle()
		if i == 1 {
			killed := u.leader
			version := u.members[killed].Path
			u.stop(killed, syscall.SIGKILL)
			u.start(killed, version)
			u.settle()
		}
		require.NoError(u, syscall.Kill(u.program, 0), "the program of the leader still runs")
	}
}

// TestUpgrade: members are upgraded from an earlier version one by one, and downgraded again. There is no second leader,
// tokens grow, and there are no more changes of the leader than in a restart without an upgrade.
func TestUpgrade(t *testing.T) {
	old, err := former()
	require.NoError(t, err)
	for _, durable := range []bool{false, true} {
		t.Run(fmt.Sprintf("Dir %t", durable), func(t *testing.T) {
			u := newUpgrade(t, durable, durable)
			for _, name := range []string{"a", "b", "c"} {
				u.start(name, old)
			}
			u.next()
			u.settle()
			u.roll(binary(t, "elect"))
			u.roll(old)
		})
	}
}
