// Command bench compares ways to have one leader: package elector by itself and over etcd, NATS, PostgreSQL and Kubernetes,
// hashicorp/raft, etcd's concurrency.Election, an advisory lock of PostgreSQL and client-go's leaderelection, in one run
// on one machine. Each group has five members, which are separate processes. It needs Linux, PostgreSQL, and Go to build
// the members.
//
//	go run . [-trials 30] [-only elector,raft] [-update ../docs/performance.md]
//
// As root it runs in its own network namespace, so that it counts only the traffic of the group. Kubernetes is an emulator
// of an API server in memory.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	trials int
	only   string
	steady time.Duration
	update string
	bin    string // folder of the programs; set in the process inside the namespace
}

func main() {
	log.SetFlags(log.Ltime)
	var o options
	flag.IntVar(&o.trials, "trials", 30, "how often each thing is tried")
	flag.StringVar(&o.only, "only", "", "what to measure, with commas between: "+strings.Join(parts(), ", "))
	flag.DurationVar(&o.steady, "steady", 20*time.Second, "for how long traffic and load are counted")
	flag.StringVar(&o.update, "update", "", "a file whose tables are replaced")
	flag.StringVar(&o.bin, "bin", "", "the folder of the programs; if empty, they are built first")
	flag.Parse()
	err := o.check()
	switch {
	case err != nil:
	case o.bin == "":
		err = o.prepare()
	default:
		err = o.run()
	}
	if err != nil {
		log.Fatal("bench: ", err)
	}
}

func (o *options) check() error {
	for _, name := range strings.Split(o.only, ",") {
		if name != "" && !slices.Contains(parts(), name) {
			return fmt.Errorf("-only: there is no %q", name)
		}
	}
	if o.trials < 1 || o.steady < time.Second {
		return errors.New("-trials is at least 1, -steady a second")
	}
	return nil
}

// wants reports whether a part is to be measured.
func (o *options) wants(name string) bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), name)
}

// prepare builds the programs, and runs this program again in a network namespace of its own.
func (o *options) prepare() error {
	bin, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	for _, b := range []struct{ dir, module, to, what string }{
		{".", "GOWORK=off", "members", "./members/..."}, {".", "GOWORK=off", "servers", "./servers/..."},
		{"..", "GOWORK=", "", "./cmd/elect"},
	} {
		log.Print("build ", b.what)
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, b.to)+"/", b.what)
		cmd.Dir, cmd.Env, cmd.Stderr = b.dir, append(os.Environ(), b.module), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build %s: %w", b.what, err)
		}
	}
	cmd := exec.Command("/proc/self/exe", append(os.Args[1:], "-bin", bin)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET
	} else {
		log.Print("without root, the traffic of the whole machine is counted")
	}
	return cmd.Run()
}

// run measures everything that is selected.
func (o *options) run() error {
	if os.Geteuid() == 0 {
		// Segments as on a wire: the loopback interface would carry 64 kB at a time.
		for _, args := range []string{"link set lo up mtu 1500", "link set lo gso_max_segs 1"} {
			if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
				return fmt.Errorf("ip %s: %w: %s", args, err, out)
			}
		}
	}
	began := load()
	var r results
	var failed error
	part := func(name string, measure func() error) {
		if !o.wants(name) {
			return
		}
		if err := measure(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, s := range systems {
		part(s.name, func() error {
			if s.asSlowAs != "" && !s.slowDown(&r) {
				log.Printf("%s: elector and %s are not measured", s.name, s.asSlowAs)
				return nil
			}
			row, err := o.measure(&s)
			if err == nil {
				r.rows = append(r.rows, row)
			}
			return err
		})
	}
	part(manyGroups, func() error {
		for _, groups := range []int{1, 1000} {
			row, err := o.measureGroups(groups)
			if err != nil {
				return err
			}
			r.groups = append(r.groups, row)
		}
		return nil
	})
	part(workers, func() (err error) {
		r.workers, err = o.measureWorkers()
		return err
	})
	part(starved, func() (err error) {
		r.starved, err = o.measureStarved(1000)
		return err
	})
	r.load = began + " at the start and " + load() + " at the end"
	text := r.text(o)
	fmt.Print(text)
	if failed == nil && o.update != "" {
		return update(o.update, text)
	}
	return failed
}
