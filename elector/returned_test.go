package elector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHasReturned: work that has returned when its lease ends is not reported. Without leases it has Stop for
// that, unless its end was planned.
func TestHasReturned(t *testing.T) {
	const stop = time.Second
	for _, of := range []struct {
		leases bool
		why    error
		after  time.Duration
		want   bool
	}{
		{true, ErrUnreachable, 0, true}, {true, ErrUnreachable, 1, false},
		{false, ErrNewTerm, stop - 1, true}, {false, ErrNewTerm, stop + 1, false},
		{false, ErrResigned, 0, true}, {false, ErrResigned, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := &Elector{leases: of.leases, config: Config{Times: Times{Stop: stop}}}
			work := newTenure(e, 1)
			work.stop(of.why, 0)
			for range 10 { // where both are ready, either may be seen first
				returned := make(chan struct{})
				if of.after == 0 {
					close(returned)
				} else {
					time.AfterFunc(of.after, func() { close(returned) })
				}
				require.Equal(t, of.want, work.hasReturned(returned), of)
				<-returned
			}
		})
	}
}

// TestShortestHello: a hello without a member is one of an empty list; one without times is none.
func TestShortestHello(t *testing.T) {
	f := fingerprint{self: "a", times: "Lease 1s", members: []string{"a", "b"}}
	require.ErrorContains(t, f.accept(0, []byte("b\nLease 1s")), "differ by more than one")
	require.ErrorContains(t, f.accept(0, []byte("b")), "does not say which members it knows")
}
