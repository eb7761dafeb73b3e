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
	cmd.Env = []string{"SELF=" + podName(ordinal), "MEMBERS=" + strings.Join(list, ","),
		"LISTEN=" + s.election[ordinal], "HTTP=" + s.web[ordinal], "TLS=" + s.dir,
		"STATE=" + filepath.Join(s.dir, podName(ordinal))}
	cmd.Stderr = s.logs
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
	require.NoError(s, cmd.Start())
	s.pods[ordinal] = cmd
}

// stop ends a pod as a kubelet does.
func (s *statefulSet) stop(ordinal int) {
	s.Helper()
	cmd := s.pods[ordinal]
	delete(s.pods, ordinal)
	require.NoError(s, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(s, cmd.Wait(), podName(ordinal))
}

// roll gives all pods a template, from the largest ordinal down. Each must be ready, for minReady, before the
// next one is restarted.
func (s *statefulSet) roll(members int) {
	s.Helper()
	for ordinal := len(s.pods) - 1; ordinal >= 0; ordinal-- {
		s.stop(ordinal)
		s.start(ordinal, members)
		s.awaitReady()
	}
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

// awaitReady waits until all pods are ready, and for minReady at least.
func (s *statefulSet) awaitReady() {
	s.Helper()
	ready := func(all map[int]answer) bool {
		for ordinal := range all {
			if s.get(ordinal, "/healthz", nil) != http.StatusOK {
				return false
			}
		}
		return true
	}
	s.await("not ready", ready)
	time.Sleep(minReady)
	s.await("not ready", ready)
}

// awaitLeader waits until these pods name one leader.
func (s *statefulSet) awaitLeader(ordinals ...int) {
	s.Helper()
	s.await("no leader", func(all map[int]answer) bool {
		var named []string
		for _, ordinal := range ordinals {
			named = append(named, all[ordinal].Leader)
		}
		slices.Sort(named)
		return named[0] != "" && len(slices.Compact(named)) == 1
	})
}

// TestStatefulSet: a member is added and removed by the steps of the controller, which stops for good at a pod
// that is not ready, or fails. It makes no difference whether the number of replicas or the template changes
// first.
func TestStatefulSet(t *testing.T) {
	for name, templateFirst := range map[string]bool{"replicas first": false, "template first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			s := newStatefulSet(t, 4)
			for ordinal := range 3 { // Parallel
				s.start(ordinal, 3)
			}
			s.awaitReady()
			s.awaitLeader(0, 1, 2)
			if templateFirst {
				s.roll(4)
				s.start(3, 4)
			} else {
				s.start(3, 4)
				s.awaitReady()
				for ordinal := 2; ordinal >= 0; ordinal-- { // 3 has the template
					s.stop(ordinal)
					s.start(ordinal, 4)
					s.awaitReady()
				}
			}
			s.awaitReady()
			s.awaitLeader(0, 1, 2, 3)
			if templateFirst {
				s.roll(3) // 3 is not in its own list
				s.stop(3)
			} else {
				s.stop(3)
				s.roll(3)
			}
			s.awaitReady()
			s.awaitLeader(0, 1, 2)
		})
	}
}
