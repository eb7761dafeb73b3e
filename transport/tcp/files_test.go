package tcp_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// TestFiles: files are read again when they have changed, and only then.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key, roots := filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(dir, "ca")
	at := time.Now()
	write := func(file string, text []byte) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		at = at.Add(time.Second) // whatever the file system's clock counts
		require.NoError(t, os.Chtimes(file, at, at))
	}
	ca := newAuthority(t)
	issue := func(name string) (certPEM, keyPEM []byte) {
		certPEM, keyPEM, err := ca.Issue(cluster, name, time.Now(), time.Hour)
		require.NoError(t, err)
		return certPEM, keyPEM
	}
	load := tcp.Files(cert, key, roots)
	_, _, err := load()
	require.ErrorIs(t, err, os.ErrNotExist)
	firstCert, firstKey := issue("1")
	write(cert, firstCert)
	write(key, firstKey)
	write(roots, []byte("nothing"))
	_, _, err = load()
	require.ErrorContains(t, err, "no certificate in it")
	write(roots, ca.Cert)
	pair, pool, err := load()
	require.NoError(t, err)
	require.Equal(t, "1", pair.Leaf.Subject.CommonName)
	_, again, err := load()
	require.NoError(t, err)
	require.Same(t, pool, again)
	nextCert, nextKey := issue("2")
	write(cert, nextCert)
	_, _, err = load()
	require.ErrorContains(t, err, "private key does not match public key")
	write(key, nextKey)
	pair, _, err = load()
	require.NoError(t, err)
	require.Equal(t, "2", pair.Leaf.Subject.CommonName)
}

// TestLoadFails: while new certificates cannot be loaded, the last ones serve, and that is logged once.
func TestLoadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		log := &diary{level: slog.LevelError}
		var groups []*tcp.Group
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			delete(c.Members, 3)
			c.TLS, c.MaxConnAge = ca.of(t, id), time.Second
			if good := c.TLS.Load; id == 1 {
				c.Log = log.logger()
				loads := new(atomic.Int32) // one by New, one for each connection
				c.TLS.Load = func() (tls.Certificate, *x509.CertPool, error) {
					if loads.Add(1) > 2 {
						return tls.Certificate{}, nil, errors.New("half of a file")
					}
					return good()
				}
			}
			groups = append(groups, group(t, open(t, c), tcp.GroupConfig{}))
		}
		for _, g := range groups {
			awaitUp(t, g, 1)
		}
		time.Sleep(10 * time.Second) // the connection is renewed
		lines := log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "the last certificates are used")
		require.Contains(t, lines[0], "half of a file")
	})
}

// TestTLSConfig: what no member can be known by is refused at once.
func TestTLSConfig(t *testing.T) {
	ca := newAuthority(t)
	var h hub
	for want, change := range map[string]func(*tcp.TLS){
		"no cluster":                    func(s *tcp.TLS) { s.Cluster = "" },
		"no function loads":             func(s *tcp.TLS) { s.Load = nil },
		"is not of cluster example.net": func(s *tcp.TLS) { s.Cluster = "example.net" },
		"the own certificate is for process 7, not 1": func(s *tcp.TLS) {
			s.Load = shows(ca.pair(t, cluster, "7", time.Hour), ca.roots())
		},
		"the own certificate is empty": func(s *tcp.TLS) {
			s.Load = func() (tls.Certificate, *x509.CertPool, error) {
				return tls.Certificate{}, ca.roots(),
					nil
			}
		},
		"no roots": func(s *tcp.TLS) {
			load := s.Load
			s.Load = func() (tls.Certificate, *x509.CertPool, error) {
				cert, _, err := load()
				return cert, nil, err
			}
		},
		`the own certificate is signed by authority "CN=test", whose certificate is not in the own roots: use ` +
			"a certificate of an authority in it, or add that authority: x509: certificate signed by unknown": func(s *tcp.TLS) {
			s.Load = shows(ca.pair(t, cluster, "1", time.Hour), newAuthority(t).roots())
		},
		"the own certificate is not accepted by the own roots: x509: certificate has expired": func(s *tcp.TLS) {
			s.Load = shows(ca.pair(t, cluster, "1", -time.Second), ca.roots())
		},
		"the own certificate: x509: malformed": func(s *tcp.TLS) {
			pair := ca.pair(t, cluster, "1", time.Hour)
			pair.Certificate = append(pair.Certificate, []byte("no certificate"))
			s.Load = shows(pair, ca.roots())
		},
	} {
		c := h.member(1)
		c.TLS = ca.of(t, 1)
		change(c.TLS)
		_, err := tcp.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// shows returns a function for TLS.Load.
func shows(pair tls.Certificate, roots *x509.CertPool) func() (tls.Certificate, *x509.CertPool, error) {
	return func() (tls.Certificate, *x509.CertPool, error) { return pair, roots, nil }
}

// TestFilesOfTwoAuthorities: at the first load the error names the certificate and the roots; later, when
// one of them may just have been replaced, there is none.
func TestFilesOfTwoAuthorities(t *testing.T) {
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	ca, other := newAuthority(t), newAuthority(t)
	cert, key, err := ca.Issue(cluster, "1", time.Now(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name("1.pem"), cert, 0o600))
	require.NoError(t, os.WriteFile(name("1.key.pem"), key, 0o600))
	require.NoError(t, os.WriteFile(name("ca.pem"), other.Cert, 0o600))
	load := tcp.Files(name("1.pem"), name("1.key.pem"), name("ca.pem"))
	for range 2 {
		_, _, err = load()
		require.ErrorContains(t, err, "the certificate in "+name("1.pem")+
			` is signed by authority "CN=test", `+
			"whose certificate is not in "+name("ca.pem")+": use a certificate of an authority in it, or add")
	}
	both := append(slices.Clip(other.Cert), ca.Cert...)
	require.NoError(t, os.WriteFile(name("ca.pem"), both, 0o600))
	_, _, err = load()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name("ca.pem"), other.Cert, 0o600))
	_, roots, err := load()
	require.NoError(t, err)
	require.True(t, roots.Equal(other.roots()), "what was withdrawn is trusted no more")
}

