package tcp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/input"
)

// TLS configures which certificates members show, and which they accept.
type TLS struct {
	// Cluster is part of the only URI in the certificate of each member, spiffe://Cluster/name, for instance
	// spiffe://example.org/orders/7. The name is the member's name by Config.Names, byte for byte.
	Cluster string
	// Load returns the certificate of this process and the roots that it trusts. It is called for each handshake, by
	// several goroutines simultaneously, so that certificates and roots can be replaced at any time. To replace a
	// root, trust the old one and the new one for a while. [New] refuses a certificate that these roots do not
	// accept; later that is logged. [Files] returns such a function.
	Load func() (tls.Certificate, *x509.CertPool, error)
}

// Files returns a function for TLS.Load that reads PEM files, and reads them again after one has changed.
func Files(cert, key, roots string) func() (tls.Certificate, *x509.CertPool, error) {
	f := &files{names: [3]string{cert, key, roots}}
	return f.load
}

// files are a certificate, its key, and roots.
type files struct {
	names [3]string

	mu      sync.Mutex
	version [3]version
	cert    tls.Certificate
	roots   *x509.CertPool
}

// version distinguishes contents of a file.
type version struct {
	at   time.Time
	size int64
}

func (f *files) load() (tls.Certificate, *x509.CertPool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var now [3]version
	for i, name := range f.names {
		info, err := os.Stat(name)
		if err != nil {
			return tls.Certificate{}, nil, err
		}
		now[i] = version{info.ModTime(), info.Size()}
	}
	if f.roots != nil && f.version == now {
		return f.cert, f.roots, nil
	}
	cert, err := tls.LoadX509KeyPair(f.names[0], f.names[1])
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("%s, %s: %w", f.names[0], f.names[1], err)
	}
	pem, err := os.ReadFile(f.names[2])
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return tls.Certificate{}, nil, fmt.Errorf("%s: no certificate in it", f.names[2])
	}
	// Only at first: while certificates are replaced, an error would keep roots in use that were withdrawn.
	if f.roots == nil {
		own := credentials{cert, cert.Leaf, roots}
		if err := own.accepted("the certificate in "+f.names[0], f.names[2]); err != nil {
			return tls.Certificate{}, nil, err
		}
	}
	f.cert, f.roots, f.version = cert, roots, now
	return cert, roots, nil
}

// check returns an error if other members would not recognize this process.
func (t *TLS) check(self string) error {
	c, err := t.load()
	if err != nil {
		return input.Errorf("TLS: %w", err)
	}
	switch name, err := t.identity(c.leaf); {
	case err != nil:
		return input.Errorf("TLS: the own certificate: %w", err)
	case name != self:
		return input.Errorf("TLS: the own certificate is for process %s, not %s: its URI is %s",
			name, self, c.leaf.URIs[0])
	}
	if err := c.accepted(ownCertificate, ownRoots); err != nil {
		return input.Errorf("TLS: %w", err)
	}
	return nil
}

// The names in errors of what Load returns.
const ownCertificate, ownRoots = "the own certificate", "the own roots"

// credentials are used for one handshake.
type credentials struct {
	cert  tls.Certificate
	leaf  *x509.Certificate
	roots *x509.CertPool
}

// load calls Load.
func (t *TLS) load() (c credentials, err error) {
	switch {
	case t.Cluster == "":
		return c, errors.New("no cluster")
	case t.Load == nil:
		return c, errors.New("no function loads certificates")
	}
	c.cert, c.roots, err = t.Load()
	switch {
	case err != nil:
		return c, err
	case len(c.cert.Certificate) == 0:
		return c, errors.New("the own certificate is empty")
	case c.roots == nil: // crypto/x509 would trust those of the system
		return c, errors.New("no roots")
	}
	if c.leaf = c.cert.Leaf; c.leaf == nil {
		c.leaf, err = x509.ParseCertificate(c.cert.Certificate[0])
	}
	return c, err
}

// loader loads credentials, and keeps the last ones for the time while new ones cannot be loaded.
type loader struct {
	tls *TLS

	mu   sync.Mutex
	last *credentials
}

// load returns the present credentials, and the last ones before if there are any. With an error, it returns the last
// ones twice.
func (l *loader) load() (c credentials, last *credentials, err error) {
	c, err = l.tls.load()
	l.mu.Lock()
	defer l.mu.Unlock()
	last = l.last
	if err == nil {
		l.last = &c
	} else if last != nil {
		c = *last
	}
	return c, last, err
}

// until returns the time from which members with the same roots refuse this certificate, because it has expired, or one
// that signs it. If they refuse it already, it returns when the certificate itself expires.
func (c *credentials) until(use x509.ExtKeyUsage) time.Time {
	others, err := c.others()
	if err != nil {
		return c.leaf.NotAfter
	}
	all, err := chains(c.leaf, others, c.roots, use)
	if err != nil {
		return c.leaf.NotAfter
	}
	return expiry(all)
}

// others returns the certificates between the own certificate and the roots.
func (c *credentials) others() (others []*x509.Certificate, err error) {
	for _, der := range c.cert.Certificate[1:] {
		other, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		others = append(others, other)
	}
	return others, nil
}

