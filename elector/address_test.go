package elector_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
)

// advertise makes each member advertise an address of its own, and returns it.
func advertise(name string) string { return "https://" + name + ".example.org:8080" }

// TestAddress: every member reports the address that the leader advertises, over TCP, in memory and with a store. It
// changes with the leader.
func TestAddress(t *testing.T) {
	changes := map[string]func(*testing.T) func(*elector.Config){
		"memory": func(*testing.T) func(*elector.Config) { return func(*elector.Config) {} },
		"tcp": func(t *testing.T) func(*elector.Config) {
			ca, hub := authority(t), &pipenet.Hub{}
			return func(c *elector.Config) {
				c.TLS = certified(t, ca, c.Self)
				c.Network, c.Transport = piped(t, hub, *c), nil
			}
		},
		"store":  func(*testing.T) func(*elector.Config) { return newShelf().use },
		"polled": func(*testing.T) func(*elector.Config) { return newShelf().poll },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				change := change(t)
				g := start(t, three, func(c *elector.Config) {
					c.Advertise = advertise(c.Self)
					change(c)
				})
				time.Sleep(5 * time.Second)
				for range 2 {
					m := g.leader(t)
					for _, other := range g {
						require.Equal(t, advertise(m.name), other.Leader().Address)
						_, body := get(other.Elector, "/")
						require.Contains(t, body, `"address":"`+advertise(m.name)+`"`)
					}
					require.NoError(t, m.Resign(t.Context()))
					if m.Leader().Leader == "" {
						require.Empty(t, m.Leader().Address)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// TestAddressOfRestarted: a member that comes back at another address reports that one.
func TestAddressOfRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address := "10.0.0.1:1"
		g := start(t, three, func(c *elector.Config) { c.Advertise = address })
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		m.end(t)
		address = "10.0.0.2:2"
		g[m.name] = m.again()
		time.Sleep(5 * time.Second)
		require.Equal(t, "10.0.0.1:1", g.leader(t).Leader().Address)
		require.NoError(t, g.leader(t).Transfer(t.Context(), m.name))
		time.Sleep(time.Second)
		for _, other := range g {
			require.Equal(t, m.name, other.Leader().Leader)
			require.Equal(t, "10.0.0.2:2", other.Leader().Address)
		}
	})
}

// TestBadAddress: a member cannot advertise what is too long or cannot be printed.
func TestBadAddress(t *testing.T) {
	for address, want := range map[string]string{
		"a b:1":       `Advertise: "a b:1" is not an address`,
		"http://h/\n": `Advertise: "http://h/\n" is not an address`,
		"h\u00fc:1":   `is not an address`,
		"\xff":        `is not an address`,
		strings.Repeat("x", 1+elector.MaxAddress): `it has at most 255 printable ASCII characters, and no space`,
	} {
		_, err := elector.New(elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"}, Advertise: address})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	e, err := elector.New(elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"},
		Advertise: strings.Repeat("x", elector.MaxAddress)})
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
