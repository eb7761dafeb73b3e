package mailbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/internal/mailbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open[T any]() *mailbox.Mailbox[T] {
	m := new(mailbox.Mailbox[T])
	new(mailbox.Pool[T]).Open(m)
	return m
}

func send[T any](t *testing.T, m *mailbox.Mailbox[T], values ...T) {
	t.Helper()
	for _, v := range values {
		require.True(t, m.Send(&v))
	}
}

// drain returns the values of a batch.
func drain[T any](m *mailbox.Mailbox[T], batch *mailbox.Item[T]) []T {
	var values []T
	for batch != nil {
		read := batch
		batch = batch.Next()
		values = append(values, read.Value)
		m.Free(read)
	}
	return values
}

func TestOrder(t *testing.T) {
	m := open[int]()
	send(t, m, 1, 2, 3)
	require.Equal(t, []int{1, 2, 3}, drain(m, m.Take()))
	send(t, m, 4)
	send(t, m, 5)
	require.Equal(t, []int{4, 5}, drain(m, m.Take()))
}

func TestPutBack(t *testing.T) {
	m := open[int]()
	send(t, m, 1, 2, 3)
	first := m.Take()
	m.PutBack(first.Next())
	send(t, m, 4)
	require.Equal(t, []int{2, 3}, drain(m, m.Take()))
	require.Equal(t, []int{4}, drain(m, m.Take()))
}

func TestPoll(t *testing.T) {
	m := open[int]()
	require.Nil(t, m.Poll())
	send(t, m, 1, 2, 3)
	m.PutBack(m.Take().Next())
	send(t, m, 4)
	require.Equal(t, []int{2, 3}, drain(m, m.Poll()))
	require.Equal(t, []int{4}, drain(m, m.Poll()))
	require.Nil(t, m.Poll())
	m.Close()
	require.Nil(t, m.Poll())
}

func TestReaderIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open[int]()
		got := make(chan []int, 1)
		go func() { got <- drain(m, m.Take()) }()
		synctest.Wait() // the reader waits
		send(t, m, 7)
		require.Equal(t, []int{7}, <-got)
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open[int]()
		ended := make(chan bool)
		go func() { ended <- m.Take() == nil }()
		synctest.Wait()
		m.Close()
		require.True(t, <-ended)
		m.Close()
		require.False(t, m.Send(new(int)))
		require.Nil(t, m.Take())

		m = open[int]()
		send(t, m, 1, 2)
		require.Equal(t, []int{1, 2}, drain(m, m.Close()))
		require.Nil(t, m.Take(), "Close has returned what was left")
		require.Nil(t, m.Close())
	})
}

func TestTakeContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open[int]()
		why := errors.New("no time")
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error, 1)
		take := func() {
			l, err := m.TakeContext(ctx)
			if l != nil {
				drain(m, l)
			}
			got <- err
		}
		go take()
		synctest.Wait()
		send(t, m, 1)
		require.NoError(t, <-got)

		go take()
		synctest.Wait()
		cancel(why)
		require.Equal(t, why, <-got)
		take()
		require.Equal(t, why, <-got)

		ctx = t.Context() // no reader waits any more, so what comes is kept
		send(t, m, 2)
		require.Equal(t, []int{2}, drain(m, m.Take()))

		go take()
		synctest.Wait()
		m.Close()
		require.NoError(t, <-got)
	})
}

// TestLeave: the first Batch after the reader has left reports that.
func TestLeave(t *testing.T) {
	m := open[int]()
	var b mailbox.Batch[int]
	var d mailbox.Freelist[int]
	require.False(t, b.Flush(m), "nothing is no reason to come back")
	flush := func() bool {
		b.Add(d.Get())
		return b.Flush(m)
	}
	require.False(t, flush())
	require.Len(t, drain(m, m.TakeOrLeave()), 1, "there is something to read")
	require.Nil(t, m.TakeOrLeave())
	require.True(t, flush())
	require.False(t, flush())
	require.Len(t, drain(m, m.TakeOrLeave()), 2)
	require.Nil(t, m.TakeOrLeave())
	m.Close()
	require.False(t, flush())
	require.Nil(t, m.TakeOrLeave())
}

