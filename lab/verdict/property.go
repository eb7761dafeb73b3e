package verdict

import "slices"

// Property names a condition that must hold in a run. Files, JSON and programs use the identifier, people read
// [Property.Text]. A checker may also judge properties that its user defines; the identifier of such a property is
// its text.
type Property string

// The properties that follow from the description of an algorithm.
const (
	Sound         Property = "sound"
	Accepted      Property = "accepted"
	OneLeader     Property = "one-leader-a-term"
	RightLeader   Property = "right-leader"
	TermAgreement Property = "agreement-in-term"
	NoChange      Property = "no-change"
	Exclusive     Property = "exclusive"
	Tokens        Property = "tokens-increase"
	OneLease      Property = "one-lease"
	LaterTerms    Property = "terms-increase"
	Chain         Property = "voters-follow"
	GroupsOnce    Property = "groups-once"
	Bounded       Property = "bounded"
	Rests         Property = "rests"
	Agreement     Property = "agreement"
	InGroups      Property = "agreement-in-groups"
	RightAtEnd    Property = "right-leader-at-end"
	Terminated    Property = "terminated"
	Served        Property = "served"
	Ends          Property = "ends"
	Leads         Property = "leads"
	Enters        Property = "enters"
)

// Kind is when a [Property] must hold.
type Kind string

// The kinds.
const (
	Always    Kind = "always"    // in every state
	Sometimes Kind = "sometimes" // in some state
	// Finally: in every state in which no event is left, and no run continues forever.
	Finally Kind = "finally"
)

// row describes a property.
type row struct {
	property Property
	kind     Kind
	text     string
}

var table = []row{
	{Sound, Always, "no Node panics or sends over a missing link"},
	{Accepted, Always, "no permitted Start is refused"},
	{OneLeader, Always, "one leader per Term"},
	{RightLeader, Always, "only the right process leads"},
	{TermAgreement, Always, "all processes of a Term name the same leader"},
	{NoChange, Always, "no decision changes"},
	{Exclusive, Always, "one process at a time in a critical section"},
	{Tokens, Always, "fencing tokens increase"},
	{OneLease, Always, "one valid lease at a time"},
	{LaterTerms, Always, "the Terms of leases increase"},
	{Chain, Always, "each configuration of voters follows the previous one"},
	{GroupsOnce, Always, "no group number is used twice"},
	{Bounded, Always, "no more messages than promised"},
	{Rests, Finally, "every run comes to rest"},
	{Agreement, Finally, "all live processes follow one leader"},
	{InGroups, Finally, "all live processes lead a group or follow its leader"},
	{RightAtEnd, Finally, "the leader is the right process"},
	{Terminated, Finally, "all live processes know that the election has ended"},
	{Served, Finally, "every request is served"},
	{Ends, Finally, "every run ends"},
	{Leads, Sometimes, "a process leads"},
	{Enters, Sometimes, "a process is in a critical section"},
}

// index returns the row of a property, or -1 if the user has defined it.
func (p Property) index() int {
	return slices.IndexFunc(table, func(r row) bool { return r.property == p })
}

// Known reports whether this package defines a property.
func (p Property) Known() bool { return p.index() >= 0 }

// Text returns the property as a sentence for people.
func (p Property) Text() string {
	if i := p.index(); i >= 0 {
		return table[i].text
	}
	return string(p)
}

// Kind returns when a property of this package must hold.
func (p Property) Kind() Kind {
	if i := p.index(); i >= 0 {
		return table[i].kind
	}
	return ""
}

// Properties returns the properties of this package.
func Properties() []Property {
	all := make([]Property, len(table))
	for i := range table {
		all[i] = table[i].property
	}
	return all
}
