package transporttest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-election/election"
)

// flow is a sequence of packets that one goroutine sends.
type flow struct {
	from, to int
	port     election.Port
	count    int
}

// of returns packet k of flow number i.
func (f *flow) of(n *network, i, k int) election.Packet {
	p := n.packet(f.from, f.to, election.Message{Kind: 1, Term: uint64(i), Value: uint64(k)})
	p.Port = f.port
	return p
}

func (f *flow) name(n *network, k uint64) string {
	return fmt.Sprintf("packet %d of %d, from process %d to port %d of process %d",
		k+1, f.count, n.ids[f.from], f.port, n.ids[f.to])
}

// sendAll sends all flows simultaneously.
func (n *network) sendAll(flows []flow) error {
	done := make([]<-chan error, len(flows))
	for i := range flows {
		done[i] = n.begin(func() error { return n.sendFlow(i, &flows[i]) })
	}
	var failed error
	for i := range flows {
		what := fmt.Sprintf("Send of process %d to %d", n.ids[flows[i].from], n.ids[flows[i].to])
		err := n.wait(done[i], what)
		if to := flows[i].to; errors.Is(err, errStuck) && n.inboxes[to].held.Load() > 0 {
			return n.lose("%d are on their way to process %d, as many as may wait there, and none arrives",
				n.opts.Capacity, n.ids[to])
		}
		failed = errors.Join(failed, err)
		if errors.Is(failed, errStuck) {
			break
		}
	}
	return failed
}

func (n *network) sendFlow(i int, f *flow) error {
	for k := range f.count {
		if err := n.inboxes[f.to].borrow(n.ctx); err != nil {
			return err
		}
		err := n.ends[f.from].Send(n.ctx, f.of(n, i, k))
		switch {
		case errors.Is(err, election.ErrClosed), err != nil && !n.opts.Lossy:
			return fmt.Errorf("sending %s: %w", f.name(n, uint64(k)), err)
		}
		n.progress()
	}
	return nil
}

