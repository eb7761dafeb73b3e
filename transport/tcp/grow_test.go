package tcp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/transporttest"
)

// idOf returns the ID of a name, for Config.ID.
func idOf(name string) election.ID {
	id, _ := strconv.ParseUint(name, 10, 64)
	return election.ID(id)
}

// alone returns the configuration of a process whose list contains only itself and the others.
func (h *hub) alone(self election.ID, others ...election.ID) tcp.Config {
	c := tcp.Config{Self: self, Members: map[election.ID]string{self: at(self)}, Listener: h.Listen(at(self)),
		Dial: h.Dial, ID: idOf}
	for _, id := range others {
		c.Members[id] = at(id)
	}
	return c
}

// secure adds TLS to a configuration if ca is not nil.
func secure(tb testing.TB, ca *authority, c tcp.Config) tcp.Config {
	if ca != nil {
		c.TLS = ca.of(tb, c.Self)
	}
	return c
}

// both runs a test without TLS and with it.
func both(t *testing.T, f func(t *testing.T, h *hub, ca *authority)) {
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", encrypted), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ca *authority
				if encrypted {
					own := newAuthority(t)
					ca = &own
				}
				f(t, new(hub), ca)
			})
		})
	}
}

// TestConformanceGrown: groups whose networks have begun alone, and that have greeted, meet the requirements.
func TestConformanceGrown(t *testing.T) {
	var s *suite
	start := func(tb testing.TB, c tcp.Config) (*tcp.Network, *tcp.Group) {
		all := c.Members
		c.Members, c.ID = map[election.ID]string{c.Self: all[c.Self]}, idOf
		c.MaxAge, c.Timeout = time.Minute, time.Minute
		n := open(tb, c)
		g := group(tb, n, tcp.GroupConfig{Hello: []byte("old"), Accept: func(election.ID, []byte) error {
			return errors.New("not greeted yet")
		}})
		for id, address := range all {
			require.NoError(tb, g.SetAddress(id, fmt.Sprint(id), address))
		}
		require.NoError(tb, g.Greet([]byte("new"), func(_ election.ID, hello []byte) error {
			if string(hello) == "old" {
				return errors.New("old")
			}
			return nil
		}))
		return n, g
	}
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		s = new(suite)
		for _, c := range s.members(tb, ids...) {
			n, g := start(tb, c)
			ends = append(ends, member{g, n})
		}
		for _, end := range ends {
			awaitUp(tb, end.(member).Group, len(ids)-1)
		}
		return ends
	}, transporttest.Options{Capacity: 1024, Virtual: !*sockets,
		Reopen: func(tb testing.TB, id election.ID) election.Transport {
			n, g := start(tb, s.again(id))
			return member{g, n}
		}})
}

// TestGreetUnderTraffic: hellos change while packets flow. No packet is lost, no watcher sees a change, and packets
// cost as few bytes as before. The last hello is known in the end, also if it is as large as one may be.
func TestGreetUnderTraffic(t *testing.T) {
	both(t, func(t *testing.T, h *hub, ca *authority) {
		var nets []*tcp.Network
		var groups []*tcp.Group
		var heard [2]atomic.Pointer[string]
		for i, id := range []election.ID{1, 2} {
			n := open(t, secure(t, ca, h.alone(id, 3-id)))
			nets = append(nets, n)
			groups = append(groups, group(t, n, tcp.GroupConfig{Accept: func(_ election.ID, hello []byte) error {
				text := string(hello)
				heard[i].Store(&text)
				return nil
			}}))
		}
		awaitUp(t, groups[0], 1)
		awaitUp(t, groups[1], 1)
		for _, g := range groups {
			ups := 0
			defer g.WatchPeers(func(_ election.ID, up bool) {
				if ups++; ups > 1 {
					t.Errorf("the peer is reported as up = %t", up)
				}
			})()
		}
		large := strings.Repeat("x", tcp.MaxHello-1)
		sends(t, groups[0], 2, 0)
		receives(t, groups[1], 1, 0)
		synctest.Wait()
		before := nets[0].Stats()
		for round := uint64(1); round <= 100; round++ {
			for i, g := range groups {
				if round <= 50 {
					require.NoError(t, g.Greet(fmt.Appendf(nil, "%d%s", round%10, large[:round*round*round%tcp.MaxHello]), nil))
				}
				for range 3 {
					sends(t, g, election.ID(2-i), round)
				}
				for range 3 {
					receives(t, groups[1-i], election.ID(i+1), round)
				}
			}
			if round == 50 {
				for i, g := range groups {
					require.NoError(t, g.Greet(fmt.Appendf(nil, "%d%s", i, large), nil))
				}
				time.Sleep(5 * time.Second)
				synctest.Wait()
				require.Equal(t, fmt.Sprint(1, large), *heard[0].Load())
				require.Equal(t, fmt.Sprint(0, large), *heard[1].Load())
				before = nets[0].Stats()
			}
		}
		now := nets[0].Stats()
		require.Less(t, now.BytesSent-before.BytesSent, uint64(50*3*(5+40)), "packets are coded by their changes")
		require.Zero(t, now.Dropped+now.Expired+nets[1].Stats().Dropped+nets[1].Stats().Expired)
		require.EqualValues(t, now.PacketsSent, nets[1].Stats().PacketsReceived)
		require.EqualValues(t, 0, now.Refused)
	})
}

