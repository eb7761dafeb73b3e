package transporttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// bus is a transport.Pusher as a user may write it: one lock, a queue for every process.
type bus struct {
	mu      sync.Mutex
	ends    map[election.ID]*stop
	changed chan struct{} // closed whenever anything changes
	mistake string
}

// stop is the place where one process waits.
type stop struct {
	*bus
	self    election.ID
	queue   []election.Packet
	deliver func(election.Packet, error) bool
	closed  bool
	watches []func(election.ID, bool)
	hello   []byte
	accept  func(election.ID, []byte) error
	heard   map[election.ID]string // the last hello of each peer
	refused map[election.ID]bool
}

func newBus(ids []election.ID, mistake string) *bus {
	b := &bus{ends: make(map[election.ID]*stop), changed: make(chan struct{}), mistake: mistake}
	for _, id := range ids {
		b.add(id)
	}
	return b
}

func (b *bus) add(id election.ID) *stop {
	b.ends[id] = &stop{bus: b, self: id, heard: make(map[election.ID]string),
		refused: make(map[election.ID]bool)}
	return b.ends[id]
}

func (b *bus) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (s *stop) gone() error { return fmt.Errorf("%w: process %d", election.ErrClosed, s.self) }

func (s *stop) Send(ctx context.Context, p election.Packet) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch to := s.ends[p.To]; {
	case s.closed:
		return s.gone()
	case ctx.Err() != nil:
		return ctx.Err()
	case to != nil && !to.closed && to.greeted(s):
		p.From = s.self
		taken := to.deliver != nil && to.deliver(p, nil)
		if !taken && !(to.deliver != nil && s.mistake == "refused") {
			to.queue = append(to.queue, p)
		}
		s.change()
	}
	return nil
}

// greeted tells a process the hello of another one that sends it a packet, and reports whether the packet may
// pass.
func (s *stop) greeted(from *stop) bool {
	if s.accept == nil || from.accept == nil || s == from {
		return true
	}
	if s.mistake == "late hello" {
		time.AfterFunc(time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hear(from)
		})
		return true
	}
	s.hear(from)
	switch s.mistake {
	case "accepts all":
		return true
	case "accepts answers":
		return !s.refused[from.self]
	}
	return !s.refused[from.self] && !from.refused[s.self]
}

// hear judges the hello of a peer if it is new.
func (s *stop) hear(from *stop) {
	hello := string(from.hello)
	if last, ok := s.heard[from.self]; ok && (last == hello || s.mistake == "one hello") {
		return
	}
	s.heard[from.self] = hello
	s.refused[from.self] = s.accept(from.self, []byte(hello)) != nil
}

// Greet makes the bus a transport.Greeter.
func (s *stop) Greet(hello []byte, accept func(election.ID, []byte) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && s.mistake != "closed" {
		return s.gone()
	}
	if s.mistake != "slice" {
		hello = slices.Clone(hello)
	}
	s.hello = hello
	if accept != nil || s.mistake == "function" {
		s.accept = accept
	}
	if s.mistake != "grudge" {
		clear(s.heard)
		clear(s.refused)
	}
	return nil
}

// wait calls try until it returns true, an error, or ctx ends.
func (s *stop) wait(ctx context.Context, try func() bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return s.gone()
		case ctx.Err() != nil:
			return ctx.Err()
		case try():
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
}

func (s *stop) Recv(ctx context.Context) (p election.Packet, err error) {
	err = s.wait(ctx, func() bool {
		if s.deliver != nil || len(s.queue) == 0 {
			return false
		}
		p, s.queue = s.queue[0], s.queue[1:]
		return true
	})
	return p, err
}

func (s *stop) Push(ctx context.Context, deliver func(election.Packet, error) bool) (
	release func([]election.Packet), err error) {
	err = s.wait(ctx, func() bool {
		if s.deliver != nil {
			return false
		}
		if s.mistake != "backlog" {
			if s.mistake == "backwards" {
				slices.Reverse(s.queue)
			}
			s.queue = slices.DeleteFunc(s.queue, func(p election.Packet) bool { return deliver(p, nil) })
		}
		s.deliver = deliver
		return true
	})
	return func(unread []election.Packet) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed && s.mistake == "release" {
			panic("released too late")
		}
		switch s.deliver = nil; s.mistake {
		case "unread":
		case "order":
			s.queue = append(s.queue, unread...)
		default:
			s.queue = append(slices.Clone(unread), s.queue...)
		}
		s.change()
	}, err
}

