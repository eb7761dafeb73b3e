// Command elect runs leader elections: members of a service as processes, and the algorithms of this project
// in a simulator with virtual time or as goroutines.
//
//	elect cluster                                 five processes, of which one leads
//	elect lead ... -- COMMAND                     a program on the member that leads
//	elect members URL                             who has a vote in such a group
//	elect store test URL                          whether a database can keep a lease
//	elect list                                    what there is
//	elect sim lcr -n 1000 --order random --seed 7
//	elect sim --scenario file.json                - for standard input
//	elect run hs -n 200                           real goroutines
//	elect check lcr -n 5                          every state that there is
//	elect page                                    all of them in a browser, step by step
//
// The exit status is 0 if the election ended and is right, 1 if it failed, 2 if the command line or a file is
// invalid, 3 if not everything was checked, and 130 if the command was interrupted; elect lead has more. Any
// status but 0 is explained on standard error, in one line for each election.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

// grace is how long an interrupted run may take to stop unless its command sets another. A run that builds
// a large input, or waits for standard input, does not look at its context; the program then ends without it.
const grace = 300 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var patience atomic.Int64
	patience.Store(int64(grace))
	ctx = console.WithPatience(ctx, &patience)
	status := make(chan int, 1)
	// A goroutine of its own, since a read from standard input cannot be interrupted.
	go func() { status <- run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case code := <-status:
		os.Exit(code)
	case <-ctx.Done():
		stop() // a second interrupt ends the program immediately
	}
	select {
	case code := <-status:
		os.Exit(code)
	case <-time.After(time.Duration(patience.Load())):
		fmt.Fprintln(os.Stderr, "elect:", exit.ErrInterrupted)
		os.Exit(exit.StatusInterrupted)
	}
}
