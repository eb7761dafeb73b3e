package terminal

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/terminaltest"
)

// TestPagerUnattended: with the null device as input a terminal gets everything itself, since no key can be
// expected; with another input it has the pager.
func TestPagerUnattended(t *testing.T) {
	t.Setenv("PAGER", "cat >/dev/null; exit")
	_, far := terminaltest.Open(t)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	to, wait := Page(null, far)
	require.Same(t, far, to)
	require.NoError(t, wait())
	for _, in := range []io.Reader{far, strings.NewReader("")} {
		to, wait := Page(in, far)
		require.NotEqual(t, io.Writer(far), to)
		require.NoError(t, wait())
	}
}