// TestRefusedThenAccepted: packets that were on their way when a hello was refused are dropped, and packets that are
// sent after both accept each other again are decoded right.
func TestRefusedThenAccepted(t *testing.T) {
	both(t, func(t *testing.T, h *hub, ca *authority) {
		accept := func(_ election.ID, hello []byte) error {
			if string(hello) == "no" {
				return errors.New("refused")
			}
			return nil
		}
		var groups []*tcp.Group
		for _, id := range []election.ID{1, 2} {
			groups = append(groups, group(t, open(t, secure(t, ca, h.alone(id, 3-id))), tcp.GroupConfig{Accept: accept}))
		}
		awaitUp(t, groups[0], 1)
		awaitUp(t, groups[1], 1)
		for round := range uint64(20) {
			require.NoError(t, groups[0].Greet([]byte("no"), nil))
			for range 10 {
				sends(t, groups[0], 2, 1000+round) // the peer has not refused it yet
			}
			synctest.Wait()
			for range 10 {
				sends(t, groups[1], 1, 2000+round)
			}
			time.Sleep(time.Second) // what waits is too old then
			require.NoError(t, groups[0].Greet([]byte("yes"), nil))
			sends(t, groups[0], 2, round)
			sends(t, groups[1], 1, round)
			receives(t, groups[1], 1, round)
			receives(t, groups[0], 2, round)
		}
	})
}

// TestGreetWhileAcceptWaits: Greet and SetAddress return while a call of Accept waits, so a program may hold a lock
// while it calls them that its Accept takes, too.
func TestGreetWhileAcceptWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		var mu sync.Mutex
		waits := make(chan bool, 10)
		g := group(t, open(t, h.alone(1, 2)), tcp.GroupConfig{Accept: func(election.ID, []byte) error {
			waits <- true
			mu.Lock()
			defer mu.Unlock()
			return nil
		}})
		mu.Lock()
		group(t, open(t, h.alone(2, 1)), tcp.GroupConfig{})
		<-waits
		require.NoError(t, g.Greet([]byte("new"), nil))
		require.NoError(t, g.SetAddress(2, "2", at(2)))
		require.NoError(t, g.SetAddress(3, "3", at(3)))
		mu.Unlock()
		synctest.Wait()
	})
}

// TestGrow: a process that nobody knows connects as a guest. When a group names it, all groups of the network reach
// it; and it them, as packets flow all the time.
func TestGrow(t *testing.T) {
	both(t, func(t *testing.T, h *hub, ca *authority) {
		n1, n2 := open(t, secure(t, ca, h.alone(1, 2))), open(t, secure(t, ca, h.alone(2, 1)))
		g1, g2 := group(t, n1, tcp.GroupConfig{}), group(t, n2, tcp.GroupConfig{})
		other, err := n1.Group("other", tcp.GroupConfig{})
		require.NoError(t, err)
		awaitUp(t, g1, 1)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() {
			for v := uint64(0); ctx.Err() == nil; v++ {
				_ = g1.Send(ctx, election.Packet{To: 2, Msg: election.Message{Kind: 1, Value: v}})
				time.Sleep(time.Millisecond)
			}
		})
		running.Go(func() {
			for want := uint64(0); ; want++ {
				p, err := g2.Recv(ctx)
				if err != nil {
					return
				}
				if p.From == 1 && p.Msg.Value != want {
					t.Errorf("packet %d instead of %d", p.Msg.Value, want)
					return
				}
				if p.From != 1 {
					want--
				}
			}
		})
		require.ErrorIs(t, g1.Send(ctx, election.Packet{To: 3}), election.ErrInput)
		n3 := open(t, secure(t, ca, h.alone(3, 1, 2)))
		g3 := group(t, n3, tcp.GroupConfig{})
		awaitUp(t, g3, 2)
		awaitUp(t, g1, 2)
		name, ok := n1.Name(3)
		require.True(t, ok)
		require.Equal(t, "3", name)
		sends(t, g3, 1, 5)
		receives(t, g1, 3, 5)
		sends(t, g1, 3, 6) // to a guest
		receives(t, g3, 1, 6)
		require.ErrorIs(t, other.Send(ctx, election.Packet{To: 3}), election.ErrInput)
		require.NoError(t, g1.SetAddress(3, "3", at(3)))
		sends(t, other, 3, 7)
		late, err := n3.Group("other", tcp.GroupConfig{})
		require.NoError(t, err)
		receives(t, late, 1, 7)
		require.Zero(t, n1.Stats().Refused)
	})
}

