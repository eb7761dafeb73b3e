package transporttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

type broken struct {
	spoilt
	size int     // of wires; if zero, roomy
	opts Options // what is declared
	want map[string]string
}

func TestBroken(t *testing.T) {
	all := make(map[string]broken)
	for _, some := range []map[string]broken{brokenLinks(), brokenContents(), brokenContexts(),
		brokenCancels(), brokenCloses(), brokenPartings(), brokenClosed(), brokenPeers(), brokenReturns(),
		brokenRoom(), brokenReceipts()} {
		maps.Copy(all, some)
	}
	// By TestBrokenPushers, TestBrokenWatchers and TestBrokenGreeters.
	tried := map[string]bool{"Push": true, "Watch": true, "Hello": true}
	for _, b := range all {
		for property := range b.want {
			tried[property] = true
		}
	}
	for _, p := range properties() {
		require.Contains(t, tried, p.name, "a transport that breaks this alone or among others")
	}
	areFound(t, all)
}

func brokenLinks() map[string]broken {
	return map[string]broken{
		"nothing": {},
		"reorders": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if !marked(&p) {
					return w.Send(ctx, p)
				}
				time.AfterFunc(time.Microsecond, func() { _ = w.Send(context.WithoutCancel(ctx), p) })
				return nil
			}},
			want: map[string]string{
				"Order": "the order is not kept: packet ",
				"Burst": "the order is not kept: packet ",
			},
		},
		"loses": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if marked(&p) {
					return nil
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Loss": "packets are lost: packet 100 of 1000, from process 1 to port 0 of " +
					"process 9223372036854775815 never arrived",
				"Concurrency": "packets are lost: packet 100 of 200",
				"Burst":       "packets are lost: packet 100 of 5000",
			},
		},
		"duplicates": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if marked(&p) {
					_ = w.Send(ctx, p)
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Duplication": "packets are duplicated: packet 100 of 1000, from process 1 to port 0 of " +
					"process 9223372036854775815 arrived 2 times",
				"Concurrency": "packets are duplicated: packet 100 of 200",
				"Burst":       "packets are duplicated: packet 100 of 5000",
			},
		},
		"waits for the receiver": {
			size: 1000,
			want: map[string]string{
				"Burst": "sending waits for the receiver: two processes send 5000 packets each to the " +
					"other: stuck: Send",
			},
		},
		"less than declared": {
			size: 64,
			opts: Options{Capacity: 65},
			want: map[string]string{"Burst": "two processes send 65 packets each"},
		},
		"as declared": {size: 64, opts: Options{Capacity: 64}},
	}
}

func brokenContents() map[string]broken {
	return map[string]broken{
		"corrupts": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				p.Msg.Round &= 0xffff
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Integrity": "a packet was changed on its way: Msg.Round was sent as 2147483648 and " +
					"arrived as 0",
			},
		},
		"names another sender": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				p, err := w.Recv(ctx)
				p.From ^= 3
				return p, err
			}},
			want: map[string]string{
				"Integrity":   "a packet was changed on its way: From was sent as 1 and arrived as 2",
				"Addressing":  "arrived with From",
				"Forgery":     "the sender is forged",
				"Self":        "arrived with From 2",
				"AbsentPeer":  "arrived with From",
				"ClosedPeer":  "arrived with From",
				"Concurrency": "arrived with From",
				"CancelRecv": "the next Recv returned a packet that is not the one sent after a Recv " +
					"had returned",
				"Election": "an election does not end",
			},
		},
		"delivers to another process": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if p.To == 2 && p.Msg.Value == 7 {
					p.To = 1
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Addressing":  "of process 2 reached process 1",
				"Concurrency": "packets are lost: packet 8 of 200",
				"CloseAgain":  "between others",
			},
		},
		"believes From": {
			spoilt: spoilt{send: (*wire).forward},
			want: map[string]string{
				"Forgery": "the sender is forged: what process 1 sent in the name of 9223372036854775815 " +
					"arrived as if from 9223372036854775815",
			},
		},
		"believes From, as declared": {spoilt: spoilt{send: (*wire).forward}, opts: Options{Trusting: true}},
		"delivers to another port": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if p.From != 1 {
					p.Port |= 1 << 20
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Addressing":  "of process 1 arrived with Port 10",
				"AbsentPeer":  "arrived with Port",
				"ClosedPeer":  "arrived with Port",
				"Concurrency": "arrived with Port",
				"Self":        "arrived with Port",
				"Election":    "an election does not end: after 10s process 1 believes in",
			},
		},
	}
}

