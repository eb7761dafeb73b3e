package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/cluster"
)

// result is the result of a cell.
type result struct {
	*cell
	outcomes []outcome
	accepted int // writes to the register
	refused  int
	err      error // of a failed trial, which ends the cell
}

// selection returns the cells to run, and a line for each kind of fault that this machine cannot make.
func selection(o *options, lacks map[need]string) (cells []*cell, missing []string) {
	left := make(map[need]int)
	for _, f := range faults() {
		for _, c := range cellsOf(f) {
			switch {
			case !o.cell.MatchString(c.String()), o.short && !c.inShort():
			case lacks[f.needs] != "":
				left[f.needs]++
			default:
				cells = append(cells, c)
			}
		}
	}
	for need := range needs {
		if left[need] > 0 {
			missing = append(missing, fmt.Sprintf("cells: %d, %s", left[need], lacks[need]))
		}
	}
	return cells, missing
}

// lacking returns why faults of a kind cannot be made here; faults that can are not in the map.
func lacking() map[need]string {
	lacks := make(map[need]string)
	if _, err := os.Stat(freezer + "/cgroup.procs"); err != nil {
		lacks[freezing] = "the freezer of cgroup v1 is not there"
	}
	if !has("ip", "nft") {
		lacks[spaces] = "ip or nft is not installed"
	}
	if !has("mount", "umount", "mkfs.ext4", "fsfreeze") {
		lacks[mounts] = "mkfs.ext4 or fsfreeze is not installed"
	}
	if !timeSpaces() {
		lacks[offsets] = "there are no time namespaces"
	}
	if os.Geteuid() != 0 {
		lacks[freezing] = "without root there is no freezer"
		lacks[spaces] = "without root there are no network namespaces"
		lacks[mounts] = "without root there are no disks of their own"
	}
	return lacks
}

// timeSpaces reports whether a program can be started with other clocks.
func timeSpaces() bool {
	const ahead = 1000 * time.Hour
	args := append(inTime(ahead), "cat", "/proc/uptime")
	out, err := exec.Command(args[0], args[1:]...).Output()
	up, _, _ := strings.Cut(string(out), ".")
	seconds, odd := strconv.Atoi(up)
	return err == nil && odd == nil && time.Duration(seconds)*time.Second > ahead
}

// mostTrials is how many trials one group makes: the time of porcupine grows faster than the number of writes.
const mostTrials = 30

// try runs cells, several at a time, except for cells whose results are recorded.
func try(ctx context.Context, cells []*cell, o *options, program []string, kept *record) ([]*result, error) {
	ctx, cancel := context.WithCancel(ctx)
	var meters sync.WaitGroup
	defer func() {
		cancel()
		meters.Wait()
	}()
	var meter stallMeter
	meters.Go(func() { meter.watch(ctx) })
	meters.Go(func() { meter.watchDisk(ctx) })
	results := make([]*result, len(cells))
	slots := make(chan struct{}, o.parallel)
	var all sync.WaitGroup
	for i, c := range cells {
		if results[i] = kept.of(c); results[i] != nil {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			r := &result{cell: c}
			results[i] = r
			for r.err == nil && len(r.outcomes) < o.trials {
				r.err = r.try(ctx, o, program, &meter)
			}
			if r.err != nil {
				r.err = fmt.Errorf("%s: %w", c, r.err)
			}
			fmt.Fprintf(os.Stderr, "%s: %d trials, error: %v\n", c, len(r.outcomes), r.err)
			if ctx.Err() == nil { // otherwise the cell was interrupted, not failed
				r.err = errors.Join(r.err, kept.add(r))
			}
		})
	}
	all.Wait()
	var failed error
	for _, r := range results {
		failed = errors.Join(failed, r.err)
	}
	return results, failed
}

// try makes trials in one group.
func (r *result) try(ctx context.Context, o *options, program []string, meter *stallMeter) (err error) {
	times := elector.Times{Lease: o.lease, Drift: r.fault.drift}
	if r.durable { // the default of a member with a Dir; FailOver needs it, too
		times.Delay = max(times.Complete().Delay, elector.DiskDelay)
	}
	g, err := openGroup(r.cell, program, meter, times)
	if err != nil {
		return err
	}
	for i := 0; i < mostTrials && err == nil && len(r.outcomes) < o.trials; i++ {
		var out outcome
		out, err = g.attempt(ctx)
		if r.fault.clash {
			switch {
			case errors.Is(err, cluster.ErrTwoLeases):
				err, g.leases, g.confirmed = nil, nil, nil // as expected
			case err == nil:
				err = errNoClash
			}
		}
		if err == nil {
			r.outcomes = append(r.outcomes, out)
		}
	}
	err = errors.Join(err, g.close())
	for _, op := range g.store.operations() {
		switch {
		case op.Accepted:
			r.accepted++
		case !op.Read:
			r.refused++
		}
	}
	if err == nil && !r.fault.clash {
		err = g.judgeAll()
	}
	return err
}
