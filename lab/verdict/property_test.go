package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProperties: each property of the package has an identifier, a kind and a text of its own; one of a
// user's is its own text.
func TestProperties(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range Properties() {
		require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, string(p))
		require.Contains(t, []Kind{Always, Sometimes, Finally}, p.Kind())
		require.True(t, p.Known())
		require.NotEqual(t, string(p), p.Text())
		require.False(t, seen[p.Text()] || seen[string(p)], p)
		seen[p.Text()], seen[string(p)] = true, true
	}
	mine := Property("two lead now and then")
	require.Equal(t, "two lead now and then", mine.Text())
	require.False(t, mine.Known())
	require.Empty(t, mine.Kind())
}
