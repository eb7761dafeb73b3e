package mutex

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Message kinds of tokenring. Both carry the section (Flags) and a Term. TOKEN carries the number of entries
// (Value) and its remaining messages plus one (Round; zero means unlimited). CANDIDATE carries its Rank.
const (
	kindToken uint8 = iota + 1
	kindCandidate
)

// holder is one participant.
type holder struct {
	config *Config
	seats  []stand
}

// stand is the state of a process in one section.
type stand struct {
	seat
	term       uint64        // largest Term heard of
	best       election.Rank // largest candidate of this Term
	holdsToken bool          // this process holds the token
	count      uint64        // number of entries
	budget     uint32        // remaining messages plus one; zero: unlimited
	tries      uint8         // elections that this process has started since the token was here
}

// Step handles one event.
func (n *holder) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.begin(e)
	case election.Rejoin: // rule 21
		e.StopTimer(timerFirst)
	case election.Trust: // rule 25
		n.passIdle(e)
	case election.Start: // rule 18
		n.want(e, ev.At, 0, 0)
	case election.Command:
		n.command(e, ev)
	case election.Timeout:
		n.timeout(e, ev)
	case election.Recv:
		n.receive(e, ev)
	}
}

// Check returns an error if no process would ever have a token. The variant of [Algorithms] has neither First
// nor Regenerate: Configure sets First for a run, but services do not call Configure.
func (n *holder) Check() error { return n.config.checkToken() }

// begin discards what a crash has ended: a token that was here is lost. The first token waits for processes
// that start at the same instant.
func (n *holder) begin(e *election.Env) {
	if len(n.seats) != n.config.Sections {
		n.seats = make([]stand, n.config.Sections)
	}
	for i := range n.seats {
		n.seats[i].phase, n.seats[i].holdsToken = outside, false
	}
	if e.Self().ID == n.config.First {
		// A timer of zero fires after all events of this instant, so that processes that start now are already
		// waiting.
		e.SetTimer(timerFirst, 0, 0)
	}
}

func (n *holder) command(e *election.Env, ev *election.Event) {
	section, number := ev.Msg.Flags, ev.Msg.Round
	if int(section) >= len(n.seats) {
		return
	}
	p := &n.seats[section]
	switch {
	case ev.Msg.Kind == commandRequest: // rule 18
		n.want(e, ev.At, section, number)
	case ev.Msg.Kind != commandRelease || p.number != number: // rule 20
	case p.phase == inside: // rule 20
		n.leave(e, ev.At, section)
	case p.phase == waiting: // rule 20
		p.phase = outside
		e.StopTimer(timerLost + section)
	default: // rule 20
	}
}

// want waits for the token, unless it rests here (rule 18).
func (n *holder) want(e *election.Env, at time.Duration, section uint8, number uint32) {
	p := &n.seats[section]
	if p.phase == inside {
		return
	}
	p.phase, p.number = waiting, number
	if p.holdsToken {
		n.use(e, at, section)
		return
	}
	n.doubt(e, section)
}

// doubt sets the time after which this process assumes that the token is lost. It doubles after each election,
// so that eventually a token has enough time to return.
func (n *holder) doubt(e *election.Env, section uint8) {
	p := &n.seats[section]
	if wait := n.config.Regenerate; wait > 0 && p.phase == waiting {
		// Limit the duration before the shift, which could overflow.
		wait = min(wait, params.MaxTimeout>>p.tries) << p.tries
		// A random part makes one process start first. Simultaneous candidates would cost messages.
		e.SetTimer(timerLost+section, wait, wait+wait/2)
	}
}

// mostTries limits the doubling.
const mostTries = 16

func (n *holder) timeout(e *election.Env, ev *election.Event) {
	switch {
	case ev.Timer < timerLease: // rule 20
		if section := ev.Timer - timerStay; int(section) < len(n.seats) && n.seats[section].phase == inside {
			n.leave(e, ev.At, section)
		}
	case ev.Timer < timerLost: // rule 19
		if section := ev.Timer - timerRest; int(section) < len(n.seats) && n.seats[section].rests() {
			n.pass(e, section)
		}
	case ev.Timer == timerFirst: // rule 21
		for section := range n.seats {
			n.makeFirst(e, ev.At, uint8(section))
		}
	case ev.Timer >= timerLost && int(ev.Timer-timerLost) < len(n.seats):
		n.elect(e, ev.Timer-timerLost)
	}
}

// makeFirst creates the token of a group that starts. If the whole group has been down, the Term of the new
// token is later than the Terms of all earlier tokens (rule 21).
func (n *holder) makeFirst(e *election.Env, at time.Duration, section uint8) {
	p := &n.seats[section]
	anew := n.config.Regenerate > 0
	switch {
	case p.holdsToken:
		return
	case p.best == unbeatable && !anew: // saved state shows that a token was here
		// Adding 1 is not enough: the last token may already have had the next Term (see use), and have been
		// lost before it came here.
		p.term += 2
	case p.term > 0:
		return // an election has already created a token
	}
	if !anew { // an election creates a token of a later Term, even without the state saved here
		e.Save()
	}
	n.take(e, at, section, 0, n.budget())
}

func (n *holder) budget() uint32 {
	if n.config.Hops == 0 {
		return 0
	}
	// Zero means unlimited, so a budget is the number of remaining hops plus one, and 1 means used up.
	return n.config.Hops + 1
}

