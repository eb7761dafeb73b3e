// Command mutate changes one small thing at a time in the algorithm packages, and in those that carry their
// Nodes, and sees whether a test notices: a comparison is turned, a condition negated, a send, a timer
// or an assignment dropped, min and max are swapped, a number is off by one. What survives is either no
// mistake at all, or shows which test is missing.
//
//	go run ./internal/mutate [-sample 3] [-seed 1] [-part 1/4] [-long] [lcr process ...]
//
// A mutant is compiled over the sources (go test -overlay) and first meets the test of
// internal/mutate/killer, which checks every small election exhaustively and runs the worked examples,
// then the package's own tests without the long random ones, then those that hold descriptions to the
// documentation. A mutant of a carrier meets the tests of that package, and of those that use it. One that
// runs out of time has been noticed too. It takes seconds a mutant, hours for all; -sample takes some of each
// package, -part one of several equal parts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election/catalog"
)

// The tests of a package that take minutes: random runs by the thousand.
const long = "Chaos|Million|Large|Goroutines"

// fate is what became of a mutant.
type fate string

const (
	byChecker fate = "checker"
	byTests   fate = "own tests"
	byTime    fate = "time"
	survived  fate = "survived"
	unborn    fate = "does not compile"
)

var (
	sample  = flag.Int("sample", 0, "how many mutants of each package; 0: all")
	part    = flag.String("part", "1/1", "which part of them: 2/3 is the second of three")
	seed    = flag.Uint64("seed", 1, "which ones")
	workers = flag.Int("workers", runtime.GOMAXPROCS(0), "how many at a time")
	patient = flag.Duration("timeout", time.Minute, "how long a mutant's test may take")
	quick   = flag.Bool("quick", false, "of packages without an algorithm, run the short tests only")
	own     = flag.Bool("own", true, "run the package's own tests too")
	longer  = flag.Bool("long", false, "what survives meets the long tests too")
	budget  = flag.Duration("budget", 0, "begin no further mutant after so long; 0: no end")
)

func main() {
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		names = catalog.Names()
	}
	if err := run(names); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var reports []*report
	for _, name := range names {
		r, err := runPackage(dir, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		reports = append(reports, r)
		r.survivors(os.Stdout)
	}
	table(os.Stdout, reports)
	return nil
}

// runPackage tries the mutants of one package.
func runPackage(dir, name string) (*report, error) {
	list, err := breed(name)
	if err != nil {
		return nil, err
	}
	r := &report{name: name, all: len(list)}
	// Tests that fail anyway would kill every mutant.
	if f, out := try(context.Background(), name, ""); f != survived {
		return nil, fmt.Errorf("its tests fail without any change (%s):\n%s", f, out)
	}
	which, of := 0, 0
	if _, err := fmt.Sscanf(*part, "%d/%d", &which, &of); err != nil || which < 1 || which > of {
		return nil, fmt.Errorf("-part %s: it is not one of several, such as 2/3", *part)
	}
	rnd := rand.New(rand.NewPCG(*seed, 0))
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	// All parts shuffle with the same seed, so together they hold each mutant once.
	list = list[(which-1)*len(list)/of : which*len(list)/of]
	if *sample > 0 {
		list = list[:min(*sample, len(list))]
	}
	began := time.Now()
	var next atomic.Int64
	var working sync.WaitGroup
	var lock sync.Mutex
	var failed error
	for range *workers {
		working.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				if *budget > 0 && time.Since(began) > *budget {
					return
				}
				f, err := judge(dir, name, &list[i], i)
				lock.Lock()
				failed = errors.Join(failed, err)
				r.add(&list[i], f)
				lock.Unlock()
			}
		})
	}
	working.Wait()
	return r, failed
}

// judge writes a mutant beside the sources and tries it.
func judge(dir, name string, m *mutant, number int64) (fate, error) {
	src, err := m.source()
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, fmt.Sprintf("%d.go", number))
	over := strings.TrimSuffix(to, ".go") + ".json"
	b, err := json.Marshal(map[string]map[string]string{"Replace": {path: to}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(to, src, 0o600), os.WriteFile(over, b, 0o600)); err != nil {
		return "", err
	}
	f, _ := try(context.Background(), name, over)
	return f, nil
}

// try runs the tests of a package, over an overlay if there is one.
func try(ctx context.Context, name, overlay string) (fate, string) {
	if suites := carriers[name]; suites != nil {
		return tryCarrier(ctx, suites, overlay)
	}
	f, out := test(ctx, overlay, byChecker, "./internal/mutate/killer", "-args", "-only", name)
	if f == survived && *own {
		f, out = test(ctx, overlay, byTests, "./"+name)
	}
	if f == survived && *own {
		f, out = test(ctx, overlay, byTests, ".", "./catalog", "-run",
			"TestGuarantees|TestReadme|TestDescriptions")
	}
	if f == survived && *own {
		f, out = test(ctx, overlay, byTests, "./electiontest", "-short", "-run", "TestCatalog/^"+name+"$")
	}
	if f == survived && *longer {
		f, out = test(ctx, overlay, byTests, "./"+name, "-run", long, "-skip", "Nothing", "-timeout", "10m")
	}
	return f, out
}

func test(ctx context.Context, overlay string, kills fate, args ...string) (fate, string) {
	ctx, cancel := context.WithTimeout(ctx, max(*patient, 10*time.Minute)+30*time.Second)
	defer cancel()
	all := []string{"test", "-vet=off", "-count=1", "-timeout", patient.String(), "-skip", long}
	if overlay != "" {
		all = append(all, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(all, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=1GiB")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	text := string(out)
	switch {
	case err == nil:
		return survived, text
	case strings.Contains(text, "[build failed]") || strings.Contains(text, "[setup failed]"):
		return unborn, text
	case ctx.Err() != nil || strings.Contains(text, "panic: test timed out"):
		return byTime, text
	}
	return kills, text
}
