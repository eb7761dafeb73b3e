package elector_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
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

var work func(context.Context, elector.Term) error

func lead(ctx context.Context, term elector.Term) error {
	err := work(ctx, term)
	if err == nil || ctx.Err() != nil {
		return nil // the lead has ended
	}
	slog.Error("the work has failed", "err", err)
	return elector.Pause(time.Minute) // another member leads, and this one votes
}

// usage is the Config that the package's documentation shows.
var usage = elector.Config{
	Group: "orders", Self: "a",
	Members: map[string]string{"a": "10.0.0.1:7946", "b": "10.0.0.2:7946", "c": "10.0.0.3:7946"},
	TLS:     &tcp.TLS{Cluster: "orders", Load: tcp.Files("a.pem", "a.key.pem", "ca.pem")},
	Dir:     ".", // keeps the vote of this member over a restart
}

// TestUsage: the package's documentation shows this Config, and New accepts it with the files of elect cert.
func TestUsage(t *testing.T) {
	flat := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", "")), " ")
	}
	_, shown, ok := strings.Cut(flat("guide_test.go"), "var usage = ")
	require.True(t, ok)
	shown, _, _ = strings.Cut(shown, "} TestUsage:")
	require.Contains(t, flat("doc.go"), "elector.New("+shown+"})")

	t.Chdir(t.TempDir())
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	cert, key, err := ca.Issue("orders", "a", time.Now(), time.Hour)
	require.NoError(t, err)
	for name, text := range map[string][]byte{"ca.pem": ca.Cert, "a.pem": cert, "a.key.pem": key} {
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	c := usage
	c.Listen = "127.0.0.1:0" // this machine is not 10.0.0.1
	e, err := elector.New(c)
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

// TestSnippets: the snippets of the guide do what its text claims.
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

	work = func(context.Context, elector.Term) error { return errors.New("broken") }
	require.Equal(t, elector.Pause(time.Minute), lead(t.Context(), elector.Term{}))
	require.NoError(t, lead(ctx, elector.Term{}), "it was asked to end")
}

// standby is a database that has got as far as 7.
type standby struct{ ready bool }

func (s standby) Ready() bool    { return s.ready }
func (standby) Position() uint64 { return 7 }
