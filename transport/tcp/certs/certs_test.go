package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp/certs"
)

func Example() {
	ca, err := certs.NewCA("orders", time.Now(), time.Hour)
	if err != nil {
		panic(err)
	}
	cert, key, err := ca.Issue("example.org/orders", "1", time.Now(), time.Hour)
	if err != nil {
		panic(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		panic(err)
	}
	fmt.Println(pair.Leaf.URIs[0])
	// Output: spiffe://example.org/orders/1
}

// TestIssue: the certificate of a member is good for both ends of a connection, and for nothing else.
func TestIssue(t *testing.T) {
	made, err := certs.NewCA("orders", time.Now(), time.Hour)
	require.NoError(t, err)
	ca, err := certs.ParseCA(made.Cert, made.Key) // as read from files
	require.NoError(t, err)
	require.InDelta(t, time.Hour, time.Until(ca.End()), float64(5*time.Minute))
	cert, key, err := ca.Issue("example.org/orders", "1", time.Now(), time.Minute, "orders.example.org", "10.0.0.1", "::1")
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	require.Len(t, pair.Leaf.URIs, 1)
	for _, host := range []string{"orders.example.org", "10.0.0.1", "::1"} {
		require.NoError(t, pair.Leaf.VerifyHostname(host))
	}
	require.Error(t, pair.Leaf.VerifyHostname("1"))
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca.Cert))
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{use}})
		require.NoError(t, err)
	}
	_, err = certs.ParseCA(cert, key)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "the certificate of CN=1 may not sign others")
	_, err = certs.ParseCA(ca.Cert, key)
	require.ErrorIs(t, err, election.ErrInput)
	_, _, err = ca.Issue("%zz", "1", time.Now(), time.Minute)
	require.ErrorIs(t, err, election.ErrInput)
}
