package process

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// MaxTermJump is the number by which the Term of a packet may exceed the largest Term that a process has been
// in. A process that misses an election each second is so far behind after 136 years. Packets of a
// larger Term are dropped, logged and counted in Stats.Rejected. Without a bound, one damaged or forged
// packet could carry the last Term that there is, after which no election can begin. Algorithms with leases
// have another bound, since their Terms begin with the time of day: 2^52 and the milliseconds since 1970 times 256.
const MaxTermJump = 1 << 32

// The Terms of leases are tokens: none exceeds mostToken, the largest number that JSON holds. Honest Terms
// begin with the milliseconds of the clock times 2^termShift, which reaches halfTerms in the year 2527, and
// an election takes at least a millisecond.
const (
	mostToken = 1<<53 - 1
	halfTerms = 1 << 52
	termShift = 8
	// trustSlack are the elections that a process may have missed while it was down, if Terms are beyond what
	// the clock allows.
	trustSlack = 1 << 24
)

// reach returns the largest Term that a packet may have.
//
// With leases it depends on the clock, and hardly on packets before this one: else every packet, or every
// restart, would take hostile peers further. They take all members to halfTerms and the time of day, and
// from there on no further than the clock goes. So half of all Terms stay free, and no honest member gets
// out of reach of another one for longer than their clocks differ. That is the reason not to count from what
// was saved: a member that restarts during an attack would go where the others cannot follow. Members whose
// clocks are wrong by centuries still take part, as all honest Terms are below halfTerms.
func (p *Process) reach() uint64 {
	if !p.config.Algorithm.Leases {
		return p.term + min(MaxTermJump, math.MaxUint64-p.term)
	}
	// A clock that was set back must not shorten the reach: Terms have got there already.
	byClock := max(dayTerm(time.Now()), dayTerm(p.began.Add(time.Since(p.began))))
	byTrust := uint64(0)
	if p.trusted > 0 {
		byTrust = p.trusted + dayTerm(time.UnixMilli(time.Since(p.trustedAt).Milliseconds()))
	}
	return min(max(halfTerms+byClock, byTrust), mostToken)
}

// trust notes a Term that comes from no peer: from what was saved or from a Command. One beyond reach
// extends it, also for the elections that follow.
func (p *Process) trust(term uint64) {
	if p.config.Algorithm.Leases && term > p.reach() {
		p.trusted, p.trustedAt = min(term, mostToken)+trustSlack, time.Now()
	}
}

// dayTerm returns the Term with which leases begin at a time. Clocks may be wrong by any number of years.
func dayTerm(t time.Time) uint64 {
	return min(uint64(max(t.UnixMilli(), 0)), halfTerms>>termShift) << termShift
}

// receive lets the Node take a message of a peer. Whatever that holds must not end the process. If the Node
// panics or sends where there is no link, the message is dropped, and the Node goes on as if it had never
// arrived. The same mistake in any other step is the Node's own and ends the process.
func (p *Process) receive(ctx context.Context, ev *election.Event) error {
	// Before the clock is read: nearly every Term is one that this process has been in.
	if term := ev.Msg.Term; term > p.term {
		if reach := p.reach(); term > reach {
			p.rejected.Add(1)
			p.warn(warnTerm, "packet dropped: its Term is out of reach; "+p.remedy(), "peer", p.peer(ev.Port),
				"term", term, "known", p.term, "bound", reach)
			return nil
		}
	}
	p.before = p.visitor.Append(p.before[:0], &p.host)
	fx, stack, err := p.attempt(ev)
	if err == nil {
		return p.carryOut(ctx, ev, fx)
	}
	p.rejected.Add(1)
	p.warn(warnRejected, "packet dropped: the algorithm fails on it", "peer", p.peer(ev.Port), "message",
		fmt.Sprintf("%+v", ev.Msg), "err", err, "stack", stack)
	return p.undo()
}

// remedy says what to do if the Term of a packet is out of reach.
func (p *Process) remedy() string {
	if p.config.Algorithm.Leases {
		return "correct a clock that is wrong; restart the peer without its saved state, and all members if " +
			"most are affected; if the Term is a token that was raised on purpose, raise it here too"
	}
	return "if its sender is right, restart without Saved those that are not"
}

// peer returns what the log calls the peer behind a port.
func (p *Process) peer(port election.Port) any { return p.config.called(p.config.Peers[port].ID) }

// attempt steps the Node, and returns an error if it panics or sends where there is no link.
func (p *Process) attempt(ev *election.Event) (fx *election.Effects, stack string, err error) {
	defer func() {
		if what := recover(); what != nil {
			stack, err = string(debug.Stack()), fmt.Errorf("%w: %v", observe.ErrPanic, what)
		}
	}()
	fx = p.stepNode(ev)
	for i := range fx.Sends {
		if err := p.wrongPort(fx.Sends[i].Port); err != nil {
			return nil, "", err
		}
	}
	return fx, "", nil
}

// undo takes the Node back to what it was before a step that failed. It is made anew, as is the Env: a panic
// may leave either halfway, in what no State visits.
func (p *Process) undo() error {
	p.inNode, p.seen = false, p.seen[:0]
	p.host = p.config.Algorithm.NewNode(p.config.setup(), p.config.OneWay)
	p.env = p.newEnv()
	if err := p.visitor.Restore(&p.host, p.before); err != nil {
		return p.fails(err)
	}
	return nil
}

// wrongPort returns an error if the process may not send over a port.
func (p *Process) wrongPort(port election.Port) error {
	if port >= election.Port(len(p.config.Peers)) || p.config.OneWay && port != election.Clockwise {
		return fmt.Errorf("%w %d", observe.ErrPort, port)
	}
	return nil
}

// noteTerm keeps the largest Term that this process has been in, which bounds those of packets. It goes by
// what the process itself says: a long-lived Node keeps its Term to itself.
func (p *Process) noteTerm(fx *election.Effects) {
	p.term = max(p.term, p.host.Term(), fx.Outcome.Term)
	for i := range fx.Sends {
		p.term = max(p.term, fx.Sends[i].Msg.Term)
	}
}
