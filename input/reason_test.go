package input_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/input"
)

// TestReason: the reason of an error is its text without the names of packages, wherever they stand in it.
// What only looks like one stays.
func TestReason(t *testing.T) {
	late := input.Sentinel("election", "too late")
	require.EqualError(t, late, "election: too late")
	for want, err := range map[string]error{
		"too late":                       late,
		"process 3: too late (in sim: )": fmt.Errorf("process 3: %w (in sim: )", late),
		"too late, and ids[2]: EOF":      fmt.Errorf("%w, and %w", late, input.Errorf("ids[2]: %w", io.EOF)),
		"too late\nEOF":                  errors.Join(late, io.EOF),
		"file: line 7: too late":         input.At("file", input.At("line 7", late)),
		"election: a name":               errors.New("election: a name"),
	} {
		require.Equal(t, want, input.Reason(err))
	}
	require.ErrorIs(t, input.At("file", late), late)
}
