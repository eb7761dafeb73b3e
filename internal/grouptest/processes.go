//go:build unix

package grouptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/store"
)

var trials = flag.Int("trials", 1, "how often Processes repeats each fault")

// variable is the environment variable with the part of a process that this package starts.
const variable = "ELECTION_GROUPTEST"

// part is what such a process does: it runs a member, or a server if Dir is set.
type part struct {
	Address     string
	Dir         string
	Group, Self string
	Times       elector.Times
}

// OpenStore connects a process to the server at an address.
type OpenStore func(address string) (store.Store, error)

// Child is called by TestMain first, since the processes of [Processes] and [Serve] run the program of the test again.
// In such a process it runs a member over the store that open returns, or a server, and exits. Otherwise it returns.
//
// The function serve starts a server with files in a directory, and returns when the server answers. It may be nil if
// Serve is not called.
func Child(open OpenStore, serve func(dir, address string) error) {
	text, ok := os.LookupEnv(variable)
	if !ok {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the test
		os.Exit(3)
	}()
	var p part
	err := json.Unmarshal([]byte(text), &p)
	switch {
	case err != nil:
	case p.Dir == "":
		err = p.run(open)
	default:
		if err = serve(p.Dir, p.Address); err == nil {
			fmt.Println("ready")
			select {}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run runs a member until SIGTERM. It reports on the standard output what happens.
func (p *part) run(open OpenStore) error {
	s, err := open(p.Address)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	e, err := elector.New(elector.Config{Group: p.Group, Self: p.Self, Store: s, Times: p.Times,
		Renewed: func(t elector.Term) { p.report(renewed, t.Number, expiry(t)) },
		Observe: func(v elector.View) {
			if v.Leader != "" {
				p.report(follows, v.Term, 0)
			}
		}})
	if err != nil {
		return err
	}
	return e.Run(ctx, func(ctx context.Context, term elector.Term) error {
		defer p.report(ended, term.Number, 0)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			p.report(wrote, term.Token(), 0)
			select {
			case <-tick.C:
			case <-ctx.Done():
				p.report(wrote, term.Token(), 0) // as work does that was busy: late if the process was stopped
				return nil
			}
		}
	})
}

// expiry returns when a lease ends, by the clock that all processes share.
func expiry(t elector.Term) time.Duration {
	for {
		before := suspend.Now()
		left := t.Left()
		if after := suspend.Now(); after-before < time.Millisecond {
			return after + left
		}
	}
}

// report writes a line, which is so short that the kernel does not mix it with lines of other processes.
func (p *part) report(kind string, term uint64, until time.Duration) {
	line, err := json.Marshal(report{p.Self, kind, term, suspend.Now(), until})
	if err == nil {
		_, _ = os.Stdout.Write(append(line, '\n'))
	}
}

// process is a running part.
type process struct {
	*exec.Cmd
	errors bytes.Buffer
	done   chan struct{}
}

// spawn starts the program of the test again. The process ends with the test at the latest.
func spawn(tb testing.TB, p part, stdout *os.File) *process {
	tb.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	c := &process{Cmd: exec.Command(program), done: make(chan struct{})}
	c.Env = append(os.Environ(), variable+"="+string(text))
	c.Stdout, c.Stderr = stdout, &c.errors
	in, err := c.StdinPipe() // closed by the kernel when the test ends, however it ends
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		defer close(c.done)
		_ = c.Wait()
		_ = in.Close()
	}()
	tb.Cleanup(c.kill)
	return c
}

// kill ends the process as a crash does.
func (c *process) kill() {
	_ = c.Process.Kill()
	<-c.done
}

// Serve runs the server of [Child] in a process of its own until the test ends. Stop kills that process.
func Serve(tb testing.TB) Server {
	p := part{Address: Free(tb), Dir: tb.TempDir()}
	var c *process
	start := func() {
		tb.Helper()
		from, to, err := os.Pipe()
		if err != nil {
			tb.Fatal(err)
		}
		defer from.Close()
		c = spawn(tb, p, to)
		_ = to.Close()
		if line, err := bufio.NewReader(from).ReadString('\n'); err != nil {
			<-c.done
			tb.Fatalf("the server does not start: %q: %s", line, c.errors.String())
		}
	}
	start()
	return Server{Address: p.Address, Stop: func() { c.kill() }, Start: start}
}

// processes are a group of three members, each a process that reaches the server by a proxy of its own.
type processes struct {
	*testing.T
	group   string
	times   elector.Times
	server  Server
	reports *os.File // where the members write
	proxies map[string]*proxy
	members map[string]*process

	mu     sync.Mutex
	record record
	stall  time.Duration // the longest for which the machine has not run this process since the last call of calm
}

func startProcesses(t *testing.T, group string, times elector.Times, server Server) *processes {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	g := &processes{T: t, group: group, times: times, server: server, reports: to, proxies: make(map[string]*proxy),
		members: make(map[string]*process), record: newRecord()}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for lines := bufio.NewScanner(from); lines.Scan(); {
			g.mu.Lock()
			err := g.record.add(lines.Bytes())
			g.mu.Unlock()
			if err != nil {
				t.Error(err)
			}
		}
	})
	running.Go(func() { g.watchStalls(ctx) })
	t.Cleanup(func() { // after the members have ended
		stop()
		_ = to.Close()
		running.Wait()
		_ = from.Close()
	})
	for _, name := range []string{"a", "b", "c"} {
		g.proxies[name] = newProxy(t, server.Address)
		g.start(name)
	}
	return g
}

