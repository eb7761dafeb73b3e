package electortest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/verdict"
)

// agreement is what a member holds about the members of the group.
type agreement struct {
	label    uint64
	old, new []string // old is empty unless the members change
}

// String returns the label and the members.
func (a agreement) String() string {
	text := strings.Join(a.new, " ")
	if len(a.old) > 0 {
		text = strings.Join(a.old, " ") + " -> " + text
	}
	return fmt.Sprintf("%d.%d: %s", a.label>>stepBits, a.label&(1<<stepBits-1), text)
}

// stepBits is the number of bits of a label that count the steps of a leader.
const stepBits = 10

// agreementOf returns what a member holds. Its label is zero if nothing is agreed.
func agreementOf(m elector.Members) agreement {
	a := agreement{label: m.Term<<stepBits | uint64(m.Step), new: named(m.Agreed)}
	if len(m.Next) > 0 {
		a.old, a.new = a.new, named(m.Next)
	}
	return a
}

// byID maps what an Elector calls a member whose name it does not know to its name.
var byID = func() map[string]string {
	all := make(map[string]string)
	for i := range mostMembers {
		name := string(rune('a' + i))
		all[fmt.Sprintf("(ID %d)", uint64(elector.ID(name)))] = name
	}
	return all
}()

// named returns the names of members.
func named(names []string) (all []string) {
	for _, name := range names {
		if known, ok := byID[name]; ok {
			name = known
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// chain judges what members agree on.
type chain struct {
	sets   map[uint64]agreement // by label
	labels map[string]uint64    // the largest label of each member that has not lost its memory
	voters verdict.Voters
	last   uint64 // the largest label that was confirmed
}

// asks records what a member holds when it sends a packet, or has renewed its lease.
func (j *judge) asks(m *Member, records func(*Member, agreement)) {
	m.asked.Lock() // otherwise an earlier answer might be recorded after a later one
	defer m.asked.Unlock()
	a := agreementOf(m.Elector.Members())
	j.mu.Lock()
	defer j.mu.Unlock()
	records(m, a)
}

// agrees records what a member holds. The caller holds mu.
func (j *judge) agrees(m *Member, a agreement) {
	if m.crashed || a.label == 0 {
		return
	}
	known, ok := j.chain.sets[a.label]
	switch last := max(m.label, j.chain.labels[m.Name]); {
	case ok && known.String() != a.String():
		j.fail("the members of one label differ: %s has %s, another one had %s", m.Name, a, known)
	case a.label < last:
		j.fail("the label of %s becomes smaller: it has %s, and had %s", m.Name, a, j.chain.sets[last])
	case !ok:
		if j.chain.sets == nil {
			j.chain.sets, j.chain.labels = make(map[uint64]agreement), make(map[string]uint64)
		}
		j.chain.sets[a.label] = a
		j.note("%s holds %s", m.Name, a)
	}
	if before := m.label; before != a.label {
		m.label, m.rounds = a.label, 0
		// A leader takes a step only when its last one is confirmed, unless it takes that back.
		leads := a.label>>stepBits == m.lease.term && m.lease.end > j.now()
		from := j.chain.sets[before]
		if back := len(from.old) > 0 && slices.Equal(a.new, from.old); leads && before+1 == a.label && !back {
			j.confirms(m, from)
		}
	}
	if m.dir != "" {
		j.chain.labels[m.Name] = a.label
	}
}

// renews records what a leader holds when it has renewed its lease. The caller holds mu.
func (j *judge) renews(m *Member, a agreement) {
	j.agrees(m, a)
	if a.label == 0 || m.crashed || a.label>>stepBits != m.lease.term {
		return
	}
	// The renewals before may have begun under the label before.
	if m.rounds++; m.rounds == 3 {
		j.confirms(m, a)
	}
}

// confirms records that a quorum has stored what a leader holds. The caller holds mu.
func (j *judge) confirms(m *Member, a agreement) {
	if a.label == j.chain.last || a.label == 0 {
		return
	}
	j.chain.last = a.label
	if _, err := j.chain.voters.Note(a.label, ids(a.old), ids(a.new)); err != nil {
		j.fail("%s confirms %s, which does not follow: %v", m.Name, a, err)
	}
}

// ids returns the IDs of members: their places in the alphabet.
func ids(names []string) (all []election.ID) {
	for _, name := range names {
		all = append(all, election.ID(name[0]-'a'+1))
	}
	return all
}

// memberships returns what each member knows about the members, as text.
func (j *judge) memberships() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for _, m := range j.members {
		known := m.Elector.Members()
		all = append(all, fmt.Sprintf("%s: %s, %v, waits %q, %s: %+v", m.Name, agreementOf(known), known.Role, known.Waits, known.Lists,
			m.last))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
