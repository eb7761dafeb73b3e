package exit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

func TestStatusOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{election.ErrInput, StatusUsage},
		{election.ErrLateStart, StatusUsage},
		{election.ErrNeedsFIFO, StatusUsage},
		{election.ErrNotInitiator, StatusUsage},
		{observe.ErrPanic, StatusFailed},
		{observe.ErrPort, StatusFailed},
		{election.ErrTermExhausted, StatusFailed},
		{fmt.Errorf("%w, %w", observe.ErrPanic, election.ErrLateStart), StatusFailed},
	} {
		require.Equal(t, c.want, Status(Classify(c.err)), c.err)
	}
	require.NoError(t, Classify(nil))
	require.NoError(t, Failed(nil))
}
