// Package stores opens stores by their URLs, for the commands that use one.
package stores

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/store"
)

// Engine is a kind of store.
type Engine struct {
	Scheme string
	Form   string // a URL, for help
	Port   string // of a URL without one; empty if the engine has no network
	// Open connects to a store. The address is the host and port to connect to, which may be a proxy's.
	Open func(ctx context.Context, u *url.URL, address string) (s store.Store, closeStore func() error, err error)
	// Limits are what no test finds, in sentences.
	Limits []string
	Remove string // how to remove the keys of a test, which begin with storetest/
}

// Engines are the kinds of stores of this command.
var Engines = []*Engine{file, postgres, mysqlEngine}

// Forms returns the URLs of all engines, one on each line.
func Forms(indent string) string {
	var b strings.Builder
	for _, e := range Engines {
		b.WriteString(indent + e.Form + "\n")
	}
	return b.String()
}

// URL is the URL of a store.
type URL struct {
	*Engine
	u *url.URL
}

// Parse reads a URL.
func Parse(text string) (URL, error) {
	var schemes []string
	for _, e := range Engines {
		schemes = append(schemes, e.Scheme)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		// It may contain a password, so only its beginning is shown.
		if scheme, _, ok := strings.Cut(text, ":"); ok {
			text = scheme + ":..."
		}
		return URL{}, input.Errorf("%.80q is not the URL of a store, as in %s", text, Engines[0].Form)
	}
	text = u.Redacted()
	for _, e := range Engines {
		switch {
		case e.Scheme != u.Scheme:
		case e.Port != "" && u.Hostname() == "":
			return URL{}, input.Errorf("%.80q names no host, as in %s", text, e.Form)
		case strings.Contains(u.Host, ","):
			return URL{}, input.Errorf("%.80q names several hosts: name one", text)
		default:
			return URL{e, u}, nil
		}
	}
	if near := prose.Nearest(u.Scheme, schemes); near != "" {
		return URL{}, input.Errorf("%.80q: there is no store %s: did you mean %s?", text, u.Scheme, near)
	}
	return URL{}, input.Errorf("%.80q: there is no store %s; there are %s", text, u.Scheme, strings.Join(schemes, ", "))
}

// Address returns the host and port of a URL, and nothing if its engine has no network.
func (u URL) Address() string {
	switch {
	case u.Port == "":
		return ""
	case u.u.Port() != "":
		return u.u.Host
	}
	return net.JoinHostPort(u.u.Hostname(), u.Port)
}

// Open connects to the store at its own address.
func (u URL) Open(ctx context.Context) (s store.Store, closeStore func() error, err error) {
	return u.OpenAt(ctx, u.Address())
}

// OpenAt connects to the store at another address, for instance the address of a proxy.
func (u URL) OpenAt(ctx context.Context, address string) (s store.Store, closeStore func() error, err error) {
	return u.Engine.Open(ctx, u.u, address)
}

// String returns the URL without its password.
func (u URL) String() string { return u.u.Redacted() }
