package elector_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// counted counts what a member sends.
type counted struct {
	transport.Pusher
	to func(election.ID) *atomic.Int64
}

func (c counted) Send(ctx context.Context, p election.Packet) error {
	c.to(p.To).Add(1)
	return c.Pusher.Send(ctx, p)
}

// withObservers runs a test with three members and some observers. sent are the packets of members to members, of
// members to observers, and of observers.
func withObservers(t *testing.T, n int, test func(t *testing.T, g group, watching []*elector.Elector,
	sent *[3]atomic.Int64)) {
	synctest.Test(t, func(t *testing.T) {
		network, members, g := memory.New(), map[string]string{}, group{}
		observers, isObserver, sent := map[string]string{}, map[election.ID]bool{}, [3]atomic.Int64{}
		for _, name := range three {
			members[name] = ""
		}
		for i := range n {
			name := fmt.Sprint("o", i)
			observers[name], isObserver[elector.ID(name)] = "", true
		}
		for _, name := range three {
			g.launch(t, network, name, members, func(c *elector.Config) {
				c.Observers = observers
				c.Transport = counted{c.Transport.(transport.Pusher), func(to election.ID) *atomic.Int64 {
					if isObserver[to] {
						return &sent[1]
					}
					return &sent[0]
				}}
			}, nil)
		}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var watching []*elector.Elector
		for name := range observers {
			endpoint, err := network.Endpoint(elector.ID(name))
			require.NoError(t, err)
			e, err := elector.New(elector.Config{Group: "g", Self: name, Members: members,
				Observers: observers,
				Transport: counted{endpoint.(transport.Pusher),
					func(election.ID) *atomic.Int64 { return &sent[2] }}})
			require.NoError(t, err)
			watching = append(watching, e)
			all.Go(func() {
				if err := e.Serve(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		test(t, g, watching, &sent)
		stop()
		for _, m := range g {
			m.stop()
			require.NoError(t, <-m.ended)
		}
		all.Wait()
	})
}

// TestObservers: observers follow each next leader, know immediately that a leader has resigned, and 2.5 leases later
// that it has crashed. They send nothing, and do not count towards a majority.
func TestObservers(t *testing.T) {
	withObservers(t, 2, func(t *testing.T, g group, watching []*elector.Elector, sent *[3]atomic.Int64) {
		follow := func(m *member) {
			t.Helper()
			synctest.Wait()
			for _, o := range watching {
				require.Equal(t, elector.View{Leader: m.name, Term: m.Leader().Term, Why: elector.Elected,
					Reachable: true},
					o.Leader())
			}
		}
		m := g.leader(t)
		follow(m)
		time.Sleep(time.Minute)
		follow(m)
		to := g.others(m)[0]
		require.NoError(t, m.Transfer(t.Context(), to.name))
		follow(to)
		for _, other := range g {
			if other != to {
				other.network.cut(true)
			}
		}
		time.Sleep(5 * time.Second)
		for _, o := range watching {
			require.Equal(t, elector.Vacant, o.Leader().Why, "one member and two observers are no majority")
			require.ErrorIs(t, o.Resign(t.Context()), elector.ErrNotLeader)
		}
		require.False(t, to.Leader().Self)
		for _, other := range g {
			other.network.cut(false)
		}
		time.Sleep(5 * time.Second)
		m = g.leader(t)
		follow(m)
		require.NoError(t, m.Resign(t.Context()))
		time.Sleep(time.Millisecond)
		follow(g.leader(t))
		require.Zero(t, sent[2].Load())
	})
}

// TestHundredObservers: what observers cost: the leader sends each a packet in each Lease, and no member
// sends another one more because of them.
func TestHundredObservers(t *testing.T) {
	const took = time.Minute
	packets := func(observers int) (members, others int64) {
		withObservers(t, observers, func(t *testing.T, _ group, _ []*elector.Elector, sent *[3]atomic.Int64) {
			members, others = sent[0].Load(), sent[1].Load()
			time.Sleep(took)
			members, others = sent[0].Load()-members, sent[1].Load()-others
			require.Zero(t, sent[2].Load())
		})
		return members, others
	}
	renewals := float64(took / (elector.LAN().Renew))
	alone, none := packets(0)
	require.InEpsilon(t, 4*renewals, alone, 0.02)
	require.Zero(t, none)
	members, observed := packets(100)
	require.InDelta(t, alone, members, 5)
	require.InEpsilon(t, 100*renewals/4, observed, 0.02)
}

// TestObserverRefused: what an observer cannot do, and lists that contradict each other.
func TestObserverRefused(t *testing.T) {
	o := map[string]string{"o": "127.0.0.1:0"}
	valid := elector.Config{Group: "g", Self: "o", Members: map[string]string{"a": "127.0.0.1:1"},
		Observers: o}
	for want, change := range map[string]func(*elector.Config){
		`Observers: "o" is a member`:          func(c *elector.Config) { c.Members = o },
		`which have neither Dir nor Priority`: func(c *elector.Config) { c.Dir = "/x" },
		`Members: the list is empty`:          func(c *elector.Config) { c.Members = nil },
		"they need leases":                    func(c *elector.Config) { c.Algorithm = bullies(t) },
		`have the same address`:               func(c *elector.Config) { c.Members["b"] = "127.0.0.1:1" },
		`Self: "x" is not among the Memb`:     func(c *elector.Config) { c.Self = "x" },
	} {
		c := valid
		c.Members = map[string]string{"a": "127.0.0.1:1"}
		change(&c)
		_, err := elector.New(c)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.ErrorContains(t, err, want)
	}
	e, err := elector.New(valid)
	require.NoError(t, err)
	err = e.Run(t.Context(), func(context.Context, elector.Term) error { return nil })
	require.ErrorIs(t, err, elector.ErrObserver)
	require.NoError(t, e.Close())
}

// TestObserverOverTCP: an observer authenticates with its certificate, and a process whose name is in no list is
// refused.
func TestObserverOverTCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, text, hub := authority(t), &logs{}, &pipenet.Hub{}
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		run := func(name string, lets ...string) *elector.Elector {
			c := elector.Config{Group: "g", Self: name, Members: map[string]string{"a": "a:1"},
				Observers: map[string]string{}, TLS: certified(t, ca, name),
				Log: slog.New(slog.NewTextHandler(text, nil))}
			for _, o := range lets {
				c.Observers[o] = o + ":1"
			}
			c.Network = piped(t, hub, c)
			e, err := elector.New(c)
			require.NoError(t, err)
			ended.Go(func() {
				if name == "a" {
					_ = e.Run(ctx, func(ctx context.Context,
						_ elector.Term) error {
						<-ctx.Done()
						return nil
					})
				} else {
					_ = e.Serve(ctx)
				}
			})
			return e
		}
		_, o, stranger := run("a", "o"), run("o", "o"), run("stranger", "stranger")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		v := o.Leader()
		require.Equal(t, elector.View{Leader: "a", Term: v.Term, Why: elector.Elected, Reachable: true}, v)
		require.Empty(t, stranger.Leader().Leader)
		require.Contains(t, text.String(), "process stranger is no member")
		require.NotContains(t, text.String(), "process o is no member")
		stop()
		ended.Wait()
	})
}

// TestObserverBytes: how many bytes an observer costs in each Lease, over TCP with TLS, in both directions and
// including whatever keeps the connections. The headers of IP and TCP are not included: 52 bytes a write, and 52 for
// its acknowledgement.
func TestObserverBytes(t *testing.T) {
	const most = 45
	n := 20
	if *long {
		n = 100
	}
	synctest.Test(t, func(t *testing.T) {
		ca, hub := authority(t), &pipenet.Hub{}
		observers := map[string]string{}
		for i := range n {
			name := fmt.Sprint("o", i)
			observers[name] = name + ":1"
		}
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		var leader *tcp.Network
		var watching []*elector.Elector
		members := map[string]string{"a": "a:1"}
		run := func(name string, observers map[string]string) *elector.Elector {
			c := elector.Config{Group: "g", Self: name, Members: members, Observers: observers,
				TLS: certified(t, ca, name)}
			c.Network = piped(t, hub, c)
			e, err := elector.New(c)
			require.NoError(t, err)
			if name == "a" {
				leader = c.Network
			}
			return e
		}
		a := run("a", observers)
		for name, address := range observers { // an observer need not know the others
			o := run(name, map[string]string{name: address})
			watching = append(watching, o)
			ended.Go(func() { _ = o.Serve(ctx) })
		}
		ended.Go(func() {
			_ = a.Run(ctx, func(ctx context.Context, _ elector.Term) error { <-ctx.Done(); return nil })
		})
		time.Sleep(10 * time.Second)
		bytes := func() uint64 { s := leader.Stats(); return s.BytesReceived + s.BytesSent }
		before := bytes()
		time.Sleep(10 * time.Second)
		leases := float64(10*time.Second) / float64(elector.LAN().Lease)
		each := float64(bytes()-before) / float64(n) / leases
		t.Logf("%.1f bytes", each)
		require.Less(t, each, float64(most))
		require.Greater(t, each, 10.)
		synctest.Wait()
		for _, o := range watching {
			require.Equal(t, "a", o.Leader().Leader)
		}
		stop()
		ended.Wait()
	})
}

// issued returns what loads a certificate of a name.
func issued(t *testing.T, ca *certs.CA, name string) func() (tls.Certificate, *x509.CertPool, error) {
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca.Cert))
	certificate, key, err := ca.Issue("example.org/g", name, time.Now(), time.Hour)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(certificate, key)
	require.NoError(t, err)
	return func() (tls.Certificate, *x509.CertPool, error) { return pair, roots, nil }
}

