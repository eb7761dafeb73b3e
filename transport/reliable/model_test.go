package reliable

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// world is both ends of one link, and everything that was ever sent between them.
type world struct {
	out       sender
	in        receiver
	lives     [2]uint64         // the number of the present sender and of the present receiver, from 1
	names     uint64            // names drawn
	submitted uint64            // packets that the present sender has accepted
	last      election.Message  // delivered last by the present receiver: sender (Term), number (Value)
	most      map[uint64]uint64 // by sender: the largest number that any receiver has delivered
	net       []election.Packet // different packets in flight, sorted
	err       error
}

func newWorld() *world {
	w := &world{lives: [2]uint64{0, 1}, most: make(map[uint64]uint64)}
	w.restartSender()
	return w
}

func (w *world) draw() uint64 { w.names++; return w.names }

func (w *world) restartSender() {
	w.lives[0]++
	w.out = sender{stream: w.draw(), first: 1}
	w.submitted = 0
}

func (w *world) restartReceiver() {
	w.lives[1]++
	w.in, w.last = receiver{}, election.Message{}
}

// submit makes the sender accept a packet.
func (w *world) submit() {
	w.submitted++
	w.out.queue.push(election.Packet{Msg: election.Message{Term: w.lives[0], Value: w.submitted}})
}

// arrive delivers a packet to the end that it is for.
func (w *world) arrive(p election.Packet) {
	switch {
	case p.Seq > 0:
		w.in.receive(&p, w.draw)
	case p.Msg.Kind == kindAck:
		w.out.ack(p.Incarnation, p.Msg.Term, p.Msg.Value)
	default:
		w.out.rename(p.Incarnation, p.Msg.Value)
	}
}

// deliver delivers the next packet, if it is there, and judges it.
func (w *world) deliver() bool {
	p, ok := w.in.deliver()
	if !ok {
		return false
	}
	now, last := p.Msg, w.last
	switch {
	case now.Term < last.Term:
		w.err = fmt.Errorf("a packet of a former sender arrives: %v after %v", now, last)
	case now.Term == last.Term && now.Value != last.Value+1:
		w.err = fmt.Errorf("the order is wrong, or a packet arrives twice: %v after %v", now, last)
	case now.Value > w.most[now.Term]+1:
		w.err = fmt.Errorf("packets are missing: %v after %d", now, w.most[now.Term])
	case now.Term != last.Term && w.lives[1] == 1 && now.Value != 1:
		w.err = fmt.Errorf("the first packet is not the first: %v", now)
	}
	w.last = now
	w.most[now.Term] = max(w.most[now.Term], now.Value)
	return true
}

// sends returns what both ends have to send.
func (w *world) sends() (all []election.Packet) {
	if p, ok := w.in.reply(); ok {
		all = append(all, p)
	}
	for p, ok := w.out.next(); ok; p, ok = w.out.next() {
		all = append(all, p)
	}
	return all
}

// recovers reports an error unless the sender gets rid of all its packets within a few rounds in which the
// network loses nothing.
func (w *world) recovers(most int) error {
	for range most {
		w.out.expire()
		for packets := w.sends(); len(packets) > 0; packets = w.sends() {
			for _, p := range packets {
				w.arrive(p)
				for w.deliver() {
				}
			}
		}
		if w.err != nil || w.out.queue.len() == 0 {
			return w.err
		}
	}
	return fmt.Errorf("packets are not acknowledged after %d rounds", most)
}

func (w *world) clone() *world {
	c := *w
	c.out.queue.items = slices.Clone(w.out.queue.items)
	c.in.kept = slices.Clone(w.in.kept)
	c.net = slices.Clone(w.net)
	c.most = maps.Clone(w.most)
	return &c
}

// key distinguishes states. Stream and number determine the content of a packet.
func (w *world) key() string {
	o, i := &w.out, &w.in
	var b []byte
	for _, v := range []uint64{o.stream, o.first, uint64(o.sent), o.has, uint64(o.queue.len()), i.stream, i.next,
		i.has, i.asked, i.offered, w.lives[0], w.lives[1], w.names, w.submitted, w.last.Term, w.last.Value,
		w.most[1], w.most[2]} {
		b = append(b, byte(v)) // all are small
	}
	for _, p := range w.net {
		b = append(b, byte(p.Incarnation), byte(p.Seq), p.Msg.Kind, byte(p.Msg.Term), byte(p.Msg.Value))
	}
	return string(b)
}

