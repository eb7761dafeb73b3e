package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/soak"
)

// polite hears Leave and Join in place of Suspect and Trust.
type polite struct {
	election.Node
	heard *int
}

// Step takes one event.
func (n polite) Step(e *election.Env, ev *election.Event) {
	other := *ev
	switch ev.Op {
	case election.Suspect:
		other.Op = election.Left
		*n.heard++
	case election.Trust:
		other.Op = election.Joined
		*n.heard++
	}
	n.Node.Step(e, &other)
}

// TestLeaving: a process that leaves is treated like a suspected one, and a process that joins like a trusted
// one: everything that happens afterwards is the same.
func TestLeaving(t *testing.T) {
	var heedful []string
	for _, a := range catalog.All() {
		heard := 0
		for seed := range uint64(30) {
			plan, err := (&soak.Config{Algorithm: a}).Plan(seed)
			require.NoError(t, err)
			want := plan.Run(nil)
			require.Nil(t, want.Violation)
			b := *plan.Algorithm
			b.New = func(s election.Setup) election.Node { return polite{plan.Algorithm.New(s), &heard} }
			again := *plan
			again.Algorithm = &b
			require.Equal(t, want, again.Run(nil), "%s seed %d", a.Title(), seed)
		}
		if heard > 0 {
			heedful = append(heedful, a.Title())
		}
	}
	require.Equal(t, []string{"bully/rules", "bully/halting", "modbully/base", "modbully/convenience",
		"modbully/number", "modbully/grant",
		"invitation",
		"lease", "mutex/arbiter"}, heedful)
}
