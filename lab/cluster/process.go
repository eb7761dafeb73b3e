package cluster

import (
	"io"
	"time"
)

// Condition is what has been done to a member.
type Condition string

// The conditions.
const (
	Up      Condition = "up"
	Stopped Condition = "stopped"
	Cut     Condition = "cut off"
	Down    Condition = "down"
)

// process is a member, seen from outside.
type process struct {
	*settings
	program  program
	stdin    io.WriteCloser
	ended    chan struct{} // closed when it has ended
	state    Condition
	expected bool   // it is about to end, or has ended, because of an order
	why      string // it has ended

	reported bool
	latest   report // the last status
	// What was sent before the last start.
	packetsBefore, bytesBefore uint64
}

// traffic returns what a member has sent since the start of the cluster.
func (p *process) traffic() (packets, bytes uint64) {
	return p.packetsBefore + p.latest.Packets, p.bytesBefore + p.latest.Bytes
}

// State is a cluster at one moment.
type State struct {
	At      time.Duration
	Leader  string // the member that leads and can be reached; empty if there is none
	Members []MemberState
	Leases  []Lease
}

// MemberState is a member at one moment.
type MemberState struct {
	Name      string
	PID       int
	Condition Condition
	Leader    string        // the member that it follows, by its last report
	Term      uint64        // of that leader
	Left      time.Duration // how long its own lease lasts; zero or less if it does not lead
}

// State returns the present state.
func (c *Cluster) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := State{At: c.now()}
	if l := c.holder(); l != nil {
		s.Leader = l.Member
	}
	for _, p := range c.members {
		m := MemberState{Name: p.Self, PID: p.program.pid(), Condition: p.state}
		if p.state != Down {
			m.Leader, m.Term = p.latest.Leader, p.latest.Term
		}
		for _, l := range c.leases {
			if l.Member == p.Self && !l.ended {
				m.Left = max(m.Left, l.Until-s.At)
			}
		}
		s.Members = append(s.Members, m)
	}
	for _, l := range c.leases {
		s.Leases = append(s.Leases, *l)
	}
	return s
}
