package transporttest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestDeclared: what Options declare is not held against a transport, and all else still is.
func TestDeclared(t *testing.T) {
	areFound(t, declaredCopies())
	areFound(t, declaredOthers())
}

// TestDeclaredLosses: so it is with losses.
func TestDeclaredLosses(t *testing.T) { areFound(t, declaredLosses()) }

// areFound tries transports, and wants the properties to fail that they break, and no other one.
func areFound(t *testing.T, all map[string]broken) {
	t.Helper()
	for name, b := range all {
		t.Run(name, func(t *testing.T) {
			if b.size == 0 {
				b.size = roomy
			}
			got, _ := failures(t, b.size, b.opts, b.spoilt)
			require.ElementsMatch(t, slices.Sorted(maps.Keys(b.want)), slices.Sorted(maps.Keys(got)), "%v",
				got)
			for property, message := range b.want {
				require.Contains(t, got[property], message, property)
			}
		})
	}
}

// TestPromised: which properties are not tried of a transport that does not promise them.
func TestPromised(t *testing.T) {
	for _, c := range []struct {
		opts Options
		not  []string
	}{
		{Options{Reopen: again}, nil},
		{Options{}, []string{"Return"}},
		{Options{Reopen: again, Unordered: true}, []string{"Order", "Push"}},
		{Options{Reopen: again, Lossy: true}, []string{"Loss", "Return", "Push"}},
		{Options{Reopen: again, Duplicates: true}, []string{"Duplication", "Push"}},
		{Options{Reopen: again, Abrupt: true}, nil},
		{Options{Reopen: again, Trusting: true}, []string{"Forgery"}},
		{Options{Reopen: again, NoSelf: true}, []string{"Self"}},
		{Options{Reopen: again, Numbers: true}, nil},
		{Options{Reopen: again, Capacity: 1}, nil},
	} {
		var not []string
		for _, p := range properties() {
			if p.promised != nil && !p.promised(&c.opts) {
				not = append(not, p.name)
			}
		}
		require.Equal(t, c.not, not, "%+v", c.opts)
	}
}

var errNoWay = errors.New("no way")

// sending is a wire with another Send, as long as it is not closed.
func sending(send func(w *wire, ctx context.Context, p election.Packet) error) spoilt {
	return spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
		if w.isClosed() {
			return w.gone()
		}
		return send(w, ctx, p)
	}}
}

// losing is a wire that loses one packet of ten, by chance, with this error.
func losing(err error) spoilt {
	var mu sync.Mutex
	chance := rand.New(rand.NewPCG(1, 1))
	return sending(func(w *wire, ctx context.Context, p election.Packet) error {
		mu.Lock()
		lost := chance.IntN(10) == 0
		mu.Unlock()
		if lost {
			return err
		}
		return w.Send(ctx, p)
	})
}

func declaredLosses() map[string]broken {
	lossy := Options{Lossy: true}
	never := "an election does not end: after 10s process 1 believes in 0, process 9223372036854775815 " +
		"believes in 0, process 2 believes in 0, process 18446744073709551615 believes in 0"
	return map[string]broken{
		"loses, as declared": {spoilt: losing(nil), opts: lossy},
		"fails, as declared": {spoilt: losing(errNoWay), opts: lossy},
		"is slow, as is no matter": {opts: Options{Lossy: true, Unordered: true},
			spoilt: sending(func(w *wire, ctx context.Context, p election.Packet) error {
				time.AfterFunc(15*time.Millisecond, func() { _ = w.Send(context.WithoutCancel(ctx), p) })
				return nil
			})},
		"is lossy and loses all": {opts: lossy,
			spoilt: sending(func(*wire, context.Context, election.Packet) error { return nil }),
			want: map[string]string{"Election": never,
				"Integrity": " never arrived, however often it was sent"}},
		"is lossy and waits for ever": {opts: lossy,
			spoilt: sending(func(w *wire, _ context.Context, _ election.Packet) error {
				<-w.net.stop
				return nil
			}),
			want: map[string]string{
				"AbsentPeer":  "stuck: Send of process 1 to 4242 has not returned after 10s",
				"Addressing":  "stuck: Send of process 1 to 9223372036854775815 has not",
				"Burst":       "sending waits for the receiver: ",
				"CancelRecv":  "stuck: Send of process 1 to 9223372036854775815 has not",
				"CancelSend":  "stuck: Send whose context has ended has not",
				"CloseAgain":  "between others than those that are closed: stuck: Send of process 2 to ",
				"CloseRecv":   "stuck: Send of process 2 to 9223372036854775815 has not",
				"CloseSend":   "stuck: Send whose transport is closed has not",
				"ClosedPeer":  "stuck: Send to process 9223372036854775815, which is closed, has not",
				"Concurrency": "stuck: Send of process 1 to 9223372036854775815 has not",
				"Duplication": "stuck: Send of process 1 to 9223372036854775815 has not",
				"Election":    never,
				"Forgery":     "stuck: Send of process 9223372036854775815 to 2 has not",
				"Goroutines":  "stuck: Send of process 1 to 9223372036854775815 has not",
				"Integrity":   "stuck: Send of process 1 to 9223372036854775815 has not",
				"Order":       "stuck: Send of process 1 to 9223372036854775815 has not",
				"Parting":     "stuck: Send of process 1 to 9223372036854775815 has not",
				"Self":        "stuck: Send of process 1 to 1 has not",
			}},
		"is lossy and changes packets": {opts: lossy,
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				p.Msg.Round &= 0xffff
				return w.Send(ctx, p)
			}}, want: map[string]string{"Integrity": " never arrived, however often it was sent"}},
		"is lossy and ignores the context of Recv": {opts: lossy,
			spoilt: spoilt{recv: func(w *wire, _ context.Context) (election.Packet, error) {
				return w.Recv(context.Background())
			}}, want: map[string]string{
				"CancelRecv": "stuck: Recv of process 9223372036854775815, whose context has ended, has not",
				"Election":   "stuck: Run of process 1, after it was closed, has not",
			}},
	}
}