// TestDialled: a peer that a group has named is dialled, until the group withdraws the address, or is closed. When the
// address changes, the next connection is made to the new one.
func TestDialled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		var mu sync.Mutex
		tried := map[string]int{}
		count := func(address string) (n int) {
			mu.Lock()
			defer mu.Unlock()
			n = tried[address]
			tried[address] = 0
			return n
		}
		c := h.alone(1)
		c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			mu.Lock()
			tried[address]++
			mu.Unlock()
			return h.Dial(ctx, address)
		}
		n := open(t, c)
		g := group(t, n, tcp.GroupConfig{})
		second, err := n.Group("second", tcp.GroupConfig{})
		require.NoError(t, err)
		require.NoError(t, g.SetAddress(2, "2", ""))
		require.NoError(t, g.Send(t.Context(), election.Packet{To: 2}))
		time.Sleep(time.Minute)
		require.Empty(t, tried)
		require.NoError(t, g.SetAddress(2, "2", at(2)))
		require.NoError(t, second.SetAddress(2, "2", at(2)))
		time.Sleep(10 * time.Second)
		require.Greater(t, count(at(2)), 5)
		require.NoError(t, g.SetAddress(2, "2", ""))
		time.Sleep(10 * time.Second)
		require.Greater(t, count(at(2)), 5, "another group has its address")

		peer := h.alone(2)
		peer.Members[1], peer.Dial = at(1), noWayOut
		n2 := open(t, peer)
		g2 := group(t, n2, tcp.GroupConfig{})
		awaitUp(t, g, 1)
		require.NoError(t, second.SetAddress(2, "2", at(9))) // the connection stays
		time.Sleep(10 * time.Second)
		count(at(2))
		sends(t, g, 2, 1)
		receives(t, g2, 1, 1)
		require.NoError(t, n2.Close())
		peer.Listener = h.Listen(at(9))
		n3 := open(t, peer)
		g2 = group(t, n3, tcp.GroupConfig{})
		began := time.Now()
		awaitUp(t, g2, 1)
		require.Less(t, time.Since(began), 2*time.Second)
		awaitUp(t, g, 1)
		require.Zero(t, count(at(2)))

		require.NoError(t, second.Close())
		time.Sleep(time.Second)
		sends(t, g, 2, 2) // that group has no address any more, and the connection stays
		receives(t, g2, 1, 2)
		count(at(9))
		time.Sleep(2 * time.Hour)
		require.Zero(t, count(at(9))+count(""), "it is not renewed either")
		require.NoError(t, n3.Close())
		time.Sleep(time.Minute)
		require.Zero(t, count(at(9))+count(at(2)))
	})
}