// WatchPeers makes the bus a transport.Watcher.
func (s *stop) WatchPeers(f func(election.ID, bool)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, end := range s.ends {
		switch {
		case id == s.self, end.closed, len(s.watches) > 0 && s.mistake == "late":
		case s.mistake == "down":
			f(id, false)
			f(id, true)
		default:
			f(id, true)
		}
	}
	at := len(s.watches)
	s.watches = append(s.watches, f)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch s.mistake {
		case "goes on":
		case "goes on for a while":
			s.watches[at] = func(id election.ID, up bool) {
				time.AfterFunc(10*time.Millisecond, func() { f(id, up) })
			}
		default:
			s.watches[at] = func(election.ID, bool) {}
		}
	}
}

// watched calls all watchers of a process other than their own.
func (b *bus) watched(id election.ID, up bool) {
	for _, end := range b.ends {
		for _, f := range end.watches {
			switch {
			case end.self == id || b.mistake == "silent" || up && b.mistake == "once":
			case b.mistake == "twice":
				f(id, up)
				f(id, up)
			default:
				f(id, up)
			}
		}
	}
}

// reopen makes a process recover.
func (b *bus) reopen(id election.ID) election.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(id)
	b.watched(id, true)
	return b.ends[id]
}

func (s *stop) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.watched(s.self, false)
	if s.deliver != nil && s.mistake != "close" {
		err := s.gone()
		if s.mistake == "reason" {
			err = errNoWay
		}
		s.deliver(election.Packet{}, err)
	}
	s.change()
	return nil
}

func (b *bus) open(ids []election.ID) (ends []election.Transport) {
	for _, id := range ids {
		ends = append(ends, b.ends[id])
	}
	return ends
}

// TestPusher: processes run over a transport that pushes, and it keeps all of its guarantees.
func TestPusher(t *testing.T) {
	var b *bus
	Test(t, func(_ testing.TB, ids []election.ID) []election.Transport {
		b = newBus(ids, "")
		return b.open(ids)
	}, Options{Virtual: true, burst: 5000, Reopen: func(_ testing.TB, id election.ID) election.Transport {
		return b.reopen(id)
	}})
}

// TestBrokenPushers: each mistake is found, and said.
func TestBrokenPushers(t *testing.T) {
	for mistake, said := range map[string]string{
		"backlog":   "packets are lost: Push delivers fewer packets than were sent before and after it",
		"refused":   "Recv after release of what was unread, or refused, has not returned",
		"unread":    "Recv after release of what was unread",
		"order":     "received after release: packet 21 arrives where 19 is due",
		"backwards": "while pushing: packet 10 arrives where 1 is due",
		"release":   "release after Close: stuck: panic: released too late",
		"reason": "deliver, when the transport is closed, returned \"no way\", which does not wrap " +
			"election.ErrClosed",
		"close": "deliver, which is to be called when the transport is closed, has not returned",
	} {
		t.Run(mistake, func(t *testing.T) { isFound(t, mistake, "Push", said) })
	}
}

// TestBrokenWatchers: the suite also detects faulty Watchers.
func TestBrokenWatchers(t *testing.T) {
	for mistake, said := range map[string]string{
		"late":                "called when all are up, WatchPeers of process 1 says of processes [",
		"down":                " is said to be up = false, as it was before",
		"goes on for a while": "WatchPeers of process 1 calls f after its stop was called",
		"silent":              "after process 1 of the list was closed WatchPeers of process 1 says",
		"once":                "after process 1 of the list has come back WatchPeers of process 1 says",
		"twice":               "process 9223372036854775815 is said to be up = false, as it was before",
		"goes on":             "WatchPeers of process 1 calls f after its stop was called",
	} {
		t.Run(mistake, func(t *testing.T) { isFound(t, mistake, "Watch", said) })
	}
}

