package tcp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// Server returns a configuration for the service's own servers, such as an [net/http.Server], with the certificates and
// the check that members use between each other. Clients must show a certificate of the Cluster, as [TLS.Client] does.
// [TLS.Name] returns the name of a client, which need not be a member.
//
// Certificates and roots are loaded for each handshake, and the last ones are used while new ones cannot be loaded. A
// connection may outlive the certificate of its client: limit its age if that matters.
func (t *TLS) Server() *tls.Config {
	l := &loader{tls: t}
	c := t.service(l, x509.ExtKeyUsageClientAuth, func(string) error { return nil })
	c.ClientAuth = tls.RequireAnyClientCert
	c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return l.certificate() }
	return c
}

// Client returns a configuration for clients of the process with this name, whatever its address is: for instance for
// the TLSClientConfig of an [net/http.Transport] of its own. The server must show the certificate of that process, as
// [TLS.Server] does. Otherwise it is like the configuration of Server.
func (t *TLS) Client(name string) *tls.Config {
	l := &loader{tls: t}
	c := t.service(l, x509.ExtKeyUsageServerAuth, func(other string) error {
		switch {
		case name == "":
			return errors.New("TLS: Client: which process? The name is empty")
		case other != name:
			return fmt.Errorf("TLS: the certificate is for process %s, not %s", other, name)
		}
		return nil
	})
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return l.certificate() }
	return c
}

// Name returns the name of the process at the other end of a connection that Server or Client has configured.
func (t *TLS) Name(s *tls.ConnectionState) (string, error) {
	if s == nil || len(s.PeerCertificates) == 0 {
		return "", errors.New("TLS: the peer shows no certificate")
	}
	name, err := t.identity(s.PeerCertificates[0])
	if err != nil {
		return "", fmt.Errorf("TLS: %w", err)
	}
	return name, nil
}

// service returns what Server and Client have in common. accept refuses names of processes of the Cluster.
func (t *TLS) service(l *loader, use x509.ExtKeyUsage, accept func(name string) error) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		// As in Network.secure: the identity is a URI, which crypto/tls does not compare with anything.
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			own, err := l.usable()
			if err != nil {
				return err
			}
			name, _, err := t.verify(&s, own.roots, use)
			if err != nil {
				return fmt.Errorf("TLS: %w", err)
			}
			return accept(name)
		},
		SessionTicketsDisabled: true,
	}
}

// certificate returns the certificate to show.
func (l *loader) certificate() (*tls.Certificate, error) {
	c, err := l.usable()
	return &c.cert, err
}

// usable returns the present credentials, or the last ones while new ones cannot be loaded.
func (l *loader) usable() (credentials, error) {
	c, last, err := l.load()
	if err != nil && last == nil {
		return c, fmt.Errorf("TLS: %w", err)
	}
	return c, nil
}
