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

// grace is how long an interrupted run may take to stop before it is left where it is: it may be
// building a large input, or waiting for standard input.
const grace = 300 * time.Millisecond

// reportGrace is how long one may take that tells what it has found so far.
const reportGrace = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var reporting atomic.Bool
	ctx = console.WithReports(ctx, &reporting)
	status := make(chan int, 1)
	go func() { status <- run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case code := <-status:
		os.Exit(code)
	case <-ctx.Done():
		stop() // who is interrupted twice is gone
	}
	patience := grace
	if reporting.Load() {
		patience = reportGrace
	}
	select {
	case code := <-status:
		os.Exit(code)
	case <-time.After(patience):
		fmt.Fprintln(os.Stderr, "elect:", exit.ErrInterrupted)
		os.Exit(exit.StatusInterrupted)
	}
}