// accepted returns an error if other members with the same roots would refuse this certificate.
func (c *credentials) accepted(cert, roots string) error {
	others, err := c.others()
	if err != nil {
		return fmt.Errorf("%s: %w", cert, err)
	}
	// A member dials as a client, and is dialled as a server.
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth} {
		_, err := chains(c.leaf, others, c.roots, use)
		if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
			return fmt.Errorf("%s is signed by authority %q, whose certificate is not in %s: use a "+
				"certificate "+
				"of an authority in it, or add that authority: %w", cert, c.leaf.Issuer, roots, err)
		}
		if err != nil {
			return fmt.Errorf("%s is not accepted by %s: %w", cert, roots, err)
		}
	}
	return nil
}

// chains returns the chains from a certificate to the roots, by way of the others.
func chains(leaf *x509.Certificate, others []*x509.Certificate, roots *x509.CertPool,
	use x509.ExtKeyUsage) ([][]*x509.Certificate, error) {
	between := x509.NewCertPool()
	for _, cert := range others {
		between.AddCert(cert)
	}
	return leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{use}})
}

// expiry returns when the last of some chains of a certificate ends. A chain ends when the first of its certificates
// expires.
func expiry(all [][]*x509.Certificate) (until time.Time) {
	for _, chain := range all {
		end := chain[0].NotAfter
		for _, cert := range chain {
			if cert.NotAfter.Before(end) {
				end = cert.NotAfter
			}
		}
		if end.After(until) {
			until = end
		}
	}
	return until
}

// identity returns the name of the process whose certificate this is.
func (t *TLS) identity(leaf *x509.Certificate) (name string, err error) {
	// A certificate with two identities might be read as one of them here and as the other elsewhere.
	if len(leaf.URIs) != 1 {
		return "", fmt.Errorf("%d URIs in the certificate of %s instead of one", len(leaf.URIs),
			leaf.Subject)
	}
	uri := leaf.URIs[0].String()
	name, ok := strings.CutPrefix(uri, "spiffe://"+t.Cluster+"/")
	if !ok || name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("%s is not of cluster %s", uri, t.Cluster)
	}
	return name, nil
}

// load returns the present credentials, or the last ones while new ones cannot be loaded.
func (n *Network) load() (credentials, error) {
	c, last, err := n.loader.load()
	if err == nil && last != nil && !(c.leaf.Equal(last.leaf) && c.roots.Equal(last.roots)) {
		// No error: peers may have other roots by now, and each of them judges for itself.
		if err := c.accepted(ownCertificate, ownRoots); err != nil && n.first("accepted") {
			n.log.Error("members with the same roots refuse this one", "err", err)
		}
	}
	if err != nil && last != nil {
		if n.first("load") {
			n.log.Error("the last certificates are used, as new ones cannot be loaded",
				"err", err)
		}
		return c, nil
	}
	return c, err
}

// secure makes a connection private and finds out which member is at the other end.
func (n *Network) secure(raw counted, dialled bool) (wire, error) {
	if n.config.TLS == nil {
		return wire{nc: raw, raw: raw}, nil
	}
	own, err := n.load()
	if err != nil {
		return wire{}, err
	}
	// Without this error, the peer would only see that the connection ends.
	if end := own.leaf.NotAfter; time.Now().After(end) {
		return wire{}, fmt.Errorf("the own certificate has expired at %v", end)
	}
	use, ownUse := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	if dialled {
		use, ownUse = ownUse, use
	}
	w := wire{raw: raw, renew: own.until(ownUse)}
	config := &tls.Config{
		Certificates: []tls.Certificate{own.cert},
		MinVersion:   tls.VersionTLS13,
		NextProtos:   n.config.speaks.names(),
		ClientAuth:   tls.RequireAnyClientCert,
		// verify does everything, at both ends alike: the identity is a URI, and crypto/tls would only compare the
		// name that was dialled.
		InsecureSkipVerify: true,
		// This is the only callback that is called for resumed sessions too. None are resumed, but then it depends
		// on no other setting.
		VerifyConnection: func(s tls.ConnectionState) (err error) {
			if s.NegotiatedProtocol == "" { // or it is one of those above
				return fmt.Errorf("the peer speaks \"\" instead of %q", n.config.speaks)
			}
			w.name, w.until, err = n.config.TLS.verify(&s, own.roots, use)
			return err
		},
		SessionTicketsDisabled: true,
		// Otherwise the first records hold 1.4 kB each.
		DynamicRecordSizingDisabled: true,
	}
	t := tls.Server(raw, config)
	if dialled {
		t = tls.Client(raw, config)
	}
	if err := t.Handshake(); err != nil {
		// An alert of the peer has no type, and does not contain what the peer speaks. The peer logs both.
		if text := err.Error(); strings.HasSuffix(text, "no application protocol") ||
			strings.Contains(text, "unsupported application protocols") {
			err = fmt.Errorf("%w: the peer is of another version than %s", err, n.config.speaks)
		}
		return wire{}, fmt.Errorf("TLS: %w", err)
	}
	if w.nc = t; w.until.Before(w.renew) {
		w.renew = w.until
	}
	return w, nil
}

// verify returns the name of the process at the other end, and when it has to show another certificate.
func (t *TLS) verify(s *tls.ConnectionState, roots *x509.CertPool, use x509.ExtKeyUsage) (name string,
	until time.Time, err error) {
	if len(s.PeerCertificates) == 0 {
		return "", until, errors.New("the peer shows no certificate")
	}
	leaf := s.PeerCertificates[0]
	all, err := chains(leaf, s.PeerCertificates[1:], roots, use)
	if err != nil {
		return "", until, err
	}
	name, err = t.identity(leaf)
	return name, expiry(all), err
}
