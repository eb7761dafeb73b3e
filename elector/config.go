package elector

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/turns"
	"github.com/go-election/election/store"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/tcp"
)

// Config configures one member of a group.
type Config struct {
	Group string // name of the election; several groups may share a Network
	// Self is the name of this member. It may be missing in Members if this member is to leave the group; New returns
	// an error then unless Listen, Network or Transport is set, so a mistyped name shows only in the log and in
	// [Elector.Handler].
	Self string
	// Members are the names of the members that this member wishes the group to have, and their addresses (host:port;
	// empty if Resolve knows it). All members of one list found the group. Later the list of a majority counts: see
	// Members in the documentation of the package. At most 255.
	Members map[string]string
	// Store keeps the lease of the group instead of a majority of members, see With a store in the documentation of the
	// package. Set either Members or Store. A group uses the key "election/" and its name. Members need no addresses, and
	// TLS, Listen, Network, Transport, Resolve, Observers, Preempt and Algorithm are not used. The caller closes it.
	Store store.Store
	// Resolve returns the address of a member, whenever this member connects to it. If it returns an error, the address
	// in Members is used. Package tcp has one for DNS. If nil, only the addresses in Members and the addresses
	// that members tell each other are used.
	Resolve func(ctx context.Context, name string) (address string, err error)
	// Observers are the names and addresses of processes that follow the leader and have no vote, so they do not
	// affect the availability of the group. If Self is one of them, call Serve. A member accepts the observers in its
	// own list, by their certificates; the lists of members may differ. Observers connect to members only. A leader
	// informs them once in each Lease, and they follow it for 2.5 Leases.
	Observers map[string]string

	// TLS authenticates members and observers: each certificate contains the name, exactly as in Members or
	// Observers. If nil, there is no TLS, and all addresses must be loopback addresses unless InsecurePlaintext is
	// true: then any process that reaches an address may claim to be any member.
	TLS               *tcp.TLS
	InsecurePlaintext bool
	// Listen is the host:port to listen on. If empty, the address of Self in Members. Use ":7946" if the name in that
	// address may not resolve yet when the program starts.
	Listen string
	// Advertise is the address at which the service's own clients reach this member: host:port or a URL, such as
	// "10.0.0.1:8080" or "https://a.example.org". If this member leads, View.Address is this text at all members. They do
	// not use it themselves. At most [MaxAddress] printable ASCII characters without spaces.
	Advertise string
	// Network has the connections that several groups of the same members share. Config.TCP returns a configuration
	// for it. If set, TLS, InsecurePlaintext, Listen and Resolve are not used. The caller closes it. If nil, this
	// group opens its own connections.
	Network *tcp.Network
	// Transport replaces Network and everything that configures connections. Its IDs are the results of [ID]. The
	// caller closes it. Unless it is a [transport.Greeter], members do not compare their Times: make sure yourself
	// that they agree, or two members may hold valid leases at the same time. A leader then does not know the lists of
	// the others either, so that only [Elector.SetMembers] changes the members.
	Transport election.Transport

	// Dir is the directory in which this member stores the largest Term that it has voted for, so that Terms never
	// decrease. If empty, they may: if none of the members that reach each other remembers the last vote, and the
	// clock of the next leader is behind the clock of the last. One restart is enough for that: one of three members
	// restarts while the only other one that voted is cut off for a few leases. New returns an error if another
	// program uses the same Group, Self and Dir.
	Dir string

	Times Times // zero fields have the values of LAN
	// Algorithm elects without leases, see Without leases in the documentation of the package. It must be long-lived,
	// run on a complete graph and detect crashes, as bully.Rules with a Heartbeat does, or any algorithm with
	// detect.Under. If nil, there are leases.
	Algorithm *election.Algorithm
	// Clock returns the time since a fixed moment. It is for tests. If nil, the clock of the system, including the
	// time for which the machine was suspended.
	Clock func() time.Duration

	// Priority returns the priority of this member as a leader. When there is no leader, the member with the largest
	// priority claims the lead first; members of equal priority claim in the order of the group. A member that cannot
	// serve returns 0: it leads only if all others return 0 as well or cannot be reached.
	//
	// Priority is called once in each Times.Renew and when the leader is lost, one call at a time, and must not
	// block. Until the first call returns, this member is no candidate; while a later call blocks, the last priority
	// counts. Either all members have a Priority, or none. If nil, members claim in the order of the group: a hash of
	// the names of the group and the member, so that the leaders of many groups spread over all members.
	Priority func() uint64
	// Preempt is how long another member must have taken part without a break, with a larger priority than this
	// leader, before this leader hands over to it. If zero, a leader stays.
	Preempt time.Duration

	// The callbacks Overrun, Observe, Renewed and Priority may be called from any goroutine. If one panics, the work
	// is asked to stop, the lead is given up, and Run returns an error that wraps [process.ErrCallback].

	// Overrun is called if the work has not returned although its lease has expired. This member does not lead again
	// before both have returned. If nil, an error is logged.
	Overrun func(Term)
	// Observe is called with each new View, in order. It must not block, and must not call Resign or Transfer, which
	// wait for the next View.
	Observe func(View)
	// Renewed is called when a lease of this member begins, before Observe, and whenever it is renewed. It must not
	// block.
	Renewed func(Term)
	Log     *slog.Logger // if nil, nothing is logged
}

