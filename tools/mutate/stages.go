package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/tools/mutate/change"
)

// users are, for packages without an algorithm, those whose tests try it as well.
var users = map[string][]string{
	".":                {"lab/sim", "electiontest"},
	"elector":          {"electortest"},
	"internal/alarm":   {"process"},
	"internal/mailbox": {"transport/memory", "local"},
	"lab/scenario":     {"lab/sim"},
	"lab/sim":          {"lab/soak"},
	"lab/verdict":      {"lab/soak", "lab/check"},
	"process":          {"mutex/lock", "transport/transporttest"},
	"transport/memory": {"process"},
}

// The tests of a package that take long: random runs by the thousand, connections that break all the time.
const long = "Chaos|Million|Large|Goroutines|Proxy"

// fate is what became of a mutant.
type fate string

const (
	byTests   fate = "own tests"
	byChecker fate = "checker"
	byOthers  fate = "other tests"
	byTime    fate = "time"
	survived  fate = "survived"

	sameAnyway fate = "changes nothing" // it has survived, and equal.txt says why
)

// stage is one test binary that mutants meet. It holds the copy with switches.
type stage struct {
	dir   string // of the package whose tests they are
	args  []string
	kills fate // what a failure means

	built   sync.Once
	err     error
	binary  string
	wall    time.Duration // how long a run may take
	seconds int           // how much processor time
}

// stagesOf returns what the mutants of a package meet, in this order.
func stagesOf(name string) []*stage {
	list := []*stage{{dir: name, kills: byTests, args: []string{"-test.short"}}}
	if name := path.Base(name); slices.Contains(catalog.Names(), name) {
		list = append(list,
			&stage{dir: "lab/check", kills: byChecker,
				args: []string{"-test.run", "TestCountsOfAlgorithms", "-only", name}},
			&stage{dir: ".", kills: byOthers,
				args: []string{"-test.run", "TestGuarantees|TestReadme|TestScenarios$"}},
			&stage{dir: "catalog", kills: byOthers, args: []string{"-test.run", "TestDescriptions"}},
			&stage{dir: "electiontest", kills: byOthers,
				args: []string{"-test.short", "-test.run", "TestCatalog/^" + name + "$"}})
	}
	for _, user := range users[name] {
		list = append(list, &stage{dir: user, kills: byOthers, args: []string{"-test.short"}})
	}
	skip := long
	if name == "lease" { // with the switches in it, its Node allocates memory
		skip += "|TestCatalog/^lease$/^Allocation$"
	}
	for _, s := range list {
		s.args = append(s.args, "-test.skip", skip)
	}
	if *longer {
		last := &stage{dir: name, kills: byTests}
		if hasLong(name) {
			last.args = []string{"-long"}
		}
		list = append(list, last)
	}
	return list
}

// hasLong reports whether the tests of a package have a flag -long.
func hasLong(name string) bool {
	folder, err := root()
	if err != nil {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(folder, name, "*_test.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(source), `flag.Bool("long"`)
	})
}

// build compiles a stage over an overlay, and runs it without a mutant: tests that fail anyway
// would kill every one.
func (s *stage) build(ctx context.Context, overlay, to string) error {
	s.built.Do(func() {
		dir, err := os.MkdirTemp(to, "stage")
		if err != nil {
			s.err = err
			return
		}
		s.binary = filepath.Join(dir, "tests")
		cmd, err := goCommand(ctx, "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary,
			path.Join(library, s.dir))
		if err != nil {
			s.err = err
			return
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			s.err = fmt.Errorf("compile the tests of %s: %w\n%s", s.dir, err, out)
			return
		}
		began := time.Now()
		s.wall, s.seconds = 10*time.Minute, 600
		o, err := s.run(ctx, 0)
		if err == nil && o.fate != survived {
			err = fmt.Errorf("the tests of %s fail without any change:\n%s", s.dir, o.output)
		}
		s.err = err
		// The processor time ends loops: on a busy machine, tests may take longer than they need. The time
		// that passes ends tests that wait for what never comes.
		s.wall, s.seconds = *patient+10*time.Since(began), 2+int((5*o.cpu+time.Second-1)/time.Second)
	})
	return s.err
}

// outcome is what a run of the tests comes to.
type outcome struct {
	fate   fate
	cpu    time.Duration
	output string
}

// run runs the tests of a stage with one mutant switched on, or with none, which is 0.
func (s *stage) run(ctx context.Context, mutant int) (outcome, error) {
	folder, err := root()
	if err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.wall)
	defer cancel()
	// A mutant that allocates without end must not use up the memory of the machine.
	script := fmt.Sprintf(`ulimit -t %d; ulimit -v 8000000; exec "$0" "$@"`, s.seconds)
	args := append([]string{"-c", script, s.binary, "-test.failfast", "-test.timeout=0"}, s.args...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(folder, s.dir)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=1GiB",
		change.Variable+"="+strconv.Itoa(mutant))
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return outcome{}, err // they have not begun
	}
	o := outcome{survived, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), string(out)}
	switch {
	case !cmd.ProcessState.Exited(): // at one of its limits
		o.fate = byTime
	case err != nil:
		o.fate = s.kills
	}
	return o, nil
}
