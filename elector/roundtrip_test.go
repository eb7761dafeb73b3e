package elector_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/faults"
)

// TestRoundTrip: a leader measures the round trip to a majority, and Suggest returns Times for it. If it takes longer
// than two Renew there is no leader, and each candidate logs that and a suggested Lease.
func TestRoundTrip(t *testing.T) {
	for delay, slow := range map[time.Duration]bool{20 * time.Millisecond: false,
		230 * time.Millisecond: true} {
		t.Run(delay.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				links, err := faults.NewLinks(faults.Config{Min: delay})
				require.NoError(t, err)
				text := map[string]*logs{}
				g := start(t, []string{"a", "b", "c", "d", "e"}, func(c *elector.Config) {
					c.Transport = links.Over(c.Transport)
					text[c.Self] = &logs{}
					c.Log = slog.New(slog.NewTextHandler(text[c.Self], nil))
				})
				time.Sleep(time.Minute)
				synctest.Wait()
				measured := 0
				for name, m := range g {
					d, warned := m.RoundTrip(), warnings(text[name])
					require.Equal(t, slow, !m.Leader().Self && m.Leader().Leader == "")
					require.Contains(t, []time.Duration{0, 2 * delay}, d)
					if d == 0 {
						require.Empty(t, warned)
						continue
					}
					measured++
					suggested := min(100*delay, elector.WAN().Lease)
					require.Equal(t, suggested, elector.Suggest(d).Lease)
					_, body := get(m.Elector, "/")
					var status map[string]any
					require.NoError(t, json.Unmarshal([]byte(body), &status))
					require.InDelta(t, (2 * delay).Seconds(), status["round_trip_seconds"], 1e-9)
					require.InDelta(t, suggested.Seconds(), status["suggested_lease_seconds"], 1e-9)
					if !slow {
						require.Empty(t, warned)
						continue
					}
					require.Equal(t, []string{
						longSingle + `longest=460ms renew=187.5ms long=1 of=1`,
						longMost + `longest=460ms renew=187.5ms long=39 of=39 round_trip=460ms ` +
							`suggested_lease=10s`}, warned)
				}
				require.Positive(t, measured)
			})
		})
	}
}

// What is logged of round trips that take long.
const (
	longSingle = `a round trip took longer than Times.Renew; one that takes twice Renew does not renew the lease: `
	longMost   = `round trips take longer than Times.Renew: the Lease is too short for this network: `
)

// warnings returns the texts and figures of the warnings about round trips.
func warnings(l *logs) (all []string) {
	for line := range strings.Lines(l.String()) {
		_, text, ok := strings.Cut(line, `level=WARN msg="`)
		if message, rest, _ := strings.Cut(text, `"`); ok && strings.Contains(message, "round trip") {
			_, figures, _ := strings.Cut(rest, "longest=")
			all = append(all, message+": longest="+strings.TrimSpace(figures))
		}
	}
	return all
}

// TestLongRoundTrips: pauses of the network, each of one round trip, are counted, in a line a minute, and no
// Lease is suggested for them. One is when many take that long.
func TestLongRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, slow := quickOrSlow(t)
		text := &logs{} // of all members
		g := start(t, three, func(c *elector.Config) {
			c.Transport = newSlowed(c.Transport, links, slow)
			c.Log = slog.New(slog.NewTextHandler(text, nil))
		})
		wait := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		pause := func() { // of a Renew and a way: exactly one renewal and its answer take long
			slow.Store(true)
			wait(elector.LAN().Renew + 120*time.Millisecond)
			slow.Store(false)
			wait(5 * time.Second)
		}
		wait(30 * time.Second)
		pause()
		one := []string{longSingle + "longest=240ms renew=187.5ms long=1 of=159"}
		require.Equal(t, one, warnings(text))
		pause()
		pause()
		require.Equal(t, one, warnings(text), "within a minute")
		wait(time.Minute)
		require.Equal(t, one, warnings(text), "none was long")
		pause()
		two := append(one, longSingle+"longest=240ms renew=187.5ms long=3 of=405")
		require.Equal(t, two, warnings(text))
		slow.Store(true)
		wait(30 * time.Second)
		three := append(two, longMost+
			"longest=240ms renew=187.5ms long=5 of=31 round_trip=240ms suggested_lease=10s")
		require.Equal(t, three, warnings(text))
		wait(5 * time.Minute)
		require.Len(t, warnings(text), 3+5, "one a minute")
		require.Equal(t, 1, g.total())
	})
}

// TestConfirmedOften: reads that are confirmed more often than a round trip takes cost no lease, and each is
// confirmed within two round trips.
func TestConfirmedOften(t *testing.T) {
	const delay = 10 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		links, err := faults.NewLinks(faults.Config{Min: delay})
		require.NoError(t, err)
		g := start(t, three, func(c *elector.Config) { c.Transport = links.Over(c.Transport) })
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		terms, _ := m.tenures()
		var reads sync.WaitGroup
		for range 1000 {
			reads.Go(func() {
				began := time.Now()
				assert.NoError(t, terms[0].Confirm(t.Context()))
				assert.LessOrEqual(t, time.Since(began), 4*delay)
			})
			time.Sleep(delay / 5)
		}
		reads.Wait()
		require.Equal(t, 1, g.total())
	})
}

// TestSlowRenewals: a leader keeps its lease if renewals take longer than Renew, but less than twice that.
func TestSlowRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, slow := quickOrSlow(t)
		g := start(t, three, func(c *elector.Config) { c.Transport = newSlowed(c.Transport, links, slow) })
		time.Sleep(5 * time.Second)
		slow.Store(true)
		time.Sleep(time.Minute)
		require.Equal(t, 1, g.total())
	})
}

// quickOrSlow returns links of 1 and of 120 ms, so with round trips of more than the Renew of LAN, and what
// selects the latter.
func quickOrSlow(t *testing.T) (links [2]*faults.Links, slow *atomic.Bool) {
	for i, delay := range []time.Duration{time.Millisecond, 120 * time.Millisecond} {
		var err error
		links[i], err = faults.NewLinks(faults.Config{Min: delay})
		require.NoError(t, err)
	}
	return links, new(atomic.Bool)
}

// slowed is a transport over links that are quick at first, and then slow.
type slowed struct {
	election.Transport // over the quick ones
	late               election.Transport
	slow               *atomic.Bool
}

func newSlowed(over election.Transport, links [2]*faults.Links, slow *atomic.Bool) *slowed {
	return &slowed{links[0].Over(over), links[1].Over(over), slow}
}

func (s *slowed) Send(ctx context.Context, p election.Packet) error {
	if s.slow.Load() {
		return s.late.Send(ctx, p)
	}
	return s.Transport.Send(ctx, p)
}