// TestRefusedByOwnRoots: a member that loads a certificate that its new roots do not accept logs it, once.
func TestRefusedByOwnRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{level: slog.LevelError}
		ca, other := newAuthority(t), newAuthority(t)
		o := &operator{signer: ca, trusted: []authority{ca}}
		var groups []*tcp.Group
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			delete(c.Members, 3)
			c.TLS = o.of(t, id)
			if id == 1 {
				c.Log = log.logger()
			}
			groups = append(groups, group(t, open(t, c), tcp.GroupConfig{}))
		}
		awaitUp(t, groups[0], 1)
		require.Empty(t, log.take())
		o.set(ca, other)
		time.Sleep(life) // each connection is replaced before
		lines := strings.Join(log.take(), "\n")
		require.Equal(t, 1, strings.Count(lines, `msg="members with the same roots refuse this one"`), lines)
		require.Contains(t, lines,
			`signed by authority \"CN=test\", whose certificate is not in the own roots`)
	})
}

// TestConfig: what makes no sense is refused.
func TestConfig(t *testing.T) {
	var h hub
	for want, change := range map[string]func(*tcp.Config){
		"self: process 4 is no member": func(c *tcp.Config) { c.Self = 4 },
		"members: an ID is never 0":    func(c *tcp.Config) { c.Members[0] = at(5) },
		"members: 2 and 3 have the same address 127.0.0.1:7003": func(c *tcp.Config) {
			c.Members[2] = at(3)
		},
		"members[2]: address 127.0.0.1":       func(c *tcp.Config) { c.Members[2] = "127.0.0.1" },
		"queue: -1, it is 1 to":               func(c *tcp.Config) { c.Queue = -1 },
		"linger: -1ns, it is never negative":  func(c *tcp.Config) { c.Linger = -1 },
		"timeout: -1ns, it is never negative": func(c *tcp.Config) { c.Timeout = -1 },
		"max groups: 16777217, it is 1 to":    func(c *tcp.Config) { c.MaxGroups = 1<<24 + 1 },
	} {
		c := h.member(1)
		change(&c)
		_, err := tcp.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	c := h.member(1)
	c.MaxGroups = 1
	n := open(t, c)
	for name, want := range map[string]string{"": "0 bytes",
		string(make([]byte, 256)): "256 bytes, it has 1 to 255"} {
		_, err := n.Group(name, tcp.GroupConfig{})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	longest, err := n.Group(string(make([]byte, 255)), tcp.GroupConfig{Hello: make([]byte, tcp.MaxHello)})
	require.NoError(t, err)
	require.NoError(t, longest.Close())
	_, err = n.Group("g", tcp.GroupConfig{Hello: make([]byte, tcp.MaxHello+1)})
	require.ErrorContains(t, err, "hello: 65537 bytes, at most 65536")
	group(t, n, tcp.GroupConfig{})
	_, err = n.Group("g", tcp.GroupConfig{})
	require.ErrorContains(t, err, `group "g" is open already`)
	_, err = n.Group("h", tcp.GroupConfig{})
	require.ErrorContains(t, err, "1 groups are open already")
	require.NoError(t, n.Close())
	_, err = n.Group("h", tcp.GroupConfig{})
	require.ErrorIs(t, err, election.ErrClosed)
}

// TestMaxGroupsAtOnce: goroutines that open and close groups hear of the limit, however it goes.
func TestMaxGroupsAtOnce(t *testing.T) {
	var h hub
	c := h.member(1)
	c.MaxGroups = 1
	n := open(t, c)
	var all sync.WaitGroup
	for name := range 4 {
		all.Go(func() {
			for range 1000 {
				g, err := n.Group(strconv.Itoa(name), tcp.GroupConfig{})
				if err == nil {
					err = g.Close()
				} else if strings.Contains(err.Error(), "bad input: 1 groups are open already") {
					err = nil
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, n.Close())
}
