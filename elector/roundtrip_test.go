package elector_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// TestRoundTrip: a leader measures the round trip to a majority, and Suggest makes Times of it. Where it
// takes longer than two Renew there is no leader, and each candidate warns once, with both times.
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
				const warning = "a round trip took longer than Times.Renew"
				measured := 0
				for name, m := range g {
					d, warned := m.RoundTrip(), strings.Count(text[name].String(), warning)
					require.Equal(t, slow, !m.Leader().Self && m.Leader().Leader == "")
					require.Contains(t, []time.Duration{0, 2 * delay}, d)
					if d == 0 {
						require.Zero(t, warned)
						continue
					}
					measured++
					require.Equal(t, 100*delay, elector.Suggest(d).Lease)
					_, body := get(m.Elector, "/")
					var status map[string]any
					require.NoError(t, json.Unmarshal([]byte(body), &status))
					require.InDelta(t, (2 * delay).Seconds(), status["round_trip_seconds"], 1e-9)
					require.InDelta(t, (100 * delay).Seconds(), status["suggested_lease_seconds"], 1e-9)
					if !slow {
						require.Zero(t, warned)
						continue
					}
					require.Equal(t, 1, warned)
					require.Contains(t, text[name].String(), fmt.Sprintf(
						"%s: one of twice that renews no lease\" group=g member=%s round_trip=460ms "+
							"renew=187.5ms "+
							"suggested_lease=23s", warning, name))
				}
				require.Positive(t, measured)
			})
		})
	}
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

// TestSlowRenewals: a leader keeps its lease where renewals take longer than Renew, but less than twice that.
func TestSlowRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links [2]*faults.Links
		for i, delay := range []time.Duration{time.Millisecond, 120 * time.Millisecond} {
			var err error
			links[i], err = faults.NewLinks(faults.Config{Min: delay})
			require.NoError(t, err)
		}
		var slow atomic.Bool
		g := start(t, three, func(c *elector.Config) { c.Transport = newSlowed(c.Transport, links, &slow) })
		time.Sleep(5 * time.Second)
		slow.Store(true)
		time.Sleep(time.Minute)
		require.Equal(t, 1, g.total())
	})
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
