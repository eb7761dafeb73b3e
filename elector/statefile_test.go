package elector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStateFileKeepsLastGrant: what a member saves while it is silent after a restart does not shorten its silence after
// the next one.
func TestStateFileKeepsLastGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Group: "g", Self: "a", Dir: t.TempDir(), Times: LAN()}
		s, err := openState(&c)
		require.NoError(t, err)
		s.knows = func() known { return known{lends: 10 * time.Second} }
		require.NoError(t, s.save()(make([]byte, 100)))
		require.NoError(t, s.close())
		for _, step := range []struct {
			after time.Duration
			most  bool
		}{{time.Second, true}, {9 * time.Second, true}, {11 * time.Second, false}} {
			s, err = openState(&c)
			require.NoError(t, err)
			require.Greater(t, s.lastGrant, 10*time.Second)
			s.knows = func() known { return known{lends: c.Times.Lease} }
			time.Sleep(step.after)
			require.NoError(t, s.save()(make([]byte, 100)))
			require.NoError(t, s.close())
			again, err := openState(&c)
			require.NoError(t, err)
			require.Equal(t, step.most, again.lastGrant > 10*time.Second, "saved after %v", step.after)
			require.NoError(t, again.close())
		}
	})
}
