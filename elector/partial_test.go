package elector_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/faults"
)

// TestPartialPartitions cuts links between members one by one: in every combination of the six one-way links
// between three members, and of the two-way links between four and between five, and in some combinations of the
// one-way links between four. A leader leads when the links fail.
//
// A member can lead if it reaches a majority, itself included: its messages arrive, and the answers come back.
// Members do not relay messages.
//
//   - If the leader can lead on, it does, in the same Term.
//   - If only others can, one of them leads within 1.5 s, and then stays.
//   - If none can, none leads once the lease has ended.
//   - No two leases are valid at the same time.
func TestPartialPartitions(t *testing.T) {
	for name, c := range map[string]struct {
		members []string
		oneWay  bool
	}{
		"three members, one-way links": {members: []string{"a", "b", "c"}, oneWay: true},
		"four members":                 {members: []string{"a", "b", "c", "d"}},
		"four members, one-way links":  {members: []string{"a", "b", "c", "d"}, oneWay: true},
		"five members":                 {members: []string{"a", "b", "c", "d", "e"}},
	} {
		t.Run(name, func(t *testing.T) {
			var all []link
			for i, from := range c.members {
				for j, to := range c.members {
					if i < j || i > j && c.oneWay {
						all = append(all, link{from, to})
					}
				}
			}
			// A sample of the 4,096 graphs of twelve one-way links, and of the larger ones unless the run is long.
			step := 1
			if len(all) == 12 {
				step = 11
			}
			if !*long && len(all) > 6 {
				step = 7 * step
			}
			for n := 0; n < 1<<len(all); n += step {
				p := partial{members: c.members, cut: make(map[link]bool), oneWay: c.oneWay, seed: n}
				for i, l := range all {
					if n>>i&1 != 0 {
						p.cut[l] = true
						p.cut[link{l.to, l.from}] = p.cut[link{l.to, l.from}] || !c.oneWay
					}
				}
				t.Run(p.name(all), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, p.test)
				})
			}
		})
	}
}

// link leads from one member to another, in this direction only.
type link struct{ from, to string }

// partial is a partial partition.
type partial struct {
	members []string
	cut     map[link]bool
	oneWay  bool
	seed    int
}

// name names the links that are cut, of those that are listed.
func (p *partial) name(all []link) string {
	names := []string{"cut"}
	for _, l := range all {
		if p.cut[l] {
			names = append(names, l.from+l.to)
		}
	}
	return strings.Join(names, " ")
}

// canLead reports whether a member exchanges messages with a majority.
func (p *partial) canLead(member string) bool {
	reached := 0
	for _, other := range p.members {
		if !p.cut[link{member, other}] && !p.cut[link{other, member}] {
			reached++ // itself, too
		}
	}
	return reached > len(p.members)/2
}

// test elects a leader, cuts the links, and judges what follows.
func (p *partial) test(t *testing.T) {
	const reelected, atRest = 1500 * time.Millisecond, 10 * time.Second
	// Less than a tenth of Times.Delay, and not the same for all packets.
	links, err := faults.NewLinks(faults.Config{Min: 100 * time.Microsecond, Max: 700 * time.Microsecond,
		Seed: uint64(p.seed)})
	require.NoError(t, err)
	leases, began := leases{t: t, last: make(map[string]elector.Term)}, time.Now()
	g := start(t, p.members, func(c *elector.Config) {
		// Clocks run as fast and as slowly as Times.Drift permits, in one member each, and as they should.
		drift := time.Duration(slices.Index(p.members, c.Self)%3 - 1)
		c.Clock = func() time.Duration { return time.Since(began) + time.Since(began)/1000*drift }
		end := links.Over(c.Transport)
		t.Cleanup(func() { require.NoError(t, end.Close()) })
		c.Transport, c.Times = end, elector.LAN()
		c.Renewed = func(term elector.Term) { leases.begin(c.Self, term) }
	})
	// The links fail at any moment between two renewals.
	time.Sleep(3*time.Second + time.Duration(p.seed)*7*time.Millisecond%elector.LAN().Renew)
	first, firstTerm := leases.valid()
	require.NotEmpty(t, first)
	require.Equal(t, 1, g.total(), "a leader at rest")
	for l, cut := range p.cut {
		if cut {
			links.CutLink(elector.ID(l.from), elector.ID(l.to))
		}
	}

	var able []string
	for _, m := range p.members {
		if p.canLead(m) {
			able = append(able, m)
		}
	}
	if len(able) == 0 {
		time.Sleep(elector.LAN().Lease * 1002 / 1000) // by the slowest clock
		name, _ := leases.valid()
		require.Empty(t, name, "it leads without a majority; the leader was %s", first)
		time.Sleep(reelected + atRest)
		require.Equal(t, 1, g.total(), "another member has led without a majority; the leader was %s", first)
		return
	}
	time.Sleep(reelected)
	next, nextTerm := leases.valid()
	require.Contains(t, able, next, "%s led before", first)
	if p.canLead(first) {
		require.Equal(t, first, next, "the leader still reaches a majority, and stays")
		require.Equal(t, firstTerm, nextTerm)
	}
	led := g.total()
	time.Sleep(atRest)
	last, lastTerm := leases.valid()
	// A Term whose lease has ended is never used again, so the lease was valid all the time.
	require.Equal(t, next, last)
	require.Equal(t, nextTerm, lastTerm)
	require.Equal(t, led, g.total(), "no other has led")
}

// leases are the leases that members have held. It fails if two are valid at the same time.
type leases struct {
	t    *testing.T
	mu   sync.Mutex
	last map[string]elector.Term
}

// begin notes that the lease of a member begins, or is renewed. Two leases can only begin to overlap here.
func (l *leases) begin(name string, term elector.Term) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[name] = term
	for other, term := range l.last {
		if other != name && term.Valid(0) {
			l.t.Errorf("the leases of %s and %s are valid at the same time", name, other)
		}
	}
}

// valid returns the member whose lease is valid, and its Term.
func (l *leases) valid() (name string, term uint64) {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, t := range l.last {
		if t.Valid(0) {
			name, term = other, t.Number
		}
	}
	return name, term
}
