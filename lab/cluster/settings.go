package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// MostMembers is the largest number of members: each has a letter.
const MostMembers = 9

// Config is a group of processes.
type Config struct {
	Members int           // how many there are; their names are a, b, c ... If zero, 5.
	Times   elector.Times // If zero, elector.LAN.
	Dir     string        // folder in which members keep their Terms. If empty, they forget them when they end.
	// Plaintext: members talk without TLS. If false, each gets a certificate.
	Plaintext bool
	// Command returns the program that calls Member, with its standard input and output.
	Command func() *exec.Cmd
	Observe func(Event) // Observe, if not nil, is called with each event, in order. It must not block.
}

// settings is what a member needs, the first line of its standard input.
type settings struct {
	Self     string            `json:"self"`
	Members  map[string]string `json:"members"`
	Times    elector.Times     `json:"times"`
	Dir      string            `json:"dir,omitempty"`
	Cert     []byte            `json:"cert,omitempty"`
	Key      []byte            `json:"key,omitempty"`
	Roots    []byte            `json:"roots,omitempty"`
	Isolated []string          `json:"isolated,omitempty"` // the members that are cut off
}

// group is the name of the election, and what certificates have in common.
const group = "cluster"

// tls returns what makes connections of these certificates, nil if there are none.
func (s *settings) tls() (*tcp.TLS, error) {
	if len(s.Cert) == 0 {
		return nil, nil
	}
	pair, err := tls.X509KeyPair(s.Cert, s.Key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.Roots) {
		return nil, errors.New("cluster: no roots")
	}
	return &tcp.TLS{Cluster: group,
		Load: func() (tls.Certificate, *x509.CertPool, error) { return pair, roots, nil }}, nil
}

// plan completes the Config, and gives each member its settings.
func (c *Config) plan() (all []*settings, err error) {
	// Not the Delay: members with a Dir have another one by default.
	delay := c.Times.Delay
	c.Times = c.Times.Complete()
	c.Times.Delay = delay
	if err := c.Times.Check(); err != nil {
		return nil, err // now, and not by each of the members
	}
	if c.Members == 0 {
		c.Members = 5
	}
	if c.Members < 1 || c.Members > MostMembers {
		return nil, input.Errorf("%d members, there may be 1 to %d", c.Members, MostMembers)
	}
	names := make([]string, c.Members)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	addresses, err := freeAddresses(names)
	if err != nil {
		return nil, err
	}
	ca, err := certs.NewCA(group, time.Now(), 24*time.Hour)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s := &settings{Self: name, Members: addresses, Times: c.Times, Dir: c.Dir}
		if !c.Plaintext {
			s.Roots = ca.Cert
			if s.Cert, s.Key, err = ca.Issue(group, name, time.Now(), 24*time.Hour); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// freeAddresses returns an address of this machine for each name.
func freeAddresses(names []string) (map[string]string, error) {
	addresses := make(map[string]string)
	var held []io.Closer
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	for _, name := range names {
		// All are held until the last is found, so that no two members get the same one.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		held = append(held, l)
		addresses[name] = l.Addr().String()
	}
	return addresses, nil
}
