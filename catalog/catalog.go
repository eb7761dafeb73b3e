// Package catalog lists the algorithms of this project and finds them by name and variant. Everything that
// works for all algorithms (drivers, the command line, test suites, documentation) uses it.
package catalog

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/peterson"
	"github.com/go-election/election/treeelect"
	"github.com/go-election/election/yoyo"
)

// families are the algorithms in the order of [All], each with the name that its variants share and the
// function that returns their descriptions. A search by name therefore creates only the descriptions of one
// family.
var families = []struct {
	name string
	make func() []*election.Algorithm
}{
	{"lcr", lcr.Algorithms},
	{"hs", hs.Algorithms},
	{"franklin", franklin.Algorithms},
	{"dkr", dkr.Algorithms},
	{"peterson", peterson.Algorithms},
	{"itairodeh", itairodeh.Algorithms},
	{"bully", bully.Algorithms},
	{"inquiry", inquiry.Algorithms},
	{"modbully", modbully.Algorithms},
	{"treeelect", treeelect.Algorithms},
	{"echo", echo.Algorithms},
	{"floodmax", floodmax.Algorithms},
	{"ghs", ghs.Algorithms},
	{"yoyo", yoyo.Algorithms},
	{"hypercube", hypercube.Algorithms},
	{"mesh", mesh.Algorithms},
	{"afekgafni", afekgafni.Algorithms},
	{"lmw", lmw.Algorithms},
}

// locks returns the variants of mutex. Any election may choose the arbiter; the default is the default variant
// of bully.
func locks() []*election.Algorithm {
	return mutex.Algorithms(withOrder(bully.Algorithms())[0], elections()...)
}

// elections returns the algorithms that elect a single leader without an expiry. Algorithms with leases are
// excluded because an arbiter ignores the end of a lease, and algorithms with groups because each group would
// have an arbiter.
func elections() (list List) {
	for _, f := range families {
		list = append(list, withOrder(f.make())...)
	}
	return list
}

// All returns new descriptions of all variants of all algorithms. The variants of an algorithm are adjacent,
// the default first.
func All() List {
	return slices.Concat(elections(), invitation.Algorithms(), lease.Algorithms(), storelease.Algorithms(), locks())
}

// Find returns one variant of an algorithm of the project; see [List.Find].
func Find(name, variant string) (*election.Algorithm, error) {
	for _, f := range families {
		if f.name == name {
			return List(withOrder(f.make())).Find(name, variant)
		}
	}
	return All().Find(name, variant)
}

// Names returns the names of the algorithms of the project.
func Names() []string { return All().Names() }

// Folder returns the folder of the package of an algorithm, relative to the module.
func Folder(name string) string {
	if name == "storelease" {
		return "lease/storelease"
	}
	return name
}
