// Command mutate changes one small thing at a time in a package and sees whether a test notices: a
// comparison is turned, a condition negated, a call or an assignment dropped, min and max are swapped, a
// number is one more. A change that survives either means nothing, or shows which test is missing.
//
//	cd tools && GOWORK=off go run ./mutate [-sample 3] [-seed 1] [-from 41] [-budget 90s] [-only 7,12] [-long] [lcr ...]
//
// All changes of a package are written into one copy of it, each with a switch (tools/mutate/change). The
// tests are compiled over that copy (go test -c -overlay); then a variable of the environment switches one
// change on, so a mutant costs no more than a run of the tests. README.md lists which tests it meets.
//
// Constants that Go demands to be constants stay: in a const declaration, a length of an array, a key in
// a literal. So does a panic that stands where a function would have to return.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/catalog"
)

var (
	sample  = flag.Int("sample", 0, "how many mutants of each package; 0: all")
	seed    = flag.Uint64("seed", 1, "the order in which they are tried")
	from    = flag.Int("from", 1, "begin with this one in that order")
	only    = flag.String("only", "", "try the mutants with these numbers, such as 7,12")
	budget  = flag.Duration("budget", 0, "begin no further mutant after so long; 0: no end")
	workers = flag.Int("workers", runtime.GOMAXPROCS(0), "how many at a time")
	patient = flag.Duration("timeout", 5*time.Second,
		"how long tests may wait for nothing, beside ten times what they take")
	longer = flag.Bool("long", false, "what survives meets all tests of its own package too")
)

func main() {
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		for _, name := range catalog.Names() {
			names = append(names, catalog.Folder(name))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, names)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, names []string) error {
	end := time.Now().Add(*budget)
	var reports []*report
	for _, name := range names {
		if *budget > 0 && time.Now().After(end) {
			fmt.Fprintf(w, "%s: not begun within -budget %v\n", name, *budget)
			continue
		}
		r, err := runPackage(ctx, w, path.Clean(name), end)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		reports = append(reports, r)
	}
	table(w, reports)
	return wrongReasons(reports)
}

// runPackage tries the mutants of one package, until the budget is used up.
func runPackage(ctx context.Context, w io.Writer, name string, end time.Time) (*report, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	pkg, err := load(name)
	if err != nil {
		return nil, err
	}
	list, copies, err := pkg.mutate(w)
	if err != nil {
		return nil, err
	}
	numberKeys(list)
	if err := checkEqual(name, list); err != nil {
		return nil, err
	}
	over, err := overlay(dir, copies)
	if err != nil {
		return nil, err
	}
	r := &report{name: name, all: len(list), count: make(map[fate]int)}
	if list, err = chosen(list); err != nil {
		return nil, err
	}
	next := 0
	var working sync.WaitGroup
	var lock sync.Mutex
	stages := stagesOf(name)
	for range *workers {
		working.Go(func() {
			lock.Lock()
			defer lock.Unlock()
			for next < len(list) && err == nil && (*budget == 0 || time.Now().Before(end)) {
				m := &list[next]
				next++
				lock.Unlock()
				f, e := try(ctx, stages, m.id, over, dir)
				lock.Lock()
				if e == nil {
					r.add(w, m, f)
				} else if err == nil { // the others may have met the same error
					err = e
				}
			}
		})
	}
	working.Wait()
	if next < len(list) && err == nil {
		fmt.Fprintf(w, "%s: cut by -budget %v; go on with -from %d\n", name, *budget, *from+next)
	}
	return r, err
}

// chosen returns the mutants to try, in their order.
func chosen(list []mutant) ([]mutant, error) {
	if *only != "" {
		ids := make(map[int]bool)
		for word := range strings.SplitSeq(*only, ",") {
			id, err := strconv.Atoi(word)
			if err != nil {
				return nil, fmt.Errorf("-only: %w", err)
			}
			ids[id] = true
		}
		return slices.DeleteFunc(list, func(m mutant) bool { return !ids[m.id] }), nil
	}
	rnd := rand.New(rand.NewPCG(*seed, 0))
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[min(max(*from-1, 0), len(list)):]
	if *sample > 0 {
		list = list[:min(*sample, len(list))]
	}
	return list, nil
}

// try shows a mutant to one stage after the other, until one notices it.
func try(ctx context.Context, stages []*stage, mutant int, overlay, dir string) (fate, error) {
	for _, s := range stages {
		if err := s.build(ctx, overlay, dir); err != nil {
			return "", err
		}
		o, err := s.run(ctx, mutant)
		if err = errors.Join(err, ctx.Err()); err != nil || o.fate != survived {
			return o.fate, err
		}
	}
	return survived, nil
}
