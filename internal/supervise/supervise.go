// Package supervise runs a program for as long as a lease lasts, and no longer.
package supervise

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Program is a program that runs while its member leads.
type Program struct {
	Args           []string // its name, and its arguments
	Env            []string // what is added to the environment
	Stdout, Stderr io.Writer
	// Drain is how long it may take to end once it was asked to. The lease may end earlier.
	Drain time.Duration
	// Margin is how long before the end of the lease it is killed.
	Margin time.Duration
	// Signals are passed on to its process group.
	Signals <-chan os.Signal
	Killed  func() // Killed is called when it did not end in time. If nil, it is not.
}

// End is how a program has ended.
type End struct {
	Code  int   // as a shell has it: 128 and the number of the signal that killed it; 126 if it did not start
	Asked bool  // it was asked to end
	Err   error // why it did not start
}

// String returns the end in words.
func (e End) String() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Code > 128:
		return fmt.Sprintf("killed by signal %d (%s)", e.Code-128, syscall.Signal(e.Code-128))
	}
	return fmt.Sprintf("status %d", e.Code)
}

// notStarted is what a shell returns for a program that is there and cannot run.
const notStarted = 126

// Run runs the program until it ends. When ctx ends, its process group is asked to end, and killed before the
// lease ends; left returns for how long that lasts. A process that has left the group, as by setsid, is not
// reached.
func (p *Program) Run(ctx context.Context, left func() time.Duration) End {
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return End{Code: notStarted, Err: err}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		wait(cmd) // what it has started must not outlive it
	}()
	asked := p.supervise(ctx, cmd.Process, left, ended)
	<-ended
	return End{Code: code(cmd.ProcessState), Asked: asked}
}

// supervise waits until the program has ended, or is killed. It returns whether it was asked to end.
func (p *Program) supervise(ctx context.Context, program *os.Process, left func() time.Duration,
	ended <-chan struct{}) (asked bool) {
	var drained time.Time
	stopping := ctx.Done()
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		if asked {
			rest := min(time.Until(drained), left()-p.Margin)
			if rest <= 0 {
				kill(program)
				if p.Killed != nil {
					p.Killed()
				}
				return true
			}
			timer.Reset(rest) // the lease may have been renewed by then
		}
		select {
		case <-ended:
			return asked
		case s := <-p.Signals:
			pass(program, s)
		case <-stopping:
			stopping, asked, drained = nil, true, time.Now().Add(p.Drain)
			terminate(program)
		case <-timer.C:
		}
	}
}
