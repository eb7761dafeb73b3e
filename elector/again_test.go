package elector_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// deaf is a Node that elects nothing, and notes what it is asked for.
type deaf struct{ asked *[]election.Op }

func (deaf) State(*election.State) {}

func (d deaf) Step(_ *election.Env, ev *election.Event) {
	if ev.Op == election.Start || ev.Op == election.Reelect {
		*d.asked = append(*d.asked, ev.Op)
	}
}

// TestElectAgain: while there is no leader, a member without leases asks for an election in each Lease: with a Start,
// which does not disturb an election in progress, and with a Reelect, which replaces an election that does not end,
// first in intervals that double and then each 32nd time.
func TestElectAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []election.Op
		a := *bullies(t)
		a.New = func(election.Setup) election.Node { return deaf{&asked} }
		endpoint, err := memory.New().Endpoint(elector.ID("a"))
		require.NoError(t, err)
		e, err := elector.New(elector.Config{Group: "g", Self: "a", Algorithm: &a, Transport: endpoint,
			Members: map[string]string{"a": "", "b": ""}})
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 100*elector.LAN().Lease+1)
		defer stop()
		require.NoError(t, e.Run(ctx, func(context.Context, elector.Term) error { return nil }))
		require.Len(t, asked, 100)
		anew := map[int]bool{4: true, 8: true, 16: true, 32: true, 64: true, 96: true}
		for i, op := range asked {
			require.Equal(t, anew[i+1], op == election.Reelect, "after %d", i+1)
		}
	})
}

// TestFirstRenewal: a lease is renewed at the beats that all groups of a member share, the first as well.
func TestFirstRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var renewed []time.Time
		endpoint, err := memory.New().Endpoint(elector.ID("a"))
		require.NoError(t, err)
		e, err := elector.New(elector.Config{Group: "g", Self: "a", Transport: endpoint,
			Members: map[string]string{"a": ""}, Renewed: func(elector.Term) {
				renewed = append(renewed,
					time.Now())
			}})
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			return nil
		}))
		renew := elector.LAN().Renew
		require.Greater(t, len(renewed), 10)
		require.Less(t, renewed[1].Sub(renewed[0]), renew)
		require.Positive(t, renewed[1].Sub(renewed[0]))
		for i, at := range renewed[1:] {
			require.Equal(t, renewed[1].Add(time.Duration(i)*renew), at)
		}
	})
}