// TestAddressesRefused: what SetAddress refuses changes nothing.
func TestAddressesRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		n := open(t, h.alone(1, 2))
		g := group(t, n, tcp.GroupConfig{})
		require.NoError(t, g.SetAddress(1, "1", at(5)))
		for _, c := range []struct {
			id            election.ID
			name, address string
			want          string
		}{
			{0, "0", at(3), "an ID is never 0"},
			{3, "", at(3), "0 bytes, it has 1 to 255"},
			{3, strings.Repeat("x", 256), at(3), "256 bytes, it has 1 to 255"},
			{2, "x", at(3), "its ID is"},
			{3, "2", at(3), "its ID is 2, not 3"},
			{3, "1", at(3), "its ID is 1, not 3"},
			{1, "x", at(3), "its ID is"},
			{3, "3", "127.0.0.1", "missing port in address"},
			{3, "3", "127.0.0.1:0", "no other member can connect to port 0"},
			{3, "3", "127.0.0.1:x", "unknown port"},
			{3, "3", "10.0.0.1:1", "10.0.0.1:1 is no loopback address"},
		} {
			err := g.SetAddress(c.id, c.name, c.address)
			require.ErrorIs(t, err, election.ErrInput, "%v", c)
			require.ErrorContains(t, err, c.want)
			_, known := n.Name(3)
			require.False(t, known)
		}
		bare := h.member(3) // without Config.ID
		other := group(t, open(t, bare), tcp.GroupConfig{})
		require.NoError(t, other.SetAddress(7, "seven", at(7)))
		require.ErrorContains(t, other.SetAddress(8, "seven", at(7)), "its ID is not 8 here")
		require.ErrorContains(t, other.SetAddress(7, "eight", at(7)), "its ID is not 7 here")
		require.NoError(t, g.Close())
		require.ErrorIs(t, g.SetAddress(3, "3", at(3)), election.ErrClosed)
		require.ErrorIs(t, g.Greet(nil, nil), election.ErrClosed)
	})
}

// TestGuests: as many guests as may be at a time are connected, another one is refused. When one of them has ended, or
// is named by a group, there is room for another.
func TestGuests(t *testing.T) {
	both(t, func(t *testing.T, h *hub, ca *authority) {
		log := &diary{level: slog.LevelError}
		c := secure(t, ca, h.alone(1))
		c.MaxGuests, c.Log = 2, log.logger()
		n := open(t, c)
		g := group(t, n, tcp.GroupConfig{})
		var guests []*tcp.Network
		var groups []*tcp.Group
		enter := func(id election.ID) {
			guests = append(guests, open(t, secure(t, ca, h.alone(id, 1))))
			groups = append(groups, group(t, guests[len(guests)-1], tcp.GroupConfig{}))
		}
		enter(11)
		enter(12)
		awaitUp(t, g, 2)
		enter(13)
		time.Sleep(10 * time.Second)
		require.Contains(t, strings.Join(log.take(), "\n"), "2 guests are connected already, which are in no list")
		require.NoError(t, guests[0].Close())
		awaitUp(t, groups[2], 1)
		_, known := n.Name(11)
		require.False(t, known, "it is forgotten")
		sends(t, groups[2], 1, 3)
		receives(t, g, 13, 3)

		require.NoError(t, g.SetAddress(12, "12", at(12)))
		enter(11)
		awaitUp(t, groups[3], 1)
		sends(t, groups[1], 1, 4)
		receives(t, g, 12, 4)
		require.NoError(t, g.SetAddress(12, "12", "")) // a guest again
		enter(14)
		time.Sleep(10 * time.Second)
		_, known = n.Name(14)
		require.False(t, known)
		require.NoError(t, guests[1].Close())
		awaitUp(t, groups[4], 1)
		require.NoError(t, g.Send(t.Context(), election.Packet{To: 14}))
		require.ErrorIs(t, g.Send(t.Context(), election.Packet{To: 12}), election.ErrInput)
	})
}

// TestOtherVersion: processes of another version refuse each other, and the log of each names the reason in one line.
func TestOtherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{level: slog.LevelWarn}
		c := h.alone(1, 2)
		c.Log = log.logger()
		l := h.Listen(at(2)) // of the version before: it reads the first bytes, and closes the connection
		var running sync.WaitGroup
		defer running.Wait()
		defer l.Close()
		running.Go(func() {
			for {
				nc, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = nc.Read(make([]byte, 2000))
				nc.Close()
			}
		})
		n := open(t, c)
		time.Sleep(10 * time.Second)
		lines := log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "not a hello: the connection was closed: the peer may be of another version than "+
			"election/3")
		require.NoError(t, l.Close())
		running.Wait()
		log.take()

		nc, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		_, err = nc.Write([]byte("election/2\x00\x00"))
		require.NoError(t, err)
		answer, _ := io.ReadAll(nc)
		require.Equal(t, "election/3", string(answer[:10]), "that process logs how this begins")
		require.Greater(t, len(answer), 12)
		synctest.Wait()
		require.EqualValues(t, 1, n.Stats().Refused)
		require.Contains(t, strings.Join(log.take(), "\n"), "so the peer is of another version")
	})
}

// greets returns a hello of a process with this name and ID to process 1.
func greets(name string, id election.ID) []byte {
	body := binary.AppendUvarint(nil, uint64(id))
	body = append(body, 1, 9, 1, 0, 0, byte(len(name)))
	return framed(append(append(body, name...), 0, 0))
}

