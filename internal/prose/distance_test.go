package prose

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNearest: what is far off is not suggested.
func TestNearest(t *testing.T) {
	names := []string{"list", "sim", "run", "check", "soak", "compare", "trace", "experiment", "completion"}
	for word, want := range map[string]string{
		"chekc": "check", "chec": "check", "smi": "sim", "comp": "compare", "expermient": "experiment",
		"TRACE": "trace", "saok": "soak",
		"nope": "", "foo": "", "x": "", "s": "", "": "", "rum": "run", "cheese": "", "track": "trace",
		"truck": "", "trial": "", "last": "list", "best": "",
	} {
		require.Equal(t, want, Nearest(word, names), word)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"fof", "fifo", 2}, {"kitten",
		"sitting", 3}} {
		require.Equal(t, c.want, Distance(c.a, c.b))
		require.Equal(t, c.want, Distance(c.b, c.a))
	}
}
