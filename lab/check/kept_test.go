package check_test

import (
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
)

// collected runs a check and returns what the processes hold in its states, all of them.
func collected(t *testing.T, c check.Config) (map[any]bool, *check.Result) {
	t.Helper()
	var mu sync.Mutex
	all := make(map[any]bool)
	c.Properties = []check.Property{{Name: "collect", Kind: verdict.Always, Holds: func(s *check.State) bool {
		mu.Lock()
		defer mu.Unlock()
		all[check.Locals(s)] = true
		return true
	}}}
	r := holds(t, c)
	return all, r
}

// kept returns the kinds of the messages of leases but for those that a process takes once: a CLAIM, for
// which it lends its vote, and a HANDOFF, after which it claims.
func kept(t *testing.T, a *election.Algorithm) (kinds []uint8) {
	t.Helper()
	for i := range a.Kinds {
		if name := a.Kinds[i].Name; name != "claim" && name != "handoff" {
			kinds = append(kinds, uint8(i+1))
		}
	}
	require.Len(t, kinds, len(a.Kinds)-2)
	return kinds
}

// TestKeptIsTheSame: what is not taken leads to nothing that processes can hold, and each thing that they can
// hold where messages arrive once at most they can hold where some are kept.
func TestKeptIsTheSame(t *testing.T) {
	for name, c := range smallLeases(t) {
		if !*long && name == "hand over" {
			continue
		}
		once, plain := collected(t, c)
		c.Kept = kept(t, c.Algorithm)
		all, r := collected(t, c)
		for local := range once {
			require.True(t, all[local], name)
		}
		if name == "hand over" || name == "read" { // and it is worth it
			require.Less(t, 3*r.States, plain.States, name)
		}
		c.Untrimmed()
		untrimmed, full := collected(t, c)
		require.True(t, maps.Equal(untrimmed, all), name)
		require.LessOrEqual(t, r.States, full.States, name)
	}
}

// TestKeptInput: what would make a state richer that cannot do more is refused.
func TestKeptInput(t *testing.T) {
	for want, adjust := range map[string]func(c *check.Config){
		"kept: needs links that do not keep the order, and a delay of at least until": func(c *check.Config) {
			c.Unordered = false
		},
		"kept: not allowed with nudge, reduce or after": func(c *check.Config) { c.Reduce = true },
	} {
		c := smallLeases(t)["claim"]
		c.Kept = kept(t, c.Algorithm)
		adjust(&c)
		_, err := check.Run(t.Context(), c)
		require.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
	c := smallLeases(t)["claim"]
	c.Kept = kept(t, c.Algorithm)
	require.Equal(t, "links keep no order, any message may be lost, and some may arrive any number of times",
		c.LinksInWords())
	c.Delay = 0
	_, err := check.Run(t.Context(), c)
	require.ErrorContains(t, err, "delay: ")
}

// smallLeases are checks in which whatever a process may do happens once in a while, with few states.
func smallLeases(t *testing.T) map[string]check.Config {
	claims := leaseCheck(leases(t, twoTicks), 1, second)
	hands := leaseCheck(busy(leases(t, twoTicks), lease.Resign(0, 0), nil), 1, second)
	settings := twoTicks
	settings.Eager = false
	asks := leaseCheck(leases(t, settings), 1, second)
	asks.Initiators = rising(1)
	settings.Lease, settings.Renew, settings.Delay, settings.Cold = second, second, second, second
	settings.Eager = true
	reads := leaseCheck(leases(t, settings), 1, second)
	reads.Initiators, reads.Crashes, reads.Recoveries = rising(1), 1, 1
	return map[string]check.Config{"claim": claims, "hand over": hands, "ask": asks, "read": reads}
}

// TestKeptOutside: an algorithm that does not survive copies is checked outside its model.
func TestKeptOutside(t *testing.T) {
	c := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) {})
	c.Unordered, c.Kept = true, []uint8{1}
	require.Contains(t, c.Outside(), "lost")
	c = smallLeases(t)["claim"]
	c.Kept = kept(t, c.Algorithm)
	require.Empty(t, c.Outside())
}
