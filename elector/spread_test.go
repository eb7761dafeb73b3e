package elector_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// TestSpread: the leaders of many groups of the same members spread over all of them, and over the rest when
// one crashes.
func TestSpread(t *testing.T) {
	const groups = 400
	synctest.Test(t, func(t *testing.T) {
		names := []string{"m0", "m1", "m2", "m3", "m4"}
		members := make(map[string]string)
		for _, name := range names {
			members[name] = ""
		}
		var running sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		defer running.Wait()
		defer stop()
		all := make([][]*elector.Elector, groups) // by member
		crash := make([]func(), groups)           // of m0
		for i := range all {
			network := memory.New()
			for _, name := range names {
				endpoint, err := network.Endpoint(elector.ID(name))
				require.NoError(t, err)
				e, err := elector.New(elector.Config{Group: fmt.Sprint("group ", i), Self: name,
					Members: members, Transport: endpoint})
				require.NoError(t, err)
				all[i] = append(all[i], e)
				if name == "m0" {
					crash[i] = func() { require.NoError(t, endpoint.(interface{ Close() error }).Close()) }
				}
				running.Go(func() {
					_ = e.Run(ctx, func(ctx context.Context, _ elector.Term) error { // m0's transport is closed
						<-ctx.Done()
						return nil
					})
				})
			}
		}
		lead := func(asked int) map[string]int {
			synctest.Wait()
			count := make(map[string]int)
			for _, group := range all {
				count[group[asked].Leader().Leader]++
			}
			return count
		}
		time.Sleep(3 * time.Second)
		first := lead(0)
		for _, name := range names {
			require.InDelta(t, groups/5, first[name], groups/10, "%s leads at first, of %v", name, first)
		}
		for _, c := range crash {
			c()
		}
		time.Sleep(3 * time.Second)
		second := lead(1)
		require.Zero(t, second["m0"])
		for _, name := range names[1:] {
			// The groups of m0, about a fifth, go to four members.
			require.InDelta(t, groups/20, second[name]-first[name], groups/40, "%s leads in addition: %v, then %v", name,
				first, second)
		}
	})
}
