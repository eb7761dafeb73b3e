// Package cluster runs a group of members of package elector as processes of this machine, injects real
// faults, and judges the leases.
//
// # Usage
//
//	c, err := cluster.Start(ctx, cluster.Config{Members: 5, Command: member})
//	...
//	defer c.Close()
//	script, err := cluster.Parse(strings.NewReader("wait leader\nkill leader\nwait leader"))
//	...
//	err = c.Play(ctx, script)
//	summary := c.Close()
//
// Command starts a program that calls [Member], such as the caller's own binary with another argument.
//
// # What is measured
//
// Each member reports the validity of its leases according to its own Term.Left. The processes of a machine
// share one clock, so the times of all members are comparable. [Summary.Err] returns an error if two leases
// were valid simultaneously, or if a later lease had a smaller Term.
//
// A lease that was released ends when the work has stopped. The lease of a killed or paused member ends when
// it expires without another renewal.
//
// # Limitations
//
// On systems other than Linux the clock is the wall clock, and a paused member outlives a parent that is
// killed. On Windows members cannot be paused or asked to end.
package cluster
