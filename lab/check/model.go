package check

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// A state is a list of numbers: one for each process (a local), one for each link (a queue), and one
// for all else (a frame). Each stands for a value in the table of its slot.

// local is what there is of one process.
type local struct {
	hash        uint64
	node        string // its Node, as State.Append writes it
	saved       string // what it saved last
	outcome     election.Outcome
	flags       flags
	startedTerm uint64 // the Term of the election that it has started last
	inside      uint64 // the critical sections that it is in
	groups      uint64 // the largest Term of a group that it has led, also before a crash
	reported    uint64 // those of which a detector has reported the crash to it: bit p is of process p
}

type flags uint16

const (
	isDown     flags = 1 << iota
	isToStart        // its start is still to come
	hasStarted       // it has started, and was not refused
	hasEnded         // it knows that the election has ended
	wasInside        // it has been in a critical section
	hasMissed        // it has noticed that its leader is down, or was nudged, and does neither again yet
	hasHeard         // it has received a message since it was last down
	isPaused
	// What it has asked for may be granted with a token that is too small: it has been paused since, or
	// cut off.
	wasApart
)

// key returns bytes that no other local has.
func (l *local) key(b []byte) []byte {
	// The upper flag stands in the byte of the role, so that all other states keep their hashes: these
	// decide which of equally short counterexamples is shown.
	b = append(b, byte(l.flags), byte(l.outcome.Role)|byte(l.flags>>8)<<7)
	for _, v := range []uint64{l.outcome.Term, l.outcome.Leader.Priority, uint64(l.outcome.Leader.ID),
		l.startedTerm, l.inside, uint64(len(l.node))} {
		b = binary.AppendUvarint(b, v)
	}
	b = append(b, l.node...)
	// Checks without a detector keep their hashes, too. The length of what was saved keeps this apart
	// from a saved state that begins like it.
	if l.reported != 0 {
		b = binary.AppendUvarint(append(b, "reported"...), l.reported)
		b = binary.AppendUvarint(b, uint64(len(l.saved)))
	}
	if l.outcome.Until != 0 {
		b = binary.AppendUvarint(append(b, "until"...), uint64(l.outcome.Until))
		b = binary.AppendUvarint(b, uint64(len(l.saved)))
	}
	if l.groups != 0 {
		b = binary.AppendUvarint(append(b, "groups"...), l.groups)
		b = binary.AppendUvarint(b, uint64(len(l.saved)))
	}
	return append(b, l.saved...)
}

// item is a message on a link. Left is in how many ticks it arrives at the latest, where time is
// modelled.
type item struct {
	msg  uint32
	left uint8
}

// queue is what is on a link. Where that keeps the order, the first is the next to arrive; else the
// items are sorted.
type queue struct {
	hash  uint64
	items []item
	heads []uint8 // the items that may arrive next; of equal ones the first
	due   bool    // an item can wait no longer
}

// frame is all that belongs to no process and no link.
type frame struct {
	hash    uint64
	left    budgets
	now     uint8   // in ticks
	timers  []timer // sorted by process, layer and name
	tokens  []uint64
	agreed  agreed // the configuration of voters that was confirmed last
	group   uint16 // of the processes that a cut divides from the others; zero: none does
	expired bool   // a timer can wait no longer, unless its process is paused
}

// budgets are how often things may still go wrong.
type budgets struct {
	crashes, recoveries, restarts, losses, duplicates, pauses, cuts int16
}

// timer is a timer that runs. Where time is modelled, min and max are what is left in ticks.
// Elsewhere min is not kept, max is as it was set, and before lists the timers that run out before this one.
type timer struct {
	owner    owner
	min, max time.Duration
	before   []owner
}

// owner identifies a timer: its process, its layer, its name.
type owner uint32

func newOwner(process int, layer, name uint8) owner {
	return owner(process)<<16 | owner(layer)<<8 | owner(name)
}

func (o owner) process() int { return int(o >> 16) }

// matches reports whether a change that p asks for is about the timer.
func (o owner) matches(p int, c *election.TimerChange) bool {
	other := newOwner(p, c.Layer, c.Timer)
	return o == other || c.All && o>>8 == other>>8
}

func (f *frame) key(b []byte) []byte {
	for _, v := range []int16{f.left.crashes, f.left.recoveries, f.left.restarts, f.left.losses,
		f.left.duplicates} {
		b = binary.AppendVarint(b, int64(v))
	}
	b = append(b, f.now)
	b = binary.AppendUvarint(b, uint64(len(f.timers)))
	for _, t := range f.timers {
		for _, v := range []uint64{uint64(t.owner), uint64(t.min), uint64(t.max), uint64(len(t.before))} {
			b = binary.AppendUvarint(b, v)
		}
		for _, o := range t.before {
			b = binary.AppendUvarint(b, uint64(o))
		}
	}
	for _, v := range f.tokens { // as many in each state
		b = binary.AppendUvarint(b, v)
	}
	if f.agreed.label != 0 {
		b = binary.AppendUvarint(append(b, "agreed"...), f.agreed.label)
		b = append(b, f.agreed.old, f.agreed.new)
	}
	if f.left.pauses != 0 || f.left.cuts != 0 || f.group != 0 { // others keep their hashes; see local.key
		for _, v := range []uint64{uint64(f.left.pauses), uint64(f.left.cuts), uint64(f.group)} {
			b = binary.AppendUvarint(b, v)
		}
	}
	return b
}

// link is a link in one direction.
type link struct {
	from, to int
	port     election.Port // at the receiver
	out      election.Port // at the sender
}

// noLink stands in place of a link where a port leads nowhere.
const noLink = -1

