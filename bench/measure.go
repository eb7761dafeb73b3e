package main

import (
	"fmt"
	"log"
	"math"
	"strings"
	"syscall"
	"time"

	"github.com/go-election/election/bench/internal/member"
)

// way is how a leader ends.
type way struct {
	name string
	end  func(g *group) error
}

// All but the last two end the process.
var (
	crash = way{"crash", func(g *group) error { return g.procs[g.leader].Process.Kill() }}
	term  = way{"SIGTERM", func(g *group) error { return g.procs[g.leader].Process.Signal(syscall.SIGTERM) }}

	resign   = way{"resign", func(g *group) error { return g.request(member.Any) }}
	transfer = way{"transfer", func(g *group) error { return g.request(g.next()) }}
)

// request asks the leader to give up the lead, see member.Request.
func (g *group) request(to int) error {
	_, err := fmt.Fprintln(g.procs[g.leader].in, to)
	return err
}

// missed is recorded for a transfer after which another member leads than the named one.
const missed = time.Duration(math.MaxInt64)

// replace ends the leader, and returns how long it took until another member leads.
func (g *group) replace(w way) (time.Duration, error) {
	old, next, began := g.leader, g.next(), time.Now()
	if err := w.end(g); err != nil {
		return 0, err
	}
	leads, err := g.awaitLeader()
	if err != nil {
		return 0, err
	}
	took := leads.at.Sub(began)
	if w.name == transfer.name && leads.member != next {
		took = missed
	}
	if w.name == crash.name || w.name == term.name {
		_ = g.procs[old].Wait()
		g.procs[old] = nil
		if err := g.fill(); err != nil {
			return 0, err
		}
	}
	return took, nil
}

// trial replaces the leader. In a handover over a store it also returns how many requests the old and the new leader have
// sent, each after the answer to the one before.
func (g *group) trial(w way, overStore bool) (took time.Duration, trips int, err error) {
	if !overStore || w.name != resign.name && w.name != transfer.name {
		took, err = g.replace(w)
		return took, 0, err
	}
	var before [members]requests
	for i, p := range g.procs {
		if before[i], err = p.requests(); err != nil {
			return 0, 0, err
		}
	}
	old := g.leader
	if took, err = g.replace(w); err != nil {
		return 0, 0, err
	}
	for _, i := range []int{old, g.leader} {
		after, err := g.procs[i].requests()
		if err != nil {
			return 0, 0, err
		}
		trips += after.reads + after.writes - before[i].reads - before[i].writes
	}
	return took, trips, nil
}

// measure measures one system.
func (o *options) measure(s *system) (*row, error) {
	r := &row{name: s.name, times: s.times, lease: s.lease}
	g, err := o.start(s)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	if _, err := g.awaitLeader(); err != nil {
		return nil, err
	}
	if _, err := g.calm(s.settle); err != nil {
		return nil, err
	}
	log.Printf("%s: steady state", s.name)
	if r.usage, err = g.usage(o.steady); err != nil {
		return nil, err
	}
	few := o.trials
	if s.slow {
		few = min(few, 5)
	}
	for _, w := range []struct {
		way
		n    int
		into *times
	}{{crash, few, &r.crash}, {term, few, &r.term}, {resign, few, &r.resign}, {transfer, few, &r.transfer}} {
		if w.name == transfer.name && !s.requests || w.name != crash.name && s.asSlowAs != "" {
			continue
		}
		log.Printf("%s: %s", s.name, w.name)
		for range w.n {
			changes, err := g.calm(s.settle)
			if err != nil {
				return nil, err
			}
			r.changes += changes
			d, trips, err := g.trial(w.way, s.overStore())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if d == missed {
				r.missed++
				continue
			}
			*w.into = append(*w.into, d)
			if trips > 0 {
				r.trips = append(r.trips, trips)
			}
		}
	}
	return r, nil
}

// measureGroups measures the traffic of many groups between the same processes.
func (o *options) measureGroups(groups int) (*groupsRow, error) {
	log.Printf("%d groups", groups)
	s := system{program: "members/elector", args: []string{"-groups", fmt.Sprint(groups)}}
	g, err := o.start(&s)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	led := newLed(g)
	if _, err := led.all(groups); err != nil {
		return nil, err
	}
	g.leader = led.busiest()
	time.Sleep(3 * time.Second)
	r := &groupsRow{groups: groups, led: led.by[g.leader]}
	r.usage, err = g.usage(o.steady)
	return r, err
}

// measureWorkers measures how soon elect lead runs a worker elsewhere after the worker of the leader was killed.
func (o *options) measureWorkers() (ts times, err error) {
	log.Print(workers)
	g, err := newGroup()
	if err != nil {
		return nil, err
	}
	g.command = func(self int) []string {
		command := []string{o.command("elect"), "lead", "--self", member.Name(self)}
		for i, address := range g.addresses {
			command = append(command, "--member", member.Name(i)+"="+address)
		}
		return append(command, "--", "/bin/sh", "-c", "echo leads $$; exec sleep 1000000")
	}
	defer g.stop()
	if err := g.fill(); err != nil {
		return nil, err
	}
	worker, err := g.awaitLeader()
	for err == nil {
		time.Sleep(2 * time.Second)
		for len(g.heard) > 0 { // the lease expired because the machine stalled
			worker = <-g.heard
			g.leader = worker.member
		}
		if len(ts) == o.trials {
			break
		}
		var took time.Duration
		if worker, took, err = g.replaceWorker(worker); err == nil {
			ts = append(ts, took)
		}
	}
	return ts, err
}

// replaceWorker kills a worker, and returns the next one.
func (g *group) replaceWorker(worker word) (next word, took time.Duration, err error) {
	pid, err := worker.pid()
	if err != nil {
		return word{}, 0, err
	}
	old, began := g.leader, time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return word{}, 0, err
	}
	if next, err = g.awaitLeader(); err != nil {
		return word{}, 0, err
	}
	// A member whose workers end repeatedly is no candidate for longer each time, so replace the member.
	_ = g.procs[old].Process.Signal(syscall.SIGTERM)
	_ = g.procs[old].Wait()
	g.procs[old] = nil
	return next, next.at.Sub(began), g.fill()
}

// pid returns the number of the process that a worker has printed.
func (w word) pid() (pid int, err error) {
	_, err = fmt.Sscan(strings.TrimPrefix(w.text, "leads "), &pid)
	return pid, err
}
