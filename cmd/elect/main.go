// Command elect runs the election algorithms of this project: in a simulator with virtual time,
// or as goroutines.
//
//	elect list                                    what there is
//	elect sim lcr -n 1000 --order random --seed 7
//	elect sim --scenario file.json                - for standard input
//	elect run hs -n 200                           real goroutines
//
// The exit status is 0 if the election was done and right, 1 if it failed, 2 if what was asked
// for cannot be, and 130 if it was interrupted. Whatever is not 0 is explained on standard error,
// in one line for each election.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is how long an interrupted run may take to stop before it is left where it is: it may be
// building a large input, or waiting for standard input.
const grace = 300 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status := make(chan int, 1)
	go func() { status <- run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case code := <-status:
		os.Exit(code)
	case <-ctx.Done():
	}
	select {
	case code := <-status:
		os.Exit(code)
	case <-time.After(grace):
		fmt.Fprintln(os.Stderr, "elect:", errInterrupted)
		os.Exit(statusInterrupted)
	}
}
