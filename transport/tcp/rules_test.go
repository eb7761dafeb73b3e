package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestFieldsInRange: the largest value of each field of a packet is read, and the one after it is refused.
func TestFieldsInRange(t *testing.T) {
	bits := map[int]int{atRound: 32, atKind: 8, atPort: 32, atFlags: 8, atLayer: 8}
	for i := range fields {
		size := bits[i]
		if size == 0 {
			size = 64
		}
		largest := ^uint64(0) >> (64 - size)
		var last vector
		for _, change := range []int64{int64(largest), 1} {
			last[atSeq] = 0
			b := binary.AppendVarint(binary.AppendUvarint(nil, 1<<i), change)
			if r := (reader{b: b}); i == atSeq {
				last[atSeq] = ^uint64(0) // it is expected to be one larger
				r.packet(&last)
				require.NoError(t, r.err)
			} else if r.packet(&last); change != 1 || size == 64 {
				require.NoError(t, r.err, "field %d", i)
			} else {
				require.ErrorContains(t, r.err, fmt.Sprintf("field %d does not change, or is out of range",
					i))
			}
		}
		if i != atSeq && size < 64 {
			require.Equal(t, largest, last[i])
		}
	}
}

// TestTexts: texts of the largest size are read, and reasons that are longer are cut.
func TestTexts(t *testing.T) {
	text := func(size int) []byte { return []byte(strings.Repeat("x", size)) }
	a := answer{refused, string(text(maxReason + 1))}
	r := reader{b: a.append(nil)}
	require.Equal(t, answer{refused, string(text(maxReason))}, r.answer())
	require.NoError(t, r.err)
	require.Len(t, r.b, r.at)

	c, g := wired(t, true)
	name := string(text(MaxName))
	b := appendAnnouncement(nil, name, 1<<63>>kindBits, text(MaxHello))
	require.LessOrEqual(t, len(b), maxFrame)
	used, err := c.frames(b)
	require.NoError(t, err)
	require.Len(t, b, used)
	require.Equal(t, map[string]announcement{name: {1 << 63 >> kindBits, text(MaxHello)}}, c.peer.theirs)
	_, err = c.frames(appendText(appendHead(nil, kindLeave, 0), name))
	require.NoError(t, err)
	require.Empty(t, c.peer.theirs)

	g.name = name
	g.greeting.Store(&greeting{hello: text(MaxHello)})
	l := g.to(2)
	l.announced, l.closing, l.reply = nil, true, &answer{refused, string(text(maxReason + 1))}
	c.peer.mark(l)
	b, _ = c.peer.collect(c, nil)
	require.LessOrEqual(t, len(b), maxFrame, "what a group writes at the same time")
	require.Len(t, c.left, 1)

	h := hello{from: 1<<64 - 1, to: 1<<64 - 1, name: name, incarnation: 1<<64 - 1, serial: 1<<64 - 1, last: 1<<64 - 1, renews: 1,
		answer: answer{refused, string(text(maxReason + 1))}, versions: spoken}
	got, err := readHello(strings.NewReader(string(h.append(nil))), spoken)
	require.NoError(t, err)
	h.answer.reason = h.answer.reason[:maxReason]
	require.Equal(t, h, got)
	whole := h.append(nil)
	for size := range whole {
		_, err := readHello(strings.NewReader(string(whole[:size])), spoken)
		require.ErrorIs(t, err, errHello)
		require.ErrorContains(t, err, "the connection was closed")
	}
}

