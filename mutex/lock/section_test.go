package lock

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestForget: a request is given up at the moment at which its entry comes, or after that has expired.
func TestForget(t *testing.T) {
	s := section{turn: make(chan struct{}, 1)}
	raise := func(op election.Op, number uint32, token uint64) {
		s.raised(&election.Event{Op: op, Msg: election.Message{Round: number, Value: token}}, 0)
	}
	s.turn <- struct{}{}
	number, entered := s.ask()
	raise(election.Entered, number, 7)
	require.EqualValues(t, 7, <-entered)
	raise(election.Entered, number, 6)
	require.Nil(t, s.lasts(6, 0), "a request enters once")
	over := s.lasts(7, 0)
	require.NotNil(t, over)
	require.True(t, s.forget(number))
	<-over
	require.False(t, s.forget(number), "once")
	none, _, err := s.unlock(7)
	require.ErrorIs(t, err, ErrNotLocked)
	require.Zero(t, none)
	raise(election.Exited, number, 7)
	require.Len(t, s.turn, 1, "the goroutine that has given up passes it on")

	number, _ = s.ask()
	raise(election.Entered, number, 8)
	raise(election.Exited, number, 8)
	require.Empty(t, s.turn)
	none, _, err = s.unlock(8)
	require.ErrorIs(t, err, ErrExpired)
	require.Zero(t, none)
	s.turn <- struct{}{}
	next, _ := s.ask()
	require.False(t, s.forget(number), "it is the turn of another")
	raise(election.Entered, number, 8)
	require.Nil(t, s.lasts(8, 0))
	raise(election.Entered, next, 9)
	_, _, err = s.unlock(8)
	require.ErrorIs(t, err, ErrNotLocked)
	got, _, err := s.unlock(9)
	require.NoError(t, err)
	require.Equal(t, next, got)
}

// TestOtherSections: an event of a section without a name is the caller's only.
func TestOtherSections(t *testing.T) {
	raised := 0
	l := Locker{sections: make([]section, 2), onRaise: func(election.Event) { raised++ }}
	for flags := range uint8(4) {
		l.raised(election.Event{Op: election.Exited, Msg: election.Message{Flags: flags}})
	}
	require.Equal(t, 4, raised)
}
