// Command failover runs five processes as goroutines, kills the leader three times, and prints how long the others
// take to agree on the next. They detect a crash by missing heartbeats. In between, one of the dead processes comes
// back without its state, and takes over in the Term of the leader before: a Term of bully numbers an election, and
// is no fencing token. Package elector has fencing tokens.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
)

// The assumed bounds. Memory is much faster; what matters is that it is never slower.
const (
	delay      = 50 * time.Millisecond // the longest that a message takes
	processing = 10 * time.Millisecond // the longest that a process takes to handle it
	alive      = 3*delay + processing  // how long to wait for an answer
	heartbeat  = 100 * time.Millisecond
)

// How long agreement takes at most.
//
// After a crash of the leader: its last heartbeat arrives no later than a turn after the crash,
// and a follower waits heartbeat + 2*delay + processing from then on. The largest live process
// then waits for answers that do not come, has won, and its announcement takes another turn. (The
// other bound of package bully, Alive + 2*(delay + processing), counts from an election's beginning.)
//
// After a return: the process makes the larger ones elect as well, at worst one after another, and each of
// them asks the leader, which advances to the Term of the last one. All others learn that Term from the
// next heartbeat.
const (
	members     = 5
	turn        = delay + processing
	noticed     = turn + (heartbeat + 2*delay + processing)
	afterCrash  = noticed + alive + turn
	afterReturn = members*turn + heartbeat + turn
)

func main() {
	if err := failover(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// failover runs the whole demonstration.
func failover(out io.Writer) error {
	algorithm, err := bully.Rules(bully.Config{Delay: delay, Processing: processing, AliveTimeout: alive,
		Heartbeat: heartbeat})
	if err != nil {
		return err
	}
	c := newCluster(algorithm, members)
	defer c.killAll()

	var leader election.ID
	begin := func() (what string, bound time.Duration, err error) {
		return "all begin", afterReturn, c.start(c.ids()...)
	}
	kill := func() (what string, bound time.Duration, err error) {
		c.kill(leader)
		return fmt.Sprintf("%d is killed", leader), afterCrash, nil
	}
	comeBack := func() (what string, bound time.Duration, err error) {
		return "5 comes back without its state", afterReturn, c.start(5)
	}
	for _, step := range []func() (string, time.Duration, error){begin, kill, kill, comeBack, kill} {
		began := time.Now()
		what, bound, err := step()
		if err != nil {
			return err
		}
		now, at, err := c.agreement()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		leader = now.Leader.ID
		fmt.Fprintf(out, "%s: %d leads in term %d, agreed after %v of at most %v\n",
			what, leader, now.Term, at.Sub(began).Round(time.Microsecond), bound)
	}
	return nil
}
