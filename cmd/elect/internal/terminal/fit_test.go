package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFit: lines are broken even if they are written in parts.
func TestFit(t *testing.T) {
	var b strings.Builder
	to := Fit(&b, 30)
	for _, part := range []string{"a  one two three", " four five six seven\nb", "  eight\n"} {
		n, err := fmt.Fprint(to, part)
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}
	require.Equal(t, "a  one two three four five six\n   seven\nb  eight\n", b.String())
}