// TestGate: a connection a second for each that may come in, a quarter of them for one host; and no more
// inside than that.
func TestGate(t *testing.T) {
	const often, many = "too many connections a second", "too many connections that have not said hello"
	g := newGate(4)
	for _, c := range []struct {
		at          time.Duration
		from, leave string
		want        string
	}{
		{at: 0, from: "a"}, {at: 0, from: "a", want: often}, {at: 1, from: "a", want: often},
		{at: 0, from: "b"}, {at: 0, from: "c"}, {at: 0, from: "d"}, {at: 0, from: "e", want: often},
		{at: 250 * time.Millisecond, from: "a", want: often},
		{at: 250*time.Millisecond - 1, from: "e", want: often},
		{at: 250 * time.Millisecond, from: "e", want: many},
		{at: time.Second, from: "b", leave: "a", want: many}, {at: time.Second, from: "a"},
		{at: time.Second, from: "e", leave: "b"}, {at: time.Second, from: "b", want: many},
	} {
		host := func(name string) string { return "[2001:db8:0:" + name + "::1]:7" }
		if c.leave != "" {
			g.leave(host(c.leave))
		}
		if err := g.enter(host(c.from), c.at); c.want == "" {
			require.NoError(t, err, "%v", c)
		} else {
			require.EqualError(t, err, c.want, "%v", c)
		}
	}
	for _, name := range []string{"a", "c", "d", "e"} {
		g.leave("[2001:db8:0:" + name + "::2]:8")
	}
	require.Zero(t, g.all.inside)
	require.NoError(t, g.enter("x", 2*time.Second), "what is no address is a host too")
	require.Len(t, g.hosts, 1, "hosts that may pass freely are forgotten")
	for most, want := range map[int]int{1: 1, 4: 1, 5: 2, 100: 25} {
		g := newGate(most)
		n := 0
		for g.enter("x", 0) == nil {
			n++
		}
		require.Equal(t, want, n, "%d", most)
	}
}

// TestHostOf: one host has one IPv4 address, or a network of IPv6.
func TestHostOf(t *testing.T) {
	for from, want := range map[string]string{"10.0.0.9:1": "10.0.0.9/32",
		"[::ffff:10.0.0.9]:2":      "10.0.0.9/32",
		"[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64",
		"pipe": "invalid Prefix", "10.0.0.9": "invalid Prefix"} {
		require.Equal(t, want, hostOf(from).String(), from)
	}
}

// TestDefaults: zero fields have the values that their comments name, and the largest values are accepted.
func TestDefaults(t *testing.T) {
	members := map[election.ID]string{1: "127.0.0.1:1"}
	c, err := Config{Self: 1, Members: members}.complete()
	require.NoError(t, err)
	require.Equal(t, []time.Duration{2 * time.Second, 500 * time.Millisecond, 0, time.Second, time.Hour},
		[]time.Duration{c.Delay, c.MaxAge, c.Linger, c.Timeout, c.MaxConnAge})
	require.Equal(t, []int{1024, 100, 4096, 64}, []int{c.Queue, c.MaxHandshakes, c.MaxGroups, c.MaxGuests})
	require.Equal(t, "1", c.called(1))
	c.Names = map[election.ID]string{1: "one"}
	require.Equal(t, "one", c.called(1))

	c, err = Config{Self: 1, Members: members, Queue: 1 << 24, MaxHandshakes: 1 << 20, MaxGroups: 1 << 24,
		Delay: 3}.complete()
	require.NoError(t, err)
	require.Equal(t, []time.Duration{1, 1}, []time.Duration{c.MaxAge, c.Timeout})
	require.Equal(t, []int{1 << 24, 1 << 20, 1 << 24}, []int{c.Queue, c.MaxHandshakes, c.MaxGroups})
	for _, c := range []Config{{Queue: 1<<24 + 1}, {MaxHandshakes: 1<<20 + 1}, {MaxHandshakes: -1}} {
		c.Self, c.Members = 1, members
		_, err = c.complete()
		require.ErrorIs(t, err, election.ErrInput)
	}
	members[1] = "127.0.0.1:2"
	require.Equal(t, "127.0.0.1:1", c.Members[1], "the caller may change its map")
}

// TestOneName: no two members have one name, also if one of them has it by default.
func TestOneName(t *testing.T) {
	for _, names := range []map[election.ID]string{{1: "a", 2: "a"}, {1: "2"}} {
		_, err := Config{Self: 1, Members: map[election.ID]string{1: "127.0.0.1:1", 2: "127.0.0.1:2"},
			Names: names}.complete()
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, "is the name of process 1 and of process 2")
	}
}