// TestBrokenGreeters: and faulty Greeters.
func TestBrokenGreeters(t *testing.T) {
	for mistake, said := range map[string]string{
		"late hello": "at first a packet from process 1 to process 9223372036854775815 arrives before hello " +
			"\"I am 0\": the last one was \"\"",
		"one hello": "after one has changed its hello, a packet from process 1 to process 9223372036854775815 " +
			"arrives before hello \"another hello\": the last one was \"I am 0\"",
		"slice":       "arrives before hello \"I am 0\": the last one was \"\\x00",
		"function":    "arrives before hello \"another hello\": the last one was \"I am 0\"",
		"accepts all": "which has refused the hello before it",
		"accepts answers": "a packet from process 9223372036854775815 to process 1 arrives while process " +
			"9223372036854775815 refuses the other",
		"grudge": "packets are lost: after the process that has refused has changed its hello, no packet",
		"closed": "Greet after Close returned no error",
	} {
		t.Run(mistake, func(t *testing.T) { isFound(t, mistake, "Hello", said) })
	}
}

// TestLookout: a Watcher calls once for each change, one call after another; the first mistake is kept.
func TestLookout(t *testing.T) {
	type call struct {
		id election.ID
		up bool
	}
	for want, calls := range map[string][]call{
		"": {{1, true}, {2, true}, {1, false}, {1, true}},
		"process 1 is said to be up = true, as it was before":  {{1, true}, {1, true}, {2, false}},
		"process 2 is said to be up = false, as it was before": {{1, true}, {2, false}, {1, true}},
		"process 3 is said to be up = false, as it was before": {{3, true}, {3, false}, {3, false}},
	} {
		l := &lookout{n: &network{news: make(chan struct{}, 1)}, up: make(map[election.ID]bool)}
		for _, c := range calls {
			l.see(c.id, c.up)
		}
		if want == "" {
			require.NoError(t, l.err)
		} else {
			require.EqualError(t, l.err, want)
		}
	}
	l := &lookout{n: &network{news: make(chan struct{}, 1)}, up: make(map[election.ID]bool)}
	l.see(1, true)
	require.NoError(t, l.err)
	l.busy.Store(true)
	l.see(2, true)
	require.EqualError(t, l.err, "two calls of f overlap")
}

// TestPushed: what Push sends and receives, over transports that push; and what Watch does with them.
func TestPushed(t *testing.T) {
	for name, want := range map[string][3]int{"Push": {21, 3, 5}, "Watch": {0, 0, 6}} {
		synctest.Test(t, func(t *testing.T) {
			var calls [3]int
			counted := func(s *stop) election.Transport { return &countedStop{s, &calls} }
			var b *bus
			i := slices.IndexFunc(properties(), func(p property) bool { return p.name == name })
			try(t, properties()[i], func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
				b = newBus(ids, "")
				for _, id := range ids {
					ends = append(ends, counted(b.ends[id]))
				}
				return ends
			}, Options{Reopen: func(_ testing.TB, id election.ID) election.Transport {
				return counted(b.reopen(id).(*stop))
			}})
			require.Equal(t, want, calls, "%s: Send, Recv, Close", name)
		})
	}
}

// countedStop counts the calls of Send, Recv and Close.
type countedStop struct {
	*stop
	calls *[3]int
}

func (s *countedStop) Send(ctx context.Context, p election.Packet) error {
	s.calls[0]++
	return s.stop.Send(ctx, p)
}

func (s *countedStop) Recv(ctx context.Context) (election.Packet, error) {
	s.calls[1]++
	return s.stop.Recv(ctx)
}

func (s *countedStop) Close() error {
	s.mu.Lock()
	s.calls[2]++
	s.mu.Unlock()
	return s.stop.Close()
}

// isFound tries one property of a bus that makes a mistake.
func isFound(t *testing.T, mistake, name, said string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{TB: t}
		all := properties()
		i := slices.IndexFunc(all, func(p property) bool { return p.name == name })
		var b *bus
		try(r, all[i], func(_ testing.TB, ids []election.ID) []election.Transport {
			b = newBus(ids, mistake)
			return b.open(ids)
		}, Options{burst: 5000, Reopen: func(_ testing.TB,
			id election.ID) election.Transport {
			return b.reopen(id)
		}})
		require.Len(t, r.said, 1)
		require.Contains(t, r.said[0], said)
	})
}
