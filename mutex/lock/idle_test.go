package lock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/mutex"
)

// TestIdleRing: a token that no process wants takes one message a Rest, and a process that wants it then
// has it within one Rest for each other process.
func TestIdleRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rest = 10 * time.Millisecond
		require.Equal(t, rest, mutex.DefaultRest)
		a, err := mutex.TokenRing(mutex.Config{Sections: 2, First: 1})
		all, stop := lockers(t, 3, a, err)
		defer stop()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		var sent uint64
		for _, l := range all {
			sent += l.Process().Stats().Sent
		}
		require.InDelta(t, len(names)*int(2*time.Second/rest), sent, 10)
		for i := range 9 {
			began := time.Now()
			token, err := all[i%3].Lock(t.Context(), "printer")
			require.NoError(t, err)
			require.LessOrEqual(t, time.Since(began), 2*rest)
			require.NoError(t, all[i%3].Unlock("printer", token))
			time.Sleep(time.Second + time.Duration(i)*time.Millisecond)
		}
	})
}
