package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// trials repeats what happens to a leader, and prints the failed requests of each time:
//
//	GOWORK=off go test -v -run TestLeaderEnds -timeout 1h . -args -trials 10
var trials = flag.Int("trials", 1, "how often leaders end in TestLeaderEnds")

var times = flag.String("times", "2s", "the Times of the replicas")

func TestMain(m *testing.M) {
	if os.Getenv("DB") != "" { // a replica
		main()
		return
	}
	os.Exit(m.Run())
}

// settles is how long a replica runs before another one ends, as minReadySeconds of Kubernetes does: a member that has
// started votes after a lease.
const settles = 5 * time.Second

const patience = 60 * time.Second // for what a replica does soon, if the machine is slow

// replica is a process.
type replica struct {
	name, address string
	env           []string
	client        *http.Client
	cmd           *exec.Cmd
}

func (r *replica) start(t *testing.T) {
	r.cmd = exec.Command(os.Args[0])
	r.cmd.Env = r.env
	stderr, err := r.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if testing.Verbose() && strings.Contains(lines.Text(), "ERROR") {
				fmt.Println(r.name, lines.Text())
			}
		}
	}()
}

// end ends the process with a signal, and waits.
func (r *replica) end(t *testing.T, signal os.Signal) {
	require.NoError(t, r.cmd.Process.Signal(signal))
	err := r.cmd.Wait()
	if signal == syscall.SIGTERM {
		require.NoError(t, err)
	}
}

// service is three replicas with one database.
type service struct {
	replicas []*replica
	db       string
}

func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func launch(t *testing.T) *service {
	dir := t.TempDir()
	s := &service{db: filepath.Join(dir, "jobs.db")}
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	file := func(name string, text []byte) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		return filepath.Join(dir, name)
	}
	roots, pair := file("ca.pem", ca.Cert), make(map[string][2]string)
	for _, name := range []string{"a", "b", "c", "client"} {
		cert, key, err := ca.Issue("jobs", name, time.Now(), time.Hour)
		require.NoError(t, err)
		pair[name] = [2]string{file(name+".pem", cert), file(name+".key.pem", key)}
	}
	client := &tcp.TLS{Cluster: "jobs", Load: tcp.Files(pair["client"][0], pair["client"][1], roots)}
	var members []string
	for _, name := range []string{"a", "b", "c"} {
		members = append(members, name+"="+free(t))
	}
	for _, name := range []string{"a", "b", "c"} {
		r := &replica{name: name, address: free(t), client: &http.Client{Timeout: patience,
			Transport: &http.Transport{TLSClientConfig: client.Client(name), MaxIdleConnsPerHost: 10}}}
		// A lease that is long enough for a busy machine.
		r.env = append(os.Environ(), "DB="+s.db, "ELECTION_TIMES="+*times, "ELECTION_GROUP=jobs", "ELECTION_SELF="+name, "ELECTION_ADVERTISE="+r.address,
			"ELECTION_MEMBERS="+strings.Join(members, ","), "ELECTION_TLS_CA="+roots,
			"ELECTION_TLS_CERT="+pair[name][0], "ELECTION_TLS_KEY="+pair[name][1])
		r.start(t)
		s.replicas = append(s.replicas, r)
	}
	t.Cleanup(func() {
		for _, r := range s.replicas {
			r.end(t, os.Kill)
			r.client.CloseIdleConnections()
		}
	})
	s.await(t)
	return s
}

// state returns what a replica answers at /.
func (r *replica) state() (state struct {
	Leader, Address string
	Leads, Healthy  bool
}) {
	response, err := r.client.Get("https://" + r.address + "/")
	if err == nil {
		defer response.Body.Close()
		_ = json.NewDecoder(response.Body).Decode(&state)
	}
	return state
}

// await waits until all replicas are healthy and follow one leader, and returns it.
func (s *service) await(t *testing.T) (leader *replica) {
	t.Helper()
	require.Eventually(t, func() bool {
		leader = nil
		names := make(map[string]bool)
		for _, r := range s.replicas {
			state := r.state()
			names[state.Leader] = true
			if !state.Healthy {
				return false
			}
			if state.Leads && state.Address == r.address {
				leader = r
			}
		}
		return leader != nil && len(names) == 1
	}, patience, 20*time.Millisecond)
	return leader
}

