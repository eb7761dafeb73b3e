package elector_test

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// What docs/services.md shows and no other program has.

var database interface{ Ready() bool }

var replica interface{ Position() uint64 }

var secured = elector.Config{ // and Group, Self, Members
	TLS: &tcp.TLS{Cluster: "orders", Load: tcp.Files("a.pem", "a.key.pem", "ca.pem")},
}

var preferred = elector.Config{ // and Group, Self, Members
	Priority: func() uint64 {
		if !database.Ready() {
			return 0 // the others go first
		}
		return 1 + replica.Position()
	},
	Preempt: time.Minute,
}

// TestSnippets: what the guide shows is what it says.
func TestSnippets(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, self.Signal(syscall.SIGTERM))
	<-ctx.Done()

	_, _, err = secured.TLS.Load()
	require.ErrorIs(t, err, os.ErrNotExist)

	database, replica = standby{false}, standby{}
	require.Zero(t, preferred.Priority())
	database = standby{true}
	require.EqualValues(t, 8, preferred.Priority())
}

// standby is a database that has got as far as 7.
type standby struct{ ready bool }

func (s standby) Ready() bool    { return s.ready }
func (standby) Position() uint64 { return 7 }
