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
	program []string // command that runs a member
	dir     string   // sockets and state; removed at the end
	times   elector.Times
	net     *network // nil: members use loopback
	spare   string   // an address that no member has, on loopback
	all     []*seat
	seats   []*seat // which should be up: the first ones of all
	store   *register
	meter   *stallMeter
	reading sync.WaitGroup

	authority *authority // nil: members have no certificates

	mu        sync.Mutex
	processes int // started so far
	leases    []lease
	confirmed []cluster.Lease // confirmed by Confirm at From
	stops     []stop
	stalls    []stallOf
	views     []report // that show other members than the one before
	steps     []stepOf
	answered  []operation
	broken    error
	changed   chan struct{}
}

// seat is a member of the group, whichever process it is at the moment.
type seat struct {
	index   int
	name    string
	address string
	dir     string // of its state; empty if it keeps none
	disk    *disk  // nil: dir is on the shared disk
	rate    float64
	members map[string]string

	process *process // nil: it is down
	twin    *process // second process of this member; usually nil
}

// lease is a lease as its process has recorded it.
type lease struct {
	cluster.Lease
	process int
}

// stop records that the work of a leader was asked to stop.
type stop struct {
	member string
	term   uint64
	why    string
}

// stallOf is a time during which the machine did not schedule a process.
type stallOf struct {
	span
	process int
}

// openGroup prepares what a group needs, and starts all members.
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
	most := c.most()
	addresses := loopbackAddresses(most + 1)
	g.spare = addresses[memberName(most)]
	delete(addresses, memberName(most))
	if c.network() {
		machines := most
		if c.fault.twin {
			machines++
		}
		if g.net, err = openNetwork(machines); err != nil {
			return err
		}
		addresses = g.net.addresses(most)
	}
	if c.secure {
		names := slices.Collect(maps.Keys(addresses))
		if g.authority, err = openAuthority(filepath.Join(g.dir, "certs"), c.fault.life, names); err != nil {
			return err
		}
	}
	for i := range most {
		s := &seat{index: i, name: memberName(i), address: addresses[memberName(i)], rate: 1}
		if c.fault.rates != nil {
			s.rate = c.fault.rates(i)
		}
		g.all = append(g.all, s)
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
	g.seats = g.all[:c.n]
	g.list(c.n, g.seats...)
	if err := g.startAll(); err != nil || g.authority == nil {
		return err
	}
	err = g.await(context.Background(), g.patience(), "all members to start", func() bool {
		return !slices.ContainsFunc(g.seats, func(s *seat) bool { return s.process.since == 0 })
	})
	g.authority.keep()
	return err
}

// list gives members the list of the first n members. They have it when they are restarted.
func (g *group) list(n int, seats ...*seat) {
	list := make(map[string]string)
	for _, s := range g.all[:n] {
		list[s.name] = s.address
	}
	for _, s := range seats {
		s.members = list
	}
}

func memberName(i int) string { return string(rune('a' + i)) }

// close ends all processes, and removes everything that the group has made.
func (g *group) close() error {
	var all error
	for _, s := range g.all {
		if s.disk != nil {
			all = errors.Join(all, s.disk.repair()) // otherwise a process that writes could not end
		}
	}
	for _, s := range g.all {
		for _, p := range []*process{s.process, s.twin} {
			if p != nil {
				all = errors.Join(all, p.unfreeze())
				p.kill()
			}
		}
	}
	g.reading.Wait()
	for _, s := range g.all {
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

// startAll starts all members that are down.
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

// place is the environment of a process.
type place struct {
	machine int // its network namespace
	address string
	dir     string
	members map[string]string
}

// place returns the place of a member.
func (s *seat) place() place { return place{s.index, s.address, s.dir, s.members} }

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
	p := &process{number: number, seat: s, began: suspend.Now(), early: early, cmd: cmd, stdin: stdin, ended: make(chan struct{})}
	g.reading.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var r report
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				g.hear(p, &r)
			}
		}
		_ = cmd.Wait() // ignore the error: most are killed
		g.mu.Lock()
		p.text, p.over = text.String(), true
		p.died = suspend.Now()
		g.change()
		g.mu.Unlock()
		close(p.ended)
	})
	own := settings{Self: s.name, Address: at.address, Members: at.members, Dir: at.dir, Times: g.times, Rate: s.rate,
		Register: filepath.Join(g.dir, "register"), Process: number, Hooks: g.cell.fault.hooks}
	if g.authority != nil {
		own.Certs = g.authority.dir
	}
	return p, json.NewEncoder(stdin).Encode(own)
}

// hear records a report.
func (g *group) hear(p *process, r *report) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.change()
	r.From, r.Until = r.From-p.early, r.Until-p.early
	l := cluster.Lease{Member: p.seat.name, Term: r.Term, From: r.From, Until: r.Until}
	switch r.Kind {
	case kindView:
		if r.Members != p.view.Members {
			g.views = append(g.views, *r)
		}
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
	case kindStep:
		g.steps = append(g.steps, stepOf{*r, p})
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

// change wakes all calls of await. The caller holds mu.
func (g *group) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// await waits until ready returns true. It calls ready repeatedly, with mu held.
func (g *group) await(ctx context.Context, most time.Duration, what string, ready func() bool) error {
	end := time.NewTimer(most)
	defer end.Stop()
	tick := time.NewTicker(g.times.Lease / 50) // ready may depend on time alone
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

// patience is how long the group waits for what must happen, however slow the machine is.
func (g *group) patience() time.Duration { return 20*g.times.Lease + 20*time.Second }

// describe returns what members know, for errors.
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
		if g.cell.fault.rolls {
			text += fmt.Sprintf(" (members: %s)", s.process.view.Members)
		}
	}
	return text
}

// leader returns the member that holds a valid lease by its own last record, and the Term of that lease; nil if there
// is none. The caller holds mu.
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

// calm waits until all members are up, follow one leader, and have been up for long enough to vote.
func (g *group) calm(ctx context.Context) (leader *seat, term uint64, err error) {
	// A member does not vote until it has kept silent for as long as a vote lasts by its own clock, and has asked the
	// others what they remember. If others are down by then, it may ask for three leases more.
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
				// Includes the view of the leader: just elected, it may not have called its work yet.
				return false
			}
		}
		return true
	})
	return leader, term, err
}

// judge checks everything that has happened so far.
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

// judgeAll checks everything when all processes have ended.
func (g *group) judgeAll() error {
	return errors.Join(g.judge(), judgeRegister(g.answered, g.store.operations()))
}
