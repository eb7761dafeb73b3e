package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/lab/cluster"
)

// group is a group of processes, seen from outside.
type group struct {
	cell    *cell
	program []string // what runs a member
	dir     string   // for sockets and state; it is removed in the end
	times   elector.Times
	net     *network // nil: all talk over loopback
	spare   string   // an address that no member has, on loopback
	seats   []*seat
	store   *register
	meter   *stallMeter
	reading sync.WaitGroup

	authority *authority // nil: members show no certificates

	mu        sync.Mutex
	processes int // started so far
	leases    []lease
	confirmed []cluster.Lease // that Confirm has confirmed at From
	stops     []stop
	stalls    []stallOf
	answered  []operation
	broken    error
	changed   chan struct{}
}

// seat is a member of the group, whichever process it is at the moment.
type seat struct {
	index   int
	name    string
	dir     string // where it keeps its state; empty: it keeps none
	disk    *disk  // nil: dir is on a disk that all share
	rate    float64
	members map[string]string

	process *process // nil: it is down
	twin    *process // another process that believes to be this member; mostly nil
}

// lease is what a process noted of one.
type lease struct {
	cluster.Lease
	process int
}

// stop is that the work of a leader was asked to stop.
type stop struct {
	member string
	term   uint64
	why    string
}

// stallOf is a time for which the machine did not let a process run.
type stallOf struct {
	span
	process int
}

// openGroup makes ready what a group needs, and starts all members.
func openGroup(c *cell, program []string, meter *stallMeter, times elector.Times) (*group, error) {
	g := &group{cell: c, program: program, meter: meter, times: times, changed: make(chan struct{})}
	if err := g.open(); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *group) open() (err error) {
	c := g.cell
	if g.dir, err = os.MkdirTemp("", runName()); err != nil {
		return err
	}
	if g.store, err = serveRegister(filepath.Join(g.dir, "register")); err != nil {
		return err
	}
	addresses := loopbackAddresses(c.n + 1)
	g.spare = addresses[memberName(c.n)]
	delete(addresses, memberName(c.n))
	if c.network() {
		machines := c.n
		if c.fault.twin {
			machines++
		}
		if g.net, err = openNetwork(machines); err != nil {
			return err
		}
		addresses = g.net.addresses(c.n)
	}
	if c.secure {
		names := slices.Collect(maps.Keys(addresses))
		if g.authority, err = openAuthority(filepath.Join(g.dir, "certs"), c.fault.life, names); err != nil {
			return err
		}
	}
	for i := range c.n {
		s := &seat{index: i, name: memberName(i), rate: 1, members: addresses}
		if c.fault.rates != nil {
			s.rate = c.fault.rates(i)
		}
		g.seats = append(g.seats, s)
		if c.durable {
			s.dir = filepath.Join(g.dir, s.name)
			if err = os.Mkdir(s.dir, 0o700); err != nil {
				return err
			}
		}
		if c.fault.disk != noDisk {
			image := filepath.Join(g.dir, s.name+".image")
			if s.disk, err = openDisk(c.fault.disk, s.dir, image); err != nil {
				return err
			}
		}
	}
	return g.startAll()
}

func memberName(i int) string { return string(rune('a' + i)) }

// close ends all processes, and removes what the group had.
func (g *group) close() error {
	var all error
	for _, s := range g.seats {
		if s.disk != nil {
			all = errors.Join(all, s.disk.repair()) // or a process that writes could not end
		}
	}
	for _, s := range g.seats {
		for _, p := range []*process{s.process, s.twin} {
			if p != nil {
				all = errors.Join(all, p.unfreeze())
				p.kill()
			}
		}
	}
	g.reading.Wait()
	for _, s := range g.seats {
		if s.disk != nil {
			all = errors.Join(all, s.disk.close())
		}
	}
	if g.net != nil {
		all = errors.Join(all, g.net.close())
	}
	if g.authority != nil {
		all = errors.Join(all, g.authority.close())
	}
	if g.store != nil {
		all = errors.Join(all, g.store.close())
	}
	return errors.Join(all, os.RemoveAll(g.dir))
}