// model is what all workers share: the tables, and what never changes.
type model struct {
	config *Config
	n      int
	links  []link
	linkOf []int32 // by topology.Index: the link, or noLink
	into   [][]int // the links that lead to a process
	outOf  [][]int // the links that lead away from a process
	// detects: a failure detector reports each crash, and each return, to the neighbours of the process.
	detects bool
	silent  [256]bool
	clocks  *scenario.Clocks // nil if all are right
	left    budgets          // in the first state
	exact   bool             // each message takes all of the delay
	// unordered: some messages overtake others, if only in the steps before the first state.
	unordered bool
	kept      [256]bool // by kind: see Config.Kept
	keeps     bool      // any is
	voters    *Voters   // nil if they do not change
	slots     int

	locals   []table[local]
	queues   []table[queue]
	frames   table[frame]
	messages table[election.Message]

	large atomic.Pointer[error] // why the search cannot go on; the first reason
}

// maxParts bounds the items of which any may arrive next, and the timers.
const maxParts = 1 << 8

// tooLarge ends the search: a state does not fit into what this package can do.
func (m *model) tooLarge(format string, args ...any) {
	err := fmt.Errorf("%w: %s", ErrTooLarge, fmt.Sprintf(format, args...))
	m.large.CompareAndSwap(nil, &err)
}

func newModel(c *Config) *model {
	if c.Tick == 0 {
		c.Tick = c.Delay
	}
	left := c.budgets()
	c = c.whole()
	m := &model{config: c, left: left, unordered: c.Unordered || overtakes(c.After), n: len(c.IDs),
		linkOf: make([]int32, c.Topology.Links()),
		into:   make([][]int, len(c.IDs)), outOf: make([][]int, len(c.IDs)), detects: c.detects(),
		clocks: c.Clocks(),
		exact:  c.Algorithm.Synchronous && c.Delay > 0 && c.Starts() < len(c.IDs)}
	for i := range m.linkOf {
		m.linkOf[i] = noLink
	}
	for from, to := range topology.All(c.Topology) {
		m.linkOf[c.Topology.Index(from.Process, from.Port)] = int32(len(m.links))
		m.into[to.Process] = append(m.into[to.Process], len(m.links))
		m.outOf[from.Process] = append(m.outOf[from.Process], len(m.links))
		m.links = append(m.links, link{from: from.Process, to: to.Process, port: to.Port, out: from.Port})
	}
	if c.NoAnnouncement {
		for k := range c.Algorithm.Kinds {
			m.silent[k+1] = c.Algorithm.Kinds[k].Announces
		}
	}
	for _, kind := range c.Kept {
		m.kept[kind], m.keeps = true, true
	}
	m.voters = c.voters()
	m.slots = m.n + len(m.links) + 1
	for p := range m.n {
		m.locals = append(m.locals, newTable[local](p))
	}
	for l := range m.links {
		m.queues = append(m.queues, newTable[queue](m.n+l))
	}
	m.frames = newTable[frame](m.slots - 1)
	m.messages = newTable[election.Message](0)
	return m
}

// local returns the number of a value.
func (m *model) local(p int, l local) uint32 {
	return m.locals[p].number(l.key(nil), func(hash uint64) local {
		l.hash = hash
		return l
	})
}

func (m *model) frame(f frame) uint32 {
	if len(f.timers) > maxParts {
		m.tooLarge("%d timers run simultaneously, more than %d", len(f.timers), maxParts)
	}
	return m.frames.number(f.key(nil), func(hash uint64) frame {
		f.hash = hash
		f.expired = slices.ContainsFunc(f.timers, func(t timer) bool { return m.timed() && t.max <= 0 })
		return f
	})
}

// message returns the number of a message.
func (m *model) message(msg *election.Message) uint32 {
	return m.messages.number(appendMessage(nil, msg), func(uint64) election.Message { return *msg })
}

func appendMessage(b []byte, m *election.Message) []byte {
	for _, v := range []uint64{m.Term, m.Rank.Priority, uint64(m.Rank.ID), m.Value, uint64(m.Round)} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, m.Kind, m.Flags, m.Layer)
}

// queue returns the number of what is on a link. It keeps the items.
func (m *model) queue(l int, items []item, messages *window[election.Message]) uint32 {
	if m.config.Unordered {
		if len(items) > maxParts {
			m.tooLarge("%d messages on a link that does not keep the order, more than %d", len(items),
				maxParts)
		}
		// By content: which number a message has depends on which worker meets it first.
		slices.SortFunc(items, func(a, b item) int {
			if a.msg == b.msg {
				return cmp.Compare(a.left, b.left)
			}
			return compareMessages(messages.at(a.msg), messages.at(b.msg))
		})
	}
	var key []byte
	for _, t := range items {
		key = append(appendMessage(key, messages.at(t.msg)), t.left)
	}
	return m.queues[l].number(key, func(hash uint64) queue {
		q := queue{hash: hash, items: items}
		for i, t := range items {
			if m.exact && t.left > 0 {
				continue
			}
			if i == 0 || m.config.Unordered && t != items[i-1] {
				q.heads = append(q.heads, uint8(i))
			}
			q.due = q.due || m.timed() && t.left == 0
		}
		return q
	})
}

func compareMessages(a, b *election.Message) int {
	return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Kind, b.Kind),
		a.Rank.Compare(b.Rank),
		cmp.Compare(a.Value, b.Value), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Flags, b.Flags))
}

func (m *model) timed() bool { return m.config.Delay > 0 }

// Errors of a check that cannot go on, and of what was found.
var (
	ErrViolated = input.Sentinel("check", "a property does not hold")
	ErrLimit    = input.Sentinel("check", "stopped at a limit, not every state was visited")
	ErrTooLarge = input.Sentinel("check", "too large to be checked")
)
