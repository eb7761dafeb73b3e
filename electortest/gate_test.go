package electortest

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// wired calls f with two gates on links that take a second, and a tenth of one when all is mended.
func wired(t *testing.T, f func(n *network, a, b *gate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &network{memory: memory.New()}
		var err error
		n.rough, err = faults.NewLinks(faults.Config{Min: time.Second})
		require.NoError(t, err)
		n.calm, err = faults.NewLinks(faults.Config{Min: time.Second / 10})
		require.NoError(t, err)
		a, err := n.plug(1)
		require.NoError(t, err)
		b, err := n.plug(2)
		require.NoError(t, err)
		f(n, a, b)
		_ = a.Close()
		_ = b.Close()
	})
}

// arrives returns the value that arrives next, and how long that takes; zero if none does within a minute.
func arrives(t *testing.T, at *gate) (uint64, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	p, err := at.Recv(ctx)
	if err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Zero(t, p)
	}
	return p.Msg.Value, time.Since(began)
}

// posts sends a value.
func posts(t *testing.T, from *gate, to election.ID, value uint64) {
	t.Helper()
	require.NoError(t, from.Send(context.Background(), election.Packet{From: from.id, To: to,
		Msg: election.Message{Kind: 1, Value: value}}))
}

// TestCut: packets are lost on the ways that are cut, until the cut is replaced, ended or mended.
func TestCut(t *testing.T) {
	wired(t, func(n *network, a, b *gate) {
		passes := func(from, to *gate) bool {
			posts(t, from, to.id, 7)
			v, took := arrives(t, to)
			require.Equal(t, v == 7, took == time.Second, "%v", took)
			return v == 7
		}
		require.True(t, passes(a, b))
		first, second := &cut{{1, 2}: true}, &cut{{2, 1}: true}
		n.set(first)
		require.False(t, passes(a, b))
		require.True(t, passes(b, a))
		n.set(second)
		n.unset(first)
		require.True(t, passes(a, b))
		require.False(t, passes(b, a), "the end of the first cut does not end the second")
		n.unset(second)
		require.True(t, passes(b, a))
		n.set(second)
		n.mend()
		posts(t, b, 1, 8)
		v, took := arrives(t, a)
		require.EqualValues(t, 8, v)
		require.Equal(t, time.Second/10, took)
	})
}

// TestHold: what waits goes both ways when the gate opens, in its order, and nothing before.
func TestHold(t *testing.T) {
	wired(t, func(_ *network, a, b *gate) {
		a.open() // it is open
		a.hold()
		a.hold()
		posts(t, a, 2, 1)
		posts(t, b, 1, 3)
		v, _ := arrives(t, b)
		require.Zero(t, v)
		v, _ = arrives(t, a)
		require.Zero(t, v)
		// That Recv had a packet, which is lost with its context.
		posts(t, a, 2, 2)
		posts(t, b, 1, 4)
		time.AfterFunc(10*time.Second, a.open)
		v, took := arrives(t, a)
		require.EqualValues(t, 4, v)
		require.Equal(t, 10*time.Second, took)
		var got []uint64
		for range 2 {
			v, took = arrives(t, b)
			got = append(got, v)
			require.LessOrEqual(t, took, time.Second)
		}
		require.ElementsMatch(t, []uint64{1, 2}, got)
		posts(t, a, 2, 5)
		v, took = arrives(t, b)
		require.EqualValues(t, 5, v)
		require.Equal(t, time.Second, took)
	})
}

// TestCloseDrops: Close ends Recv, and what waits is sent no more.
func TestCloseDrops(t *testing.T) {
	wired(t, func(_ *network, a, b *gate) {
		a.hold()
		posts(t, a, 2, 1)
		done := make(chan error, 1)
		go func() {
			_, err := a.Recv(context.Background())
			done <- err
		}()
		synctest.Wait()
		require.NoError(t, a.Close())
		require.ErrorIs(t, <-done, election.ErrClosed)
		v, _ := arrives(t, b)
		require.Zero(t, v)
	})
}

