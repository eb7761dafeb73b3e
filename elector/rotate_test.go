package elector_test

import (
	"crypto/tls"
	"crypto/x509"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

func authority(t *testing.T) *certs.CA {
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	return ca
}

// TestRotation: each certificate is replaced every half minute, and then the authority as well, while
// the leader renews its lease. No connection is refused, the leader stays, and its work is not
// disturbed.
func TestRotation(t *testing.T) {
	const cluster, life = "example.org/g", time.Minute
	synctest.Test(t, func(t *testing.T) {
		old, next := authority(t), authority(t)
		var mu sync.Mutex
		signer, trusted, changes := old, [][]byte{old.Cert}, map[string][]elector.View{}
		hub, networks := &pipenet.Hub{}, map[string]*tcp.Network{}
		load := func(name string) func() (tls.Certificate, *x509.CertPool, error) {
			return func() (pair tls.Certificate, roots *x509.CertPool, err error) {
				mu.Lock()
				defer mu.Unlock()
				roots = x509.NewCertPool()
				for _, cert := range trusted {
					roots.AppendCertsFromPEM(cert)
				}
				cert, key, err := signer.Issue(cluster, name, time.Now(), life)
				if err == nil {
					pair, err = tls.X509KeyPair(cert, key)
				}
				return pair, roots, err
			}
		}
		g := start(t, three, func(c *elector.Config) {
			self := c.Self
			c.TLS = &tcp.TLS{Cluster: cluster, Load: load(self)}
			networks[self] = piped(t, hub, *c)
			c.Network, c.Transport = networks[self], nil
			c.Observe = func(v elector.View) {
				mu.Lock()
				defer mu.Unlock()
				changes[self] = append(changes[self], v)
			}
		})
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		seen := map[string]int{}
		for name := range changes {
			seen[name] = len(changes[name])
		}
		for _, step := range []func(){
			func() { trusted = append(trusted, next.Cert) },
			func() { signer = next },
			func() { trusted = trusted[1:] },
		} {
			time.Sleep(2 * life) // until no connection is left that has begun before
			mu.Lock()
			step()
			mu.Unlock()
		}
		time.Sleep(2 * life)
		require.Same(t, m, g.leader(t))
		terms, causes := m.tenures()
		require.Len(t, terms, 1)
		require.Empty(t, causes)
		dials := uint64(0)
		for _, name := range three {
			require.Len(t, changes[name], seen[name], "%s: %v", name, changes[name])
			require.Zero(t, networks[name].Stats().Refused)
			dials += networks[name].Stats().Dials
		}
		require.Greater(t, dials, uint64(3*8), "three connections, eight lives")
	})
}
