package elector_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
	"github.com/go-election/election/store/memstore"
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

func services() (*http.Server, *http.Client) {
	server := &http.Server{Addr: ":8443", TLSConfig: secured.TLS.Server()} // server.ListenAndServeTLS("", "")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: secured.TLS.Client("b")}}
	return server, client
}

func forwarding(ctx context.Context, c elector.Config, e *elector.Elector, stop context.CancelFunc) {
	h := &forward.Handler{Elector: e, TLS: c.TLS, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		term := elector.TermOf(r.Context()) // attach term.Token() to what this request writes
		_ = term                            // r.Context() is canceled before the lease expires
	})}
	server := &http.Server{Addr: ":8080", Handler: h}

	<-ctx.Done()                       // SIGTERM
	_ = e.Resign(context.Background()) // completes the requests in progress; an error means that it does not lead
	_ = server.Shutdown(context.Background())
	stop() // ends Run
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

	server, client := services()
	_, err = server.TLSConfig.GetCertificate(nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotNil(t, client.Transport)

	e, err := elector.New(elector.Config{Group: "g", Self: "a", Store: memstore.New()})
	require.NoError(t, err)
	running, end := context.WithCancel(t.Context())
	forwarding(ctx, elector.Config{}, e, end)
	require.Error(t, running.Err())
	require.NoError(t, e.Close())

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
