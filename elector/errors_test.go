package elector_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// TestErrorPrefix: each error of this package has one prefix, even if another package has found it, and errors about
// input still wrap election.ErrInput.
func TestErrorPrefix(t *testing.T) {
	requirePrefix := func(err error, input bool) {
		t.Helper()
		require.Error(t, err)
		require.True(t, strings.HasPrefix(err.Error(), "elector: "), err)
		require.Equal(t, 1, strings.Count(err.Error(), "elector: "), err)
		if input {
			require.ErrorIs(t, err, election.ErrInput)
		}
	}
	ok := func() elector.Config {
		return elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"}}
	}
	for _, change := range []func(*elector.Config){
		func(c *elector.Config) { c.Group = "" },
		func(c *elector.Config) { c.Members = nil },
		func(c *elector.Config) { c.Self = "b" },
		func(c *elector.Config) { c.Preempt = -1 },
		func(c *elector.Config) { c.Times.Lease = 1 },
		func(c *elector.Config) { c.Times.Drift = 0.7 },              // package lease refuses it
		func(c *elector.Config) { c.Members["a"] = "example.org:1" }, // package tcp does
		func(c *elector.Config) { c.Listen = "no address" },          // and net
	} {
		c := ok()
		change(&c)
		_, err := elector.New(c)
		requirePrefix(err, true)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := ok()
	c.Dir = file
	_, err := elector.New(c)
	requirePrefix(err, false)
	requirePrefix(elector.Times{Lease: 1}.Check(), true)
	requirePrefix(elector.Times{Drift: 0.7}.Check(), true)
	_, err = elector.ParseMembers("a")
	requirePrefix(err, true)

	e := alone(t, nil)
	requirePrefix(e.Run(t.Context(), nil), true)
	requirePrefix(e.Transfer(t.Context(), "b"), true)
	requirePrefix(e.Transfer(t.Context(), "a"), false)
	requirePrefix(e.Resign(t.Context()), false)
	requirePrefix(e.Advance(1<<53), true)
	require.NoError(t, e.Close())
	requirePrefix(e.Serve(t.Context()), true)
	_, err = e.Wait(t.Context())
	requirePrefix(err, false)
	requirePrefix(elector.Term{}.Confirm(t.Context()), false)
}

// TestErrorOfTransport: so has the error of a transport that ends Run. An error of the work is returned as it is.
func TestErrorOfTransport(t *testing.T) {
	network := memory.New()
	endpoint, err := network.Endpoint(elector.ID("a"))
	require.NoError(t, err)
	c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "", "b": ""}, Transport: endpoint}
	e, err := elector.New(c)
	require.NoError(t, err)
	time.AfterFunc(10*time.Millisecond, func() { _ = endpoint.Close() })
	err = e.Serve(t.Context())
	require.ErrorIs(t, err, election.ErrClosed)
	require.True(t, strings.HasPrefix(err.Error(), `elector: member "a": `), err)
}

// TestTermIsPrinted: a Term is printed and logged as its number.
func TestTermIsPrinted(t *testing.T) {
	e := alone(t, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	require.NoError(t, e.Run(ctx, func(_ context.Context, term elector.Term) error {
		number := fmt.Sprint(term.Number)
		require.Equal(t, number, fmt.Sprint(term))
		require.Equal(t, number, fmt.Sprintf("%v", &term))
		var text, json bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("works", "term", term)
		slog.New(slog.NewJSONHandler(&json, nil)).Info("works", "term", term)
		require.Contains(t, text.String(), "term="+number+"\n")
		require.Contains(t, json.String(), `"term":`+number+"}")
		stop()
		return nil
	}))
}
