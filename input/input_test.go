package input_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

func TestErrors(t *testing.T) {
	err := input.Errorf("ids[%d]: %w", 2, io.EOF)
	require.EqualError(t, err, "election: bad input: ids[2]: EOF")
	at := input.At("line 7", err)
	require.EqualError(t, at, "election: bad input: line 7: ids[2]: EOF", "the prefix stands once")
	require.EqualError(t, input.At("line 8", io.EOF), "election: bad input: line 8: EOF")
	for _, e := range []error{err, at} {
		require.ErrorIs(t, e, election.ErrInput)
		require.ErrorIs(t, e, io.EOF)
	}
}