// borrow waits until another packet may be in flight.
func (e *inbox) borrow(ctx context.Context) error {
	if e.underWay == nil {
		return nil
	}
	select {
	case e.underWay <- struct{}{}:
		return nil
	default:
	}
	// Senders that wait here reveal a loss: the maximum number of packets is in flight, and none arrives.
	e.held.Add(1)
	defer e.held.Add(-1)
	select {
	case e.underWay <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listenAll starts to receive at all receivers of the flows.
func (n *network) listenAll(flows []flow) {
	for i := range flows {
		n.listen(flows[i].to)
	}
}

// awaitAll waits until all packets of the flows have arrived, and then until no more do.
func (n *network) awaitAll(flows []flow) error {
	want := make([]int, len(n.ids))
	for i := range flows {
		want[flows[i].to] += flows[i].count
	}
	for at := range want {
		if n.opts.Lossy {
			break
		}
		if all, err := n.await(at, want[at]); err != nil {
			return err
		} else if !all {
			break
		}
	}
	// Wait a little longer for packets that are not expected: duplicates, and packets for the wrong process.
	n.awaitQuiet()
	return nil
}

// exchange sends flows while their receivers receive.
func (n *network) exchange(flows ...flow) error {
	n.listenAll(flows)
	if err := n.sendAll(flows); err != nil {
		return err
	}
	return n.awaitAll(flows)
}

// arrival is a packet of a flow after its arrival.
type arrival struct {
	flow   int
	number uint64
}

// arrivals returns the packets of the flows that have arrived at a process, in order.
func (n *network) arrivals(at int, flows []flow) (all []arrival) {
	e := n.inboxes[at]
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.packets {
		m := &e.packets[i].Msg
		if m.Term < uint64(len(flows)) && flows[m.Term].to == at && m.Value < uint64(flows[m.Term].count) {
			all = append(all, arrival{int(m.Term), m.Value})
		}
	}
	return all
}

// disordered returns an error if packets of a flow have overtaken others.
func (n *network) disordered(flows []flow) error {
	last := make([]uint64, len(flows))
	for at := range n.ids {
		for _, a := range n.arrivals(at, flows) {
			if a.number < last[a.flow] {
				return fmt.Errorf("the order is not kept: %s arrived after packet %d",
					flows[a.flow].name(n, a.number), last[a.flow]+1)
			}
			last[a.flow] = a.number
		}
	}
	return nil
}

// times returns how often each packet of each flow has arrived.
func (n *network) times(flows []flow) [][]int {
	times := make([][]int, len(flows))
	for i := range flows {
		times[i] = make([]int, flows[i].count)
	}
	for at := range n.ids {
		for _, a := range n.arrivals(at, flows) {
			times[a.flow][a.number]++
		}
	}
	return times
}

// missing returns an error if packets are lost, unless the transport may lose them.
func (n *network) missing(flows []flow) error {
	if n.opts.Lossy {
		return nil
	}
	for i, times := range n.times(flows) {
		for k, count := range times {
			if count == 0 {
				return n.lose("%s never arrived", flows[i].name(n, uint64(k)))
			}
		}
	}
	return nil
}

// repeated returns an error if packets have arrived more than once, unless the transport may duplicate them.
func (n *network) repeated(flows []flow) error {
	if n.opts.Duplicates {
		return nil
	}
	for i, times := range n.times(flows) {
		for k, count := range times {
			if count > 1 {
				return fmt.Errorf("packets are duplicated: %s arrived %d times", flows[i].name(n, uint64(k)),
					count)
			}
		}
	}
	return nil
}

// strange returns an error if a packet has arrived at the wrong process, or has been altered.
func (n *network) strange(flows []flow) error {
	for at, e := range n.inboxes {
		e.mu.Lock()
		arrived := e.packets
		e.mu.Unlock()
		for _, p := range arrived {
			if p.Msg.Term >= uint64(len(flows)) {
				return fmt.Errorf("process %d received %+v, which no process has sent", n.ids[at], p)
			}
			f := &flows[p.Msg.Term]
			name := f.name(n, p.Msg.Value)
			switch want := f.of(n, int(p.Msg.Term), int(p.Msg.Value)); {
			case f.to != at:
				return fmt.Errorf("%s reached process %d", name, n.ids[at])
			case p.From != want.From:
				return fmt.Errorf("%s arrived with From %d", name, p.From)
			case p.To != want.To:
				return fmt.Errorf("%s arrived with To %d", name, p.To)
			case p.Port != want.Port:
				return fmt.Errorf("%s arrived with Port %d", name, p.Port)
			}
		}
	}
	return nil
}

// rows returns flows of one kind: from two processes, over several ports, to a third.
func rows() []flow {
	const each = 1000
	return []flow{{0, 1, 0, each}, {0, 1, 1, each}, {2, 1, 0, each}, {1, 0, math.MaxUint32, each}}
}

func order(n *network) error {
	if err := n.exchange(rows()...); err != nil {
		return err
	}
	return n.disordered(rows())
}

func loss(n *network) error {
	if err := n.exchange(rows()...); err != nil {
		return err
	}
	return n.missing(rows())
}

func duplication(n *network) error {
	if err := n.exchange(rows()...); err != nil {
		return err
	}
	return n.repeated(rows())
}

// pairs returns a flow between every two processes.
func (n *network) pairs(count int) (flows []flow) {
	for from := range n.ids {
		for to := range n.ids {
			if from != to {
				flows = append(flows, flow{from, to, election.Port(10*from + to), count})
			}
		}
	}
	return flows
}

func addressing(n *network) error {
	flows := n.pairs(20)
	if err := n.exchange(flows...); err != nil {
		return err
	}
	return n.strange(flows)
}

func self(n *network) error {
	flows := []flow{{0, 0, 0, 20}, {3, 3, 1, 20}}
	err := n.exchange(flows...)
	if err == nil {
		err = errors.Join(n.missing(flows), n.strange(flows))
	}
	if err != nil {
		return fmt.Errorf("%w (set Options.NoSelf where no process needs a way to itself)", err)
	}
	return nil
}

func concurrency(n *network) error {
	n.readers = 3
	flows := append(n.pairs(200), n.pairs(200)...) // two goroutines per pair
	if err := n.exchange(flows...); err != nil {
		return err
	}
	return errors.Join(n.missing(flows), n.repeated(flows), n.strange(flows))
}

// burst makes two processes send to each other before either receives.
func burst(n *network) error {
	count := n.opts.burst
	if n.opts.Capacity > 0 {
		count = min(count, n.opts.Capacity)
	}
	flows := []flow{{0, 1, 0, count}, {1, 0, 0, count}}
	if err := n.sendAll(flows); errors.Is(err, errStuck) {
		return fmt.Errorf("sending waits for the receiver: two processes send %d packets each to the "+
			"other: %w", count, err)
	} else if err != nil {
		return err
	}
	n.listenAll(flows)
	if err := n.awaitAll(flows); err != nil {
		return err
	}
	err := errors.Join(n.missing(flows), n.repeated(flows))
	if err == nil && !n.opts.Unordered {
		err = n.disordered(flows)
	}
	return err
}
