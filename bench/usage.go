package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/bench/internal/member"
)

// usage is what a group uses while nothing happens.
type usage struct {
	bytes, packets   float64 // a second, on the network
	follower, leader share
	server           share         // zero if there is none
	reads, writes    float64       // a second, to the store, of all members
	write            time.Duration // how long a write took, the median
	lasted           time.Duration
}

// share is what one process uses.
type share struct {
	cpu    float64 // of one processor, in percent
	memory float64 // MB that are resident
}

// usage measures for a while.
func (g *group) usage(d time.Duration) (u usage, err error) {
	var shares []*share
	var pids []int
	var cpu []time.Duration
	for _, p := range []struct {
		*proc
		into *share
	}{{g.procs[g.next()], &u.follower}, {g.procs[g.leader], &u.leader}, {g.server, &u.server}} {
		if p.proc == nil {
			continue
		}
		used, err := processorTime(p.Process.Pid)
		if err != nil {
			return u, err
		}
		shares, pids, cpu = append(shares, p.into), append(pids, p.Process.Pid), append(cpu, used)
	}
	before, err := g.requests()
	if err != nil {
		return u, err
	}
	bytes, packets, err := loopback()
	if err != nil {
		return u, err
	}
	began := time.Now()
	time.Sleep(d)
	bytesAfter, packetsAfter, err := loopback()
	if err != nil {
		return u, err
	}
	took := time.Since(began).Seconds()
	u.bytes, u.packets = float64(bytesAfter-bytes)/took, float64(packetsAfter-packets)/took
	for i, s := range shares {
		used, err := processorTime(pids[i])
		if err != nil {
			return u, err
		}
		s.cpu = 100 * (used - cpu[i]).Seconds() / took
		if s.memory, err = resident(pids[i]); err != nil {
			return u, err
		}
	}
	after, err := g.requests()
	u.reads, u.writes = float64(after.reads-before.reads)/took, float64(after.writes-before.writes)/took
	u.write, u.lasted = after.write, time.Duration(took*float64(time.Second))
	return u, err
}

// requests are what members have asked a store since they started.
type requests struct {
	reads, writes int
	write         time.Duration // the median since the last report
}

// requests asks a member.
func (p *proc) requests() (r requests, err error) {
	if _, err := fmt.Fprintln(p.in, member.Report); err != nil {
		return r, err
	}
	select {
	case line := <-p.reports:
		_, err = fmt.Sscan(line, &r.reads, &r.writes, (*int64)(&r.write))
		return r, err
	case <-time.After(patience):
		return r, fmt.Errorf("process %d does not report its requests", p.Process.Pid)
	}
}

// requests returns the sum of all members.
func (g *group) requests() (sum requests, err error) {
	for _, p := range g.procs {
		one, err := p.requests()
		if err != nil {
			return sum, err
		}
		sum.reads += one.reads
		sum.writes += one.writes
		sum.write = max(sum.write, one.write) // only the leader has written since the last report
	}
	return sum, nil
}

// loopback returns the traffic of the loopback interface so far.
func loopback() (bytes, packets uint64, err error) {
	b, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		return 0, 0, err
	}
	for _, line := range strings.Split(string(b), "\n") {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && name == "lo" {
			_, err = fmt.Sscan(rest, &bytes, &packets)
			return bytes, packets, err
		}
	}
	return 0, 0, fmt.Errorf("/proc/net/dev has no loopback interface")
}

// processorTime returns the CPU time of a process: of all its threads, none of which ends while a Go program idles.
func processorTime(pid int) (sum time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	for _, path := range threads {
		b, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		running, err := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(running)
	}
	return sum, nil
}

// resident returns how many MB of memory a process holds.
func resident(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("process %d has ended", pid)
}

// load returns the load of the machine in the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
