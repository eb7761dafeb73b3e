package process_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

// astray is a topology of three whose ports lead to a process that is none.
type astray struct{ ports, to int }

func (a astray) Len() int                                           { return 3 }
func (a astray) OneWay() bool                                       { return true }
func (a astray) Ports(int) int                                      { return a.ports }
func (a astray) Link(int, election.Port) (int, election.Port, bool) { return a.to, 0, true }

// mute is a transport that pushes nothing and cannot be released.
type mute struct{ election.Transport }

func (mute) Push(context.Context, func(election.Packet, error) bool) (func([]election.Packet), error) {
	return nil, nil
}

// TestMisuse: what is impossible is refused, not a panic or a wait without end.
func TestMisuse(t *testing.T) {
	ranks := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	var c process.Config
	require.ErrorIs(t, c.Place(nil, ranks, 0), election.ErrInput)
	require.ErrorIs(t, c.Place((*astray)(nil), ranks, 0), election.ErrInput)
	require.ErrorIs(t, c.Place(astray{ports: -1}, ranks, 0), election.ErrInput)
	for _, to := range []int{-1, 3} {
		err := c.Place(astray{ports: 2, to: to}, ranks, 0)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "topology: port 0 of process number 0 leads to number")
	}
	require.NoError(t, c.Place(astray{ports: 2, to: 1}, ranks, 0))

	end, err := memory.New().Endpoint(1)
	require.NoError(t, err)
	c = process.Config{Algorithm: lcr.Participant(), Transport: end, Self: ranks[0], Peers: ranks}
	_, err = process.New(c)
	require.EqualError(t, err,
		"election: bad input: peers: 3, a process on a ring has 2 links; Config.Place "+
			"sets them")
	c.Algorithm, c.OneWay = bully.Algorithms()[0], true
	_, err = process.New(c)
	require.EqualError(t, err,
		`election: bad input: one way: the topology of bully/rules is "complete", not a ring`)

	c = process.Config{}
	require.NoError(t, c.Place(astray{ports: 2, to: 1}, ranks, 0))
	net := memory.New()
	end, err = net.Endpoint(1)
	require.NoError(t, err)
	c.Algorithm, c.Transport = lcr.Participant(), mute{end}
	p, err := process.New(c)
	require.NoError(t, err)
	require.ErrorContains(t, p.Run(t.Context()), "neither a release nor an error")
	require.ErrorIs(t, p.Start(), election.ErrClosed)

	release, err := end.(transport.Pusher).Push(t.Context(),
		func(election.Packet, error) bool { return true })
	require.NoError(t, err)
	release(nil)
	release(nil)
	require.NoError(t, end.Close())
}

// TestTransportOfAnother: a process does not send as another one.
func TestTransportOfAnother(t *testing.T) {
	c, _ := pair(t, func(*election.Env, *election.Event) {})
	c.Self.ID = 7
	_, err := process.New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "transport: it belongs to process 1, and Self is 7")
}
