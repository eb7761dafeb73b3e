package mutex_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// asks returns a process that has sent its first request to all four others.
func asks(t *testing.T) *single {
	t.Helper()
	p := alone(t)(mutex.RicartAgrawala(mutex.Config{}))
	require.Len(t, p.step(mutex.Request(0, 1)).Sends, 4)
	return p
}

// answer delivers an OK to this request, of a process that knows of this entry.
func (p *single) answer(port election.Port, request, entry uint64) *election.Effects {
	return p.hears(port, "ok", election.Message{Value: request, Term: entry})
}

// TestReserves: a process saves before its numbers exceed the reserved ones, whether because of a request or
// because of the entry of another process. After a restart it continues with larger numbers.
func TestReserves(t *testing.T) {
	p := asks(t)
	for request := uint64(1); request <= 2500; request++ {
		for port := range election.Port(4) {
			fx := p.answer(port, request, 0)
			require.False(t, fx.Saved(), "its request %d was saved", request)
		}
		require.False(t, p.step(mutex.Release(0, 1)).Saved())
		require.Equal(t, (request+1)%1024 == 1, p.step(mutex.Request(0, 1)).Saved(), "after request %d",
			request)
	}
	p.answer(0, 2501, 1<<20-1)
	p.answer(1, 2501, 0)
	p.answer(2, 2501, 0)
	fx := p.answer(3, 2501, 0)
	require.True(t, fx.Saved())
	require.EqualValues(t, 1<<20, fx.Signals[0].Event.Msg.Value>>3)

	p.step(election.Event{Op: election.Suspect, Port: 3})
	p.step(election.Event{Op: election.Init})
	ok := p.sent(t, p.hears(0, "request", election.Message{Value: 1}), 0, "ok")
	require.EqualValues(t, 1<<20+1024, ok.Term, "no token was larger")
	fx = p.step(mutex.Request(0, 1))
	require.True(t, fx.Saved())
	require.Len(t, fx.Sends, 4, "none is suspected")
	require.EqualValues(t, 1<<20+1025, fx.Sends[0].Msg.Value)
}

// TestAnswerArrivesTwice: a second copy of an answer stands for no other.
func TestAnswerArrivesTwice(t *testing.T) {
	p := asks(t)
	for range 4 {
		require.Empty(t, p.answer(0, 1, 0).Signals)
	}
	require.Empty(t, p.answer(1, 1, 0).Signals)
	require.Empty(t, p.answer(2, 1, 0).Signals)
	require.Len(t, p.answer(3, 1, 0).Signals, 1)
	require.Empty(t, p.answer(3, 1, 0).Signals)
}

// TestRequestArrivesTwice: a duplicate request is answered once if the answer has to wait.
func TestRequestArrivesTwice(t *testing.T) {
	p := asks(t)
	for range 2 {
		require.Empty(t, p.hears(3, "request", election.Message{Value: 2}).Sends)
	}
	require.Len(t, p.step(mutex.Release(0, 1)).Sends, 1)
}

// TestNoAnswerOfTheGone: a process that is suspected is neither waited for nor asked, until it is trusted or
// sends a message. Then it is asked, and has to answer again.
func TestNoAnswerOfTheGone(t *testing.T) {
	p := asks(t)
	event := func(op election.Op) *election.Effects { return p.step(election.Event{Op: op, Port: 3}) }
	p.answer(0, 1, 0)
	p.answer(1, 1, 0)
	p.answer(2, 1, 0)
	require.Len(t, event(election.Suspect).Signals, 1)
	p.step(mutex.Release(0, 1))
	require.Len(t, p.step(mutex.Request(0, 2)).Sends, 3)
	p.sent(t, event(election.Trust), 3, "request")
	p.sent(t, event(election.Trust), 3, "request") // the first one may have been lost
	for port := range election.Port(3) {
		require.Empty(t, p.answer(port, 2, 0).Signals)
	}
	require.Len(t, p.answer(3, 2, 0).Signals, 1)

	p = asks(t)
	p.answer(3, 1, 0)
	event(election.Suspect)
	fx := p.hears(3, "request", election.Message{Value: 9})
	require.EqualValues(t, 1, p.sent(t, fx, 3, "request").Value, "it has forgotten its answer, perhaps")
	for port := range election.Port(3) {
		require.Empty(t, p.answer(port, 1, 0).Signals)
	}
	require.Empty(t, asks(t).step(election.Event{Op: election.Suspect, Port: 9}).Signals, "no such port")
}

