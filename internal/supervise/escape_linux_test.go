package supervise_test

import (
	"context"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/supervise"
)

// TestEscapes: what has left the program's process group is not reached, and lives on.
func TestEscapes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	escaped := 0
	// The shell that runs in a session of its own prints its number, and keeps no output open.
	const script = "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' & wait"
	_, end := shell(t, ctx, script, nil, long, func(line string) {
		var err error
		escaped, err = strconv.Atoi(line)
		require.NoError(t, err)
		cancel()
	})
	require.Equal(t, supervise.End{Code: 128 + int(syscall.SIGTERM), Asked: true}, end)
	require.Positive(t, escaped)
	require.NoError(t, syscall.Kill(escaped, syscall.SIGKILL), "it was killed before")
}
