package tcp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// hub is a network in memory: with it, time is virtual under testing/synctest.
type hub struct{ pipenet.Hub }

const cluster = "example.org/orders"

// at returns the address of a member.
func at(id election.ID) string { return fmt.Sprintf("127.0.0.1:%d", 7000+id) }

// member returns the configuration of one of three members, without TLS.
func (h *hub) member(id election.ID) tcp.Config {
	return tcp.Config{Self: id, Members: map[election.ID]string{1: at(1), 2: at(2), 3: at(3)},
		Listener: h.Listen(at(id)), Dial: h.Dial}
}

// noWayOut is the Dial of a process that must be dialled.
func noWayOut(context.Context, string) (net.Conn, error) { return nil, errors.New("no way out") }

// authority is a CA of a test.
type authority struct{ *certs.CA }

func newAuthority(tb testing.TB) authority {
	ca, err := certs.NewCA("test", time.Now(), 24*time.Hour)
	require.NoError(tb, err)
	return authority{ca}
}

// Leaf returns the certificate of the authority itself.
func (a authority) Leaf(tb testing.TB) *x509.Certificate {
	block, _ := pem.Decode(a.Cert)
	leaf, err := x509.ParseCertificate(block.Bytes)
	require.NoError(tb, err)
	return leaf
}

func (a authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.Cert)
	return pool
}

// pair returns the certificate of a member.
func (a authority) pair(tb testing.TB, cluster, name string, life time.Duration) tls.Certificate {
	cert, key, err := a.Issue(cluster, name, time.Now(), life)
	require.NoError(tb, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(tb, err)
	return pair
}

// of returns what a member needs.
func (a authority) of(tb testing.TB, id election.ID) *tcp.TLS {
	pair, roots := a.pair(tb, cluster, fmt.Sprint(uint64(id)), time.Hour), a.roots()
	return &tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
		return pair, roots, nil
	}}
}

// diary keeps what is logged, from a level upwards.
type diary struct {
	level slog.Level
	mu    sync.Mutex
	lines []string
}

func (d *diary) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(d, &slog.HandlerOptions{Level: d.level}))
}

func (d *diary) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, strings.TrimSpace(string(line)))
	return len(line), nil
}

// take returns the lines since the last call.
func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}