// TestNothingIsNoItem: what stands in a Mailbox that is empty, because its reader waits or has left, is never
// read as an item.
func TestNothingIsNoItem(t *testing.T) {
	m := open[int]()
	require.Nil(t, m.TakeOrLeave())
	require.Nil(t, m.TakeOrLeave(), "a second time")
	require.Nil(t, m.Poll())
	synctest.Test(t, func(t *testing.T) { // the reader comes back
		m := open[int]()
		require.Nil(t, m.TakeOrLeave())
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan []int, 1)
		go func() {
			batch, _ := m.TakeContext(ctx)
			got <- drain(m, batch)
		}()
		synctest.Wait()
		require.Empty(t, got)
		require.Panics(t, func() { m.Poll() }, "another reader waits")
		require.Panics(t, func() { m.Take() }, "another reader waits")
		require.Panics(t, func() { _, _ = m.TakeContext(ctx) }, "another reader waits")
		require.Panics(t, func() { m.TakeOrLeave() }, "another reader waits")
		send(t, m, 7)
		require.Equal(t, []int{7}, <-got)
		cancel()
	})
}

// TestManyWriters: writers push while the reader alternately waits, gives up, and reads. Every value arrives
// once, and the values of one writer in order.
func TestManyWriters(t *testing.T) {
	const writers, each = 8, 20_000
	type value struct{ writer, n int }
	m := open[value]()
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			for n := range each {
				m.Send(&value{w, n})
			}
		})
	}
	var next [writers]int
	for got := 0; got < writers*each; {
		ctx, cancel := context.WithCancel(t.Context())
		if got%3 == 0 {
			go cancel()
		}
		l, _ := m.TakeContext(ctx)
		cancel()
		for _, v := range drain(m, l) {
			require.Equal(t, next[v.writer], v.n)
			next[v.writer]++
			got++
		}
	}
	running.Wait()
}

// TestBurst: without a reader no writer waits.
func TestBurst(t *testing.T) {
	const n = 100_000
	m := open[int]()
	for i := range n {
		send(t, m, i)
	}
	values := drain(m, m.Take())
	require.Len(t, values, n)
	require.Equal(t, n-1, values[n-1])
}

func TestFreelist(t *testing.T) {
	var d mailbox.Freelist[int]
	a, b := d.Get(), d.Get()
	require.NotSame(t, a, b)
	d.Put(a)
	d.Put(b)
	require.Same(t, b, d.Get())
	require.Same(t, a, d.Get())

	m := open[int]()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		l := d.Get()
		m.Push(l)
		d.Put(m.Take())
	}))
}

// TestFreelistIsBounded: it keeps 4,096 items, and allocates the others again.
func TestFreelistIsBounded(t *testing.T) {
	var d mailbox.Freelist[int]
	for range 5000 {
		d.Put(&mailbox.Item[int]{Value: 1})
	}
	kept := 0
	for range 5000 {
		kept += d.Get().Value
	}
	require.Equal(t, 4096, kept)
}

// TestUsedItems: an item that was used before brings nothing with it, whatever the reader does meanwhile.
func TestUsedItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d mailbox.Freelist[int]
		m := open[int]()
		got := make(chan int)
		for range 3 { // the items of one chunk, which follow each other in the Freelist
			go func() { got <- len(drain(m, m.Take())) }()
			synctest.Wait()
			require.True(t, m.Push(d.Get()))
			require.Equal(t, 1, <-got)
		}
		send(t, m, 1, 2)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for batch := m.Take(); batch != nil; {
				read := batch
				batch = read.Next()
				m.Free(read)
			}
			send(t, m, 1, 2)
		}))
		m.Close()
		require.Zero(t, testing.AllocsPerRun(100, func() { m.Send(new(int)) }), "refused, and used again")
	})
}

// TestClosedForgets: what the reader has put back goes with the Mailbox.
func TestClosedForgets(t *testing.T) {
	m := open[int]()
	send(t, m, 1, 2)
	m.PutBack(m.Take().Next())
	require.Nil(t, m.Close())
	require.Nil(t, m.Take())
	require.Nil(t, m.Poll())
}
