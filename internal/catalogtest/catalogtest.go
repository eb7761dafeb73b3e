// Package catalogtest is what the tests that go through the whole catalog have in common: random processes
// for any algorithm, the leader that they must elect, and the worked examples of testdata/scenarios.
package catalogtest

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// Ranked returns n processes in random order, some of them of one priority.
func Ranked(rng *rand.Rand, n int) (ids []election.ID, priorities []uint64) {
	for _, i := range rng.Perm(n) {
		ids, priorities = append(ids, election.ID(i+1)), append(priorities, rng.Uint64N(3))
	}
	return ids, priorities
}

// Resting returns the algorithms of the catalogue whose runs come to rest, unless a parameter changes that.
func Resting() (list catalog.List) {
	for _, a := range catalog.All() {
		if !a.NeverQuiesces {
			list = append(list, a)
		}
	}
	return list
}

// Fits returns a size next to n that the default links of an algorithm can have.
func Fits(a *election.Algorithm, n int) int {
	switch sizes := topology.Sizes(a.Topology, 16); a.Topology {
	case election.Hypercube:
		return sizes[bits.Len(uint(n)/2)]
	case election.Mesh:
		return sizes[n%len(sizes)]
	}
	return n
}

// MayStart reports whether a process may start an algorithm: with some only the root may, the first.
func MayStart(a *election.Algorithm, p int) bool { return p == 0 || a.Title() != "treeelect/root" }

// Winner returns which process must be elected if p has begun.
func Winner(in *scenario.Input, p int) verdict.Rightful {
	return in.Winner(func(int) bool { return true }, func(q int) bool { return q == p })
}

// Scenarios visits the worked examples, each in a subtest. dir is the way to testdata/scenarios.
func Scenarios(t *testing.T, dir string, visit func(t *testing.T, s *scenario.Scenario, in scenario.Input)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	if len(files) < 4 {
		t.Fatalf("%d files of scenarios in %s", len(files), dir)
	}
	for _, file := range files {
		f, err := os.Open(file)
		must(t, err)
		list, err := scenario.Read(f)
		must(t, f.Close())
		must(t, err)
		for _, s := range list {
			t.Run(s.Name, func(t *testing.T) {
				in, err := s.Input(catalog.Find)
				must(t, err)
				if s.Expect == nil {
					t.Fatal("it expects nothing")
				}
				visit(t, s, in)
			})
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
