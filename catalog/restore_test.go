package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
)

// TestSpoiltState: a saved state in which a byte is wrong is refused, or is a state in which a process can
// come back and take whatever comes.
func TestSpoiltState(t *testing.T) {
	for _, a := range catalog.All() {
		t.Run(a.Title(), func(t *testing.T) {
			in := scenario.Input{Algorithm: a}
			for id := range election.ID(size(a)) {
				in.IDs = append(in.IDs, id+1)
			}
			require.NoError(t, in.Check())
			for _, saved := range states(&in) {
				for at := range saved {
					// the last two give 0 and 255
					for _, change := range []byte{1, 2, 1 << 7, saved[at], ^saved[at]} {
						spoilt := append([]byte{}, saved...)
						spoilt[at] ^= change
						require.NotPanics(t, func() { comesBack(t, &in, spoilt) }, "byte %d of %v is %d", at,
							saved, spoilt[at])
					}
				}
			}
		})
	}
}

// size is how many processes the links of an algorithm can join.
func size(a *election.Algorithm) int {
	switch a.Topology {
	case election.Hypercube:
		return 4
	case election.Mesh:
		return 9
	}
	return 3
}

// states returns what a process saves after one event and another.
func states(in *scenario.Input) (all [][]byte) {
	env := election.NewEnv(in, nil)
	host := in.Algorithm.NewNode(in.Setup(1), false)
	step := func(ev election.Event) {
		env.Begin(1)
		host.Step(env, &ev)
		all = append(all, new(election.State).Append(nil, &host))
	}
	step(election.Event{Op: election.Init})
	step(election.Event{Op: election.Start})
	for kind := range in.Algorithm.Kinds {
		step(election.Event{Op: election.Recv,
			Msg: election.Message{Kind: uint8(kind + 1), Term: 1, Rank: in.Self(0), Value: 1}})
	}
	return all
}

// comesBack restores a process and gives it one event of each sort.
func comesBack(t *testing.T, in *scenario.Input, saved []byte) {
	var all []election.Event
	for _, op := range []election.Op{election.Init, election.Rejoin, election.Suspect, election.Trust,
		election.Command, election.Start, election.Reelect} {
		all = append(all, election.Event{Op: op})
	}
	for kind := range len(in.Algorithm.Kinds) + 2 {
		for _, term := range []uint64{1, 2} {
			all = append(all, election.Event{Op: election.Recv,
				Msg: election.Message{Kind: uint8(kind), Term: term, Rank: in.Self(0), Value: 1}})
		}
	}
	for timer := range uint8(8) {
		all = append(all, election.Event{Op: election.Timeout, Timer: timer})
	}
	env := election.NewEnv(in, nil)
	for i := range all {
		host := in.Algorithm.NewNode(in.Setup(1), false)
		if err := new(election.State).Restore(&host, saved); err != nil {
			require.ErrorIs(t, err, election.ErrState)
			return
		}
		for _, ev := range []election.Event{all[0], all[i], all[i]} {
			env.Begin(1)
			host.Step(env, &ev)
		}
	}
}