// TestStarConfig: the limit of handshakes grows with the processes that this one connects to, which are members only
// for an observer. A process is either a member or an observer.
func TestStarConfig(t *testing.T) {
	c := Config{Self: 1, Members: map[election.ID]string{}, Observers: map[election.ID]string{}}
	for id := range election.ID(31) {
		c.Members[id+1] = fmt.Sprintf("127.0.0.1:%d", id+1)
		c.Observers[id+101] = fmt.Sprintf("127.0.0.1:%d", id+101)
	}
	for self, want := range map[election.ID]int{1: 100 + 4*(30+31), 101: 100 + 4*31} {
		c.Self = self
		whole, err := c.complete()
		require.NoError(t, err)
		require.Equal(t, want, whole.MaxHandshakes)
		require.Equal(t, fmt.Sprintf("127.0.0.1:%d", self), whole.address())
		require.GreaterOrEqual(t, want/4, len(whole.peers()), "all of them start at once on one host")
	}
	c.Self = 200
	_, err := c.complete()
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "self: process 200 is no member")
	c.Self, c.Observers[7] = 1, "127.0.0.1:700"
	_, err = c.complete()
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "observers: process 7 is a member")
	delete(c.Observers, 7)
	c.Observers[8+100] = c.Members[1]
	_, err = c.complete()
	require.ErrorContains(t, err, "have the same address 127.0.0.1:1")
}

// TestAgain: another connection is opened after 100 ms, then after 400 and 800 ms more, as long as none has an answer.
// The first that stands is kept, those that come later are closed. An error ends the attempt if no other one is left.
func TestAgain(t *testing.T) {
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		take  []time.Duration // how long each takes; 0: refused
		after time.Duration
		kept  int // -1: none
	}{
		"at once":        {[]time.Duration{1}, 1, 0},
		"refused":        {[]time.Duration{0}, 0, -1},
		"lost":           {[]time.Duration{time.Hour, 1}, firstAgain + 1, 1},
		"lost twice":     {[]time.Duration{time.Hour, time.Hour, 1}, 5*firstAgain + 1, 2},
		"slow":           {[]time.Duration{3 * firstAgain, 3 * firstAgain}, 3 * firstAgain, 0},
		"refused, later": {[]time.Duration{3 * firstAgain, 0}, 3 * firstAgain, 0},
		"lost for good":  {[]time.Duration{time.Hour, time.Hour, time.Hour}, time.Second, -1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var mu sync.Mutex
			var all []*lingerer
			began := time.Now()
			nc, err := again(ctx, func(ctx context.Context) (net.Conn, error) {
				mu.Lock()
				l, took := &lingerer{}, c.take[len(all)]
				all = append(all, l)
				mu.Unlock()
				switch took {
				case 0:
					return nil, refused
				case time.Hour:
					<-ctx.Done()
					return nil, ctx.Err()
				}
				time.Sleep(took) // it does not notice the end of ctx in time
				return l, nil
			})
			require.Equal(t, c.kept >= 0, err == nil, name)
			took := time.Since(began)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Len(t, all, len(c.take), name)
			if c.kept >= 0 {
				require.Equal(t, c.after, took, name)
				require.Same(t, all[c.kept], nc, name)
			}
			for i, l := range all {
				want := 0
				if took := c.take[i]; i != c.kept && took > 0 && took < time.Hour {
					want = 1
				}
				require.Equal(t, want, l.closed, "%s: %d", name, i)
			}
		})
	}
}

// TestAge: a connection is replaced in the last eighth of MaxConnAge, and when seven eighths of the time
// are over for which the certificates are valid.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := wired(t, true)
		c.net.config.MaxConnAge = 80
		var seen []time.Duration
		for range 1000 {
			seen = append(seen, c.age())
		}
		slices.Sort(seen)
		require.Equal(t, []time.Duration{70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80}, slices.Compact(seen))
		c.net.config.MaxConnAge = 1
		require.EqualValues(t, 1, c.age())
		c.net.config.MaxConnAge = time.Hour
		c.in.renew = time.Now().Add(16 * time.Second)
		require.Equal(t, 14*time.Second, c.age())
		c.in.renew = time.Now().Add(24 * time.Hour)
		require.LessOrEqual(t, c.age(), time.Hour)
	})
}