// ID returns the ID of a member in packets: the first 8 bytes of the SHA-256 hash of its name, in big endian. An ID
// only distinguishes the members of a group. Certificates authenticate them, by name.
func ID(name string) election.ID {
	h := sha256.Sum256([]byte(name))
	return election.ID(binary.BigEndian.Uint64(h[:]))
}

// TCP returns the configuration of a [tcp.Network] for these members and observers, which several groups can share.
// It contains their IDs, names and addresses, TLS, InsecurePlaintext and Log. It may be changed before [tcp.New].
func (c Config) TCP() tcp.Config {
	own := tcp.Config{Self: ID(c.Self), Members: make(map[election.ID]string),
		Observers: make(map[election.ID]string), Names: make(map[election.ID]string), TLS: c.TLS,
		InsecurePlaintext: c.InsecurePlaintext, Resolve: c.Resolve, Log: c.Log}
	if c.Algorithm == nil {
		own.ID = ID // processes that are in no list yet may connect
	}
	for name, address := range c.all() {
		list := own.Members
		if _, ok := c.Observers[name]; ok {
			list = own.Observers
		}
		list[ID(name)], own.Names[ID(name)] = address, name
	}
	return own
}

// check returns an error that wraps [election.ErrInput] if the Config is invalid.
func (c *Config) check() error {
	if c.Group == "" {
		return input.Errorf("Group: it is empty")
	}
	if len(c.Group) > tcp.MaxName && c.Transport == nil {
		return input.Errorf("Group: %.20q... has %d bytes, at most %d", c.Group, len(c.Group), tcp.MaxName)
	}
	if !isAddress(c.Advertise) {
		return input.Errorf("Advertise: %.60q is not an address: it has at most %d printable ASCII characters, and no space",
			c.Advertise, MaxAddress)
	}
	if c.Store != nil {
		return cmp.Or(c.checkStore(), c.Times.check())
	}
	switch {
	case len(c.Members) == 0:
		return input.Errorf("Members: the list is empty, and there is no Store")
	case len(c.Members) > mostMembers && c.Algorithm == nil:
		return input.Errorf("Members: the list has %d names, at most %d", len(c.Members), mostMembers)
	case c.votes() || c.observes():
	case c.Algorithm != nil:
		return input.Errorf("Self: %.60q is not among the Members %s", c.Self, c.names())
	case c.Listen == "" && c.Network == nil && c.Transport == nil:
		return input.Errorf("Self: %.60q is not among the Members %s; correct the name, or set Listen if this "+
			"member is being removed", c.Self, c.names())
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
		case !isName(name):
			return input.Errorf("Members: %.60q is not a name: it must be printable UTF-8 and not empty", name)
		case taken:
			return input.Errorf("Members: %.60q and %.60q have the same ID; rename one", other, name)
		}
		seen[id] = name
	}
	switch {
	case len(c.Observers) > 0 && c.Algorithm != nil:
		return input.Errorf("Observers: they need leases; leave Algorithm nil")
	case c.observes() && (c.Dir != "" || c.Priority != nil):
		return input.Errorf("Self: %.60q is one of the Observers, which have neither Dir nor Priority", c.Self)
	case c.Preempt < 0:
		return input.Errorf("Preempt: %v is negative", c.Preempt)
	case c.Preempt > 0 && c.Priority == nil:
		return input.Errorf("Preempt: %v needs a Priority", c.Preempt)
	}
	return c.Times.check()
}

