package elector

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/splitmix"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

// membersOf returns the messages that contain a configuration of package lease.
func membersOf(t *testing.T, label uint64, old, now string) (all []election.Message) {
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	var hash uint64
	for _, name := range union(strings.Split(old, ""), strings.Split(now, "")) {
		m := election.Message{Kind: kinds(a, "member")[0], Value: label}
		if name == "" {
			continue
		}
		if m.Rank.ID = ID(name); strings.Contains(old, name) {
			m.Flags |= 1
		}
		if strings.Contains(now, name) {
			m.Flags |= 2
		}
		hash += splitmix.Mix(splitmix.Mix(uint64(m.Rank.ID)) + uint64(m.Flags))
		all = append(all, m)
	}
	for i := range all {
		all[i].Round, all[i].Rank.Priority = uint32(len(all)), hash
	}
	return all
}

// TestAdopt: a process that adopts the members of its group knows since when they are agreed. A member of which it
// knows only the ID gets its name when a peer tells that.
func TestAdopt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		network := memory.New()
		a, err := network.Endpoint(ID("a"))
		require.NoError(t, err)
		b, err := network.Endpoint(ID("b"))
		require.NoError(t, err)
		h := helloOf("b", "ab", LAN().onDisk())
		peer := b.(transport.Greeter)
		require.NoError(t, peer.Greet(h.bytes(), func(election.ID, []byte) error { return nil }))
		e, err := New(Config{Group: "g", Self: "a", Members: named("a", "b"), Transport: a, Dir: dir})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Serve(ctx) }()
		defer func() {
			stop()
			require.NoError(t, <-ended)
		}()
		time.Sleep(5 * time.Second)
		adopt := func(label uint64, old, now string) Members {
			time.Sleep(time.Minute)
			for i, m := range membersOf(t, label, old, now) {
				p := election.Packet{From: ID("b"), To: ID("a"), Msg: m, Incarnation: 1, Seq: label<<8 + uint64(i)}
				require.NoError(t, b.Send(ctx, p))
			}
			synctest.Wait()
			return e.Members()
		}
		m := adopt(7<<10, "", "ab")
		require.Equal(t, "7.0", m.Label())
		require.Equal(t, []string{"a", "b"}, m.Agreed)
		require.Zero(t, time.Since(m.Since))
		m = adopt(7<<10+1, "ab", "abx")
		require.Equal(t, []string{"a", "b"}, m.Agreed)
		require.NotContains(t, m.Next, "x")
		require.Equal(t, time.Minute, time.Since(m.Since))
		m = adopt(7<<10+2, "", "abx")
		require.Len(t, m.Agreed, 3)
		require.Zero(t, time.Since(m.Since))
		h.Peers = map[string]string{"x": "127.0.0.1:2"}
		require.NoError(t, e.members.accept(ID("b"), h.bytes())) // without a packet that follows it
		time.Sleep(time.Second)
		m = e.Members()
		require.Equal(t, []string{"a", "b", "x"}, m.Agreed)
		require.Equal(t, time.Second, time.Since(m.Since))
		e.members.mu.Lock()
		defer e.members.mu.Unlock()
		require.Equal(t, []spentList{{7<<10 + 1, hashOf([]string{"a", "b"})}}, e.members.spent)
	})
}

// TestKnown: other goroutines, for instance the test of the disk, may ask what is stored.
func TestKnown(t *testing.T) {
	onDisk(t, func(t *testing.T, e *Elector, _ string, _ func() (string, time.Duration)) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1000 {
				_ = e.members.known()
			}
		}()
		for i := range election.ID(500) {
			require.NoError(t, e.process.AddPeer(election.Rank{ID: i + 1}))
		}
		<-done
		synctest.Wait()
		require.Empty(t, e.members.known().roster, "of one member")
		require.False(t, slices.Contains(e.process.Peers(), election.Rank{}))
	})
}
