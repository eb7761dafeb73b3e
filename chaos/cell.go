package main

import "fmt"

// need is what a fault takes that not every machine has.
type need uint8

const (
	nothing need = iota
	spaces       // network namespaces and nft
	freezing
	mounts
	needs
)

// fault is something that is done to a group.
type fault struct {
	name     string
	needs    need
	disk     diskKind // on which members keep their state; only cells with Dir
	survived bool     // a majority is up, connected and able to vote all the time
	grace    float64  // how many leases the next leader may come later than after a crash
	short    bool     // in the selection for every change
	do       func(*trial) error
	// rates: the clock of each member is that much too fast, by its index; Times.Drift is drift.
	rates func(int) float64
	drift float64
	clash bool // two leases must be valid at once
}

// cell is a fault and a group.
type cell struct {
	fault   *fault
	n       int
	durable bool // members keep their state in a Dir
}

// network reports whether members are in namespaces.
func (c *cell) network() bool { return c.fault.needs == spaces }

func (c *cell) String() string {
	kept := "none"
	if c.durable {
		kept = "Dir"
	}
	return fmt.Sprintf("%s, n=%d, %s", c.fault.name, c.n, kept)
}
