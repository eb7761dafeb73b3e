package tcp

import (
	"errors"
	"maps"
	"net/netip"
	"sync"
	"time"
)

// gate limits the connections that have not said hello. A host gets a quarter of the room, so that a host that opens
// connections as fast as it can does not keep the members out.
type gate struct {
	mu    sync.Mutex
	all   passage
	hosts map[netip.Prefix]*passage // that may not pass freely
}

func newGate(most int) *gate {
	return &gate{all: newPassage(most), hosts: make(map[netip.Prefix]*passage)}
}

// enter admits a connection, which leaves later, or returns an error.
func (g *gate) enter(from string, now time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.hosts, func(_ netip.Prefix, p *passage) bool { return p.inside == 0 && p.full <= now })
	host := hostOf(from)
	p := g.hosts[host]
	if p == nil {
		quarter := newPassage((g.all.most + 3) / 4)
		p = &quarter
	}
	// A connection that its host may not open takes nothing from what all may.
	for _, limit := range []*passage{p, &g.all} {
		if err := limit.check(now); err != nil {
			return err
		}
	}
	p.enter(now)
	g.all.enter(now)
	g.hosts[host] = p
	return nil
}

// leave notes that a connection has said hello, or has ended.
func (g *gate) leave(from string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all.inside--
	g.hosts[hostOf(from)].inside--
}

// hostOf returns the addresses that one host is likely to have: an IPv4 address, or 64 bits of an IPv6
// address. What is no address is one host.
func hostOf(from string) netip.Prefix {
	at, err := netip.ParseAddrPort(from)
	if err != nil {
		return netip.Prefix{}
	}
	addr, bits := at.Addr().Unmap().WithZone(""), 64
	if addr.Is4() {
		bits = 32
	}
	host, _ := addr.Prefix(bits) // these bits are never too many
	return host
}

// passage limits how many connections come in within a second, and how many are inside.
type passage struct {
	most, inside int
	full         time.Duration // when most could come in together
}

func newPassage(most int) passage { return passage{most: most} }

func (p *passage) each() time.Duration { return time.Second / time.Duration(p.most) }

func (p *passage) check(now time.Duration) error {
	switch {
	case max(p.full, now)+p.each() > now+time.Second:
		return errors.New("too many connections a second")
	case p.inside >= p.most:
		return errors.New("too many connections that have not said hello")
	}
	return nil
}

func (p *passage) enter(now time.Duration) {
	p.full = max(p.full, now) + p.each()
	p.inside++
}
