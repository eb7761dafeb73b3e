// Chaos breaks groups of real processes on this machine, and judges what their leaders do meanwhile.
//
// Each trial waits until a group is calm, does one thing to it (it kills the leader, cuts a network, fills a
// disk ...), repairs that, and waits until the group is calm again. The members are programs of their
// own, that talk over TCP. All share one kernel, hence one clock: so their leases are compared exactly.
// See judge.go for what has to hold, and docs/chaos.md for results.
//
// # Usage
//
//	chaos [flags]
//
// Network namespaces, the freezer and disks of their own need root on Linux. Without it, chaos says what it
// leaves out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// asMember is the only argument of a member.
const asMember = "member"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if len(os.Args) == 2 && os.Args[1] == asMember {
		err = runMember(ctx, os.Stdin, os.Stdout)
	} else {
		err = errors.New("usage: chaos member")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}
