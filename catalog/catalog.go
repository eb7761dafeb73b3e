// Package catalog lists every algorithm of this project and finds one by its name and variant.
// Whatever works for all of them (drivers, the command line, suites, documentation) starts here.
package catalog

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/treeelect"
)

// All returns the descriptions of all variants of all algorithms, those of one algorithm
// together and its default first. They are the caller's own.
func All() List {
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

// Find returns one variant of an algorithm of the project; see [List.Find].
func Find(name, variant string) (*election.Algorithm, error) { return All().Find(name, variant) }

// Names returns the names of the algorithms of the project.
func Names() []string { return All().Names() }
