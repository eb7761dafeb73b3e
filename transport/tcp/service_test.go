package tcp_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp"
)

// lines receives lines of a log.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// served starts an HTTP server that answers with the names of its clients, and returns its URL and its log.
func served(t *testing.T, own *tcp.TLS) (url string, logged lines) {
	logged = make(lines, 10)
	s := &http.Server{TLSConfig: own.Server(), ErrorLog: log.New(logged, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name, err := own.Name(r.TLS)
			fmt.Fprint(w, name, " ", r.Proto, " ", err)
		})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.ServeTLS(l, "", "")
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return "https://" + l.Addr().String(), logged
}

// asks sends a request over a new connection, and returns the answer.
func asks(t *testing.T, url string, c *tls.Config) (string, error) {
	client := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	response, err := client.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// TestServices: HTTP servers and clients accept each other's certificates as members do. The errors of the end that
// refuses the other one name what is wrong.
func TestServices(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	holds := func(ca authority, cluster, name string, life time.Duration, trusts authority) *tcp.TLS {
		pair := ca.pair(t, cluster, name, life)
		return &tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
			return pair, trusts.roots(), nil
		}}
	}
	url, logged := served(t, ca.of(t, 1))
	for _, own := range []*tcp.TLS{ca.of(t, 2), holds(ca, cluster, "nine", time.Hour, ca)} {
		text, err := asks(t, url, own.Client("1"))
		require.NoError(t, err)
		pair, _, err := own.Load()
		require.NoError(t, err)
		require.Equal(t, pair.Leaf.Subject.CommonName+" HTTP/2.0 <nil>", text)
	}
	require.Empty(t, logged)
	for want, refuses := range map[string]*tls.Config{ // the client refuses the server
		"TLS: the certificate is for process 1, not 3":               ca.of(t, 2).Client("3"),
		"TLS: the certificate is for process 1, not 11":              ca.of(t, 2).Client("11"),
		"TLS: Client: which process? The name is empty":              ca.of(t, 2).Client(""),
		"TLS: x509: certificate signed by unknown authority":         holds(ca, cluster, "2", time.Hour, other).Client("1"),
		"TLS: spiffe://example.org/orders/1 is not of cluster bills": holds(ca, "bills", "2", time.Hour, ca).Client("1"),
		"TLS: no cluster":                     (&tcp.TLS{}).Client("1"),
		"TLS: no function loads certificates": (&tcp.TLS{Cluster: cluster}).Client("1"),
	} {
		_, err := asks(t, url, refuses)
		require.ErrorContains(t, err, want)
		require.Contains(t, <-logged, "TLS handshake error", want)
	}
	pair := ca.pair(t, cluster, "2", time.Hour)
	for want, refused := range map[string]*tls.Config{ // the server refuses the client
		"TLS: x509: certificate signed by unknown authority":         holds(other, cluster, "2", time.Hour, ca).Client("1"),
		"TLS: x509: certificate has expired":                         holds(ca, cluster, "2", -time.Second, ca).Client("1"),
		"TLS: spiffe://bills/2 is not of cluster example.org/orders": {InsecureSkipVerify: true, Certificates: []tls.Certificate{ca.pair(t, "bills", "2", time.Hour)}},
		"tls: client didn't provide a certificate":                   {InsecureSkipVerify: true},
		"tls: client offered only unsupported versions":              {InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}, MaxVersion: tls.VersionTLS12},
	} {
		_, err := asks(t, url, refused)
		require.Error(t, err, want)
		require.Contains(t, <-logged, want)
	}
	_, err := ca.of(t, 1).Name(nil)
	require.EqualError(t, err, "TLS: the peer shows no certificate")
	_, err = (&tcp.TLS{Cluster: "bills"}).Name(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{pair.Leaf}})
	require.EqualError(t, err, "TLS: spiffe://example.org/orders/2 is not of cluster bills")
}

// TestServicesRotate: servers and clients use new certificates and roots from the next connection on, and the last ones
// while new ones cannot be loaded.
func TestServicesRotate(t *testing.T) {
	first, next := newAuthority(t), newAuthority(t)
	o := &operator{signer: first, trusted: []authority{first}}
	own := o.of(t, 1)
	var broken atomic.Bool
	url, logged := served(t, &tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
		if broken.Load() {
			return tls.Certificate{}, nil, errors.New("no disk")
		}
		return own.Load()
	}})
	member := o.of(t, 2).Client("1")
	works := func(c *tls.Config, name string) {
		t.Helper()
		text, err := asks(t, url, c)
		require.NoError(t, err)
		require.Equal(t, name+" HTTP/2.0 <nil>", text)
	}
	pair, roots := first.pair(t, cluster, "3", time.Hour), next.roots()
	roots.AddCert(first.Leaf(t))
	withdrawn := (&tcp.TLS{Cluster: cluster, Load: func() (tls.Certificate, *x509.CertPool, error) {
		return pair, roots, nil
	}}).Client("1")
	works(member, "2")
	works(withdrawn, "3")
	o.set(first, first, next)
	works(member, "2")
	o.set(next, first, next)
	works(member, "2")
	works(withdrawn, "3")
	o.set(next, next)
	works(member, "2")
	_, err := asks(t, url, withdrawn)
	require.Error(t, err)
	require.Contains(t, <-logged, "certificate signed by unknown authority")
	broken.Store(true)
	works(member, "2")
	require.Empty(t, logged)
}
