package elector_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/faults"
)

// TestRoundTrip: a leader measures the round trip to a majority, and Suggest makes Times of it. Where it
// takes longer than Renew there is no leader, and each candidate warns once, with both times.
func TestRoundTrip(t *testing.T) {
	for delay, slow := range map[time.Duration]bool{20 * time.Millisecond: false,
		120 * time.Millisecond: true} {
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
						"%s: only quicker ones renew a lease\" group=g member=%s round_trip=240ms "+
							"renew=187.5ms "+
							"suggested_lease=12s", warning, name))
				}
				require.Positive(t, measured)
			})
		})
	}
}
