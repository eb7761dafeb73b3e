package process_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestSize: an algorithm that needs the number of processes gets it from Place; without it no process is
// made.
func TestSize(t *testing.T) {
	ring, err := topology.Ring(3, true)
	require.NoError(t, err)
	var made []election.Setup
	a := *itairodeh.Rounds()
	plain := a.New
	a.New = func(s election.Setup) election.Node {
		made = append(made, s)
		return plain(s)
	}
	end, err := memory.New().Endpoint(1)
	require.NoError(t, err)
	c := process.Config{Algorithm: &a, Transport: end}
	ranks := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	require.NoError(t, c.Place(ring, ranks, 0))
	require.Equal(t, 3, c.Size)
	_, err = process.New(c)
	require.NoError(t, err)
	require.Equal(t, 3, made[0].Size)
	c.Size = 0
	_, err = process.New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "size: itairodeh/rounds needs to know how many processes there are")
	given := *itairodeh.Rounds()
	given.Knows = election.OwnPorts
	c.Algorithm = &given
	_, err = process.New(c)
	require.NoError(t, err)
}
