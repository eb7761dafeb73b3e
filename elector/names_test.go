package elector_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

// broken is a transport that sends nothing.
type broken struct{ transport.Pusher }

func (broken) Send(context.Context, election.Packet) error { return errors.New("the cable is cut") }

// TestNamesInWarnings: warnings of the driver name members.
func TestNamesInWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, err := memory.New().Endpoint(elector.ID("a"))
		require.NoError(t, err)
		text := &logs{}
		e, err := elector.New(elector.Config{Group: "g", Self: "a",
			Members: map[string]string{"a": "", "b": ""}, Transport: broken{endpoint.(transport.Pusher)},
			Log: slog.New(slog.NewTextHandler(text, nil))})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		require.NoError(t, e.Serve(ctx))
		require.Contains(t, text.String(),
			`msg="message not sent" group=g member=a peer=b err="the cable is cut"`)
		require.NotRegexp(t, regexp.MustCompile(`=[0-9]{15,}`), text.String())
	})
}

// TestNamesInSaveError: the error of a member that cannot save its vote has its name.
func TestNamesInSaveError(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, func(c *elector.Config) { c.Dir = dir })
		require.NoError(t, os.RemoveAll(dir))
		err := e.Run(t.Context(), func(context.Context, elector.Term) error { return nil })
		require.ErrorContains(t, err, `elector: member "a": saving the state: open `)
		require.NotRegexp(t, regexp.MustCompile(`[0-9]{15,}`), err.Error())
	})
}
