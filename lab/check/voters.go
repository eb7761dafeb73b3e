package check

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/splitmix"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lease"
)

// Voters are the voters of a group of package lease in a check, and how they may change. The processes have the IDs
// from 1 on, at most 8. A set of voters has a bit for each: bit 0 for process 1.
//
// What happens besides the steps of every check: a process that claims stops for good, and one that leads stops and is
// a candidate again. A leader renews when it begins to lead, begins one of the changes, takes back its own change or a confirmed one,
// and completes a confirmed one, each at any moment.
//
// Configurations arrive whole: all MEMBERs that one step sends to one process are one message. Messages that their
// receiver will ignore are left out, and so is state that only absent voters or candidates read. Unless Late is set,
//
//   - RELEASE arrives before anything else happens, and what its sender has claimed before does not arrive after it,
//   - CLAIMs of a process that has crashed do not arrive after the crash,
//   - REFUSED does not arrive, unless it asks for a configuration,
//   - a label never arrives alone, but with its sets.
//
// All of these may happen in a network, and the first makes voters grant more. A candidate that is refused gives up at
// any moment instead.
type Voters struct {
	Agreed  uint8   // agreed on before the first state, under the label 1.0; zero: none are
	Wishes  []uint8 // what each process wishes; the last wish applies to all further processes
	Returns []uint8 // the wishes with which processes return; if empty, they keep theirs
	To      []uint8 // the sets to which a leader may change the voters
	Changes int     // how many changes a process begins
	By      uint8   // the processes that begin changes; zero: all
	Terms   uint64  // the largest Term that is claimed
	Late    bool    // messages arrive as late as they may
	Stay    bool    // no process stops before its claim or its lease ends
	Leases  bool    // only leases and Terms are judged, not whether the voters follow one another

	candidates []election.ID // who start after a return
}

// ReadVoters reads a list such as "agreed=123 wishes=123,12 to=1,23 changes=1 terms=3". See [Voters].
func ReadVoters(text string) (*Voters, error) {
	v := &Voters{Terms: 3}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "agreed":
			v.Agreed, err = readSet(value)
		case "by":
			v.By, err = readSet(value)
		case "wishes":
			v.Wishes, err = readSets(value)
		case "returns":
			v.Returns, err = readSets(value)
		case "to":
			v.To, err = readSets(value)
		case "changes":
			v.Changes, err = strconv.Atoi(value)
		case "terms":
			v.Terms, err = strconv.ParseUint(value, 10, 16)
		case "late":
			v.Late = true
		case "stay":
			v.Stay = true
		case "leases":
			v.Leases = true
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			return nil, input.Errorf("voters: %.40q: want agreed, wishes, returns, to, by (sets such as 123), "+
				"changes, terms (numbers), late, stay or leases", word)
		}
	}
	if len(v.Wishes) == 0 {
		v.Wishes = []uint8{v.Agreed}
	}
	if v.Changes < 0 || v.Changes > 100 || slices.Contains(v.Wishes, 0) || v.Changes > 0 && len(v.To) == 0 {
		return nil, input.Errorf("voters: %.80q: there is no wish, or no set to change to", text)
	}
	return v, nil
}

