package scenario

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// ErrUnexpected is wrapped by the errors of [Expect.Compare].
var ErrUnexpected = input.Sentinel("scenario", "not what was expected")

// Expect is what must come out of a run. What is nil may be anything.
type Expect struct {
	Leader     *election.ID // zero, null in a file: there is none that all live processes name
	Leaders    *uint64      // how many live processes believe that they lead
	Messages   *uint64
	ByKind     map[string]uint64 // the kinds that occur; others do not
	Time       *time.Duration    // when the last message arrives, also at a process that is down
	Tree       [][2]election.ID  // the links of the tree that is built, in any order
	EntryOrder []election.ID     // the processes that enter the critical section, in this order
	Entries    []At              // and when
}

// Compare returns an error that wraps [ErrUnexpected] and says in one line what differs, or nil
// if nothing does. The time is that of r, or nil where there is no virtual time to compare.
func (e *Expect) Compare(r *verdict.Result, time *time.Duration) error {
	if e.Leader != nil {
		if err := compareLeader(*e.Leader, r); err != nil {
			return err
		}
	}
	if e.Leaders != nil && *e.Leaders != uint64(r.Claimants) {
		return differs("leaders: %d, not %d", r.Claimants, *e.Leaders)
	}
	if e.Messages != nil && *e.Messages != r.Messages {
		return differs("messages: %d, not %d", r.Messages, *e.Messages)
	}
	if e.ByKind != nil {
		if err := e.compareKinds(r); err != nil {
			return err
		}
	}
	if e.Tree != nil {
		if want := sortedEdges(e.Tree); !slices.Equal(want, r.Tree) {
			return differs("tree: %d, not %d", r.Tree, want)
		}
	}
	if time == nil {
		return nil // nor are there entries
	}
	if e.Time != nil && *e.Time != *time {
		return differs("time: %s, not %s", InUnits(*time), InUnits(*e.Time))
	}
	return e.compareEntries(r)
}

// sortedEdges returns links as [verdict.Result].Tree has them.
func sortedEdges(list [][2]election.ID) [][2]election.ID {
	list = slices.Clone(list)
	for i, e := range list {
		list[i] = [2]election.ID{min(e[0], e[1]), max(e[0], e[1])}
	}
	order.Stable(list, verdict.CompareEdges)
	return list
}

// compareEntries compares which processes have entered a critical section, and when.
func (e *Expect) compareEntries(r *verdict.Result) error {
	if e.EntryOrder != nil {
		order := make([]election.ID, len(r.Entries))
		for i, entry := range r.Entries {
			order[i] = entry.ID
		}
		if !slices.Equal(order, e.EntryOrder) {
			return differs("entry_order: %d, not %d", order, e.EntryOrder)
		}
	}
	if e.Entries == nil {
		return nil
	}
	for i, want := range e.Entries {
		if i >= len(r.Entries) {
			break
		}
		if got := r.Entries[i]; got.ID != want.ID || got.At != want.Time {
			return differs("entries[%d]: %d at %s, not %d at %s", i, got.ID, InUnits(got.At), want.ID,
				InUnits(want.Time))
		}
	}
	if len(r.Entries) != len(e.Entries) {
		return differs("entries: %d, not %d", len(r.Entries), len(e.Entries))
	}
	return nil
}

func compareLeader(want election.ID, r *verdict.Result) error {
	switch {
	// Several may lead: leaders says how many. Then there is none that all name.
	case want == 0 && r.Leader != 0:
		return differs("leader: all name %d, not none", r.Leader)
	case want != 0 && !r.Agreed:
		return differs("leader: no agreement, %s, not %d alone", r.Claims(), want)
	case want != r.Leader:
		return differs("leader: %d, not %d", r.Leader, want)
	}
	return nil
}

func (e *Expect) compareKinds(r *verdict.Result) error {
	for _, k := range r.ByKind {
		if want := e.ByKind[k.Kind]; want != k.Count {
			return differs("by_kind%s: %d, not %d", member(k.Kind), k.Count, want)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(e.ByKind)) {
		if want := e.ByKind[kind]; want != r.Count(kind) {
			return differs("by_kind%s: %d, not %d", member(kind), r.Count(kind), want)
		}
	}
	return nil
}

func differs(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnexpected, fmt.Sprintf(format, args...))
}

// check refuses to expect what can never come out.
func (e *Expect) check(in *Input) error {
	if e.Leader != nil && *e.Leader != 0 && !slices.Contains(in.IDs, *e.Leader) {
		return input.Errorf("expect.leader: %d is not a process", *e.Leader)
	}
	for _, kind := range slices.Sorted(maps.Keys(e.ByKind)) {
		known := func(k election.Kind) bool { return k.Name == kind }
		if kind != in.Algorithm.KindName(election.CatchUp) && !slices.ContainsFunc(in.Algorithm.Kinds,
			known) {
			return input.Errorf("expect.by_kind%s: %s has no such kind of message", member(kind),
				in.Algorithm.Title())
		}
	}
	if err := e.checkTree(in); err != nil {
		return err
	}
	switch {
	case in.Algorithm.Sections > 0:
		return e.checkEntries(in)
	case e.EntryOrder != nil:
		return input.Errorf("expect.entry_order: %s has no critical section", in.Algorithm.Title())
	case e.Entries != nil:
		return input.Errorf("expect.entries: %s has no critical section", in.Algorithm.Title())
	}
	return nil
}

// checkTree rejects a tree of links that are not there, or of an algorithm that builds none.
func (e *Expect) checkTree(in *Input) error {
	if e.Tree == nil {
		return nil
	}
	if !slices.ContainsFunc(in.Algorithm.Kinds, func(k election.Kind) bool { return k.Joins }) {
		return input.Errorf("expect.tree: %s builds none", in.Algorithm.Title())
	}
	links := make(map[[2]election.ID]bool)
	for a, b := range topology.All(in.Topology) {
		links[[2]election.ID{in.IDs[a.Process], in.IDs[b.Process]}] = true
	}
	for i, edge := range e.Tree {
		if !links[edge] {
			return input.Errorf("expect.tree[%d]: no link joins %d and %d", i, edge[0], edge[1])
		}
	}
	return nil
}

// checkEntries rejects the expectation that a process enters that is not there.
func (e *Expect) checkEntries(in *Input) error {
	for i, id := range e.EntryOrder {
		if !slices.Contains(in.IDs, id) {
			return input.Errorf("expect.entry_order[%d]: %d is not a process", i, id)
		}
	}
	for i, entry := range e.Entries {
		if !slices.Contains(in.IDs, entry.ID) {
			return input.Errorf("expect.entries[%d]: %d is not a process", i, entry.ID)
		}
	}
	return nil
}