// TestObserverIsMute: an observer answers nothing, whatever a member sends to it: its vote would be one too
// many.
func TestObserverIsMute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, members := memory.New(), map[string]string{"a": "", "b": ""}
		endpoint, err := network.Endpoint(elector.ID("o"))
		require.NoError(t, err)
		var sent atomic.Int64
		e, err := elector.New(elector.Config{Group: "g", Self: "o", Members: members,
			Observers: map[string]string{"o": ""},
			Transport: counted{endpoint.(transport.Pusher),
				func(election.ID) *atomic.Int64 { return &sent }}})
		require.NoError(t, err)
		candidate, err := network.Endpoint(elector.ID("a"))
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Serve(ctx) }()
		for seq := range uint64(20) { // of every kind that there may be
			require.NoError(t, candidate.Send(ctx, election.Packet{From: elector.ID("a"), To: elector.ID("o"),
				Incarnation: 1, Seq: seq + 1, Msg: election.Message{Kind: uint8(seq + 1), Term: seq + 1,
					Round: 1,
					Rank:  election.Rank{ID: elector.ID("a")}}}))
			time.Sleep(time.Second)
		}
		stop()
		require.NoError(t, <-ended)
		require.Zero(t, sent.Load())
		require.NoError(t, candidate.Close())
	})
}
