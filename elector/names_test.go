package elector_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/tcp"
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

// TestTransportOfAnother: a Transport and a Network of another member are refused, by the names of both.
func TestTransportOfAnother(t *testing.T) {
	members := map[string]string{"a": "127.0.0.1:0", "b": "127.0.0.1:1"}
	endpoint, err := memory.New().Endpoint(elector.ID("a"))
	require.NoError(t, err)
	network, err := tcp.New(elector.Config{Self: "a", Members: members}.TCP())
	require.NoError(t, err)
	defer func() { require.NoError(t, network.Close()) }()
	for _, c := range []elector.Config{{Transport: endpoint}, {Network: network}} {
		c.Group, c.Self, c.Members = "g", "b", members
		_, err = elector.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "transport: it belongs to process a, and Self is b")
		c.Self = "a" // what was opened for b is closed
		e, err := elector.New(c)
		require.NoError(t, err)
		require.NoError(t, e.Close())
	}
}

// TestNetworkNames: New returns an error if the Network knows the ID of a member by another name: it would admit
// another process than the list names.
func TestNetworkNames(t *testing.T) {
	c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"},
		Observers: map[string]string{"o": "127.0.0.1:1"}}
	for want, change := range map[string]func(*tcp.Config){
		`Network: it knows "o" by the name "x"`: func(n *tcp.Config) { n.Names[elector.ID("o")], n.ID = "x", nil },
		`Network: it knows "a" by the name "`:   func(n *tcp.Config) { n.Names, n.ID = nil, nil },
	} {
		own := c.TCP()
		change(&own)
		network, err := tcp.New(own)
		require.NoError(t, err)
		wrong := c
		wrong.Network = network
		_, err = elector.New(wrong)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
		require.NoError(t, network.Close())
	}
}

// TestPeerPort: a member whose address nothing can dial is refused by its name; the own listener may have any
// port.
func TestPeerPort(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:0":     "members[b]: address 127.0.0.1:0: no other member can connect to port 0",
		"127.0.0.1:65536": "members[b]: address 127.0.0.1:65536: address 65536: invalid port",
	} {
		_, err := elector.New(elector.Config{Group: "g", Self: "a",
			Members: map[string]string{"a": "127.0.0.1:0", "b": addr}})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// TestNameAfterEnd: what is asked of a member that has ended fails with its name.
func TestNameAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := alone(t, nil)
		ctx, stop := context.WithCancel(t.Context())
		require.NoError(t, e.Run(ctx, func(context.Context, elector.Term) error {
			stop()
			return nil
		}))
		err := e.Advance(5)
		require.ErrorIs(t, err, election.ErrClosed)
		require.EqualError(t, err, `elector: member "a": `+election.ErrClosed.Error())
	})
}

// TestLongGroup: a name of a group that is too long for tcp is an error about Group. Other transports may accept it.
func TestLongGroup(t *testing.T) {
	c := elector.Config{Group: strings.Repeat("x", tcp.MaxName+1), Self: "a",
		Members: map[string]string{"a": "127.0.0.1:0"}}
	_, err := elector.New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, `Group: "xxxxxxxxxxxxxxxxxxxx"... has 256 bytes, at most 255`)
	own := c
	own.Transport, err = memory.New().Endpoint(elector.ID("a"))
	require.NoError(t, err)
	c.Group = c.Group[1:]
	for _, c := range []elector.Config{c, own} {
		e, err := elector.New(c)
		require.NoError(t, err)
		require.NoError(t, e.Close())
	}
}
