package main

import (
	"fmt"
	"time"
)

// need is what a fault needs that not every machine has.
type need uint8

const (
	nothing need = iota
	spaces       // network namespaces and nft
	freezing
	mounts
	offsets // time namespaces
	needs
)

// tlsUse is whether members have certificates.
type tlsUse uint8

const (
	plaintext tlsUse = iota
	both             // in separate cells, next to cells without
	always
)

// fault is something that is done to a group.
type fault struct {
	name     string
	needs    need
	disk     diskKind // on which members keep their state; only cells with Dir
	least    int      // smaller groups are left out
	survived bool     // a majority is up, connected and able to vote throughout
	grace    float64  // how many leases the next leader may come later than after a crash
	short    bool     // in the selection for every change
	do       func(*trial) error

	steady  bool // the leader keeps its lease, and its work is not asked to stop
	below   bool // the leader is not the largest member
	most    int  // changes of leader at most; zero: as many as leases may follow each other
	refuses bool // a leader that was succeeded writes once more, which the register refuses

	tls tlsUse
	// life is the lifetime of certificates, which are replaced each quarter of it. If zero, they outlast the group.
	life time.Duration
	twin bool // a second process of a name has its own machine
	// rates returns how much too fast the clock of a member is, by its index; Times.Drift is drift.
	rates func(int) float64
	drift float64
	// starts returns how much earlier the clock of a process starts, by the number of the process.
	starts func(int) time.Duration
	clash  bool // two leases must be valid at the same time

	// rolls is set if the members change, from three to five if a cell has three members, and from five to three if it
	// has five.
	rolls   bool
	planned bool // the leader changes only when the harness ends or stops it, or when it resigns
	swift   bool // the members are agreed as soon as enough of them have the new list
	hooks   bool // members report each step of a change, and may be struck in it
	// like is another fault, with the same restarts and without a change. There is no leader for as long.
	like string
}

// cell is a fault and the kind of group that it happens to.
type cell struct {
	fault   *fault
	n       int
	durable bool // members keep their state in a Dir
	secure  bool // members show certificates
}

// most returns how many members the group ever has.
func (c *cell) most() int {
	if c.fault.rolls {
		return max(c.n, c.after())
	}
	return c.n
}

// after returns how many members there are after a change.
func (c *cell) after() int { return 8 - c.n }

// network reports whether members are in namespaces.
func (c *cell) network() bool { return c.fault.needs == spaces }

func (c *cell) String() string {
	kept := "none"
	if c.durable {
		kept = "Dir"
	}
	if c.secure {
		kept += ", TLS"
	}
	return fmt.Sprintf("%s, n=%d, %s", c.fault.name, c.n, kept)
}

// cellsOf returns the cells of a fault.
func cellsOf(f *fault) (cells []*cell) {
	for _, n := range []int{3, 5} {
		for _, durable := range []bool{false, true} {
			for _, secure := range []bool{false, true} {
				odd := f.disk != noDisk && !durable || secure && f.tls == plaintext || !secure &&
					f.tls == always
				if !odd && n >= f.least {
					cells = append(cells, &cell{f, n, durable, secure})
				}
			}
		}
	}
	return cells
}

// inShort reports whether a cell is in the selection for every change.
func (c *cell) inShort() bool {
	return c.fault.short && c.n == 3 && c.durable == (c.fault.disk != noDisk) &&
		c.secure == (c.fault.tls == always)
}
