package electiontest_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/mutex"
)

func TestMain(m *testing.M) {
	// Most of what the suite allocates is garbage soon, and little is live: at the default a third of the
	// tests' time would be spent on collecting it.
	debug.SetGCPercent(400)
	goleak.VerifyTestMain(m)
}

// TestCatalog: all algorithms conform, including on the scenarios of the project.
func TestCatalog(t *testing.T) {
	seen := make(map[string]bool)
	for _, a := range catalog.All() {
		o := electiontest.Options{Find: catalog.Find}
		if !*electiontest.Long {
			o.Seeds, o.States, o.Processes = 10, 1000, 7
		}
		if file := filepath.Join("..", "testdata", "scenarios", a.Name+".json"); !seen[file] {
			seen[file] = true
			if _, err := os.Stat(file); err == nil {
				o.Scenarios = []string{file}
			}
		}
		t.Run(a.Title(), func(t *testing.T) { electiontest.Test(t, a, o) })
	}
}

// TestMade: algorithms that a program derives from the catalog, or configures, conform.
func TestMade(t *testing.T) {
	locks, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0], Sections: 2,
		CriticalSection: scenario.Unit})
	require.NoError(t, err)
	made := map[string]*election.Algorithm{"sections": locks}
	for _, of := range [][2]string{{"lcr"}, {"treeelect", "root"}, {"treeelect", "climb"}, {"echo"},
		{"floodmax", "alpha"}} {
		own, err := catalog.Find(of[0], of[1])
		require.NoError(t, err)
		made["overlay of "+own.Title()], err = own.OverComplete()
		require.NoError(t, err)
	}
	o := electiontest.Options{Allocates: true}
	if !*electiontest.Long {
		o.Seeds, o.States, o.Processes = 10, 1000, 7
	}
	for name, a := range made {
		t.Run(name, func(t *testing.T) { electiontest.Test(t, a, o) })
	}
}

// TestDetectors: algorithms conform below which a failure detector is put.
func TestDetectors(t *testing.T) {
	o := electiontest.Options{Allocates: true, Seeds: 20, States: 2000}
	all := [][2]string{{"lcr", "max"}, {"dkr"}, {"treeelect", "root"}}
	if !*electiontest.Long {
		o.Seeds, o.States, o.Processes = 4, 1000, 4
		all = all[:1]
	}
	for _, d := range []detect.Detector{detect.Deadline{}, detect.Phi{}, detect.Phi{Exponential: true},
		detect.Chen{}} {
		if d != (detect.Deadline{}) {
			o.Exhaustive = []int{} // the times of the others fall between the ticks of the checker
			all = all[:1]
		}
		for _, of := range all {
			a, err := catalog.Find(of[0], of[1])
			require.NoError(t, err)
			a, err = detect.Under(a, d)
			require.NoError(t, err)
			t.Run(a.Title(), func(t *testing.T) { electiontest.Test(t, a, o) })
		}
	}
}