// TestPing: what is written is followed by a ping, at most one in half a Timeout, and none before the
// last one was answered. The last write before a pause is asked after when half a Timeout is over.
func TestPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := wired(t, true)
		half := c.net.config.Timeout / 2
		time.Sleep(time.Hour)
		pinged := func(written string, due bool) bool {
			t.Helper()
			switch b := string(c.ping([]byte(written), written != "", due)); b {
			case written:
				return false
			case written + string([]byte{kindPing}):
				return true
			default:
				t.Fatalf("%q", b)
				return false
			}
		}
		require.False(t, pinged("", false))
		require.False(t, pinged("", true), "nothing was written after a ping")
		require.True(t, pinged("x", false))
		require.False(t, c.loose)
		time.Sleep(half)
		require.False(t, pinged("x", false), "the last one has no answer")
		require.True(t, c.loose)
		c.pong()
		require.False(t, pinged("", false), "nothing to write, and it is not due")
		require.True(t, pinged("", true))
		require.False(t, c.loose)
		c.pong()
		time.Sleep(half - 1)
		require.False(t, pinged("x", false), "too soon")
		require.True(t, c.loose)
		time.Sleep(time.Nanosecond)
		require.True(t, pinged("x", false))
	})
}

// TestSilentPeer: a peer that does not answer a ping for a Timeout is given up.
func TestSilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, answers := range []bool{false, true} {
			c, _ := wired(t, true)
			time.Sleep(time.Second)
			c.ping([]byte("x"), true, false)
			if answers {
				c.pong()
				ended := time.AfterFunc(time.Hour, func() { c.close(errEnded) })
				defer ended.Stop()
			}
			began := time.Now()
			require.Error(t, c.read())
			if took := time.Since(began); answers {
				require.Equal(t, time.Hour, took)
			} else {
				require.Equal(t, time.Second, took)
			}
		}
	})
}

// lingerer is a connection that notes how it is closed.
type lingerer struct {
	net.Conn
	linger, closed int
}

func (l *lingerer) SetLinger(seconds int) error { l.linger = seconds; return nil }
func (l *lingerer) Close() error                { l.closed++; return nil }

// TestCloseReason: the first reason for which a connection ends counts. What has not arrived yet is
// taken back, unless the peer has closed the connection after it read all.
func TestCloseReason(t *testing.T) {
	for reason, want := range map[error]int{errSilent: 0, errGone: -1} {
		c, _ := wired(t, true)
		l := &lingerer{linger: -1}
		c.in.raw.Conn, c.out = l, wire{}
		c.close(reason)
		c.close(errEnded)
		<-c.done
		require.Equal(t, reason, c.reason())
		require.Equal(t, 1, l.closed)
		require.Equal(t, want, l.linger)
	}
}

// TestFirst: a trouble is logged once a minute, and of those of one minute some hundred are.
func TestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := wired(t, true)
		n := c.net
		require.True(t, n.first("a"))
		require.True(t, n.first("b"))
		time.Sleep(time.Minute - 1)
		require.False(t, n.first("a"))
		time.Sleep(time.Nanosecond)
		require.True(t, n.first("a"))
		require.Len(t, n.said, 1, "those of a minute ago are forgotten")
		for i := range 499 {
			require.True(t, n.first(fmt.Sprint(i)))
		}
		require.False(t, n.first("b"), "too many")
		time.Sleep(time.Minute)
		require.True(t, n.first("b"))
	})
}

// TestRefusalsAreLogged: that a peer is refused is logged once for each group, and again if it was admitted
// meanwhile.
func TestRefusalsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := wired(t, true)
		n, other := c.net, newGroup(c.net, "other", 2, GroupConfig{})
		var log strings.Builder
		n.log = slog.New(slog.NewTextHandler(&log, nil))
		logged := func(g *Group) int {
			n.refuseGroup(g, 2, errFrame, []byte("theirs"))
			defer log.Reset()
			return strings.Count(log.String(), "a peer is refused")
		}
		require.Equal(t, []int{1, 0, 1, 0}, []int{logged(g), logged(g), logged(other), logged(g)})
		n.admitGroup(g, 2)
		require.Equal(t, []int{0, 1, 0}, []int{logged(other), logged(g), logged(g)})
		require.EqualValues(t, 7, n.stats.refused.Load())
	})
}

