package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

func entered(section uint8, token uint64) *election.Event {
	return &election.Event{Op: election.Entered, Msg: election.Message{Flags: section, Value: token}}
}

func left(section uint8) *election.Event {
	return &election.Event{Op: election.Exited, Msg: election.Message{Flags: section}}
}

// TestSections: one at a time in each section, with a token larger than the last; a process that crashes is
// inside no more.
func TestSections(t *testing.T) {
	var s Sections
	fine := func(process election.ID, ev *election.Event) {
		t.Helper()
		property, err := s.Note(process, ev)
		require.NoError(t, err)
		require.Empty(t, property)
	}
	fine(2, left(0))
	fine(1, entered(0, 1))
	fine(2, entered(1, 1))
	fine(2, left(0))
	property, err := s.Note(3, entered(0, 2))
	require.Equal(t, Exclusive, property)
	require.EqualError(t, err, "processes 1 and 3 are in critical section 0 together")

	s.Crash(1)
	property, err = s.Note(3, entered(0, 1))
	require.Equal(t, Tokens, property)
	require.EqualError(t, err, "process 3 entered section 0 with token 1, after token 1")
	fine(3, entered(0, 2))
	fine(3, left(0))
	fine(4, entered(0, 3)) // since 3 has left
	fine(4, left(0))
	fine(3, entered(0, 0)) // without a token
}

// TestSplit: while processes are apart nothing is judged. Afterwards tokens must be larger than all before.
func TestSplit(t *testing.T) {
	s := Sections{Split: true}
	for process, token := range []uint64{5, 6, 5} {
		_, err := s.Note(election.ID(process), entered(0, token))
		require.NoError(t, err)
	}
	_, err := s.Note(2, left(0))
	require.NoError(t, err)
	s.Split = false
	property, err := s.Note(1, entered(0, 6))
	require.Equal(t, Tokens, property)
	require.EqualError(t, err, "process 1 entered section 0 with token 6, after token 6")
	_, err = s.Note(1, entered(0, 7))
	require.NoError(t, err)
	property, _ = s.Note(2, entered(0, 8))
	require.Equal(t, Exclusive, property)
}

// TestUnserved: a few processes are named.
func TestUnserved(t *testing.T) {
	require.NoError(t, Unserved(nil))
	require.EqualError(t, Unserved([]election.ID{4}), "process 4 asked and was never served")
	require.EqualError(t, Unserved([]election.ID{4, 2}), "processes 4 and 2 asked and were never served")
	require.EqualError(t, Unserved([]election.ID{1, 2, 3, 4, 5}),
		"processes 1, 2, 3, 4 and 5 asked and were never served")
	require.EqualError(t, Unserved([]election.ID{1, 2, 3, 4, 5, 6}),
		"processes 1, 2, 3, 4, 5 and 1 more asked and were never served")
	require.EqualError(t, Unserved([]election.ID{1, 2, 3, 4, 5, 6, 7}),
		"processes 1, 2, 3, 4, 5 and 2 more asked and were never served")
}