func brokenContexts() map[string]broken {
	return map[string]broken{
		"ignores the context of Recv": {
			spoilt: spoilt{recv: func(w *wire, _ context.Context) (election.Packet, error) {
				return w.Recv(context.Background())
			}},
			want: map[string]string{
				"CancelRecv": "stuck: Recv of process 9223372036854775815, whose context has ended, has " +
					"not returned after 10s",
				"Election": "stuck: Run of process 1, after it was closed, has not returned",
			},
		},
		"ignores the context of Send": {
			spoilt: spoilt{send: func(w *wire, _ context.Context, p election.Packet) error {
				return w.Send(context.Background(), p)
			}},
			size: 64,
			opts: Options{Capacity: 64},
			want: map[string]string{
				"CancelSend": "stuck: Send that may wait while its context ends has not returned after 10s",
			},
		},
		"says something else than the context": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				p, err := w.Recv(ctx)
				if errors.Is(err, context.Canceled) {
					err = errors.New("time is up")
				}
				return p, err
			}},
			want: map[string]string{
				"CancelRecv": "returned time is up, not the error of its context, which has ended",
			},
		},
		"consumes what it does not return": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				select {
				case p := <-w.in:
					return p, ctx.Err()
				default:
					return w.Recv(ctx)
				}
			}},
			want: map[string]string{
				"CancelRecv": "a Recv that returned an error (context canceled) has consumed a packet, " +
					"which was ",
			},
		},
		"leaves a reader behind": {
			spoilt: spoilt{recv: leaveReader},
			want: map[string]string{
				"CancelRecv": "a Recv that returned an error (context canceled) has consumed a packet, " +
					"which was sent after a Recv had returned",
			},
		},
	}
}

// brokenReceipts are wrong in what Recv returns.
func brokenReceipts() map[string]broken {
	return map[string]broken{
		"names another receiver": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				p, err := w.Recv(ctx)
				if p.Port == 10 || p.Msg.Term == 1 {
					p.To = 99
				}
				return p, err
			}},
			want: map[string]string{
				"Integrity":   "To was sent as 9223372036854775815 and arrived as 99",
				"Addressing":  "arrived with To 99",
				"AbsentPeer":  "arrived with To 99",
				"ClosedPeer":  "arrived with To 99",
				"Concurrency": "arrived with To 99",
				"Self":        "arrived with To 99",
				"Election":    "an election does not end",
			},
		},
		"fails to receive a large value": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				p, err := w.Recv(ctx)
				if p.Msg.Value == math.MaxUint64 {
					return election.Packet{}, errors.New("too large")
				}
				return p, err
			}},
			want: map[string]string{
				"Integrity": "process 9223372036854775815 receives no more: too large",
			},
		},
	}
}

// brokenCancels are wrong in a few of the cases in which a context ends.
func brokenCancels() map[string]broken {
	return map[string]broken{
		"says something else than the context of Send": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if ctx.Err() != nil {
					return errors.New("time is up")
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"CancelSend": "Send whose context has ended returned time is up, not the error of its context",
			},
		},
		"says something else than the context where a packet waits": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				if ctx.Err() != nil && len(w.in) > 0 {
					return election.Packet{}, errors.New("time is up")
				}
				return w.Recv(ctx)
			}},
			want: map[string]string{
				"CancelRecv": "returned time is up, not the error of its context, which has ended",
			},
		},
		"consumes another packet than it returns": {
			spoilt: spoilt{recv: func(w *wire, ctx context.Context) (election.Packet, error) {
				if ctx.Err() == nil || len(w.in) == 0 {
					return w.Recv(ctx)
				}
				<-w.in
				return election.Packet{}, nil
			}},
			want: map[string]string{"CancelRecv": ", or the packet was lost (see Loss): stuck: the next Recv"},
		},
	}
}

// leaveReader receives in a goroutine that continues after the context has ended.
func leaveReader(w *wire, ctx context.Context) (election.Packet, error) {
	type result struct {
		p   election.Packet
		err error
	}
	got := make(chan result, 1)
	go func() {
		p, err := w.Recv(context.Background())
		got <- result{p, err}
	}()
	select {
	case r := <-got:
		return r.p, r.err
	case <-ctx.Done():
		return election.Packet{}, ctx.Err()
	}
}

func brokenPeers() map[string]broken {
	absent := func(p *election.Packet, w *wire) bool { return w.net.end(p.To) == nil }
	var few atomic.Int64
	return map[string]broken{
		"ends senders to an absent peer": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if absent(&p, w) {
					return fmt.Errorf("%w: no process %d", election.ErrClosed, p.To)
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"AbsentPeer": "sending to process 4242, which does not exist, gave \"election: closed: " +
					"no process 4242\": that wraps election.ErrClosed, which ends the sender",
			},
		},
		"has room for a few packets to an absent peer": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if absent(&p, w) && few.Add(1) >= 20 {
					return w.gone()
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"AbsentPeer": "sending to process 0, which does not exist, gave \"election: closed: ",
			},
		},
		"waits for an absent peer": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if absent(&p, w) {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-w.net.stop:
						return nil
					}
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"AbsentPeer": "stuck: Send of process 1 to 4242 has not returned after 10s",
				"Goroutines": "stuck: Send of process 1 to 4242",
			},
		},
		"does not reach itself": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				if p.To == w.self {
					return errors.New("no way back")
				}
				return w.Send(ctx, p)
			}},
			want: map[string]string{
				"Self": "no way back (set Options.NoSelf where",
			},
		},
	}
}
