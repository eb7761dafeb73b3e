// Package cluster runs a group of members of package elector as processes of this machine, breaks them on
// purpose, and judges their leases.
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
// Each member notes by its own Term.Left from when until when its lease is valid. The processes of a machine
// share one clock, so the times of all members can be compared exactly. [Summary.Err] says whether two leases
// were valid at one moment, or a later one had a smaller Term.
//
// A lease that was given up ends when the work has stopped. The lease of a member that was killed or paused
// ends when it would have ended without another renewal.
//
// # Limitations
//
// Elsewhere than on Linux the clock is that of the wall, and a member that is paused outlives
// a parent that is killed. On Windows members cannot be paused, nor asked
// to end.
package cluster