// TestHellosTravelWithPackets: a cut loses a hello with the packet that would carry it, and a member that is
// paused sends it later.
func TestHellosTravelWithPackets(t *testing.T) {
	wired(t, func(n *network, a, b *gate) {
		var heard string
		require.NoError(t, a.Greet([]byte("new"), nil))
		require.NoError(t, b.Greet(nil, func(_ election.ID, hello []byte) error {
			heard = string(hello)
			return nil
		}))
		c := &cut{way{1, 2}: true}
		n.set(c)
		posts(t, a, 2, 1)
		synctest.Wait()
		require.Empty(t, heard)
		n.unset(c)
		a.hold()
		posts(t, a, 2, 2)
		synctest.Wait()
		require.Empty(t, heard)
		a.open()
		v, _ := arrives(t, b)
		require.EqualValues(t, 2, v)
		require.Equal(t, "new", heard)
	})
}

// TestConnections: members hear of each other although they send nothing, unless a cut or a pause of either prevents
// that.
func TestConnections(t *testing.T) {
	wired(t, func(n *network, a, b *gate) {
		var heard []string
		require.NoError(t, b.Greet([]byte("b"), func(_ election.ID, hello []byte) error {
			heard = append(heard, string(hello))
			return nil
		}))
		next := func() (last string) {
			time.Sleep(2 * dial)
			synctest.Wait()
			all := heard
			if heard = nil; len(all) > 0 {
				last = all[len(all)-1]
			}
			return last
		}
		greets := func(hello string) { require.NoError(t, a.Greet([]byte(hello), nil)) }
		greets("one")
		require.Equal(t, "one", next())
		require.Empty(t, next(), "nothing has changed")
		for _, link := range []way{{1, 2}, {2, 1}} {
			c := &cut{link: true}
			n.set(c)
			greets(fmt.Sprint(link))
			require.Empty(t, next())
			n.unset(c)
			require.Equal(t, fmt.Sprint(link), next())
		}
		for i, paused := range []*gate{a, b} {
			paused.hold()
			greets(fmt.Sprint(i))
			require.Empty(t, next())
			paused.open()
			require.Equal(t, fmt.Sprint(i), next())
		}
	})
}

// TestLateHellos: a hello that comes with a packet waits with it until the gate opens.
func TestLateHellos(t *testing.T) {
	wired(t, func(n *network, a, b *gate) {
		n.set(&cut{way{2, 1}: true}) // they do not connect
		heard := ""
		require.NoError(t, a.Greet([]byte("new"), nil))
		require.NoError(t, b.Greet([]byte("b"), func(_ election.ID, hello []byte) error {
			heard = string(hello)
			return nil
		}))
		b.hold()
		posts(t, a, 2, 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Empty(t, heard)
		b.open()
		require.Equal(t, "new", heard)
		v, _ := arrives(t, b)
		require.EqualValues(t, 1, v)
	})
}

// TestPause: while a member is paused its clock stands, its packets and its writes wait. Then its clock is
// where it would be.
func TestPause(t *testing.T) {
	wired(t, func(_ *network, a, b *gate) {
		began := time.Now()
		now := func() time.Duration { return time.Since(began) }
		bench := newBench()
		bench.judge.now = now
		m := &Member{Name: "a", judge: bench.judge, wall: a, clock: &clock{now: now, start: time.Hour,
			rate: 2}}
		time.Sleep(time.Second)
		require.Equal(t, time.Hour+2*time.Second, m.clock.read())
		require.False(t, m.paused())
		m.pause()
		require.True(t, m.paused())
		written := make(chan error)
		go func() { written <- m.Write(0) }()
		posts(t, b, 1, 3)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		select {
		case <-written:
			t.Error("a member that is paused has written")
		default:
		}
		require.Equal(t, time.Hour+2*time.Second, m.clock.read())
		m.resume()
		require.NoError(t, <-written)
		require.False(t, m.paused())
		require.Equal(t, time.Hour+6*time.Second, m.clock.read())
		require.Equal(t, 3*time.Second, m.woke)
		v, took := arrives(t, a)
		require.EqualValues(t, 3, v)
		require.Zero(t, took)
		m.resume() // again, as a crash does
	})
}