// startAll starts all members that are down, or have ended.
func (g *group) startAll() error {
	for _, s := range g.seats {
		g.mu.Lock()
		down := s.process == nil || s.process.over
		g.mu.Unlock()
		if down {
			if err := g.start(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// start starts a member that is down.
func (g *group) start(s *seat) (err error) {
	s.process, err = g.run(s, s.place())
	return err
}

// place is where a process runs, and what it finds there.
type place struct {
	machine int // whose network namespace it is in
	dir     string
	members map[string]string
}

// place returns where a member runs.
func (s *seat) place() place { return place{s.index, s.dir, s.members} }

// run starts a process for a member.
func (g *group) run(s *seat, at place) (*process, error) {
	g.mu.Lock()
	g.processes++
	number := g.processes
	g.mu.Unlock()
	args := g.program
	early := time.Duration(0)
	if starts := g.cell.fault.starts; starts != nil {
		early = starts(number)
		args = append(inTime(early), args...)
		early += slept
	}
	if g.net != nil {
		args = append([]string{"ip", "netns", "exec", g.net.namespace(at.machine)}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = dieWithParent()
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	text := &tail{}
	cmd.Stderr = text
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{number: number, seat: s, early: early, cmd: cmd, stdin: stdin, ended: make(chan struct{})}
	g.reading.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var r report
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				g.hear(p, &r)
			}
		}
		_ = cmd.Wait() // however it ends: most are killed
		g.mu.Lock()
		p.text, p.over = text.String(), true
		g.change()
		g.mu.Unlock()
		close(p.ended)
	})
	own := settings{Self: s.name, Members: at.members, Dir: at.dir, Times: g.times, Rate: s.rate,
		Register: filepath.Join(g.dir, "register"), Process: number}
	if g.authority != nil {
		own.Certs = g.authority.dir
	}
	return p, json.NewEncoder(stdin).Encode(own)
}

// hear takes a report.
func (g *group) hear(p *process, r *report) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.change()
	r.From, r.Until = r.From-p.early, r.Until-p.early
	l := cluster.Lease{Member: p.seat.name, Term: r.Term, From: r.From, Until: r.Until}
	switch r.Kind {
	case kindView:
		if p.view = *r; p.since == 0 {
			p.since = suspend.Now()
		}
	case kindOperation:
		r.Operation.Call -= p.early
		r.Operation.Return -= p.early
		g.answered = append(g.answered, *r.Operation)
	case kindConfirmed:
		g.confirmed = append(g.confirmed, l)
	case kindStop:
		g.stops = append(g.stops, stop{p.seat.name, r.Term, r.Error})
	case kindStall:
		g.stalls = append(g.stalls, stallOf{span{r.From, r.Until}, p.number})
	case kindRefused:
		p.text = r.Error
	case kindBroken:
		g.broken = errors.Join(g.broken, fmt.Errorf("%w: %s in Term %d: %s", errBroken, p.seat.name, r.Term,
			r.Error))
	case kindLease:
		for i := range g.leases {
			if g.leases[i].Term == r.Term && g.leases[i].process == p.number {
				g.leases[i].Lease = l
				return
			}
		}
		g.leases = append(g.leases, lease{l, p.number})
	}
}

// change wakes those that wait. The caller holds mu.
func (g *group) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// await waits until ready, which it calls with mu held and again and again, returns true.
func (g *group) await(ctx context.Context, most time.Duration, what string, ready func() bool) error {
	end := time.NewTimer(most)
	defer end.Stop()
	tick := time.NewTicker(g.times.Lease / 50) // time alone may make it ready
	defer tick.Stop()
	for {
		g.mu.Lock()
		ok, changed := ready(), g.changed
		g.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-end.C:
			return fmt.Errorf("%w: waited %v for %s%s", errHung, most, what, g.describe())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// patience is for how long the group waits for what has to happen, whatever the machine does besides.
func (g *group) patience() time.Duration { return 20*g.times.Lease + 20*time.Second }

// describe says what members know, for an error.
func (g *group) describe() (text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.seats {
		if s.process == nil {
			text += fmt.Sprintf("; %s is down", s.name)
			continue
		}
		text += fmt.Sprintf("; %s follows %q in Term %d %s", s.name, s.process.view.Leader,
			s.process.view.Term, s.process.text)
	}
	return text
}

// leader returns the member that holds a valid lease, by its own last note, and the Term of that lease;
// nil if none does. The caller holds mu.
func (g *group) leader() (leader *seat, term uint64) {
	now := suspend.Now()
	for _, l := range slices.Backward(g.leases) {
		for _, s := range g.seats {
			if s.process != nil && s.process.number == l.process && l.From <= now && now < l.Until {
				return s, l.Term
			}
		}
	}
	return nil, 0
}

// calm waits until all members are up and follow one leader, and have been up for long enough to vote.
func (g *group) calm(ctx context.Context) (leader *seat, term uint64, err error) {
	// Until a member has kept silent for the life of a vote, by its own clock, and has asked the others
	// what they remember, it does not vote. If others are down by then it may ask for three leases more.
	drift := g.times.Drift
	silent := float64(g.times.Lease)*(1+drift)/(1-drift)/(1-drift) + float64(g.times.Lease)/2
	err = g.await(ctx, g.patience(), "all members to follow one leader", func() bool {
		if leader, term = g.leader(); leader == nil {
			return false
		}
		for _, s := range g.seats {
			p := s.process
			if p == nil || p.over || p.since == 0 || suspend.Now() < p.since+time.Duration(silent) ||
				p.view.Leader != leader.name || p.view.Term != term {
				// Also the leader's own view: elected again, it may have no work in that Term yet.
				return false
			}
		}
		return true
	})
	return leader, term, err
}

// judge judges all that has happened so far.
func (g *group) judge() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	leases := make([]cluster.Lease, 0, len(g.leases))
	for _, l := range g.leases {
		leases = append(leases, l.Lease)
	}
	log := g.store.operations()
	return errors.Join(g.broken, judgeLeases(leases), judgeConfirmed(g.confirmed, leases), judgeWrites(log))
}

// judgeAll does so when all processes have ended.
func (g *group) judgeAll() error {
	return errors.Join(g.judge(), judgeRegister(g.answered, g.store.operations()))
}
