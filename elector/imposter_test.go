package elector

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// imposter has the 64-bit FNV-1a hash of "a", which was its ID once. An ID never admits a process.
const imposter = "z1Y1a6DJnGccVEeooRK0i4"

// TestImposter: a process that has a certificate of the same authority and cluster for a name that is no
// member's, and claims the ID of a member, is admitted neither when it dials nor when it is dialled.
func TestImposter(t *testing.T) {
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	identity := func(name string) *tcp.TLS {
		certificate, key, err := ca.Issue("g", name, time.Now(), time.Hour)
		require.NoError(t, err)
		pair, err := tls.X509KeyPair(certificate, key)
		require.NoError(t, err)
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(ca.Cert)
		return &tcp.TLS{Cluster: "g", Load: func() (tls.Certificate, *x509.CertPool, error) {
			return pair, roots, nil
		}}
	}
	for name, shared := range map[string]bool{"own connections": false, "shared Network": true} {
		t.Run(name, func(t *testing.T) {
			listeners, members := map[string]net.Listener{}, map[string]string{}
			for _, name := range []string{"a", "b", "c"} {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				listeners[name], members[name] = l, l.Addr().String()
			}
			require.NoError(t, listeners["c"].Close()) // it is down
			log := &awaited{texts: []string{"process " + imposter + " claims to have ID",
				"the certificate is for process " + imposter + ", not a"}, done: make(chan struct{})}
			c := Config{Group: "g", Self: "b", Members: members, TLS: identity("b"),
				Log: slog.New(slog.NewTextHandler(log, nil))}
			if shared {
				own := c.TCP()
				own.Listener = listeners["b"]
				c.Network, err = tcp.New(own)
				require.NoError(t, err)
				defer func() { require.NoError(t, c.Network.Close()) }()
			} else {
				require.NoError(t, listeners["b"].Close())
			}
			victim, err := New(c)
			require.NoError(t, err)
			defer func() { require.NoError(t, victim.Close()) }()
			defer victim.config.Transport.(transport.Watcher).WatchPeers(log.up)()

			claimed := c
			claimed.Self, claimed.Times = "a", c.Times.Complete()
			attack := claimed.TCP()
			attack.TLS, attack.Listener = identity(imposter), listeners["a"]
			attack.Names[ID("a")], attack.ID = imposter, nil // its own checks
			network, err := tcp.New(attack)
			require.NoError(t, err)
			defer func() { require.NoError(t, network.Close()) }()
			hello := newMembership(&claimed, leases(), &stateFile{}, slog.New(slog.DiscardHandler)).hello()
			g, err := network.Group("g", tcp.GroupConfig{Hello: hello.bytes(),
				Accept: func(election.ID, []byte) error { return nil }})
			require.NoError(t, err)
			defer g.WatchPeers(log.up)()
			<-log.done
			log.mu.Lock()
			defer log.mu.Unlock()
			require.Empty(t, log.ups)
			require.Empty(t, log.texts)
		})
	}
}

// awaited is a log in which a test waits for texts, or for a peer that is up.
type awaited struct {
	done chan struct{} // closed when there is nothing to wait for

	mu    sync.Mutex
	texts []string
	ups   []election.ID
}

func (a *awaited) Write(line []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, text := range a.texts {
		if bytes.Contains(line, []byte(text)) {
			if a.texts = slices.Delete(a.texts, i, i+1); len(a.texts) == 0 {
				close(a.done)
			}
			break
		}
	}
	return len(line), nil
}

func (a *awaited) up(id election.ID, up bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if up && len(a.ups) == 0 {
		a.ups = append(a.ups, id)
		close(a.done)
	}
}
