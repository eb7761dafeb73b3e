package elector_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// jumps are by how much the clocks of members have jumped.
type jumps map[string]*atomic.Int64

// withClocks runs a test of three members whose clocks can jump, once one of them leads.
func withClocks(t *testing.T, test func(t *testing.T, g group, m *member, j jumps)) {
	synctest.Test(t, func(t *testing.T) {
		j, began := jumps{}, time.Now()
		for _, name := range three {
			j[name] = new(atomic.Int64)
		}
		g := start(t, three, func(c *elector.Config) {
			jump := j[c.Self]
			c.Clock = func() time.Duration { return time.Since(began) + time.Duration(jump.Load()) }
		})
		time.Sleep(5 * time.Second)
		test(t, g, g.leader(t), j)
	})
}

// total returns how often members have begun to lead.
func (g group) total() (n int) {
	for _, m := range g {
		terms, _ := m.tenures()
		n += len(terms)
	}
	return n
}

// TestPaused: a leader that was paused until its lease was over stops its work as soon as it notices,
// whether or not it leads again by then, and the end of the old work does not end the new lease.
func TestPaused(t *testing.T) {
	withClocks(t, func(t *testing.T, g group, m *member, j jumps) {
		for n := range 20 {
			m := g.leader(t)
			_, before := m.tenures()
			j[m.name].Add(int64(2 * time.Second))
			time.Sleep(250 * time.Millisecond) // the next renewal at the latest
			synctest.Wait()
			_, causes := m.tenures()
			require.Equal(t, append(before, elector.ErrPaused), causes)
			time.Sleep(10*time.Second + time.Duration(n)*50*time.Millisecond)
			require.Equal(t, n+2, g.total(), "one leader after each pause")
		}
	})
}