// TestRest: the next attempt to connect comes after the pause, or an eighth of it if something is to be sent, but never
// sooner than 5 ms after the last.
func TestRest(t *testing.T) {
	const pause = 800 * time.Millisecond
	for name, c := range map[string]struct {
		happens func(p *peer)
		want    time.Duration
	}{
		"nothing":    {func(*peer) {}, pause},
		"sent":       {func(p *peer) { signal(p.wanted) }, pause / 8},
		"sent later": {func(p *peer) { time.AfterFunc(pause/2, func() { signal(p.wanted) }) }, pause / 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			conn, _ := wired(t, true)
			p := conn.peer
			p.wanted = make(chan struct{}, 1)
			time.Sleep(time.Second)
			p.began = p.net.now()
			began := time.Now()
			c.happens(p)
			require.True(t, p.rest(t.Context(), pause))
			require.Equal(t, c.want, time.Since(began), name)
			p.began = p.net.now()
			signal(p.wanted)
			began = time.Now()
			require.True(t, p.rest(t.Context(), leastPause/2))
			require.Equal(t, leastPause, time.Since(began))
			for _, most := range []time.Duration{0, 1, pause / 16, pause / 2} {
				p.began, p.wanted = p.net.now(), make(chan struct{}, 1)
				ctx, cancel := context.WithTimeout(t.Context(), most)
				require.False(t, p.rest(ctx, pause), "none after %v", most)
				cancel()
			}
		})
	}
}

// TestKindOf: two troubles are the same if they differ in their ports only.
func TestKindOf(t *testing.T) {
	refused := errors.New("refused")
	require.Equal(t, "dial refused", kindOf(fmt.Errorf("x: %w", &net.OpError{Op: "dial", Err: refused,
		Source: &net.TCPAddr{Port: 7}})))
	require.Equal(t, "refused", kindOf(refused))
}

// TestPausesGrow: the pauses between two attempts to connect double from 10 ms to a second. Each takes
// at least half of that.
func TestPausesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := wired(t, true)
		p := conn.peer
		p.lost(conn)
		p.wanted = make(chan struct{}, 1)
		var tries []time.Duration
		p.net.config.Dial = func(context.Context, string) (net.Conn, error) {
			tries = append(tries, p.net.now())
			return nil, errors.New("absent")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		p.run(ctx)
		require.Greater(t, len(tries), 10)
		most := 10 * time.Millisecond
		for i, at := range tries[1:] {
			require.LessOrEqual(t, at-tries[i], most, "%d", i)
			require.GreaterOrEqual(t, at-tries[i], max(most/2, leastPause), "%d", i)
			most = min(2*most, time.Second)
		}
	})
}

// TestPorts: the port of a peer is one that can be dialled; that of this process may be zero, and any may
// have a name.
func TestPorts(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:0":           "members[2]: address 127.0.0.1:0: no other member can connect to port 0",
		"127.0.0.1:":            "members[2]: address 127.0.0.1:: no other member can connect to port 0",
		"127.0.0.1:65536":       "members[2]: address 127.0.0.1:65536: address 65536: invalid port",
		"127.0.0.1:-1":          "members[2]: address 127.0.0.1:-1: address -1: invalid port",
		"127.0.0.1:no-such-one": "members[2]: address 127.0.0.1:no-such-one: lookup tcp/no-such-one",
		"127.0.0.1:65535":       "", "127.0.0.1:1": "", "127.0.0.1:https": "",
	} {
		_, err := Config{Self: 1, Members: map[election.ID]string{1: "127.0.0.1:0", 2: addr}}.complete()
		if want == "" {
			require.NoError(t, err, addr)
			continue
		}
		require.ErrorIs(t, err, election.ErrInput, addr)
		require.ErrorContains(t, err, want)
	}
	_, err := Config{Self: 1, Members: map[election.ID]string{1: "127.0.0.1:70000"}}.complete()
	require.ErrorContains(t, err, "members[1]: address 127.0.0.1:70000: address 70000: invalid port")
}

// TestAbsentPeer: what waits for a peer that is not there is dropped when it is too old to be written, not only when
// the queue is full.
func TestAbsentPeer(t *testing.T) {
	c, _ := wired(t, true)
	n := c.net
	n.config.Queue = 1024
	g := newGroup(n, "h", 2, GroupConfig{})
	l := g.to(2)
	for now := range 1000 * time.Second / (100 * time.Millisecond) {
		l.put(&election.Packet{}, now*100*time.Millisecond)
	}
	require.LessOrEqual(t, len(l.queue.items), 16)
	require.Positive(t, n.stats.expired.Load())
	require.Zero(t, n.stats.dropped.Load())
}
