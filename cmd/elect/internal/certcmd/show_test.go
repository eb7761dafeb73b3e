package certcmd

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp/certs"
)

// TestShow: each certificate of each file is shown.
func TestShow(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ca, err := certs.NewCA("test", now, 48*time.Hour)
	require.NoError(t, err)
	cert, _, err := ca.Issue("example.org/orders", "a", now, 36*time.Hour, "a.example.org", "*.orders", "10.0.0.1", "::1")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("all.pem", append(bytes.Clone(cert), ca.Cert...), 0o600))
	require.NoError(t, os.WriteFile("a.pem", cert, 0o600))
	var b bytes.Buffer
	require.NoError(t, show(&b, []string{"all.pem"}, now))
	require.Equal(t, `file    all.pem
name    CN=a
issuer  CN=test
uri     spiffe://example.org/orders/a
dns     a.example.org
dns     *.orders
ip      10.0.0.1
ip      ::1
from    2026-11-28 11:59:00 UTC
until   2026-11-30 00:00:00 UTC, 1 days left
for     elect lead --group example.org/orders --self a

file    all.pem
name    CN=test
issuer  CN=test
from    2026-11-28 11:59:00 UTC
until   2026-11-30 12:00:00 UTC, 2 days left
for     an authority: --tls-ca
`, b.String())
	for want, at := range map[string]time.Time{"expired": now.Add(37 * time.Hour), "not valid yet": now.Add(-time.Hour)} {
		b.Reset()
		require.NoError(t, show(&b, []string{"a.pem"}, at))
		require.Contains(t, b.String(), "until   2026-11-30 00:00:00 UTC, "+want+"\n")
	}
}

// TestPurpose: what a certificate lacks to be the certificate of a member is named.
func TestPurpose(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	both := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, test := range []struct {
		uris []string
		uses []x509.ExtKeyUsage
		want string
	}{
		{[]string{"spiffe://g/a"}, both, "elect lead --group g --self a"},
		{[]string{"spiffe://g/a"}, nil, "elect lead --group g --self a"},
		{[]string{"spiffe://g/a"}, []x509.ExtKeyUsage{x509.ExtKeyUsageAny}, "elect lead --group g --self a"},
		{nil, both, "no member: a member has one uri, spiffe://GROUP/NAME, and not 0"},
		{[]string{"spiffe://g/a", "spiffe://g/b"}, both, "no member: a member has one uri, spiffe://GROUP/NAME, and not 2"},
		{[]string{"https://g/a"}, both, "no member: the uri is not spiffe://GROUP/NAME"},
		{[]string{"spiffe://g"}, both, "no member: the uri is not spiffe://GROUP/NAME"},
		{[]string{"spiffe://g/"}, both, "no member: the uri is not spiffe://GROUP/NAME"},
		{[]string{"spiffe://g/a"}, both[:1], "no member: a member is a server and a client, and its extended key usage is not for clients"},
		{[]string{"spiffe://g/a"}, both[1:], "no member: a member is a server and a client, and its extended key usage is not for servers"},
	} {
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a"}, ExtKeyUsage: test.uses}
		for _, uri := range test.uris {
			u, err := url.Parse(uri)
			require.NoError(t, err)
			template.URIs = append(template.URIs, u)
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		require.NoError(t, err)
		all, err := certificates(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, test.want, purpose(all[0]))
	}
}

// TestShowBad: the error names the file and what is in it.
func TestShowBad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.pem")
	for text, want := range map[string]string{
		"": "there is no certificate in it",
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY"})):                     "there is no certificate in it, only a key",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("?")})): "x509: malformed certificate",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.ErrorContains(t, show(nil, []string{file}, time.Now()), file+": "+want)
	}
}
