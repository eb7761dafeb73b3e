// Package certs makes the certificates that members of package transport/tcp show to each other: for
// tests, for trying out, and for services that have no certificate authority of their own.
//
// # Usage
//
//	ca, err := certs.NewCA("orders", time.Now(), 365*24*time.Hour)
//	...
//	cert, key, err := ca.Issue("example.org/orders", "1", time.Now(), 30*24*time.Hour)
//
// All are PEM, to be written to files or given to tls.X509KeyPair. A member gets cert and key of its
// own, and ca.Cert. ca.Key lets its holder be any member, so it stays away from the members.
package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"time"

	"github.com/go-election/election/input"
)

// CA is a certificate authority.
type CA struct {
	Cert, Key []byte // in PEM

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewCA makes a certificate authority with a key of its own.
func NewCA(name string, from time.Time, life time.Duration) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := template(name, from, life)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	cert, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	own, err := encode(key)
	if err != nil {
		return nil, err
	}
	return ParseCA(cert, own)
}

// ParseCA returns the certificate authority whose certificate and key these are.
func ParseCA(cert, key []byte) (*CA, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, input.Errorf("certificate authority: %w", err)
	}
	private, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	switch {
	case !ok:
		return nil, input.Errorf("certificate authority: the key is a %T, not an ECDSA key", pair.PrivateKey)
	case !pair.Leaf.IsCA:
		return nil, input.Errorf("certificate authority: the certificate of %s may not sign others",
			pair.Leaf.Subject)
	}
	return &CA{Cert: cert, Key: key, cert: pair.Leaf, key: private}, nil
}

// End returns until when the certificates of this authority are of use at most.
func (ca *CA) End() time.Time { return ca.cert.NotAfter }

// Issue makes a certificate and a key for a member: its identity is the URI spiffe://cluster/name. The hosts are further
// names, DNS names or IP addresses, for clients that know nothing of the cluster, such as browsers.
func (ca *CA) Issue(cluster, name string, from time.Time, life time.Duration, hosts ...string) (cert, key []byte,
	err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template, err := template(name, from, life)
	if err != nil {
		return nil, nil, err
	}
	id, err := url.Parse("spiffe://" + cluster + "/" + name)
	if err != nil {
		return nil, nil, input.Errorf("identity: %w", err)
	}
	template.URIs = []*url.URL{id}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	// A member both dials and is dialled.
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	if cert, err = sign(template, ca.cert, private, ca.key); err != nil {
		return nil, nil, err
	}
	key, err = encode(private)
	return cert, key, err
}

func template(name string, from time.Time, life time.Duration) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		// Clocks differ a little.
		NotBefore: from.Add(-time.Minute), NotAfter: from.Add(life)}, nil
}

func sign(template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", template.Subject, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func encode(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