func (g *processes) start(name string) {
	g.Helper()
	p := part{Address: g.proxies[name].address(), Group: g.group, Self: name, Times: g.times}
	g.members[name] = spawn(g, p, g.reports)
}

func (g *processes) watchStalls(ctx context.Context) {
	for before := suspend.Now(); ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond)
		now := suspend.Now()
		g.mu.Lock()
		g.stall = max(g.stall, now-before-10*time.Millisecond)
		g.mu.Unlock()
		before = now
	}
}

// until waits for a condition, which is called with mu locked. It fails the test only when a group that works has long
// met it.
func (g *processes) until(what string, condition func() bool) {
	g.Helper()
	for end := suspend.Now() + 20*g.times.Lease + 30*time.Second; ; time.Sleep(time.Millisecond) {
		g.mu.Lock()
		met := condition()
		g.mu.Unlock()
		if met {
			return
		}
		for name, m := range g.members {
			select {
			case <-m.done:
				if code := m.ProcessState.ExitCode(); code > 0 {
					g.Fatalf("member %s: exit status %d: %s", name, code, m.errors.String())
				}
			default:
			}
		}
		if suspend.Now() > end {
			g.Fatalf("in vain until %s", what)
		}
	}
}

// calm waits until all members follow a leader with a valid lease, and returns its name and Term.
func (g *processes) calm() (leader string, term uint64) {
	g.Helper()
	g.until("all members follow a leader", func() bool {
		l := g.record.last()
		for name := range g.members {
			if g.record.follows[name] != l.Term {
				return false
			}
		}
		leader, term, g.stall, g.record.pause = l.Member, l.Term, 0, 0
		return l.Until > suspend.Now()
	})
	return leader, term
}

// next waits for a leader after a Term, and returns when it began to lead.
func (g *processes) next(term uint64) (from time.Duration) {
	g.Helper()
	g.until("another leader", func() bool { from = g.record.last().From; return g.record.last().Term > term })
	return from
}

func (g *processes) signal(name string, s syscall.Signal) {
	g.Helper()
	if err := g.members[name].Process.Signal(s); err != nil {
		g.Fatal(err)
	}
}

// lease returns the lease of a Term.
func (g *processes) lease(term uint64) (from, until time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.record.leases {
		if l.Term == term {
			from, until = l.From, l.Until
		}
	}
	return from, until
}

func sleepUntil(at time.Duration) { time.Sleep(at - suspend.Now()) }

// fault is what happens to a leader or the server. It returns how long the group had no leader because of it.
type fault struct {
	name  string
	times elector.Times
	do    func(g *processes, leader string, term uint64) (vacant time.Duration)
}

const second = time.Second

var short = elector.Times{Lease: second}

// long leaves some seconds between the half of the lease and the end of the work: a busy server needs them to accept
// connections again.
var long = elector.Times{Lease: 10 * second, Renew: second, Stop: second / 2}

// away makes the server unavailable for half a lease. The leader stays if the server is back before its work must stop.
func away(stop, start func(g *processes)) func(*processes, string, uint64) time.Duration {
	return func(g *processes, leader string, term uint64) time.Duration {
		at := suspend.Now()
		stop(g)
		_, until := g.lease(term)
		sleepUntil(at + g.times.Lease/2)
		start(g)
		back := suspend.Now()
		sleepUntil(until)
		g.mu.Lock()
		stall := max(g.stall, g.record.pause)
		g.mu.Unlock()
		now, last := g.calm()
		if last == term {
			return 0
		}
		if back+2*g.times.Renew+stall < until-g.times.Stop { // time to connect again and renew
			g.Errorf("%s leads in Term %d: %s led in Term %d until %v, and the server was back at %v", now, last,
				leader, term, until, back)
		}
		g.Logf("the leader changes, as the server was away for %v", back-at)
		from, _ := g.lease(last)
		return from - at
	}
}

