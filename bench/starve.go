package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// busy is the number of programs that compete with the members for the processors in a starved run, and
// starving is for how long they do.
const (
	busy     = 20
	starving = 30 * time.Second
)

// led is which groups have a leader, by what the members print.
type led struct {
	heard  chan word
	leader map[string][]int // by group: the members that lead; a line of one may arrive before another's
	by     [members]int     // the number of groups that each member leads
}

func newLed(g *group) *led { return &led{heard: g.heard, leader: make(map[string][]int)} }

// hear takes what a member has printed.
func (l *led) hear(w word) {
	what, group, _ := strings.Cut(w.text, " ")
	switch what {
	case "leads":
		l.leader[group] = append(l.leader[group], w.member)
		l.by[w.member]++
	case "stopped":
		l.drop(group, w.member)
	}
}

func (l *led) drop(group string, member int) {
	if i := slices.Index(l.leader[group], member); i >= 0 {
		l.by[member]--
		if l.leader[group] = slices.Delete(l.leader[group], i, i+1); len(l.leader[group]) == 0 {
			delete(l.leader, group)
		}
	}
}

// crashed notes that a member leads no more.
func (l *led) crashed(member int) {
	for group := range l.leader {
		for slices.Contains(l.leader[group], member) {
			l.drop(group, member)
		}
	}
}

// groups returns how many groups have a leader.
func (l *led) groups() int { return len(l.leader) }

// busiest returns the member that leads the most groups.
func (l *led) busiest() (member int) {
	for i := range l.by {
		if l.by[i] > l.by[member] {
			member = i
		}
	}
	return member
}

// all waits until all groups have a leader, and returns how long that takes.
func (l *led) all(groups int) (time.Duration, error) {
	began := time.Now()
	timer := time.NewTimer(2 * patience)
	defer timer.Stop()
	for l.groups() < groups {
		select {
		case w := <-l.heard:
			l.hear(w)
		case <-timer.C:
			return 0, fmt.Errorf("%d of %d groups have a leader after %v", l.groups(), groups, 2*patience)
		}
	}
	return time.Since(began), nil
}

// watch listens for a while. It returns the least and the mean number of groups that have a leader, and when
// fewer than all had one for the last time.
func (l *led) watch(d time.Duration, groups int) (least, mean int, settled time.Duration) {
	began, looks := time.Now(), 0
	least = groups
	over := time.After(d)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case w := <-l.heard:
			l.hear(w)
			if l.groups() < groups {
				settled = time.Since(began)
			}
		case <-tick.C:
			looks++
			mean += l.groups()
			least = min(least, l.groups())
			if l.groups() < groups {
				settled = time.Since(began)
			}
			if os.Getenv("VERBOSE") != "" && looks%10 == 0 {
				log.Printf("%d groups of %v", l.groups(), l.by)
			}
		case <-over:
			return least, mean / max(looks, 1), settled
		}
	}
}

// starvedRow is what happens to many groups when the machine is busy.
type starvedRow struct {
	groups              int
	first, crash, again time.Duration // until all have a leader: at the start, after a crash, after the load
	least, mean         int           // groups with a leader under load
}

func (r *starvedRow) text() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
	return fmt.Sprintf("\n| groups | until all have a leader | after a crash | with a leader next to %d "+
		"busy programs, least and mean | until all have a leader after the programs end |\n|--:|--:|--:|--:|--:|\n| %d | %s | %s | %d, %d | %s |\n",
		busy, r.groups, ms(r.first), ms(r.crash), r.least, r.mean, ms(r.again))
}

// measureStarved measures how long it takes until all of many groups have a leader, when they start, when
// a member crashes, and when programs end that have left the members little of the processors.
func (o *options) measureStarved(groups int) (*starvedRow, error) {
	log.Printf("%s: %d groups", starved, groups)
	r := &starvedRow{groups: groups}
	s := system{program: "members/elector", args: []string{"-groups", fmt.Sprint(groups)}}
	g, err := o.start(&s)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	l := newLed(g)
	if r.first, err = l.all(groups); err != nil {
		return nil, err
	}
	l.watch(5*time.Second, groups)
	victim := l.busiest()
	log.Printf("%s: %v lead, %d crashes", starved, l.by, victim)
	if err := g.procs[victim].Process.Kill(); err != nil {
		return nil, err
	}
	_ = g.procs[victim].Wait()
	g.procs[victim] = nil
	l.crashed(victim)
	if r.crash, err = l.all(groups); err != nil {
		return nil, err
	}
	log.Printf("%s: %v lead after %v", starved, l.by, r.crash)
	if err := g.fill(); err != nil {
		return nil, err
	}
	l.watch(10*time.Second, groups)
	log.Printf("%s: %d busy programs", starved, busy)
	stop, err := occupy(busy)
	if err != nil {
		return nil, err
	}
	r.least, r.mean, _ = l.watch(starving, groups)
	stop()
	log.Printf("%s: %d to %d had a leader; the busy programs end", starved, r.least, r.mean)
	_, _, r.again = l.watch(15*time.Second, groups)
	if _, err := l.all(groups); err != nil {
		return nil, err
	}
	return r, nil
}

// occupy starts programs that use as much CPU as they get.
func occupy(n int) (stop func(), err error) {
	var all []*exec.Cmd
	stop = func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
		}
		for _, cmd := range all {
			_ = cmd.Wait()
		}
	}
	for range n {
		cmd := exec.Command("/bin/sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		all = append(all, cmd)
	}
	return stop, nil
}
