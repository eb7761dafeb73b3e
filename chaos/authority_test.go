package main

import (
	"crypto/tls"
	"crypto/x509"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp"
)

// TestAuthority: certificates are replaced, except for one that is to expire; members trust the authority of each,
// and a new authority next to the old one until that is dropped.
func TestAuthority(t *testing.T) {
	a, err := openAuthority(filepath.Join(t.TempDir(), "certs"), 0, []string{"a", "b"})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.close()) }()
	show := func(name string) (tls.Certificate, *x509.CertPool) {
		own := filepath.Join(a.dir, name)
		cert, roots, err := tcp.Files(own+".pem", own+".key.pem", filepath.Join(a.dir, "ca.pem"))()
		require.NoError(t, err)
		return cert, roots
	}
	trusted := func(cert tls.Certificate, roots *x509.CertPool) bool {
		_, err := cert.Leaf.Verify(x509.VerifyOptions{Roots: roots,
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		return err == nil
	}
	first, roots := show("a")
	second, _ := show("b")
	require.True(t, trusted(first, roots))
	require.True(t, trusted(second, roots))
	require.Equal(t, first.Leaf.NotAfter, a.lapse("a").UTC())
	require.NoError(t, a.issueAll())
	lapsing, _ := show("a")
	require.Equal(t, first.Certificate, lapsing.Certificate)
	other, _ := show("b")
	require.NotEqual(t, second.Certificate, other.Certificate)

	require.NoError(t, a.replaceCA())
	require.NoError(t, a.resume())
	replaced, roots := show("a")
	require.NotEqual(t, first.Certificate, replaced.Certificate)
	require.True(t, trusted(first, roots))
	require.True(t, trusted(replaced, roots))
	require.NoError(t, a.trustLatest())
	replaced, roots = show("a")
	require.False(t, trusted(first, roots))
	require.True(t, trusted(replaced, roots))
}

// TestRotate: short certificates are replaced before they expire, and an error of that is not lost.
func TestRotate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	a, err := openAuthority(dir, shortLife, []string{"a"})
	require.NoError(t, err)
	a.keep()
	own := filepath.Join(dir, "a")
	load := tcp.Files(own+".pem", own+".key.pem", filepath.Join(dir, "ca.pem"))
	first, _, err := load()
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		cert, _, err := load()
		return err == nil && cert.Leaf.SerialNumber.Cmp(first.Leaf.SerialNumber) != 0
	}, time.Minute, time.Millisecond)
	a.mu.Lock()
	a.dir = filepath.Join(dir, "nowhere")
	a.mu.Unlock()
	a.rotating.Wait()
	require.ErrorContains(t, a.close(), "no such file")
}
