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

// MaxTermJump is the largest difference between the Term of a packet and the largest Term that a process has
// been in. A process that misses one election per second needs 136 years to fall so far behind. Packets with a
// larger Term are dropped, logged and counted in Stats.Rejected. Without this limit, a single corrupted or
// forged packet could carry the largest possible Term, after which no election can start. Algorithms with
// leases have another limit, because their Terms start with the time of day: 2^52 plus the milliseconds since
// 1970 times 256.
const MaxTermJump = 1 << 32

// Terms of leases are fencing tokens, so none exceeds mostToken, the largest integer that JSON can represent
// exactly. Honest Terms start with the clock in milliseconds times 2^termShift, which reaches halfTerms in the
// year 2527, and an election takes at least a millisecond.
const (
	mostToken = 1<<53 - 1
	halfTerms = 1 << 52
	termShift = 8
	// trustSlack is the number of elections that a process may have missed while it was down, if Terms are
	// beyond what the clock allows.
	trustSlack = 1 << 24
)

// reach returns the largest Term that a packet may have.
//
// With leases, the limit depends on the clock and hardly on earlier packets; otherwise every packet or every
// restart would take hostile peers further. Hostile peers can push all members to halfTerms plus the time of
// day, and from there only as fast as the clock. Half of all Terms therefore remain free, and no honest member
// is out of reach of another for longer than their clocks differ. This is why reach does not count from saved
// state: a member that restarts during an attack would move to a Term that the others cannot reach. Members
// whose clocks are wrong by centuries can still take part, because all honest Terms are below halfTerms.
func (p *Process) reach() uint64 {
	if p.config.Algorithm.Elects != election.LeaseHolders {
		return p.term + min(MaxTermJump, math.MaxUint64-p.term)
	}
	// A clock that was set back must not reduce the reach, because Terms may already be there.
	byClock := max(dayTerm(time.Now()), dayTerm(p.began.Add(time.Since(p.began))))
	byTrust := uint64(0)
	if p.trusted > 0 {
		byTrust = p.trusted + dayTerm(time.UnixMilli(time.Since(p.trustedAt).Milliseconds()))
	}
	return min(max(halfTerms+byClock, byTrust), mostToken)
}

// trust records a Term that does not come from a peer but from saved state or a Command. If it is beyond reach,
// it extends the reach, including the elections that follow it.
func (p *Process) trust(term uint64) {
	if p.config.Algorithm.Elects == election.LeaseHolders && term > p.reach() {
		p.trusted, p.trustedAt = min(term, mostToken)+trustSlack, time.Now()
	}
}

// dayTerm returns the first Term of leases at a given time. It accepts clocks that are wrong by any number of
// years.
func dayTerm(t time.Time) uint64 {
	return min(uint64(max(t.UnixMilli(), 0)), halfTerms>>termShift) << termShift
}

// receive steps the Node with a message of a peer. No message may end the process: if the Node panics or sends
// over a port that has no link, receive drops the message and restores the Node's state before it. The same
// fault in any other step is the Node's own and ends the process.
func (p *Process) receive(ctx context.Context, ev *election.Event) error {
	// Check before the clock is read: nearly every Term is one that this process has been in.
	if term := ev.Msg.Term; term > p.term {
		if reach := p.reach(); term > reach {
			p.rejected.Add(1)
			p.warn(warnTerm, "packet dropped: its Term is out of reach; "+p.remedy(), "peer", p.peer(ev.Port),
				"term", term, "known", p.term, "bound", reach)
			return nil
		}
	}
	p.meet(&ev.Msg)
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

// remedy returns advice on a packet whose Term is out of reach.
func (p *Process) remedy() string {
	if p.config.Algorithm.Elects == election.LeaseHolders {
		return "correct a clock that is wrong; restart the peer without its saved state, and all members if " +
			"most are affected; if the Term is a token that was raised on purpose, raise it here too"
	}
	return "if its sender is right, restart without Saved those that are not"
}

// peer returns the log name of the peer behind a port.
func (p *Process) peer(port election.Port) any { return p.config.called(p.config.Peers[port].ID) }

// attempt steps the Node, and returns an error if the Node panics or sends over a port that has no link.
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

// undo restores the Node to its state before a failed step. It creates a new Node and Env, because a panic may
// have left unvisited fields of either inconsistent.
func (p *Process) undo() error {
	p.inNode, p.seen = false, p.seen[:0]
	p.host = p.config.Algorithm.NewNode(p.config.setup(), p.config.OneWay)
	p.env = p.newEnv()
	if err := p.visitor.Restore(&p.host, p.before); err != nil {
		return p.fails(err)
	}
	return nil
}

// wrongPort returns an error if the process may not send over the port.
func (p *Process) wrongPort(port election.Port) error {
	if port >= election.Port(len(p.config.Peers)) || p.config.OneWay && port != election.Clockwise {
		return fmt.Errorf("%w %d", observe.ErrPort, port)
	}
	return nil
}

// noteTerm records the largest Term that this process has been in, which limits the Terms of packets. It also
// uses the published Outcome, because a long-lived Node does not expose its Term otherwise.
func (p *Process) noteTerm(fx *election.Effects) {
	p.term = max(p.term, p.host.Term(), fx.Outcome.Term)
	for i := range fx.Sends {
		p.term = max(p.term, fx.Sends[i].Msg.Term)
	}
}
