package prose_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/prose"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456",
		1234567: "1,234,567"} {
		require.Equal(t, want, prose.Grouped(n))
	}
	for x, want := range map[float64]string{12: "12", 5245.04: "5,245.0", 1e300: "1e+300"} {
		require.Equal(t, want, prose.Approximate(x))
	}
	require.Equal(t, "1 process", prose.Processes(1))
	require.Equal(t, "2,000 processes", prose.Processes(2000))
	require.Equal(t, "1 step", prose.Plural(1, "step"))
	require.Equal(t, "0 steps", prose.Plural(0, "step"))
	require.Equal(t, 2.35, prose.Rounded(2.3456, 2))
}

func TestWrapped(t *testing.T) {
	require.Equal(t, "  one two\n  three\n  four\n", prose.Wrapped("one two three  four", "  ", 11))
	require.Equal(t, "\n", prose.Wrapped("", "", 10))
}