// TestAskAgain: a process asks a peer again that is reported to be up, also one that was never suspected: the
// request is lost if the peer was not up yet. An answer that has arrived stays.
func TestAskAgain(t *testing.T) {
	p := asks(t)
	p.answer(0, 1, 0)
	require.Empty(t, p.step(election.Event{Op: election.Trust, Port: 0}).Sends)
	require.Empty(t, p.step(election.Event{Op: election.Trust, Port: 4}).Sends, "no such port")
	for port := range election.Port(4) {
		if port > 0 {
			require.EqualValues(t, 1, p.sent(t, p.step(election.Event{Op: election.Trust, Port: port}), port,
				"request").Value)
		}
	}
	require.Empty(t, p.answer(1, 1, 0).Signals)
	require.Empty(t, p.answer(2, 1, 0).Signals)
	require.Len(t, p.answer(3, 1, 0).Signals, 1)
	require.Empty(t, p.step(election.Event{Op: election.Trust, Port: 1}).Sends, "it does not wait")
}

// TestTokenAfterReturn: a process that numbers its requests from the beginning gets a token larger than the
// token of the latest entry.
func TestTokenAfterReturn(t *testing.T) {
	p := asks(t)
	p.answer(0, 1, 7)
	p.answer(1, 1, 41)
	p.answer(2, 1, 0)
	require.EqualValues(t, 42<<3|2, p.answer(3, 1, 7).Signals[0].Event.Msg.Value)
	p.step(mutex.Release(0, 1))
	require.EqualValues(t, 42, p.sent(t, p.hears(0, "request", election.Message{Value: 2}), 0, "ok").Term)
}

// TestRequestsExhausted: the largest number of a request serves still, after it a request is refused; a
// larger one is no message.
func TestRequestsExhausted(t *testing.T) {
	const most uint64 = math.MaxInt64 >> 3 // of five processes
	p := alone(t)(mutex.RicartAgrawala(mutex.Config{}))
	require.Empty(t, p.hears(0, "request", election.Message{Value: most + 1}).Sends)
	require.EqualValues(t, 1, p.step(mutex.Request(0, 1)).Sends[0].Msg.Value)
	p.step(mutex.Release(0, 1))
	p.sent(t, p.hears(0, "request", election.Message{Value: most - 1}), 0, "ok")
	require.EqualValues(t, most, p.step(mutex.Request(0, 2)).Sends[0].Msg.Value)
	for port := range election.Port(3) {
		p.answer(port, most, 0)
	}
	require.EqualValues(t, most<<3|2, p.answer(3, most, 0).Signals[0].Event.Msg.Value)
	p.step(mutex.Release(0, 2))
	fx := p.step(mutex.Request(0, 3))
	require.ErrorIs(t, fx.Err, election.ErrTermExhausted)
	require.Empty(t, fx.Sends)

	p = asks(t)
	for port := range election.Port(3) {
		p.answer(port, 1, 0)
	}
	require.Empty(t, p.hears(1, "request", election.Message{Value: 4}).Sends)
	fx = p.answer(3, 1, most)
	require.Empty(t, fx.Signals, "its token would be the largest, or smaller")
	require.ErrorIs(t, fx.Err, election.ErrTermExhausted)
	require.EqualValues(t, 4, p.sent(t, fx, 1, "ok").Value, "a request that has waited for its own")
	p.sent(t, p.hears(0, "request", election.Message{Value: 5}), 0, "ok")
}