func (n *holder) receive(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	if int(m.Flags) >= len(n.seats) {
		return
	}
	p := &n.seats[m.Flags]
	if m.Term < p.term { // rule 26
		return // its Term has ended
	}
	switch m.Kind {
	case kindToken: // rule 19
		// This process holds a token of this Term, so a second one can only be a duplicate. Drop it.
		if !p.holdsToken {
			p.reach(e, m.Term)
			n.take(e, ev.At, m.Flags, m.Value, m.Round)
		}
	case kindCandidate:
		n.recvCandidate(e, ev)
	}
}

// reach adopts a larger Term.
func (p *stand) reach(e *election.Env, term uint64) {
	if term > p.term {
		p.term, p.best = term, election.Rank{}
		e.Save()
	}
}

// take receives the token (rule 19).
func (n *holder) take(e *election.Env, at time.Duration, section uint8, count uint64, left uint32) {
	p := &n.seats[section]
	idle := count == p.count // no entry since its last visit
	p.holdsToken, p.count, p.budget = true, count, left
	// The token has been here, so no candidate of its Term may win any more.
	p.best, p.tries = unbeatable, 0
	e.StopTimer(timerLost + section)
	switch {
	case p.phase == waiting:
		n.use(e, at, section)
	case idle && n.config.Rest > 0:
		e.SetTimer(timerRest+section, n.config.Rest, n.config.Rest)
	default:
		n.pass(e, section)
	}
}

// rests reports whether the token is here and the user of this process does not want it.
func (p *stand) rests() bool { return p.holdsToken && p.phase == outside }

// mostTokenTerms keeps tokens below 2^63, so that they fit into a signed column of a database.
const mostTokenTerms = math.MaxInt32

// use enters with the token.
func (n *holder) use(e *election.Env, at time.Duration, section uint8) {
	p := &n.seats[section]
	if p.count == math.MaxUint32 && p.term < mostTokenTerms {
		p.reach(e, p.term+1) // this process holds the only token, so no election is needed
		p.best, p.count = unbeatable, 0
	}
	if p.term > mostTokenTerms || p.count >= math.MaxUint32 {
		p.phase = outside
		e.Refuse(election.ErrTermExhausted)
		return
	}
	p.count++
	p.enter(e, at, section, p.term<<32|p.count, n.config.CriticalSection)
}

// passIdle handles a change of the links. The new neighbour may not know of the election of this Term, so this
// process passes on no more candidates of it. A token that rests here is passed on, because there may have been
// no other process to receive it (rule 25).
func (n *holder) passIdle(e *election.Env) {
	for section := range n.seats {
		p := &n.seats[section]
		p.best = unbeatable
		if p.rests() {
			n.pass(e, uint8(section))
		}
	}
}

// pass sends the token on, unless its budget is used up, or there is no other process on an overlay.
func (n *holder) pass(e *election.Env, section uint8) {
	p := &n.seats[section]
	// On an overlay of one, the token would return immediately, without end.
	if p.budget == 1 || e.Peer(election.Clockwise) == e.Self() {
		return
	}
	if p.budget != 0 {
		p.budget--
	}
	p.holdsToken = false
	e.Send(election.Clockwise, election.Message{Kind: kindToken, Flags: section, Term: p.term, Value: p.count,
		Round: p.budget})
}

func (n *holder) leave(e *election.Env, at time.Duration, section uint8) {
	n.seats[section].leave(e, at, section)
	n.pass(e, section)
}

// elect starts an election for the next Term, because the token has not arrived (rule 22).
func (n *holder) elect(e *election.Env, section uint8) {
	p := &n.seats[section]
	if p.phase != waiting || p.holdsToken {
		return
	}
	if p.term >= mostTokenTerms {
		e.Refuse(election.ErrTermExhausted)
		return
	}
	p.reach(e, p.term+1)
	p.best = e.Self()
	p.tries = min(p.tries+1, mostTries)
	e.Send(election.Clockwise, election.Message{Kind: kindCandidate, Flags: section, Term: p.term,
		Rank: p.best})
	n.doubt(e, section)
}

// unbeatable is larger than any candidate: no candidate of this Term can win here any more.
var unbeatable = election.Rank{Priority: math.MaxUint64, ID: math.MaxUint64}

// recvCandidate handles a candidate whose Term is not old. If this process holds the token, the candidate ends
// here, and the token continues in the candidate's Term, because the processes that the candidate has passed
// destroy older tokens. The token of a Term ends the candidacies of all processes that it passes; on ordered
// links no candidate overtakes it (rule 23).
func (n *holder) recvCandidate(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	p := &n.seats[m.Flags]
	p.reach(e, m.Term)
	switch {
	case p.holdsToken:
		p.best = unbeatable
	case m.Rank == e.Self() && p.best == m.Rank: // rule 24: it has returned
		n.take(e, ev.At, m.Flags, 0, 0)
	// A smaller or equal candidate ends here, as in the algorithm of Chang and Roberts.
	case p.best.Less(m.Rank):
		p.best = m.Rank
		e.Send(election.Clockwise, *m)
		n.doubt(e, m.Flags)
	}
}

// State visits what changes.
func (n *holder) State(s *election.State) {
	election.VisitSlice(s, &n.seats, func(s *election.State, p *stand) {
		p.seat.visit(s)
		s.Uint64(&p.term)
		s.Rank(&p.best)
		s.Bool(&p.holdsToken)
		s.Uint64(&p.count)
		s.Uint32(&p.budget)
		s.Uint8(&p.tries)
	})
}