func readSets(text string) (sets []uint8, err error) {
	for word := range strings.SplitSeq(text, ",") {
		set, err := readSet(word)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func readSet(text string) (set uint8, err error) {
	for _, digit := range text {
		if digit < '1' || digit > '8' {
			return 0, election.ErrInput
		}
		set |= 1 << (digit - '1')
	}
	if set == 0 {
		return 0, election.ErrInput
	}
	return set, nil
}

// In returns a check of an algorithm of package lease with these voters. Its links keep no order, and each message may
// arrive any number of times.
func (v *Voters) In(c Config) (Config, error) {
	a := *c.Algorithm
	if a.Name != "lease" {
		return c, input.Errorf("the voters of %s never change", a.Title())
	}
	for _, id := range c.IDs {
		if int(id) > min(len(c.IDs), mostVoters) {
			return c, input.Errorf("the processes need the IDs from 1 on, and at most %d", mostVoters)
		}
	}
	of := *v
	if of.candidates = c.Initiators; c.Initiators == nil {
		of.candidates = c.IDs
	}
	right := a.New
	a.New = func(s election.Setup) election.Node { return &voter{Node: right(s), of: &of, me: s.Self.ID} }
	a.Timers = [][]string{append(slices.Clone(a.Timers[0]), "stops", "takes the change back", "completes the change")}
	for _, to := range v.To {
		a.Timers[0] = append(a.Timers[0], "changes the voters to "+setText(to))
	}
	c.Algorithm, c.Unordered, c.NoAnnouncement, c.Nudge, c.Kept = &a, true, true, false, nil
	for i := range a.Kinds {
		if kind := uint8(i + 1); kind != kindRelease || v.Late {
			c.Kept = append(c.Kept, kind)
		}
	}
	return c, nil
}

// voters returns the Voters of a check, or nil if its voters do not change.
func (c *Config) voters() *Voters {
	if c.Algorithm == nil || c.Algorithm.Elects != election.LeaseHolders {
		return nil
	}
	if n, ok := c.Algorithm.New(election.Setup{}).(*voter); ok {
		return n.of
	}
	return nil
}

// mostVoters is how many processes fit into a set, and into a configuration that arrives whole.
const mostVoters = 8

func setText(set uint8) (s string) {
	for _, id := range members(set) {
		s += fmt.Sprint(id)
	}
	return s
}

func members(set uint8) (ids []election.ID) {
	for ; set != 0; set &= set - 1 {
		ids = append(ids, election.ID(bits.TrailingZeros8(set)+1))
	}
	return ids
}

// What a check with voters needs to know of package lease.
const (
	kindClaim, kindGranted, kindRefused, kindRelease = 4, 5, 6, 8
	kindMemory, kindMember, kindHolds                = 11, 12, 13

	flagRenewal, flagUnknown, flagOld, flagNew = 1, 1, 1, 2

	timerDue, timerTurn = 0, 1
	// The timers of the commands.
	timerStop, timerTakeBack, timerComplete, timerChange = 2, 3, 4, 5

	firstLabel = 1 << 10
)

// voter is a Node of package lease and the program that gives it commands: each is a timer that runs out at any moment.
type voter struct {
	election.Node
	of *Voters
	me election.ID

	changes     uint8  // that it has begun
	timers      uint64 // that run
	incarnation uint64
	claims      bool   // it claims or leads
	term        uint64 // of its last claim
	round       uint32 // of its last CLAIM
	prior       bool   // grants of the round before may still count

	confirmed []agreed // in the last step; no part of the state
}

// agreed is a configuration that a quorum has stored: the label, the old and the new voters.
type agreed struct {
	label    uint64
	old, new uint8
}

func (n *voter) State(s *election.State) {
	n.Node.State(s)
	s.Uint8(&n.changes)
	s.Uint64(&n.timers)
	s.Uint64(&n.incarnation)
	s.Bool(&n.claims)
	s.Uint64(&n.term)
	s.Uint32(&n.round)
	s.Bool(&n.prior)
}

// Inside returns the right Node, for [election.TermKeeper.Machines].
func (n *voter) Inside() election.Node { return n.Node }

// lease returns the Node of package lease.
func (n *voter) lease() election.Node {
	node := n.Node
	for {
		around, ok := node.(interface{ Inside() election.Node })
		if !ok {
			return node
		}
		node = around.Inside()
	}
}

// sight is the view of an Env that is only for one Step.
type sight struct{ *election.Env }

func (s sight) Self(int) election.Rank                       { return s.Env.Self() }
func (s sight) Ports(int) int                                { return s.Env.Ports() }
func (s sight) Peer(_ int, port election.Port) election.Rank { return s.Env.Peer(port) }

func (n *voter) Step(e *election.Env, ev *election.Event) {
	inner := election.NewEnv(sight{e}, e.Choose)
	fx := inner.Begin(0)
	was := n.holds(e)
	n.take(inner, ev)
	is := n.holds(e)
	renewed := func(o election.Outgoing) bool { return o.Msg.Kind == kindClaim && o.Msg.Flags&flagRenewal != 0 }
	if is.Leads && !was.Leads && !slices.ContainsFunc(fx.Sends, renewed) {
		n.Node.Step(inner, &election.Event{Op: election.Command, At: ev.At, Msg: lease.Renew()})
		is = n.holds(e)
	}
	n.confirmed = n.confirmed[:0]
	// A joint configuration may be confirmed and completed in the same step.
	if was.Leads && was.Joint && ev.Op == election.Recv && is.Label == was.Label+1 {
		n.confirmed = append(n.confirmed, was.agreed)
	}
	if is.Confirmed {
		n.confirmed = append(n.confirmed, is.agreed)
	}
	if n.of.Leases {
		n.confirmed = nil
	}
	n.carryOut(e, fx, ev.Op == election.Timeout && ev.Timer == timerDue)
	n.arm(e, &is)
}

// held is what a process holds about the voters.
type held struct {
	lease.Configuration
	agreed
}

// whole returns the voters as a configuration that arrives whole has them.
func (h held) whole() (sets election.ID) {
	for _, id := range members(h.old) {
		sets |= flagOld << (8 * (id - 1))
	}
	for _, id := range members(h.new) {
		sets |= flagNew << (8 * (id - 1))
	}
	return sets
}

func (n *voter) holds(e *election.Env) held {
	h := held{Configuration: lease.Inspect(n.lease())}
	h.label = h.Label
	note := func(id election.ID, v lease.Voter) {
		if v.Old {
			h.old |= 1 << (id - 1)
		}
		if v.New {
			h.new |= 1 << (id - 1)
		}
	}
	note(n.me, lease.VoterAt(n.lease(), election.NoPort))
	for port := range election.Port(e.Ports()) {
		note(e.Peer(port).ID, lease.VoterAt(n.lease(), port))
	}
	return h
}

// take takes an event.
func (n *voter) take(e *election.Env, ev *election.Event) {
	step := func(ev election.Event) { n.Node.Step(e, &ev) }
	command := func(m election.Message) { step(election.Event{Op: election.Command, At: ev.At, Msg: m}) }
	list := func(of func(election.ID, int, int) election.Message, set uint8) {
		ids := members(set)
		for i, id := range ids {
			command(of(id, i, len(ids)))
		}
	}
	switch {
	case ev.Op == election.Init:
		n.begin(e, ev, func() { list(lease.Wish, n.of.Wishes[min(int(n.me), len(n.of.Wishes))-1]) })
	case ev.Op == election.Rejoin:
		if len(n.of.Returns) > 0 {
			list(lease.Wish, n.of.Returns[e.Choose(len(n.of.Returns))])
		}
		step(*ev)
		if slices.Contains(n.of.candidates, n.me) {
			step(election.Event{Op: election.Start, At: ev.At})
		}
	case ev.Op == election.Recv && ev.Msg.Kind == kindMember && ev.Msg.Rank.ID != 0: // zero: a label alone
		for i := range 8 {
			one := *ev
			one.Msg.Flags, one.Msg.Rank.ID = uint8(ev.Msg.Rank.ID>>(8*i)), election.ID(i+1)
			if one.Msg.Flags != 0 {
				step(one)
			}
		}
	case ev.Op != election.Timeout || ev.Timer == timerDue:
		step(*ev)
	case ev.Timer == timerTurn:
		n.turn(e, ev)
	default:
		n.timers &^= 1 << ev.Timer
		switch ev.Timer {
		case timerStop:
			leads := lease.Inspect(n.lease()).Leads
			command(lease.SitDown())
			if leads {
				step(election.Event{Op: election.Start, At: ev.At})
			}
		case timerTakeBack:
			command(lease.TakeBack())
		case timerComplete:
			command(lease.Complete())
		default:
			n.changes++
			list(func(id election.ID, i, of int) election.Message { return lease.Change(id, i, of, false) },
				n.of.To[ev.Timer-timerChange])
		}
	}
}

// begin makes a process that begins a member of the group that is agreed on, or one that has been up for longer than
// its quarantine.
func (n *voter) begin(e *election.Env, ev *election.Event, wish func()) {
	first := ev.Msg.Value == 1 // the incarnation
	own := *ev
	own.Msg.Term = 0
	if n.of.Agreed != 0 {
		own.Msg.Term = 1
	}
	n.incarnation, n.claims, n.term, n.round, n.prior = ev.Msg.Value, false, 0, 0, false
	n.timers = 0
	n.Node.Step(e, &own)
	wish()
	switch {
	case !first:
	case n.of.Agreed>>(n.me-1)&1 == 1:
		m := election.Message{Kind: kindMember, Value: firstLabel, Flags: flagNew}
		for _, id := range members(n.of.Agreed) {
			m.Round++
			m.Rank.Priority += splitmix.Mix(splitmix.Mix(uint64(id)) + flagNew)
		}
		for _, id := range members(n.of.Agreed) {
			m.Rank.ID = id
			n.Node.Step(e, &election.Event{Op: election.Recv, At: ev.At, Msg: m})
		}
	default:
		n.Node.Step(e, &election.Event{Op: election.Rejoin, At: ev.At - time.Hour})
		n.Node.Step(e, &election.Event{Op: election.Timeout, At: ev.At, Timer: timerDue})
	}
}

// turn fires the turn of a candidate, unless it would claim a Term that is too large.
func (n *voter) turn(e *election.Env, ev *election.Event) {
	before := new(election.State).Append(nil, n.Node)
	trial := election.NewEnv(sight{e}, nil)
	fx := trial.Begin(0)
	n.Node.Step(trial, ev)
	tooLarge := slices.ContainsFunc(fx.Sends, func(o election.Outgoing) bool {
		return o.Msg.Kind == kindClaim && o.Msg.Term > n.of.Terms
	})
	if err := new(election.State).Restore(n.Node, before); err != nil {
		panic(err)
	}
	if !tooLarge {
		n.Node.Step(e, ev)
	}
}

// carryOut does what a step does.
func (n *voter) carryOut(e *election.Env, fx *election.Effects, due bool) {
	if fx.Saved() {
		e.Save()
	}
	for i := range fx.Sends {
		m := fx.Sends[i].Msg
		switch m.Kind {
		case kindClaim:
			n.claims, n.term, n.round, n.prior = true, m.Term, m.Round, due
		case kindRelease:
			n.claims = n.claims && m.Term != n.term
		case kindGranted: // its receiver reads no more of it, as it hands over to none
			m.Flags, m.Rank = 0, election.Rank{}
		case kindRefused:
			if m.Rank.Priority = 0; !n.of.Late {
				if m.Flags&flagUnknown == 0 {
					continue
				}
				m.Term, m.Value, m.Rank = 0, 0, election.Rank{}
			}
		case kindMember:
			if m.Rank.ID == 0 { // a label alone
				if !n.of.Late {
					m.Rank.ID = n.holds(e).whole()
				}
				break
			}
			m.Rank.ID = election.ID(m.Flags) << (8 * (m.Rank.ID - 1))
			m.Flags = 0
			fx.Sends[i].Msg = m
			if i > 0 && sameMember(&fx.Sends[i-1], &fx.Sends[i]) {
				m.Rank.ID |= fx.Sends[i-1].Msg.Rank.ID
				fx.Sends[i].Msg = m
			}
			if i+1 < len(fx.Sends) && sameMember(&fx.Sends[i], &fx.Sends[i+1]) {
				continue
			}
		}
		e.Send(fx.Sends[i].Port, m)
	}
	for _, t := range fx.Timers {
		switch {
		case t.Stop:
			e.StopTimer(t.Timer)
		case t.Timer == timerTurn:
			e.SetTimer(t.Timer, 0, anyTime)
		default:
			e.SetTimer(t.Timer, t.Min, t.Max)
		}
	}
	switch o := fx.Outcome; {
	case !fx.Decided():
	case o.Until != 0:
		e.Lease(o.Term, o.Until)
	case o.Role == election.Undecided:
		e.Withdraw(o.Term)
	default:
		e.DecideIn(o.Term, o.Leader)
	}
	if fx.Ended() {
		e.Done()
	}
}

// sameMember reports whether two messages are of the same configuration, to the same process.
func sameMember(a, b *election.Outgoing) bool {
	return a.Port == b.Port && a.Msg.Kind == kindMember && b.Msg.Kind == kindMember && a.Msg.Value == b.Msg.Value
}

// anyTime is longer than all runs.
const anyTime = time.Hour

// arm sets the timers of the commands that the process may get now.
func (n *voter) arm(e *election.Env, is *held) {
	want := uint64(0)
	if n.claims && !n.of.Stay {
		want |= 1 << timerStop
	}
	if is.Joint && (is.Confirmed || is.Begun) {
		want |= 1 << timerTakeBack
	}
	if is.Joint && is.Confirmed {
		want |= 1 << timerComplete
	}
	may := is.Confirmed && !is.Joint && int(n.changes) < n.of.Changes && (n.of.By == 0 || n.of.By>>(n.me-1)&1 == 1)
	for i, to := range n.of.To {
		if may && to != is.new {
			want |= 1 << (timerChange + i)
		}
	}
	for set := want ^ n.timers; set != 0; set &= set - 1 {
		timer := bits.TrailingZeros64(set)
		if want>>timer&1 == 1 {
			e.SetTimer(uint8(timer), 0, anyTime)
		} else {
			e.StopTimer(uint8(timer))
		}
	}
	n.timers = want
}

// ignores reports whether the process will never act on a message, now or later, even after a crash; or only by
// repeating what it has sent.
func (n *voter) ignores(m *election.Message, c *Config) bool {
	is := lease.Inspect(n.lease())
	earlier := !n.claims || m.Round < n.round
	switch m.Kind {
	case kindGranted:
		return m.Round != 0 && (m.Value != n.incarnation || m.Term < n.term ||
			m.Term == n.term && (!n.claims || m.Round+1 < n.round || m.Round < n.round && !n.prior && !n.of.Late))
	case kindRefused:
		return !n.of.Late && earlier
	case kindMember:
		older := is.Agreed && m.Value <= is.Label
		return older && (c.Crashes == 0 || c.Recoveries == 0 && is.Recovered)
	case kindMemory, kindHolds:
		return m.Rank.Priority != n.incarnation || is.Recovered
	}
	return false
}

// tidy leaves out what Voters leaves out of the messages on links to and from the processes that change.
func (w *worker) tidy(state []uint32) {
	for i := 0; i < len(w.changed); i++ { // it may add some
		slot := w.changed[i].slot
		switch {
		case slot < w.n:
			for _, l := range w.into[slot] {
				w.tidyLink(state, l)
			}
			if !w.voters.Late && w.locals[slot].at(w.changed[i].to).flags&isDown != 0 {
				for _, l := range w.outOf[slot] {
					w.leave(state, l, func(m *election.Message) bool { return m.Kind == kindClaim })
				}
			}
		case slot < w.slots-1:
			l := slot - w.n
			w.tidyLink(state, l)
			w.tidyCopies(state, w.into[w.links[l].to])
		}
	}
}

// leave takes messages off a link.
func (w *worker) leave(state []uint32, l int, which func(m *election.Message) bool) {
	was := w.value(state, w.n+l)
	items := w.queues[l].at(was).items
	out := func(t item) bool { return which(w.messages.at(t.msg)) }
	if slices.ContainsFunc(items, out) {
		w.put(w.n+l, w.queue(l, slices.DeleteFunc(slices.Clone(items), out), &w.messages))
	}
}

// tidyLink leaves out what its receiver ignores, and claims that have been released.
func (w *worker) tidyLink(state []uint32, l int) {
	p := w.links[l].to
	was, is := w.value(state, w.n+l), w.value(state, p)
	if len(w.queues[l].at(was).items) == 0 || w.locals[p].at(is).flags&isDown != 0 {
		return
	}
	key := uint64(is)<<32 | uint64(was)
	if to, ok := w.tidied[l].get(key); ok {
		if to != was {
			w.put(w.n+l, to)
		}
		return
	}
	w.restore(&w.nodes[p], w.locals[p].at(is).node)
	n := w.nodes[p].Node().(*voter)
	var released []*election.Message
	w.leave(state, l, func(m *election.Message) bool {
		if m.Kind == kindRelease && !n.of.Late {
			released = append(released, m)
		}
		return n.ignores(m, w.config)
	})
	for _, r := range released {
		w.leave(state, l, func(m *election.Message) bool {
			return m.Kind == kindClaim && m.Value == r.Value && m.Term <= r.Term
		})
	}
	w.tidied[l].put(key, w.value(state, w.n+l))
}

// tidyCopies leaves out configurations that another process has sent to the same receiver, which does not care about
// the sender.
func (w *worker) tidyCopies(state []uint32, into []int) {
	for k, l := range into {
		items := w.queues[l].at(w.value(state, w.n+l)).items
		for _, other := range into[k+1:] {
			w.leave(state, other, func(m *election.Message) bool {
				return m.Kind == kindMember && slices.ContainsFunc(items, func(t item) bool {
					return *w.messages.at(t.msg) == *m
				})
			})
		}
	}
}

// offerReleases offers only a RELEASE, if one is on a link.
func (w *worker) offerReleases(state []uint32, hash uint64) (alone bool) {
	for l := range w.links {
		q := w.queues[l].at(state[w.n+l])
		for i, t := range q.items {
			if w.messages.at(t.msg).Kind == kindRelease {
				w.offer(state, hash, newAction(doDeliver, l, i))
				return true
			}
		}
	}
	return false
}

// follow returns the configuration that is confirmed after another, and an error if it does not follow that one.
func (last agreed) follow(next agreed) (agreed, error) {
	var v verdict.Voters
	if last.label != 0 {
		_, _ = v.Note(last.label, members(last.old), members(last.new))
	}
	_, err := v.Note(next.label, members(next.old), members(next.new))
	return next, err
}