// checkStore checks the fields that matter with a Store.
func (c *Config) checkStore() error {
	if v := reflect.ValueOf(c.Store); v.Kind() == reflect.Pointer && v.IsNil() {
		return input.Errorf("Store: it contains a nil pointer")
	}
	if !isName(c.Self) {
		return input.Errorf("Self: %.60q is not a name: it must be printable UTF-8 and not empty", c.Self)
	}
	for _, other := range []struct {
		field string
		set   bool
		why   string
	}{
		{"Members", len(c.Members) > 0, "a Store replaces them: set one of the two"},
		{"Network", c.Network != nil, "members with a Store talk to the store only"},
		{"Transport", c.Transport != nil, "members with a Store talk to the store only"},
		{"Listen", c.Listen != "", "members with a Store do not talk to each other"},
		{"Resolve", c.Resolve != nil, "members with a Store have no addresses"},
		{"TLS", c.TLS != nil, "the client of the Store authenticates"},
		{"InsecurePlaintext", c.InsecurePlaintext, "the client of the Store decides whether there is TLS"},
		{"Observers", len(c.Observers) > 0, "a process that calls Serve with the Store is an observer"},
		{"Preempt", c.Preempt != 0, "a leader does not know the priorities of others, which the record does not contain"},
		{"Algorithm", c.Algorithm != nil, "a Store keeps a lease"},
	} {
		if other.set {
			return input.Errorf("%s: it has no effect with a Store: %s", other.field, other.why)
		}
	}
	return nil
}

// isName reports whether a text can be the name of a member.
func isName(name string) bool {
	return name != "" && ID(name) != 0 && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) &&
		len(name) <= tcp.MaxName
}

// MaxAddress is the largest length of Config.Advertise.
const MaxAddress = 255

// isAddress reports whether a member can advertise a text, which may be empty. Members only display it and pass it to
// the service, so it need not be valid in any other way.
func isAddress(text string) bool {
	return len(text) <= MaxAddress && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// votes reports whether this is a member in its own list.
func (c *Config) votes() bool {
	_, ok := c.Members[c.Self]
	return ok
}

func (c *Config) names() string { return commas(c.list()) }

// list returns the names of the Members in order.
func (c *Config) list() []string { return sortedNames(c.Members) }

// ranks returns the Members in the form that package process needs.
func (c *Config) ranks() (all []election.Rank) {
	for _, name := range c.list() {
		all = append(all, c.rank(ID(name)))
	}
	return all
}

// peers returns the peers of the process, by port: those of the roster of the stored state, then the other Members.
func (c *Config) peers(roster []peer) (all []election.Rank) {
	if c.Store != nil {
		return []election.Rank{{ID: storeID}}
	}
	if c.Algorithm == nil {
		for _, p := range roster {
			all = append(all, c.rank(p.id))
		}
	}
	for _, r := range c.ranks() {
		if r.ID != ID(c.Self) && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// rank returns a process in the form that package process needs. The largest Rank claims first. Each group has its own
// order; otherwise one member would lead most of a thousand groups. An Algorithm of the caller compares IDs.
func (c *Config) rank(id election.ID) election.Rank {
	r := election.Rank{ID: id}
	if c.Algorithm == nil {
		r.Priority = turns.Priority(c.Group, uint64(id))
	}
	return r
}

// connect opens the transport unless the caller has set one. Call end to close it. network has the connections; it is
// nil if a Transport of the caller has them.
func (c *Config) connect(m *membership) (network *tcp.Network, end func() error, err error) {
	m.mu.Lock()
	hello := m.hello()
	text := hello.bytes()
	m.mu.Unlock()
	if len(text) > tcp.MaxHello {
		return nil, nil, input.Errorf("Members: the list takes %d bytes, more than %d, and members exchange it when they "+
			"connect; use shorter names or fewer members", len(text), tcp.MaxHello)
	}
	if c.Transport != nil {
		if g, ok := c.Transport.(transport.Greeter); ok {
			return nil, func() error { return nil }, g.Greet(text, m.accept)
		}
		return nil, func() error { return nil }, nil
	}
	network, closeNetwork := c.Network, func() error { return nil }
	if network == nil {
		if network, err = c.listen(); err != nil {
			return nil, nil, err
		}
		closeNetwork = network.Close
	}
	for _, name := range sortedNames(c.all()) {
		if known, ok := network.Name(ID(name)); ok && known != name {
			return nil, nil, errors.Join(input.Errorf("Network: it knows %.60q by the name %.60q; set its Names, as "+
				"Config.TCP does", name, known), closeNetwork())
		}
	}
	g, err := network.Group(c.Group, tcp.GroupConfig{Hello: text, Accept: m.accept})
	if err != nil {
		return nil, nil, errors.Join(err, closeNetwork())
	}
	c.Transport = g
	return network, func() error { return errors.Join(g.Close(), closeNetwork()) }, nil
}

// listen opens the connections of a group that shares none.
func (c *Config) listen() (_ *tcp.Network, err error) {
	var listener net.Listener
	if c.Listen != "" {
		// A malformed address is an error of the Config; a port that is in use is not.
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
