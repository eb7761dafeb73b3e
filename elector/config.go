package elector

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/turns"
	"github.com/go-election/election/transport/tcp"
)

// Config is one member of a group.
type Config struct {
	Group string // the name of the election; several may share a Transport
	// Self is the name of this member. If it is neither among the Members nor among the Observers, this member
	// is leaving the group, see Members in the package's documentation: Dir, Priority and Preempt are not
	// used, and Listen must be set unless there is a Network or a Transport.
	Self string
	// Members are all members: their names, and their addresses (host:port). Members compare this list and
	// their Times when they connect, but not over a Transport of the caller.
	Members map[string]string
	// Observers follow the leader and have no vote, so they cost the members no availability: their
	// names, and their addresses. A Self that is among them observes: it runs by Serve. A member lets in
	// the observers of its own list, by their certificates; the lists of members need not agree on them.
	// Observers connect to members only. A leader informs them once in a Lease, and they follow it for two and a
	// half.
	Observers map[string]string

	// TLS authenticates the members and observers: the certificate of each contains its name, exactly as in
	// Members or Observers. If nil, there is no TLS, and addresses must be loopback ones unless
	// InsecurePlaintext is true: then any process that reaches an address may speak as any member.
	TLS               *tcp.TLS
	InsecurePlaintext bool
	// Listen is the host:port at which this member listens. ":7946" needs no name that leads to this
	// machine, as that in Members may not do yet when a program starts. If empty, the address of Self in
	// Members.
	Listen string
	// Network is shared with other groups of the same members; it stays the caller's to close. Config.TCP
	// returns a configuration for it. It has its own TLS, Listener and addresses, and those above are not
	// used. New returns an error unless it has each member and observer by name. If nil, this group has
	// connections of its own.
	Network *tcp.Network
	// Transport replaces the Network, if there is one, and those as well. IDs of members are those of [ID].
	// It stays the caller's to close. Over it nothing compares the Members and Times of two members: the
	// caller sees to it that they agree. Where they do not, two members may hold valid leases at once.
	Transport election.Transport

	// Dir is where this member keeps the largest Term that it has voted for. Then Terms never go back. If
	// empty, they go back if none of the members that reach each other still remembers the last vote, and
	// the clock of the next leader is behind that of the last. So one restart is enough: one of three members
	// restarts while the only other one that voted cannot be reached for a few leases. A second program with
	// the same Group, Self and Dir is refused.
	Dir string

	Times Times // If zero, those of LAN.
	// Algorithm replaces leases, see Without leases in the package's documentation. It is long-lived, runs on
	// a complete graph and notices crashes: bully.Rules with a Heartbeat, say, or detect.Under. If nil, there
	// are leases.
	Algorithm *election.Algorithm
	// Clock returns the time since a moment that is the same for as long as the program runs. It is for
	// tests. If nil, that of the system, with the time for which the machine was suspended.
	Clock func() time.Duration

	// Priority returns how much this member should lead. When there is no leader, the member with the
	// largest priority claims first; members of the same priority claim in the order of the group. A member
	// that cannot serve returns 0, and leads only if all others do as well, or cannot be reached. Priority is
	// called once in each Times.Renew and when the leader is gone, one call at a time, and must not block:
	// until the first call returns, this member is no candidate; while a later one blocks, the last priority
	// counts. All members have one, or none. If nil, members claim in the order of the group: that is a hash
	// of the names of the group and the member, so that many groups of the same members spread their leaders
	// over all members.
	Priority func() uint64
	// Preempt is how long another member must have had a larger priority than this one, and must have
	// taken part without a break, before this one hands the lead over to it. If zero, a leader stays.
	Preempt time.Duration

	// Overrun, Observe, Renewed and Priority may be called from any goroutine. If one panics, the work is asked
	// to stop, the lead is given up, and Run returns an error that wraps [process.ErrCallback].

	// Overrun is called when work has not stopped although its lease has ended. This member does not lead
	// again before both have returned. If nil, an error is logged.
	Overrun func(Term)
	// Observe is called with each View, in order. It must not block, nor call Resign or Transfer, which wait for
	// the next View.
	Observe func(View)
	// Renewed is called when a lease of this member begins, before Observe, and each time that it is
	// renewed. Term.Left says how long it lasts. Renewed returns at once.
	Renewed func(Term)
	Log     *slog.Logger // If nil, nothing is logged.
}

