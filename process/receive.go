package process

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// MaxTermJump is the number by which the Term of a packet may exceed the largest Term that a process has been
// in. A process that misses an election each second is so far behind after 136 years. Packets of a
// larger Term are dropped, logged and counted in Stats.Rejected. Without a bound, one damaged or forged
// packet could carry the last Term that there is, after which no election can begin. Where there are leases,
// whose Terms begin with the time of day, the first packet reaches 2^53-2^31, and none reaches 2^53.
const MaxTermJump = 1 << 32

// The Terms of leases are tokens. A resource that has seen a larger one than the group remembers may let it
// go on from each below 2^53-2^32: as far, and 2^31 Terms further, a packet may lead at once. Nearer to
// mostToken, the largest number that JSON holds, it may exceed what the process knows by 2^31, but never
// mostToken.
const (
	mostToken    = 1<<53 - 1
	leaseReserve = 1 << 32
	leaseJump    = leaseReserve / 2
)

// mostJump returns by how much the Term of a packet may exceed the largest one so far.
func (p *Process) mostJump() uint64 {
	if !p.config.Algorithm.Leases {
		return MaxTermJump
	}
	known := min(p.term, mostToken)
	return min(max(known, mostToken+1-leaseReserve)+leaseJump, mostToken) - known
}

// receive lets the Node take a message of a peer. Whatever that holds must not end the process. If the Node
// panics or sends where there is no link, the message is dropped, and the Node goes on as if it had never
// arrived. The same mistake in any other step is the Node's own and ends the process.
func (p *Process) receive(ctx context.Context, ev *election.Event) error {
	if term, most := ev.Msg.Term, p.mostJump(); max(term, p.term)-p.term > most {
		p.rejected.Add(1)
		p.warn(warnTerm, "packet dropped: its Term is out of reach; if its sender is right, restart without "+
			"Saved those that are not", "peer", p.peer(ev.Port), "term", term, "known", p.term, "bound",
			most)
		return nil
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
