package clustercmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

// TestKeys: two keys are a step; a key that means nothing is forgotten.
func TestKeys(t *testing.T) {
	var k keyboard
	for _, c := range []struct {
		keys, do, to, line string
		quit               bool
	}{
		{keys: "kb", do: "kill", to: "b", line: "kill b"},
		{keys: "x.", do: "cut", to: "leader", line: "cut leader"},
		{keys: "r*", do: "restart", to: "all", line: "restart all"},
		{keys: "g", do: "resign", line: "resign"},
		{keys: "oa", do: "transfer", to: "a", line: "transfer a"},
		{keys: "o."},
		{keys: "kz"},
		{keys: "z"},
		{keys: "s", line: "stop ?"},
		{keys: "q"}, // is no member
		{keys: "q", quit: true},
	} {
		for i, key := range []byte(c.keys) {
			step, quit := k.press(key)
			if i < len(c.keys)-1 {
				require.Nil(t, step)
				continue
			}
			require.Equal(t, c.quit, quit, c.keys)
			require.Equal(t, c.line, k.line, c.keys)
			require.Equal(t, c.do == "", step == nil, c.keys)
			if step != nil {
				require.Equal(t, c.do, step.Do)
				require.Equal(t, c.to, step.To)
			}
		}
	}
}

// TestHelp: the help names every word of a script, and every key stands for one.
func TestHelp(t *testing.T) {
	_, err := cluster.Parse(strings.NewReader("nothing"))
	require.Error(t, err)
	_, words, ok := strings.Cut(err.Error(), "is not one of ")
	require.True(t, ok)
	for word := range strings.SplitSeq(words, ", ") {
		require.Contains(t, long, word)
	}
	for key, word := range keys {
		require.Contains(t, words, word)
		require.Contains(t, keyHelp, string(key)+" ")
	}
}
