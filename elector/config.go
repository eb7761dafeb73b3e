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

// Config configures one member of a group.
type Config struct {
	Group string // name of the election; several groups may share a Network
	// Self is the name of this member. If it is neither in Members nor in Observers, this member is leaving the
	// group, see Members in the documentation of the package. New does not return an error then if Listen, Network or
	// Transport is set, so a mistyped name shows only in the log and in [Elector.Handler]. A leaving member does not
	// use Dir, Priority and Preempt.
	Self string
	// Members are the names of all members, this one included, and their addresses (host:port). Members compare their
	// lists and their Times when they connect, except over a Transport of the caller.
	Members map[string]string
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
	// Network has the connections that several groups of the same members share. Config.TCP returns a configuration
	// for it. If set, TLS, InsecurePlaintext and Listen are not used. The caller closes it. New returns an error
	// unless the Network knows each member and observer by name. If nil, this group opens its own connections.
	Network *tcp.Network
	// Transport replaces Network and everything that configures connections. Its IDs are the results of [ID]. The
	// caller closes it. Over a Transport, members do not compare Members and Times: make sure yourself that they
	// agree, or two members may hold valid leases at the same time.
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

// check returns an error that wraps [election.ErrInput] if the Config is invalid.
func (c *Config) check() error {
	if c.Group == "" {
		return input.Errorf("Group: it is empty")
	}
	if len(c.Group) > tcp.MaxName && c.Transport == nil {
		return input.Errorf("Group: %.20q... has %d bytes, at most %d", c.Group, len(c.Group), tcp.MaxName)
	}
	if len(c.Members) == 0 {
		return input.Errorf("Members: the list is empty")
	}
	switch {
	case !c.leaves():
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
		// A fingerprint has one name a line, so names must not contain control characters.
		case name == "" || id == 0 || !utf8.ValidString(name) ||
			strings.ContainsFunc(name, unicode.IsControl):
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

// votes reports whether this is a member in its own list.
func (c *Config) votes() bool {
	_, ok := c.Members[c.Self]
	return ok
}

// leaves reports whether this member is leaving: its own list does not contain it.
func (c *Config) leaves() bool { return !c.votes() && !c.observes() }

func (c *Config) names() string { return strings.Join(slices.Sorted(maps.Keys(c.Members)), ", ") }

// ranks returns the members in the form that package process needs.
func (c *Config) ranks() (all []election.Rank) {
	for _, name := range slices.Sorted(maps.Keys(c.Members)) {
		all = append(all, c.rank(name))
	}
	return all
}

// others returns the other members, in the order of the ports of the process.
func (c *Config) others() []election.Rank {
	return slices.DeleteFunc(c.ranks(), func(r election.Rank) bool { return r.ID == ID(c.Self) })
}

// rank returns a member in the form that package process needs. The largest Rank claims first. Each group has its own
// order; otherwise one member would lead most of a thousand groups. An Algorithm of the caller compares IDs.
func (c *Config) rank(name string) election.Rank {
	r := election.Rank{ID: ID(name)}
	if c.Algorithm == nil {
		r.Priority = turns.Priority(c.Group, r.ID)
	}
	return r
}

// connect opens the transport unless the caller has set one. Call end to close it.
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
		return nil, errors.Join(input.Errorf("Members: the list takes %d bytes, more than %d, and members "+
			"exchange it when they connect; use shorter names or fewer members", n, tcp.MaxHello),
			closeNetwork())
	}
	g, err := network.Group(c.Group, tcp.GroupConfig{Hello: own.own.bytes(), Accept: own.accept})
	if err != nil {
		return nil, errors.Join(err, closeNetwork())
	}
	c.Transport = g
	return func() error { return errors.Join(g.Close(), closeNetwork()) }, nil
}

// checkNetwork returns an error unless the Network of the caller authenticates each process of the group by its name
// in this Config.
func (c *Config) checkNetwork() error {
	for _, name := range slices.Sorted(maps.Keys(c.all())) {
		switch known, ok := c.Network.Name(ID(name)); {
		case !ok:
			return input.Errorf("Network: %.60q is not among its members", name)
		case known != name:
			return input.Errorf("Network: it knows %.60q by the name %.60q; set its Names, as Config.TCP does",
				name, known)
		}
	}
	return nil
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

// named returns a function that returns the name of a member, for logs.
func (c *Config) named() func(election.ID) string {
	names := c.TCP().Names
	return func(id election.ID) string {
		if name, ok := names[id]; ok {
			return name
		}
		return fmt.Sprintf("(ID %d)", uint64(id)) // a member of a newer list
	}
}

// fingerprint is what members must agree on to connect.
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
		return fingerprint{}, errors.New("the hello of the peer contains no list of members")
	}
	return fingerprint{self: lines[0], times: lines[1], members: lines[2:]}, nil
}

// accept refuses a peer whose Times differ, and a peer whose list differs by more than one member. If lists differ by
// one, any majority of one list and any majority of the other have a member in common.
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

// without returns the names in list that are not in other.
func without(list, other []string) (left []string) {
	for _, name := range list {
		if !slices.Contains(other, name) {
			left = append(left, name)
		}
	}
	return left
}
