package elector_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// addresses returns free addresses of this machine.
func addresses(t *testing.T, names ...string) map[string]string {
	members := map[string]string{}
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		members[name] = l.Addr().String()
		require.NoError(t, l.Close())
	}
	return members
}

// logs is a log that tests read.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestTLS: members with certificates elect over TLS, and one that ends hands over.
func TestTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, hub := authority(t), &pipenet.Hub{}
		g := start(t, three, func(c *elector.Config) {
			c.TLS = certified(t, ca, c.Self)
			c.Network, c.Transport = piped(t, hub, *c), nil
		})
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		first, _ := m.tenures()
		m.end(t)
		delete(g, m.name)
		next := g.leader(t) // at once
		second, _ := next.tenures()
		require.Greater(t, second[0].Token(), first[0].Token())
		require.NoError(t, second[0].Confirm(t.Context()))
	})
}

// certified returns how a member is known by a certificate.
func certified(t *testing.T, ca *certs.CA, name string) *tcp.TLS {
	return &tcp.TLS{Cluster: "example.org/g", Load: issued(t, ca, name)}
}

// TestListen: a member whose own name does not resolve yet can listen. A useless address is an error, and everything
// that was opened is closed.
func TestListen(t *testing.T) {
	c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "a.invalid:7946"},
		InsecurePlaintext: true}
	_, err := elector.New(c)
	require.ErrorContains(t, err, "a.invalid")
	own := addresses(t, "a")["a"]
	c.Listen = own
	e, err := elector.New(c)
	require.NoError(t, err)
	_, err = elector.New(c)
	require.ErrorContains(t, err, "elector: Listen: listen tcp "+own)
	require.NoError(t, e.Close())
	c.InsecurePlaintext, c.Members["a"], c.Listen = false, own, "0.0.0.0"+
		own[strings.LastIndexByte(own, ':'):]
	for range 2 { // the listener of the first attempt is closed
		_, err = elector.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "listener: ")
	}
}

// TestForeignCertificate: a member with the certificate of another one is refused, with both names.
func TestForeignCertificate(t *testing.T) {
	_, err := elector.New(elector.Config{Group: "g", Self: "a", Members: addresses(t, "a", "b"),
		TLS: certified(t, authority(t), "b")})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "the own certificate is for process b, not a: its URI is "+
		"spiffe://example.org/g/b")
}

// TestListsDiffer: members of different lists found no group, and log why. Members with different Times do.
func TestListsDiffer(t *testing.T) {
	list := func(names ...string) map[string]string {
		some := map[string]string{}
		for _, name := range names {
			some[name] = name + ":1"
		}
		return some
	}
	for name, c := range map[string]struct {
		members map[string]string // of b
		lease   time.Duration
		wrong   []string
	}{
		"the same": {members: list("a", "b")},
		"one more": {members: list("a", "b", "c"), wrong: []string{
			`level=WARN msg="members: the group is not founded as far as this member knows: that needs all of a b, and b has the list a b c" ` +
				`group=g member=a`,
			`msg="members: the group is not founded as far as this member knows: that needs all of a b c, and a has the list a b, ` +
				`c was never connected" group=g member=b`}},
		"another lease": {members: list("a", "b"), lease: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text, hub := &logs{}, &pipenet.Hub{}
				log := slog.New(slog.NewTextHandler(text, nil))
				ctx, stop := context.WithCancel(t.Context())
				var all sync.WaitGroup
				var electors []*elector.Elector
				for _, one := range []elector.Config{
					{Self: "a", Members: list("a", "b")},
					{Self: "b", Members: c.members, Times: elector.Times{Lease: c.lease}},
				} {
					one.Group, one.Log = "g", log
					one.Network = piped(t, hub, one)
					e, err := elector.New(one)
					require.NoError(t, err)
					electors = append(electors, e)
					all.Go(func() {
						_ = e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
							<-ctx.Done()
							return nil
						})
					})
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				for _, e := range electors {
					require.Equal(t, c.wrong == nil, e.Leader().Leader != "")
				}
				for _, wrong := range c.wrong {
					require.Contains(t, text.String(), wrong)
				}
				stop()
				all.Wait()
			})
		})
	}
}

// piped returns the connections of a member or an observer in memory: name listens at name:1.
func piped(t *testing.T, hub *pipenet.Hub, c elector.Config) *tcp.Network {
	own := c.TCP()
	for _, list := range []map[election.ID]string{own.Members, own.Observers} {
		for id := range list {
			list[id] = own.Names[id] + ":1"
		}
	}
	own.InsecurePlaintext = c.TLS == nil
	own.Listener, own.Dial = hub.Listen(c.Self+":1"), hub.Dial
	n, err := tcp.New(own)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	return n
}

// TestNamesInTheLog: the log names the leader, and what package process logs of numbers is left out.
func TestNamesInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := &logs{}
		e := alone(t, func(c *elector.Config) { c.Log = slog.New(slog.NewTextHandler(text, nil)) })
		ctx, stop := context.WithCancel(t.Context())
		require.NoError(t, e.Run(ctx, func(context.Context, elector.Term) error {
			stop()
			return nil
		}))
		require.Contains(t, text.String(), "msg=elected group=g member=a leader=a")
		require.Contains(t, text.String(), "msg=\"given up\"")
		require.NotContains(t, text.String(), "msg=decided")
	})
}

// TestNamesInErrors: an error about a member has its name, and is about the first name of several.
func TestNamesInErrors(t *testing.T) {
	members := map[string]string{"a": "127.0.0.1:1"}
	for i, name := range []string{"g", "f", "e", "d", "c", "b"} {
		members[name] = fmt.Sprintf("10.0.0.%d:1", i)
		_, err := elector.New(elector.Config{Group: "g", Self: "a", Members: members})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "members["+name+"]: "+members[name]+" is no loopback address")
	}
}
