// Package counters holds the counters of an instrumented build: which blocks of the algorithms have run.
//
// Package source instruments the algorithm packages. Each of their files then registers its counters
// here. In an ordinary build no package registers any, and there are no blocks.
package counters

import (
	"slices"
	"sort"
)

// file has the counters of one file of an instrumented package.
type file struct {
	name  string // of the package
	first int    // the number of its first block
	count []uint32
}

var files []file

// Register adds the counters of one file. An instrumented package calls it as the program begins.
func Register(name string, first int, count []uint32) {
	files = append(files, file{name, first, count})
}

// Instrumented reports whether this is an instrumented build.
func Instrumented() bool { return len(files) > 0 }

// Set has the counters of some packages.
type Set struct{ files []file }

// Of returns the counters of the named packages, or of all if no name is given.
func Of(names ...string) *Set {
	s := &Set{}
	for _, f := range files {
		if len(names) == 0 || slices.Contains(names, f.name) {
			s.files = append(s.files, f)
		}
	}
	sort.Slice(s.files, func(i, j int) bool { return s.files[i].first < s.files[j].first })
	return s
}

// Take appends the blocks that have run since the last Take to blocks, in order, and forgets them.
func (s *Set) Take(blocks []int) []int {
	for _, f := range s.files {
		for i, n := range f.count {
			if n != 0 {
				blocks = append(blocks, f.first+i)
				f.count[i] = 0
			}
		}
	}
	return blocks
}
