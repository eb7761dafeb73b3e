package transporttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// dropping is a wire that loses one packet of a fixed number.
func dropping(every int64) spoilt {
	sent := new(atomic.Int64)
	return spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
		if sent.Add(1)%every != 0 {
			return w.Send(ctx, p)
		}
		select {
		case <-w.closed:
			return w.gone()
		default:
			return nil
		}
	}}
}

// TestLossesAreFoundSoon: once packets are known to be lost, the suite does not wait long for them, and what
// comes of that is not held against anything else.
func TestLossesAreFoundSoon(t *testing.T) {
	for _, every := range []int64{2, 50} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			got, took := failures(t, roomy, Options{losses: new(atomic.Bool)}, dropping(every))
			require.Less(t, took, 30*time.Second)
			require.Regexp(t,
				`^packets are lost: packet \d+ of 1000, from process \d+ to port \d+ of process \d+ never arrived; if they may be, declare Options{Lossy: true}$`,
				got["Loss"])
			for property, text := range got {
				require.Contains(t, text, "packets are lost", property)
			}
			for _, property := range []string{"Addressing", "Order", "Duplication", "CancelRecv",
				"CancelSend", "CloseRecv", "CloseSend", "Goroutines"} {
				require.NotContains(t, got, property, "%v", slices.Sorted(maps.Keys(got)))
			}
		})
	}
}

// TestLossesAlone: if a property is tested alone, it reports that a missing packet may be lost.
func TestLossesAlone(t *testing.T) {
	got, _ := failures(t, roomy, Options{}, dropping(7))
	require.Contains(t, got["CancelRecv"], "has consumed a packet, which was ")
	require.Contains(t, got["CancelRecv"],
		", or the packet was lost (see Loss): stuck: the next Recv has not returned after 10s")
	require.Contains(t, got["Integrity"], " never arrived; if they may be, declare Options{Lossy: true}")
	require.NotContains(t, got["Election"], "Loss", "it does not know")
}

// TestLossesWhereFewMayWait: what is lost gives its place to no other, which is not held against Send.
func TestLossesWhereFewMayWait(t *testing.T) {
	got, took := failures(t, 64, Options{Capacity: 64, losses: new(atomic.Bool)}, dropping(20))
	require.Less(t, took, 30*time.Second)
	require.Contains(t, got["Loss"], "packets are lost: 64 are on their way to process ")
	require.Contains(t, got["Loss"],
		", as many as may wait there, and none arrives; if they may be, declare Options{Lossy: true}")
	for property, text := range got {
		require.NotContains(t, text, "stuck", property)
	}
}

// TestRarelyRefused: a closed transport whose Send succeeds every 50th time is detected every time.
func TestRarelyRefused(t *testing.T) {
	for _, first := range []int64{0, 17, 34, 48, 49} {
		var refused atomic.Int64
		refused.Store(first)
		got, _ := failures(t, roomy, Options{},
			spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if err := w.Send(ctx, p); !errors.Is(err, election.ErrClosed) || refused.Add(1)%50 != 0 {
					return err
				}
				return nil
			}})
		for _, property := range []string{"CloseRecv", "CloseSend", "CloseAgain"} {
			require.Regexp(t,
				`^Send (number \d+ )?after Close returned no error, where one that wraps election.ErrClosed is due$`, got[property], property)
		}
		require.Len(t, got, 3, "%v", got)
	}
}

// brokenRoom is a transport that refuses the fiftieth packet in a row that equals the one before. Of all
// properties CloseSend alone sends so, and what it refuses was sent before Close.
func brokenRoom() map[string]broken {
	var mu sync.Mutex
	last, repeated := make(map[*wire]election.Packet), make(map[*wire]int)
	return map[string]broken{
		"refuses what it has no room for": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				select {
				case <-w.closed:
					return w.gone()
				default:
				}
				mu.Lock()
				repeated[w]++
				if last[w] != p {
					last[w], repeated[w] = p, 0
				}
				full := repeated[w] >= 50
				mu.Unlock()
				if full {
					return errors.New("no room")
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{"CloseSend": "before Close, Send failed: no room"},
		},
	}
}
