package elector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/go-election/election"
)

// hello is what a member tells each peer when they connect, and again when it changes.
type hello struct {
	Self     string            `json:"self"`
	Address  string            `json:"address,omitempty"`  // where others reach it; empty if it does not know
	Serves   string            `json:"serves,omitempty"`   // Config.Advertise
	Observer bool              `json:"observer,omitempty"` // it has no vote
	Rules    []int             `json:"rules,omitempty"`    // the range of rules that it knows; see rules
	Lease    time.Duration     `json:"lease,omitempty"`    // Times.Lease
	Times    string            `json:"agreed"`             // what must be equal under the first rules, which name it so
	Members  []string          `json:"members"`            // its own list, sorted
	Peers    map[string]string `json:"peers,omitempty"`    // members that it knows, and their addresses
	Founders string            `json:"founders,omitempty"` // the list by which its group was founded
	Spent    []spentList       `json:"spent,omitempty"`    // lists that were in effect before, the last one first

	gone bool // the connection has ended since
}

// spentList is a list of members that was in effect before.
type spentList struct {
	Label uint64 `json:"label"` // when it was replaced
	List  uint64 `json:"list"`  // hash
}

// unionOfSpent returns the lists of both, ordered by when they were replaced, the latest first.
func unionOfSpent(a, b []spentList) []spentList {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y spentList) int {
		return cmp.Or(cmp.Compare(x.List, y.List), cmp.Compare(y.Label, x.Label))
	})
	all = slices.CompactFunc(all, func(x, y spentList) bool { return x.List == y.List })
	slices.SortFunc(all, func(x, y spentList) int {
		return cmp.Or(cmp.Compare(y.Label, x.Label), cmp.Compare(x.List, y.List))
	})
	return all[:min(len(all), mostSpent)]
}

func (h *hello) bytes() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers can be marshaled
	}
	return b
}

// parseHello is the inverse of bytes.
func parseHello(b []byte) (h hello, err error) {
	if err := json.Unmarshal(b, &h); err != nil {
		return hello{}, fmt.Errorf("the hello of the peer cannot be read: %w", err)
	}
	names := append([]string{h.Self}, h.Members...)
	names = slices.AppendSeq(names, maps.Keys(h.Peers))
	for _, name := range names {
		if !isName(name) {
			return hello{}, fmt.Errorf("the hello of the peer contains %.60q, which is not a name", name)
		}
	}
	switch {
	case len(h.Members) > mostMembers:
		return hello{}, fmt.Errorf("the hello of the peer contains %d members, at most %d", len(h.Members), mostMembers)
	case len(h.Peers) > 2*mostMembers || len(h.Spent) > mostSpent:
		return hello{}, fmt.Errorf("the hello of the peer contains %d addresses and %d earlier lists, at most %d and %d",
			len(h.Peers), len(h.Spent), 2*mostMembers, mostSpent)
	case h.Lease < 0 || h.Lease > longestLease:
		return hello{}, fmt.Errorf("the hello of the peer contains a Lease of %v, which is not between 0 and %v", h.Lease,
			longestLease)
	case !isAddress(h.Serves):
		return hello{}, fmt.Errorf("the hello of the peer contains %.60q, which is not an address", h.Serves)
	case !slices.IsSorted(h.Members):
		return hello{}, fmt.Errorf("the hello of the peer contains a list that is not sorted")
	}
	return h, nil
}

// accept judges the hello of a peer. It refuses a peer that claims the name of another, that does not agree on the
// rules, or that belongs to another group; and an observer that is not in the list of this member.
func (m *membership) accept(id election.ID, text []byte) error {
	h, err := parseHello(text)
	if err != nil {
		return err
	}
	_, listed := m.config.Observers[h.Self]
	switch {
	case ID(h.Self) != id:
		return fmt.Errorf("%.60q claims to be %.60q", m.name(id), h.Self)
	case h.Observer && (!listed || m.config.observes()), !h.Observer && listed:
		return fmt.Errorf("process %s is no member", h.Self)
	case !m.leases && !slices.Contains(m.wish, h.Self):
		return fmt.Errorf("process %s is no member", h.Self) // without leases the list does not change
	}
	return m.hear(h)
}

// The rules by which members elect, for a group whose members have different versions. A member tells the range that
// it knows, and a group uses the largest rules that all members know:
//
//  1. All members have the same Lease and Drift. Members that tell no range know only these rules.
//  2. Members may have different ones: rule 22 of package lease.
const (
	leastRules      = 1
	mostRules       = 2
	rulesWithLeases = 2 // from these rules on, Leases may differ
)

// rules returns the range of rules that a peer knows.
func (h *hello) rules() (least, most int) {
	if len(h.Rules) != 2 {
		return 1, 1
	}
	return h.Rules[0], h.Rules[1]
}

// agrees returns an error if there are no rules that this member and a peer know, or if the rules that all know do not
// permit the Times of the two to differ. The caller holds mu.
func (m *membership) agrees(h *hello) error {
	least, most := h.rules()
	if least > mostRules || most < leastRules {
		return fmt.Errorf("%.60q knows the rules %d to %d, and %.60q the rules %d to %d: they have no version in common",
			h.Self, least, most, m.config.Self, leastRules, mostRules)
	}
	own := m.config.timing()
	switch {
	case h.Times == own && (!m.leases || m.lends == m.config.Times.Lease):
		return nil
	case !m.leases:
		return fmt.Errorf("%.60q has %.100s, %.60q has %.100s", h.Self, h.Times, m.config.Self, own)
	}
	for _, name := range append([]string{h.Self}, sortedNames(m.hellos)...) {
		of := *h
		if name != h.Self {
			of = m.hellos[name]
		}
		if _, most := of.rules(); most < rulesWithLeases && (name == h.Self || m.takesPart(&of)) {
			return fmt.Errorf("%.60q has %.100s, %.60q has %.100s, and %.60q runs an older version, for which all "+
				"members need the same", h.Self, h.Times, m.config.Self, own, name)
		}
	}
	return nil
}

// reconsiders reports whether this member accepts a peer now that it has refused because of others. The caller holds mu.
func (m *membership) reconsiders() (accepts bool) {
	for name, h := range m.refused {
		if m.agrees(&h) == nil {
			delete(m.refused, name)
			accepts = true
		}
	}
	return accepts
}

// ownAddress returns the address that this member tells the others, or "" if its Config contains none that they
// could use.
func (c *Config) ownAddress() string {
	for _, address := range []string{c.Members[c.Self], c.Listen} {
		host, port, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err != nil || host == "" || ip != nil && ip.IsUnspecified() {
			continue
		}
		if port == "0" && c.Network != nil {
			return c.Network.Addr().String()
		}
		return address
	}
	return ""
}
