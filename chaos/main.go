// Command chaos breaks groups of real processes on this machine, and checks what their leaders do meanwhile.
//
// Each trial waits until a group is calm, does one thing to it (kills the leader, cuts a network, fills a disk ...),
// repairs that, and waits until the group is calm again. Members are separate processes that talk over TCP. They
// share one kernel and so one clock: their leases are compared exactly. See judge.go for what must hold, and
// docs/chaos.md for results.
//
// # Usage
//
//	chaos [flags]
//
// Network namespaces, the freezer and separate disks need root on Linux. Without it, chaos prints what it leaves out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// asMember is the only argument of a member.
const asMember = "member"

// options are the flags.
type options struct {
	trials   int
	cell     *regexp.Regexp
	short    bool
	lease    time.Duration
	parallel int
	update   string
	results  string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if len(os.Args) == 2 && os.Args[1] == asMember {
		err = runMember(ctx, os.Stdin, os.Stdout)
	} else {
		err = runCells(ctx, os.Args[1:])
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// parse reads the flags.
func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("chaos", flag.ContinueOnError)
	f.IntVar(&o.trials, "trials", 30, "trials of each cell")
	cell := f.String("cell", "", "a regular expression: only cells whose name matches, such as 'kill.*n=3'")
	f.BoolVar(&o.short, "short", false, "a selection of cells that takes less than two minutes")
	f.DurationVar(&o.lease, "lease", time.Second, "how long a lease is")
	f.IntVar(&o.parallel, "parallel", 4, "how many groups run at once")
	f.StringVar(&o.results, "results", "",
		"a file that keeps the results of cells; a run that was cut short goes on "+
			"from it")
	f.StringVar(&o.update, "update", "", "a document whose table is replaced, such as docs/chaos.md; docs/chaos.csv "+
		"gets the rows, and keeps the rows of cells that are not run")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if o.cell, err = regexp.Compile(*cell); err != nil {
		return nil, err
	}
	if o.trials < 1 || o.parallel < 1 || o.lease < 10*time.Millisecond {
		return nil, errors.New("-trials and -parallel are at least 1, -lease is at least 10ms")
	}
	return o, nil
}

// runCells runs all selected cells, and prints a row for each cell and a line for each fault.
func runCells(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	sweep() // leftovers of a run that was killed
	cells, missing := selection(o, lacking())
	for _, line := range missing {
		fmt.Println("left out:", line)
	}
	if len(cells) == 0 {
		return fmt.Errorf("no cell that can run here matches %q", o.cell)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	own := setupOf(o)
	kept, err := openRecord(o.results, own)
	if err != nil {
		return err
	}
	results, err := try(ctx, cells, o, []string{program, asMember}, kept)
	err = errors.Join(err, judgeLate(results), judgeCost(results, o.lease), kept.close())
	fmt.Print(details(rowsOf(results)), "\n", table(rowsOf(results)))
	if o.update != "" && ctx.Err() == nil {
		err = errors.Join(err, update(o.update, o, own, results))
	}
	return err
}