// TestImposters: a process is who its certificate, its name and its ID belong to, or it is refused.
func TestImposters(t *testing.T) {
	both(t, func(t *testing.T, h *hub, ca *authority) {
		log := &diary{level: slog.LevelError}
		c := secure(t, ca, h.alone(1, 2))
		c.Log = log.logger()
		c.ID = func(name string) election.ID {
			if name == "collides" {
				return 2
			}
			return idOf(name)
		}
		n := open(t, c)
		for i, tt := range []struct {
			shows, name string
			id          election.ID
			from        string
			want        string // a second one is without TLS
		}{
			{"3", "2", 2, "127.0.0.1:1", "process 3 claims to be process 2|"},
			{"3", "2", 3, "127.0.0.1:1", "process 3 claims to be process 2|process 2 claims to have ID 3, which is not its ID here"},
			{"3", "3", 2, "127.0.0.1:1", "process 3 claims to have ID 2, which is not the ID of this name"},
			{"3", "3", 4, "127.0.0.1:1", "process 3 claims to have ID 4, which is not the ID of this name"},
			{"3", "3", 1, "127.0.0.1:1", "process 3 claims to have ID 1, which is not the ID of this name"},
			{"1", "1", 1, "127.0.0.1:1", "another process claims to be process 1, as this one is"},
			{"1", "1", 3, "127.0.0.1:1", "process 1 claims to have ID 3, which is not its ID here"},
			{"x", "x", 0, "127.0.0.1:1", "process x claims to have ID 0, which is not the ID of this name"},
			{"collides", "collides", 2, "127.0.0.1:1", "process collides has the ID of process 2"},
			{"3", "3", 3, "127.0.0.1:1", ""},
			{"3", "3", 3, "10.0.0.3:1", "|process 3 is in no list, and without TLS a guest connects from a loopback address"},
		} {
			time.Sleep(time.Minute) // each is logged
			nc, err := h.DialFrom(t.Context(), tt.from, at(1))
			require.NoError(t, err)
			want, plain, differs := strings.Cut(tt.want, "|")
			if differs && ca == nil {
				want = plain
			}
			if ca != nil {
				nc = tls.Client(nc, of(same, cluster, tt.shows, time.Hour, nil)(t, *ca))
			}
			before := n.Stats().Refused
			_, err = nc.Write(greets(tt.name, tt.id))
			require.NoError(t, err)
			answer := make([]byte, 2000)
			size, _ := nc.Read(answer)
			synctest.Wait()
			_ = nc.Close()
			time.Sleep(10 * time.Second)
			lines := strings.Join(log.take(), "\n")
			if want == "" {
				require.Equal(t, before, n.Stats().Refused, "%d: %s", i, lines)
				require.Empty(t, lines)
				continue
			}
			require.Contains(t, string(answer[:size]), want, "%d", i)
			require.Contains(t, lines, want, "%d", i)
			require.Equal(t, before+1, n.Stats().Refused, "%d", i)
		}
	})
}

// TestFloodOfHellos: a guest that announces groups with new hellos as fast as it can makes the process keep no more than
// it may, and stops neither a group that both have opened nor other peers. One that announces too much is cut off.
func TestFloodOfHellos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c := h.alone(1, 2)
		c.MaxGroups = 200
		judged := 0
		n := open(t, c)
		g1 := group(t, n, tcp.GroupConfig{Accept: func(peer election.ID, hello []byte) error {
			if judged++; peer == 3 && hello[0]%2 == 0 {
				return errors.New("even")
			}
			return nil
		}})
		g2 := group(t, open(t, h.alone(2, 1)), tcp.GroupConfig{Accept: func(election.ID, []byte) error { return nil },
			Hello: []byte("quiet")})
		awaitUp(t, g1, 1)
		nc, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		defer nc.Close()
		_, err = nc.Write(greets("3", 3))
		require.NoError(t, err)
		go func() { _, _ = io.Copy(io.Discard, nc) }()
		announce := func(name string, hello []byte) error {
			b := append([]byte{1<<3 + 1, byte(len(name))}, name...)
			b = binary.AppendUvarint(b, uint64(len(hello)))
			_, err := nc.Write(append(b, hello...))
			return err
		}
		_, err = nc.Write([]byte{5}) // it answers the ping
		require.NoError(t, err)
		for i := range 3000 {
			require.NoError(t, announce("g", bytes.Repeat([]byte{byte(i)}, 1+i*17%(64<<10))))
			if i%100 == 0 {
				sends(t, g1, 2, uint64(i))
				receives(t, g2, 1, uint64(i))
				sends(t, g2, 1, uint64(i))
				receives(t, g1, 2, uint64(i))
			}
		}
		synctest.Wait()
		require.GreaterOrEqual(t, judged, 3001)
		require.LessOrEqual(t, n.Stats().Refused, uint64(1501), "each hello that is refused, and nothing else")
		for i := range 100 {
			if err = announce(fmt.Sprint(i), make([]byte, 64<<10)); err != nil {
				require.Less(t, i, 5, "200 kB are kept, and no more")
				break
			}
		}
		require.Error(t, err)
		sends(t, g1, 2, 7)
		receives(t, g2, 1, 7)
	})
}

