// Package catalog lists every algorithm of this project and finds one by its name and variant.
// Whatever works for all of them (drivers, the command line, suites, documentation) starts here.
package catalog

import (
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/treeelect"
)

// All returns the descriptions of all variants of all algorithms, those of one algorithm
// together and its default first. They are the caller's own.
func All() []*election.Algorithm {
	bullies := bully.Algorithms() // the first of them elects the arbiter of mutex by default
	elections := slices.Concat(
		lcr.Algorithms(),
		hs.Algorithms(),
		franklin.Algorithms(),
		dkr.Algorithms(),
		bullies,
		inquiry.Algorithms(),
		modbully.Algorithms(),
		treeelect.Algorithms(),
		echo.Algorithms(),
		hypercube.Algorithms(),
		mesh.Algorithms(),
	)
	return append(elections, mutex.Algorithms(bullies[0], elections...)...)
}

// Names returns the names of the algorithms, in the order of All.
func Names() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return slices.Compact(names)
}

// Variants returns the names of an algorithm's variants, the default first. There are none where
// there is only one, and none of an algorithm that is not known.
func Variants(name string) []string {
	var variants []string
	for _, a := range All() {
		if a.Name == name && a.Variant != "" {
			variants = append(variants, a.Variant)
		}
	}
	return variants
}

// Find returns one variant of an algorithm, the default if variant is empty. If there is none,
// the error wraps [election.ErrInput] and says what there is.
func Find(name, variant string) (*election.Algorithm, error) {
	known := false
	for _, a := range All() {
		if a.Name != name {
			continue
		}
		if variant == "" || variant == a.Variant {
			return a, nil
		}
		known = true
	}
	if !known {
		return nil, input.Errorf("unknown algorithm %q: %s", name, suggest(name))
	}
	if variants := Variants(name); len(variants) > 0 {
		return nil, input.Errorf("unknown variant %q: %s has %s", variant, name, strings.Join(variants, ", "))
	}
	return nil, input.Errorf("unknown variant %q: %s has only one, without a name", variant, name)
}

// suggest names the algorithm whose name is most like this one, or all if none is at all.
func suggest(name string) string {
	nearest, least := "", 0
	for _, candidate := range Names() {
		d := distance(name, candidate)
		if d < max(len(name), len(candidate)) && (nearest == "" || d < least) {
			nearest, least = candidate, d
		}
	}
	if nearest == "" {
		return "there are " + strings.Join(Names(), ", ")
	}
	return "did you mean " + nearest + "?"
}

// distance returns how many bytes must be inserted, removed or replaced, or neighbours swapped,
// to make a into b.
func distance(a, b string) int {
	var before, last []int // the rows of a[:i-2] and a[:i-1]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