// ID returns the ID that a member has in packets: the first 8 bytes of the SHA-256 hash of its name, in big
// endian. These 64 bits identify a member among those of one group. They do not authenticate it: over TLS
// the name in its certificate does.
func ID(name string) election.ID {
	h := sha256.Sum256([]byte(name))
	return election.ID(binary.BigEndian.Uint64(h[:]))
}

// TCP returns the configuration of a [tcp.Network] that several groups of these members and observers share.
// It has their IDs, names and addresses, TLS, InsecurePlaintext and Log, and may be changed before [tcp.New].
func (c Config) TCP() tcp.Config {
	own := tcp.Config{Self: ID(c.Self), Members: make(map[election.ID]string),
		Observers: make(map[election.ID]string), Names: make(map[election.ID]string), TLS: c.TLS,
		InsecurePlaintext: c.InsecurePlaintext, Log: c.Log}
	for name, address := range c.all() {
		list := own.Members
		if _, ok := c.Observers[name]; ok {
			list = own.Observers
		}
		list[ID(name)], own.Names[ID(name)] = address, name
	}
	return own
}

// check returns an error that wraps [election.ErrInput] if no Elector can be made of this.
func (c *Config) check() error {
	if c.Group == "" {
		return input.Errorf("Group: it has no name")
	}
	if len(c.Group) > tcp.MaxName && c.Transport == nil {
		return input.Errorf("Group: %.20q... has %d bytes, at most %d", c.Group, len(c.Group), tcp.MaxName)
	}
	if len(c.Members) == 0 {
		return input.Errorf("Members: there are none to elect a leader")
	}
	switch {
	case !c.leaves():
	case c.Algorithm != nil:
		return input.Errorf("Self: %.60q is not among the Members %s", c.Self, c.names())
	case c.Listen == "" && c.Network == nil && c.Transport == nil:
		return input.Errorf("Self: %.60q is not among the Members %s: without Listen it cannot serve until it is "+
			"removed", c.Self, c.names())
	}
	for name := range c.Observers {
		if _, ok := c.Members[name]; ok {
			return input.Errorf("Observers: %.60q is a member", name)
		}
	}
	seen := make(map[election.ID]string)
	for _, name := range slices.Sorted(maps.Keys(c.all())) {
		id := ID(name)
		switch other, taken := seen[id]; {
		// A fingerprint has a name on each line, so that a name must not end one.
		case name == "" || id == 0 || !utf8.ValidString(name) ||
			strings.ContainsFunc(name, unicode.IsControl):
			return input.Errorf("Members: %.60q is not a name", name)
		case taken:
			return input.Errorf("Members: %.60q and %.60q have the same ID; rename one", other, name)
		}
		seen[id] = name
	}
	switch {
	case len(c.Observers) > 0 && c.Algorithm != nil:
		return input.Errorf("Observers: they follow a leader that has a lease, and the Algorithm has none")
	case c.observes() && (c.Dir != "" || c.Priority != nil):
		return input.Errorf("Self: %.60q observes, so it has no use for Dir or Priority", c.Self)
	case c.Preempt < 0:
		return input.Errorf("Preempt: %v is negative", c.Preempt)
	case c.Preempt > 0 && c.Priority == nil:
		return input.Errorf("Preempt: without a Priority, no member has a larger one")
	}
	return c.Times.check()
}

// votes reports whether this is a member by its own list.
func (c *Config) votes() bool {
	_, ok := c.Members[c.Self]
	return ok
}

// leaves reports whether this member is to be removed: its own list does not contain it any more.
func (c *Config) leaves() bool { return !c.votes() && !c.observes() }

func (c *Config) names() string { return strings.Join(slices.Sorted(maps.Keys(c.Members)), ", ") }

// ranks returns the members as package process has them.
func (c *Config) ranks() (all []election.Rank) {
	for _, name := range slices.Sorted(maps.Keys(c.Members)) {
		all = append(all, c.rank(name))
	}
	return all
}

// others returns the other members, by the ports of the process.
func (c *Config) others() []election.Rank {
	return slices.DeleteFunc(c.ranks(), func(r election.Rank) bool { return r.ID == ID(c.Self) })
}

// rank returns a member as package process has it. The largest Rank claims first. Each group has an order of
// its own, or one member would lead most of a thousand groups. An Algorithm of the caller compares IDs.
func (c *Config) rank(name string) election.Rank {
	r := election.Rank{ID: ID(name)}
	if c.Algorithm == nil {
		r.Priority = turns.Priority(c.Group, name)
	}
	return r
}

