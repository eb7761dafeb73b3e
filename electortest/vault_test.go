package electortest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store"
)

// TestStore: a service that uses tokens passes over a store that fails in every way that a store may, in groups of
// different sizes.
func TestStore(t *testing.T) {
	for name, c := range map[string]Config{
		"three": {Runs: 8}, "two, durable": {Members: 2, Durable: true}, "five": {Members: 5}, "one": {Members: 1, Runs: 2},
		"slow": {Times: elector.WAN(), Runs: 2}, "priorities": {Elector: func(c *elector.Config) {
			c.Priority = func() uint64 { return uint64(c.Self[0]) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Store, c.For = true, 2*time.Minute
			if *long {
				c.For, c.Runs = 10*time.Minute, 100
			}
			Test(t, c, writer)
		})
	}
}

// careless is a Store that replaces a value without a comparison of revisions.
type careless struct{ store.Store }

func (s careless) Put(ctx context.Context, key string, value []byte, _ string) (string, error) {
	_, revision, err := s.Get(ctx, key)
	if err != nil {
		revision = ""
	}
	return s.Store.Put(ctx, key, value, revision)
}

// TestBadStore: the judge finds two leaders if the store does not compare revisions.
func TestBadStore(t *testing.T) {
	var err error
	// Two leaders may also be found by what else goes wrong then.
	for seed := uint64(1); seed < 100 && (err == nil || !strings.Contains(err.Error(), "two leases")); seed++ {
		err = onceIn(t, Config{Store: true, For: time.Minute}, seed, lingerer,
			func(v *vault) { v.stored = careless{v.stored} })
	}
	require.ErrorContains(t, err, "two leases are valid")
}

// TestStoreClocks: the judge finds two leaders if members with a store wait too short, since clocks are worse than
// Times.Drift.
func TestStoreClocks(t *testing.T) {
	c := Config{Store: true, drift: 0.3, For: time.Minute, Faults: Cuts | Holds | Crashes,
		Times: elector.Times{Drain: time.Second}} // with a slow clock Drain takes longer
	var err error
	// With such clocks failover may also be too quick.
	for seed := uint64(1); seed < 200 && (err == nil || !strings.Contains(err.Error(), "two leases")); seed++ {
		err = once(t, c, seed, lingerer)
	}
	require.ErrorContains(t, err, "two leases are valid")
	c.Times.Drift = c.drift
	for seed := uint64(1); seed < 4; seed++ {
		require.NoError(t, once(t, c, seed, lingerer))
	}
}

// TestStoreConfig: with a Store there are no lists of members.
func TestStoreConfig(t *testing.T) {
	c := Config{Store: true, Faults: All}
	require.ErrorIs(t, c.complete(), election.ErrInput)
	require.ErrorContains(t, c.complete(), "Faults: Lists needs a list of members")
}
