package mutex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/treeelect"
)

// table is a View of process 0 among others.
type table []election.Rank

func (v table) Self(int) election.Rank                       { return v[0] }
func (v table) Ports(int) int                                { return len(v) - 1 }
func (v table) Peer(_ int, port election.Port) election.Rank { return v[port+1] }

var view = table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}

// TestConfigurations: the variants conform with parameters too, by which other parts of them are at work.
// As they are by default they are in the catalog.
func TestConfigurations(t *testing.T) {
	elect := bully.Algorithms()[0]
	for name, c := range map[string]struct {
		variant func(mutex.Config) (*election.Algorithm, error)
		config  mutex.Config
		long    bool // takes too long for a short test
	}{
		"arbiter":           {mutex.Arbiter, mutex.Config{Sections: 2, Election: elect}, false},
		"arbiter of a ring": {mutex.Arbiter, mutex.Config{Election: lcr.Participant()}, false},
		"arbiter of any winner": {mutex.Arbiter, mutex.Config{Election: franklin.Algorithms()[0]},
			true},
		"arbiter of a tree":           {mutex.Arbiter, mutex.Config{Election: treeelect.Saturation()}, true},
		"tokens made anew":            {mutex.TokenRing, mutex.Config{Sections: 2, Regenerate: unit}, true},
		"token over a complete graph": {mutex.TokenRing, mutex.Config{Regenerate: unit, Bridge: true}, true},
		"ricartagrawala":              {mutex.RicartAgrawala, mutex.Config{Sections: 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.long && !*long {
				return
			}
			a, err := c.variant(c.config)
			require.NoError(t, err)
			electiontest.Test(t, a, electiontest.Options{Find: catalog.Find})
		})
	}
}