// load is five clients that send twenty jobs a second each, to all replicas in turn, as a load balancer does. If a
// connection is refused or breaks, they send the job to the next replica.
type load struct {
	stop     chan struct{}
	clients  sync.WaitGroup
	sent     atomic.Int64
	broken   atomic.Int64 // connections that broke while a request was in flight
	mu       sync.Mutex
	accepted []string
	failed   []string
}

func (s *service) load(t *testing.T, label string) *load {
	l := &load{stop: make(chan struct{})}
	for client := range 5 {
		l.clients.Go(func() {
			var sending sync.WaitGroup // the next request does not wait for the last
			defer sending.Wait()
			tick := time.NewTicker(time.Second / 20)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-tick.C:
				case <-l.stop:
					return
				}
				id := fmt.Sprintf("%s-%d-%d", label, client, n)
				l.sent.Add(1)
				sending.Go(func() {
					err := l.put(s, id, n+client)
					l.mu.Lock()
					defer l.mu.Unlock()
					if err != nil {
						l.failed = append(l.failed, fmt.Sprintf("%s: %v", id, err))
					} else {
						l.accepted = append(l.accepted, id)
					}
				})
			}
		})
	}
	return l
}

// put sends a job.
func (l *load) put(s *service, id string, to int) error {
	for i := range s.replicas {
		r := s.replicas[(to+i)%len(s.replicas)]
		request, err := http.NewRequest(http.MethodPut, "https://"+r.address+"/jobs/"+id, http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Idempotency-Key", id)
		response, err := r.client.Do(request)
		if err != nil {
			if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
				l.broken.Add(1)
			}
			continue
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", response.Status, text)
		}
		return nil
	}
	return errors.New("no replica is up")
}

// finish ends the load, and checks that each accepted job has run once.
func (l *load) finish(t *testing.T, s *service) {
	t.Helper()
	close(l.stop)
	l.clients.Wait()
	o, err := open(context.Background(), s.db, "jobs")
	require.NoError(t, err)
	defer o.db.Close()
	count := func(query string, args ...any) (n int) {
		require.NoError(t, o.db.QueryRow(query, args...).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return count(`SELECT COUNT(*) FROM jobs WHERE NOT done`) == 0 }, patience, 50*time.Millisecond)
	require.Zero(t, count(`SELECT COUNT(*) FROM (SELECT job FROM runs GROUP BY job HAVING COUNT(*) > 1)`), "jobs that ran twice")
	for _, id := range l.accepted {
		require.Equal(t, 1, count(`SELECT COUNT(*) FROM runs WHERE job = ?`, id), id)
	}
	// A leader runs no job after a later leader has run one.
	require.Zero(t, count(`SELECT COUNT(*) FROM runs a JOIN runs b ON a.rowid < b.rowid AND a.token > b.token`))
	require.Greater(t, len(l.accepted), 50)
}

// TestLeaderEnds: no request fails when the leader crashes or is asked to stop. Clients repeat only requests that they
// have sent to the leader that crashes. No accepted job is lost, and none runs twice.
func TestLeaderEnds(t *testing.T) {
	s := launch(t)
	for _, signal := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for trial := range *trials {
			leader := s.await(t)
			time.Sleep(settles)
			l := s.load(t, fmt.Sprintf("%v-%d", signal, trial))
			time.Sleep(time.Second)
			leader.end(t, signal)
			time.Sleep(5 * time.Second)
			l.finish(t, s)
			leader.start(t)
			t.Logf("%v: %d requests, %d failed, %d sent again by the client", signal, l.sent.Load(), len(l.failed), l.broken.Load())
			require.Empty(t, l.failed)
			if signal == syscall.SIGTERM {
				require.Zero(t, l.broken.Load())
			}
		}
	}
}

// TestRollingRestart: no request fails while each replica is restarted.
func TestRollingRestart(t *testing.T) {
	s := launch(t)
	l := s.load(t, "rolling")
	for _, r := range s.replicas {
		time.Sleep(settles)
		r.end(t, syscall.SIGTERM)
		r.start(t)
		s.await(t)
	}
	time.Sleep(500 * time.Millisecond)
	l.finish(t, s)
	require.Empty(t, l.failed)
}