// TestStorm: networks whose groups are opened, closed and greeted, and whose peers get and lose addresses, all at
// random, connect and exchange packets in the end as if nothing had happened.
func TestStorm(t *testing.T) {
	for seed := range uint64(10) {
		both(t, func(t *testing.T, h *hub, ca *authority) {
			const size = 4
			var running sync.WaitGroup
			accept := func(_ election.ID, hello []byte) error {
				if len(hello) > 0 && hello[0] == 'n' {
					return errors.New("no")
				}
				return nil
			}
			var nets [size]*tcp.Network
			for i := range nets {
				c := secure(t, ca, h.alone(election.ID(i+1)))
				c.MaxGuests = 2
				nets[i] = open(t, c)
			}
			hellos := []string{"yes", "no", "", strings.Repeat("yes", 7000)}
			for i, n := range nets {
				for k := range 2 {
					dice := rand.New(rand.NewPCG(seed, uint64(2*i+k)))
					check := func(err error) {
						if err != nil {
							t.Error(err)
						}
					}
					running.Go(func() {
						var g *tcp.Group
						for range 300 {
							if g == nil {
								var err error
								g, err = n.Group(fmt.Sprint(k), tcp.GroupConfig{Accept: accept})
								if check(err); err != nil {
									return
								}
							}
							to := election.ID(1 + dice.IntN(size))
							switch dice.IntN(10) {
							case 0:
								check(g.Close())
								g = nil
							case 1:
								check(g.Greet([]byte(hellos[dice.IntN(4)]), nil))
							case 2:
								check(g.SetAddress(to, fmt.Sprint(to), ""))
							case 3, 4:
								check(g.SetAddress(to, fmt.Sprint(to), at(to)))
							default:
								if err := g.Send(t.Context(), election.Packet{To: to}); !errors.Is(err, election.ErrInput) {
									check(err)
								}
							}
							time.Sleep(time.Duration(dice.IntN(20)) * time.Millisecond)
						}
						if g != nil {
							check(g.Close())
						}
					})
				}
			}
			running.Wait()
			var groups [size]*tcp.Group
			for i, n := range nets {
				groups[i] = group(t, n, tcp.GroupConfig{Accept: accept})
				for id := range election.ID(size) {
					require.NoError(t, groups[i].SetAddress(id+1, fmt.Sprint(id+1), at(id+1)))
				}
			}
			for _, g := range groups {
				awaitUp(t, g, size-1)
			}
			for i, g := range groups {
				for k := range groups {
					sends(t, g, election.ID(k+1), uint64(i))
					receives(t, groups[k], election.ID(i+1), uint64(i))
				}
			}
		})
	}
}

// TestImposterAnswers: a process that is dialled answers under its own name and ID, or it is not believed.
func TestImposterAnswers(t *testing.T) {
	for want, name := range map[string]string{"": "2", "process x with ID 2 answers process 1": "x"} {
		synctest.Test(t, func(t *testing.T) {
			var h hub
			log := &diary{level: slog.LevelWarn}
			c := h.alone(1, 2)
			c.Log = log.logger()
			l := h.Listen(at(2))
			var running sync.WaitGroup
			running.Go(func() {
				for {
					nc, err := l.Accept()
					if err != nil {
						return
					}
					running.Go(func() {
						defer nc.Close()
						_, _ = nc.Read(make([]byte, 2000))
						_, _ = nc.Write(greets(name, 2))
						_, _ = io.Copy(io.Discard, nc)
					})
				}
			})
			n, err := tcp.New(c)
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			require.NoError(t, n.Close())
			require.NoError(t, l.Close())
			running.Wait()
			if want == "" {
				require.Empty(t, log.take())
			} else {
				require.Contains(t, strings.Join(log.take(), "\n"), want)
			}
		})
	}
}