func declaredCopies() map[string]broken {
	copies := Options{Duplicates: true}
	late := sending(func(w *wire, ctx context.Context, p election.Packet) error {
		time.AfterFunc(3*time.Millisecond, func() {
			if to := w.net.end(p.To); to != nil && !to.isClosed() {
				_ = w.Send(context.WithoutCancel(ctx), p)
			}
		})
		return w.Send(ctx, p)
	})
	return map[string]broken{
		"doubles, as declared": {opts: copies,
			spoilt: sending(func(w *wire, ctx context.Context, p election.Packet) error {
				_ = w.Send(ctx, p)
				return w.Send(ctx, p)
			})},
		"doubles, and hands out what is left after Close": {opts: copies, spoilt: spoilt{
			send: func(w *wire, ctx context.Context, p election.Packet) error {
				if !w.isClosed() {
					_ = w.Send(ctx, p)
				}
				return w.Send(ctx, p)
			}, recv: handOut}},
		"doubles late, as declared": {spoilt: late, opts: Options{Duplicates: true, Unordered: true}},
		"doubles late, on a link that keeps the order": {spoilt: late, opts: copies,
			want: map[string]string{"Order": "the order is not kept", "Burst": "the order is not kept"}},
		"doubles and says something else than the context": {opts: copies,
			spoilt: brokenContexts()["says something else than the context"].spoilt,
			want:   brokenContexts()["says something else than the context"].want},
		"doubles and loses": {opts: copies,
			spoilt: sending(func(w *wire, ctx context.Context, p election.Packet) error {
				if marked(&p) {
					return nil
				}
				return w.Send(ctx, p)
			}), want: map[string]string{
				"Loss":        "packets are lost: packet 100 of 1000",
				"Concurrency": "packets are lost: packet 100 of 200",
				"Burst":       "packets are lost: packet 100 of 5000",
			}},
		"doubles and consumes what it does not return": {opts: copies,
			spoilt: brokenContexts()["consumes what it does not return"].spoilt,
			want: map[string]string{"CancelRecv": "a Recv that returned an error (context canceled) " +
				"has consumed"}},
	}
}

// handOut receives everything that has arrived before it reports that the wire is closed.
func handOut(w *wire, ctx context.Context) (election.Packet, error) {
	if w.isClosed() && len(w.in) > 0 {
		return <-w.in, nil
	}
	return w.Recv(ctx)
}

// numbering is a wire with its own Incarnation and Seq, and with another change.
func numbering(change func(*election.Packet)) spoilt {
	var seq atomic.Uint64
	return sending(func(w *wire, ctx context.Context, p election.Packet) error {
		p.Incarnation, p.Seq = 1<<63, seq.Add(1)
		if change != nil {
			change(&p)
		}
		return w.Send(ctx, p)
	})
}

func declaredOthers() map[string]broken {
	few := Options{Capacity: 64}
	full := func(err error) spoilt {
		return sending(func(w *wire, ctx context.Context, p election.Packet) error {
			if to := w.net.end(p.To); to != nil && len(to.in) == cap(to.in) {
				return err
			}
			return w.Send(ctx, p)
		})
	}
	return map[string]broken{
		"reorders, as declared": {spoilt: brokenLinks()["reorders"].spoilt, opts: Options{Unordered: true}},
		"drops on Close what it has taken, as declared": {opts: Options{Abrupt: true},
			spoilt: brokenPartings()["drops on Close what it has taken"].spoilt},
		"is abrupt and sends what it refuses": {opts: Options{Abrupt: true},
			spoilt: brokenPartings()["sends what it refuses"].spoilt,
			want:   brokenPartings()["sends what it refuses"].want},
		"does not reach itself, as declared": {opts: Options{NoSelf: true},
			spoilt: brokenPeers()["does not reach itself"].spoilt},
		"fails where it has no room, as declared":    {size: 64, opts: few, spoilt: full(errNoWay)},
		"loses what it has no room for, as declared": {size: 64, opts: few, spoilt: full(nil)},
		"refuses slowly, as is no matter": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if w.isClosed() {
					time.Sleep(100 * time.Millisecond)
				}
				return w.Send(ctx, p)
			}}},
		"hands out what is left after Close, as it may": {spoilt: spoilt{recv: handOut}},
		"has room for one packet alone, as declared":    {size: 1, opts: Options{Capacity: 1}},
		"numbers packets, as declared":                  {spoilt: numbering(nil), opts: Options{Numbers: true}},
		"numbers packets and changes others": {opts: Options{Numbers: true},
			spoilt: numbering(func(p *election.Packet) { p.Msg.Round &= 0xffff }),
			want: map[string]string{"Integrity": "a packet was changed on its way: Msg.Round was sent as " +
				"2147483648 and arrived as 0"}},
	}
}