// explorer visits all states of a world in which the network keeps every packet: it delivers any of them at any
// time, any number of times. A packet that it never delivers is lost.
type explorer struct {
	t       *testing.T
	packets uint64 // that each sender accepts
	lives   [2]uint64
	names   uint64
	seen    map[string]bool
	resumed bool // a later receiver has delivered a packet that no other had
	again   bool // a later receiver has delivered a packet again
}

func (e *explorer) visit(w *world) {
	for _, p := range w.sends() {
		if !slices.Contains(w.net, p) {
			w.net = append(w.net, p)
		}
	}
	slices.SortFunc(w.net, func(a, b election.Packet) int {
		return cmp.Or(cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.Seq, b.Seq),
			cmp.Compare(a.Msg.Kind, b.Msg.Kind), cmp.Compare(a.Msg.Term, b.Msg.Term),
			cmp.Compare(a.Msg.Value, b.Msg.Value))
	})
	key := w.key()
	if e.seen[key] || w.names > e.names {
		return
	}
	e.seen[key] = true
	require.NoError(e.t, w.clone().recovers(4))
	for _, p := range w.net {
		next := w.clone()
		next.arrive(p)
		e.visit(next)
	}
	e.step(w, w.in.has&1 != 0, func(next *world) {
		most := next.most[next.lives[0]]
		next.deliver()
		require.NoError(e.t, next.err)
		if next.lives[1] > 1 {
			e.resumed = e.resumed || next.last.Value > most
			e.again = e.again || next.last.Value <= most
		}
	})
	e.step(w, w.submitted < e.packets, (*world).submit)
	e.step(w, w.lives[0] < e.lives[0], (*world).restartSender)
	e.step(w, w.lives[1] < e.lives[1], (*world).restartReceiver)
}

func (e *explorer) step(w *world, possible bool, do func(*world)) {
	if possible {
		next := w.clone()
		do(next)
		e.visit(next)
	}
}

// TestAllStates: in every state of a small world, deliveries are in order and complete, and the link recovers.
func TestAllStates(t *testing.T) {
	for _, e := range []explorer{
		{packets: 3, lives: [2]uint64{1, 1}, names: 3},
		{packets: 2, lives: [2]uint64{1, 2}, names: 4},
		{packets: 2, lives: [2]uint64{2, 1}, names: 4},
		{packets: 2, lives: [2]uint64{2, 2}, names: 4},
	} {
		e.t, e.seen = t, make(map[string]bool)
		e.visit(newWorld())
		require.Greater(t, len(e.seen), 1000)
		// What the package comment tells about restarts does happen.
		require.Equal(t, e.lives[1] > 1, e.resumed)
		require.Equal(t, e.lives[1] > 1, e.again)
	}
}

// TestRandom: so are they in long random runs, in which the window and the queues are full at times.
func TestRandom(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		loss, twice, restart := r.Float64()/2, r.Float64()/2, float64(seed%2)/500
		w := newWorld()
		for range 5000 {
			switch n := r.IntN(10); {
			case r.Float64() < restart:
				if r.IntN(2) == 0 {
					w.restartSender()
				} else {
					w.restartReceiver()
				}
			case n < 2 && w.out.queue.len() < 3*window:
				w.submit()
			case n < 4:
				w.deliver()
			case n == 4 && r.IntN(10) == 0:
				w.out.expire()
			}
			for _, p := range w.sends() {
				if r.Float64() >= loss {
					w.net = append(w.net, p)
				}
			}
			if len(w.net) > 0 {
				i := r.IntN(min(len(w.net), 20)) // overtakes up to 20 others
				p := w.net[i]
				if r.Float64() >= twice {
					w.net = slices.Delete(w.net, i, i+1)
				}
				w.arrive(p)
			}
			require.LessOrEqual(t, w.out.sent, window)
			require.NoError(t, w.err)
		}
		require.NoError(t, w.recovers(10))
		require.Equal(t, w.submitted, w.most[w.lives[0]], "packets are missing")
		require.Greater(t, w.names, w.lives[0])
	}
}