// all calls a function for the proxy of each member.
func (g *processes) all(do func(p *proxy)) {
	for _, p := range g.proxies {
		do(p)
	}
}

var faults = []fault{
	{"kill -9 of the leader", short, func(g *processes, leader string, term uint64) time.Duration {
		at := suspend.Now()
		g.members[leader].kill()
		from := g.next(term)
		g.start(leader)
		return from - at
	}},
	{"SIGSTOP of the leader for 3 leases", short, func(g *processes, leader string, term uint64) time.Duration {
		at := suspend.Now()
		g.signal(leader, syscall.SIGSTOP)
		sleepUntil(at + 3*g.times.Lease)
		g.signal(leader, syscall.SIGCONT)
		from := g.next(term)
		g.until("the work of the stopped leader has ended", func() bool { return g.record.ended[term] })
		return from - at
	}},
	{"SIGTERM to the leader", short, func(g *processes, leader string, term uint64) time.Duration {
		m := g.members[leader]
		g.signal(leader, syscall.SIGTERM)
		from := g.next(term)
		<-m.done
		if code := m.ProcessState.ExitCode(); code != 0 {
			g.Errorf("member %s: exit status %d: %s", leader, code, m.errors.String())
		}
		g.start(leader)
		_, until := g.lease(term)
		return from - until
	}},
	{"connections of the leader cut", short, func(g *processes, leader string, term uint64) time.Duration {
		at := suspend.Now()
		g.proxies[leader].cut(true)
		from := g.next(term)
		g.proxies[leader].cut(false)
		return from - at
	}},
	{"connections of all cut for half a lease of 10 s", long, away(
		func(g *processes) { g.all(func(p *proxy) { p.cut(true) }) },
		func(g *processes) { g.all(func(p *proxy) { p.cut(false) }) })},
	{"server silent for half a lease of 10 s", long, away(
		func(g *processes) { g.all(func(p *proxy) { p.hold(true) }) },
		func(g *processes) { g.all(func(p *proxy) { p.hold(false) }) })},
	// A server needs a while to start again, on a busy machine some seconds.
	{"server killed for half a lease of 8 s", elector.Times{Lease: 8 * second, Renew: second / 4, Stop: second / 2}, away(
		func(g *processes) { g.server.Stop() }, func(g *processes) { g.server.Start() })},
	{"server killed for 3 leases", short, func(g *processes, _ string, term uint64) time.Duration {
		at := suspend.Now()
		g.server.Stop()
		sleepUntil(at + 3*g.times.Lease)
		g.server.Start()
		back := suspend.Now()
		return g.next(term) - back
	}},
}

// Processes tests a group of three processes over a real server, while processes and the server fail. TestMain of the
// caller calls [Child]. No two leases are valid simultaneously, Terms grow, and each leader can write with its token. If
// the server is back before the work of the leader has to stop, the leader stays, unless the machine did not run the
// processes meanwhile. How long a group is without a leader is logged, as a row of a table, and not judged.
func Processes(t *testing.T, server Server) {
	for i, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			g := startProcesses(t, fmt.Sprint("processes-", suspend.Now(), "-", i), f.times.Complete(), server)
			var all []time.Duration
			changes := 0
			for range *trials {
				leader, term := g.calm()
				time.Sleep(rand.N(g.times.Renew)) // at any moment between two renewals
				all = append(all, f.do(g, leader, term))
				_, now := g.calm()
				if now != term {
					changes++
				}
				g.mu.Lock()
				err := g.record.judge()
				g.mu.Unlock()
				if err != nil {
					t.Fatal(err)
				}
			}
			soon := 0
			for _, vacant := range all {
				if vacant <= g.times.Lease*11/10 {
					soon++
				}
			}
			slices.Sort(all)
			g.mu.Lock()
			defer g.mu.Unlock()
			t.Logf("| %s | %d | %d | %.2f | %.2f | %d | %d of %d |", f.name, len(all), changes, all[len(all)/2].Seconds(),
				all[len(all)-1].Seconds(), soon, g.record.refused, g.record.writes)
		})
	}
}
