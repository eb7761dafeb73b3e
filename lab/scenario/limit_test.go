package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

func TestReadUpTo(t *testing.T) {
	const text = `{"ids": [1, 2]}`
	all, err := readUpTo(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Len(t, all, 1)
	_, err = readUpTo(strings.NewReader(text), int64(len(text)-1))
	require.ErrorIs(t, err, election.ErrInput)
	require.EqualError(t, err, "election: bad input: more than 14 bytes")
}