// connect opens the transport where the caller brings none, and returns what closes it.
func (c *Config) connect(log *slog.Logger) (end func() error, err error) {
	if c.Transport != nil {
		return func() error { return nil }, nil
	}
	network, closeNetwork := c.Network, func() error { return nil }
	if network == nil {
		if network, err = c.listen(); err != nil {
			return nil, err
		}
		closeNetwork = network.Close
	} else if err := c.checkNetwork(); err != nil {
		return nil, err
	}
	own := &lists{own: c.fingerprint(), names: c.TCP().Names, log: log}
	if n := len(own.own.bytes()); n > tcp.MaxHello {
		return nil, errors.Join(input.Errorf("Members: members compare their lists when they connect; this "+
			"one takes %d bytes, at most %d: have fewer members, or shorter names", n, tcp.MaxHello),
			closeNetwork())
	}
	g, err := network.Group(c.Group, tcp.GroupConfig{Hello: own.own.bytes(), Accept: own.accept})
	if err != nil {
		return nil, errors.Join(err, closeNetwork())
	}
	c.Transport = g
	return func() error { return errors.Join(g.Close(), closeNetwork()) }, nil
}

// checkNetwork returns an error unless the Network of the caller authenticates each process of the group by
// the name that it has here.
func (c *Config) checkNetwork() error {
	for _, name := range slices.Sorted(maps.Keys(c.all())) {
		switch known, ok := c.Network.Name(ID(name)); {
		case !ok:
			return input.Errorf("Network: %.60q is not among its members", name)
		case known != name:
			return input.Errorf("Network: it has %.60q under the name %.60q: set its Names, as Config.TCP does",
				name, known)
		}
	}
	return nil
}

// listen opens connections of its own.
func (c *Config) listen() (_ *tcp.Network, err error) {
	var listener net.Listener
	if c.Listen != "" {
		// An address that no machine has is an error of the Config; one in use here is not.
		if _, service, err := net.SplitHostPort(c.Listen); err != nil {
			return nil, input.Errorf("Listen: %w", err)
		} else if _, err := net.LookupPort("tcp", service); err != nil {
			return nil, input.Errorf("Listen: %w", err)
		}
		if listener, err = net.Listen("tcp", c.Listen); err != nil {
			return nil, about("Listen", err)
		}
	}
	own := c.TCP()
	own.Listener = listener
	n, err := tcp.New(own)
	if err != nil && listener != nil {
		_ = listener.Close()
	}
	return n, err
}

// named returns what the log calls a member.
func (c *Config) named() func(election.ID) string {
	names := c.TCP().Names
	return func(id election.ID) string {
		if name, ok := names[id]; ok {
			return name
		}
		return fmt.Sprintf("(ID %d)", uint64(id)) // of a list with one member more
	}
}

// fingerprint is what members have to agree on.
type fingerprint struct {
	self, times string
	members     []string
}

func (c *Config) fingerprint() fingerprint {
	return fingerprint{self: c.Self, members: slices.Sorted(maps.Keys(c.Members)),
		times: c.agreed()}
}

func (f fingerprint) bytes() []byte {
	return []byte(strings.Join(append([]string{f.self, f.times}, f.members...), "\n"))
}

// parseHello is the inverse of bytes.
func parseHello(b []byte) (fingerprint, error) {
	lines := strings.Split(string(b), "\n")
	if len(lines) < 2 {
		return fingerprint{}, errors.New("the peer does not say which members it knows")
	}
	return fingerprint{self: lines[0], times: lines[1], members: lines[2:]}, nil
}

// accept refuses a peer that has another lease, or a list that differs by more than one member: a majority of
// the one list and a majority of the other have a member in common then.
func (f fingerprint) accept(_ election.ID, hello []byte) error {
	peer, err := parseHello(hello)
	if err != nil {
		return err
	}
	if peer.times != f.times {
		return fmt.Errorf("%.60q has %.100s, %.60q has %.100s", peer.self, peer.times, f.self, f.times)
	}
	more := without(f.members, peer.members)
	less := without(peer.members, f.members)
	if len(more)+len(less) > 1 {
		return fmt.Errorf("the lists of members differ by more than one: %.60q alone has %.200s; %.60q "+
			"alone has %.200s", f.self, more, peer.self, less)
	}
	return nil
}

// without returns the names of a list that another one lacks.
func without(list, other []string) (left []string) {
	for _, name := range list {
		if !slices.Contains(other, name) {
			left = append(left, name)
		}
	}
	return left
}
