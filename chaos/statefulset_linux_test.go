package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// patience is how long a pod may take to become ready. A pod that never does is what the tests look for.
	patience = 2 * time.Minute
	// minReady is longer than two leases, after which a member without a leader is not ready.
	minReady = 2 * time.Second
)

// statefulSet replays what the controller of a StatefulSet does with the program of examples/kubernetes.
type statefulSet struct {
	*testing.T
	dir           string
	election, web []string // the addresses, by ordinal
	pods          map[int]*exec.Cmd
	logs          *os.File
	client        http.Client

	mu     sync.Mutex
	tokens map[string]bool // of all leaders
}

// newStatefulSet prepares this many pods, and starts none.
func newStatefulSet(t *testing.T, most int) *statefulSet {
	s := &statefulSet{T: t, dir: t.TempDir(), pods: make(map[int]*exec.Cmd), tokens: make(map[string]bool),
		client: http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	names := ""
	for i := range most {
		names += " " + podName(i)
		for _, addresses := range []*[]string{&s.election, &s.web} {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close() // not before all have one
			*addresses = append(*addresses, l.Addr().String())
		}
	}
	for _, line := range []string{"cert ca --dir ", "cert member --group orders" + names + " --dir "} {
		r := elect(t, strings.Fields(line+s.dir)...)
		require.Zero(t, r.code, r.stderr)
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	s.logs = write
	var reading sync.WaitGroup
	reading.Go(func() { s.follow(bufio.NewScanner(read)) })
	t.Cleanup(func() {
		for _, cmd := range s.pods {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		require.NoError(t, write.Close())
		reading.Wait()
		require.NoError(t, read.Close())
	})
	return s
}

func podName(ordinal int) string { return fmt.Sprintf("orders-%d", ordinal) }

// follow reads what the pods log: no two leaders may have one token.
func (s *statefulSet) follow(lines *bufio.Scanner) {
	token := regexp.MustCompile(`works token=(\d+)`)
	for lines.Scan() {
		if m := token.FindStringSubmatch(lines.Text()); m != nil {
			s.mu.Lock()
			if s.tokens[m[1]] {
				s.Errorf("two leaders have token %s", m[1])
			}
			s.tokens[m[1]] = true
			s.mu.Unlock()
		}
	}
}

// start starts a pod of a template that lists this many members.
func (s *statefulSet) start(ordinal, members int) {
	s.Helper()
	var list []string
	for i := range members {
		list = append(list, podName(i)+"="+s.election[i])
	}
	cmd := exec.CommandContext(s.Context(), binary(s.T, "kubernetes"))
	dir := filepath.Join(s.dir, podName(ordinal))
	cmd.Env = []string{"ELECTION_GROUP=orders", "ELECTION_SELF=" + podName(ordinal),
		"ELECTION_MEMBERS=" + strings.Join(list, ","), "ELECTION_LISTEN=" + s.election[ordinal], "ELECTION_DIR=" + dir,
		"ELECTION_TLS_CERT=" + dir + ".pem", "ELECTION_TLS_KEY=" + dir + ".key.pem",
		"ELECTION_TLS_CA=" + filepath.Join(s.dir, "ca.pem"), "HTTP=" + s.web[ordinal]}
	cmd.Stderr = s.logs
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
	require.NoError(s, cmd.Start())
	s.pods[ordinal] = cmd
}

// stop ends pods as a kubelet does, all at the same time.
func (s *statefulSet) stop(ordinals ...int) {
	s.Helper()
	for _, ordinal := range ordinals {
		require.NoError(s, s.pods[ordinal].Process.Signal(syscall.SIGTERM))
	}
	for _, ordinal := range ordinals {
		require.NoError(s, s.pods[ordinal].Wait(), podName(ordinal))
		delete(s.pods, ordinal)
	}
}

// roll gives pods a template, from this ordinal down. Like the controller, it waits before each restart until the pods
// with larger ordinals have been ready for minReady.
func (s *statefulSet) roll(from, members int) {
	s.Helper()
	for ordinal := from; ordinal >= 0; ordinal-- {
		s.awaitReady(ordinal + 1)
		s.stop(ordinal)
		s.start(ordinal, members)
	}
	s.awaitReady(0)
}

// get returns the status of an answer of a pod, and its body; zero if there is none.
func (s *statefulSet) get(ordinal int, path string, body any) (code int) {
	r, err := s.client.Get("http://" + s.web[ordinal] + path)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	if body != nil && json.NewDecoder(r.Body).Decode(body) != nil {
		return 0
	}
	return r.StatusCode
}

// answer is what a pod answers at /.
type answer struct {
	Leader  string
	Leads   bool
	Left    float64 `json:"lease_left_seconds"`
	Healthy bool
	Reason  string
	Role    string
	Waits   string
	Agreed  struct{ Members []string }
}

// look asks all pods, and fails if two hold a lease at the same time. No pod gives up the lead meanwhile, so
// a lease lasts for as long as its leader has answered, counted from before it was asked.
func (s *statefulSet) look() map[int]answer {
	s.Helper()
	all, until, owner := make(map[int]answer), time.Time{}, ""
	for ordinal := range s.pods {
		var a answer
		asked := time.Now()
		if s.get(ordinal, "/", &a) == 0 {
			continue
		}
		all[ordinal] = a
		if !a.Leads {
			continue
		}
		if time.Now().Before(until) {
			s.Fatalf("%s leads, and so does %s", podName(ordinal), owner)
		}
		until, owner = asked.Add(time.Duration(a.Left*float64(time.Second))), podName(ordinal)
	}
	return all
}

// await asks all pods until what they answer is right.
func (s *statefulSet) await(what string, right func(map[int]answer) bool) {
	s.Helper()
	var all map[int]answer
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		if all = s.look(); len(all) == len(s.pods) && right(all) {
			return
		}
	}
	s.Fatalf("%s: %+v", what, all)
}

// awaitReady waits until all pods from this ordinal on are ready, and for minReady at least.
func (s *statefulSet) awaitReady(from int) {
	s.Helper()
	ready := func(all map[int]answer) bool {
		for ordinal := range all {
			if ordinal >= from && s.get(ordinal, "/healthz", nil) != http.StatusOK {
				return false
			}
		}
		return true
	}
	s.await("not ready", ready)
	time.Sleep(minReady)
	s.await("not ready", ready)
}

// awaitAgreed waits until the first n pods are the members, and know it, and all pods follow one leader.
func (s *statefulSet) awaitAgreed(n int) {
	s.Helper()
	var members []string
	for ordinal := range n {
		members = append(members, podName(ordinal))
	}
	s.await("not agreed", func(all map[int]answer) bool {
		leader := all[0].Leader
		for ordinal, a := range all {
			role := "member"
			if ordinal >= n {
				role = "removed"
			}
			if a.Leader == "" || a.Leader != leader || a.Role != role || !slices.Equal(a.Agreed.Members, members) {
				return false
			}
		}
		return true
	})
}

// TestStatefulSet: three members become five, and five become three, by the steps of the controller, which stops for
// good at a pod that is not ready, or fails.
func TestStatefulSet(t *testing.T) {
	for name, apart := range map[string]bool{"replicas and list at once": false, "first the shorter list": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			s := newStatefulSet(t, 5)
			for ordinal := range 3 { // Parallel
				s.start(ordinal, 3)
			}
			s.awaitReady(0)
			s.awaitAgreed(3)

			// The new pods are created from the new template, and have to be ready before the others restart.
			s.start(3, 5)
			s.start(4, 5)
			s.roll(2, 5)
			s.awaitAgreed(5)

			if apart {
				s.roll(4, 3)
				s.awaitAgreed(3)
				s.stop(3, 4)
			} else {
				// The controller does not wait for the pods that it removes.
				s.stop(2, 3, 4)
				s.start(2, 3)
				s.roll(1, 3)
			}
			s.awaitReady(0)
			s.awaitAgreed(3)
		})
	}
}
