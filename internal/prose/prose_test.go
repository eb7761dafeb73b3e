package prose_test

import (
	"strings"
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
	require.Equal(t, "1 process", prose.Plural(1, "process"))
	require.Equal(t, "2,000 processes", prose.Plural(2000, "process"))
	require.Equal(t, "1 step", prose.Plural(1, "step"))
	require.Equal(t, "0 steps", prose.Plural(0, "step"))
	require.Equal(t, "1 entry", prose.Plural(1, "entry"))
	require.Equal(t, "2 entries", prose.Plural(2, "entry"))
	require.Equal(t, "2 delays", prose.Plural(2, "delay"))
}

func TestWrapped(t *testing.T) {
	require.Equal(t, "  one two\n  three\n  four\n", prose.Wrapped("one two three  four", "  ", 11))
	require.Equal(t, "\n", prose.Wrapped("", "", 10))
}

// TestHanging: text is broken behind a head, and no word is.
func TestHanging(t *testing.T) {
	require.Equal(t, "--name\n    is what follows it\n    and more\n",
		prose.Hanging("--name", "is what follows it and more", 4, 24))
	require.Equal(t, "x\n", prose.Hanging("x", "", 4, 24))
	require.Equal(t, "a   ≤≤≤ ≤≤≤ ≤≤≤ ≤≤≤ ≤≤≤\n", prose.Hanging("a", "≤≤≤ ≤≤≤ ≤≤≤ ≤≤≤ ≤≤≤", 4, 24))
}

func TestShort(t *testing.T) {
	long, path := strings.Repeat("é", 400), strings.Repeat("a/", 150)
	require.Equal(t, "it is "+path+" and "+strings.Repeat("é", 30)+"... not x",
		prose.Short("it is "+path+" and "+long+" not x"))
	require.Equal(t, "x"+strings.Repeat("é", 29)+"...", prose.Short("x"+long), "no half letter")
	require.Empty(t, prose.Short(""))
	require.Equal(t, strings.Repeat("a ", 500)+"...", prose.Short(strings.Repeat("a ", 600)))
}

// TestOneLine: text from a file or an error cannot break a line or control a terminal.
func TestOneLine(t *testing.T) {
	require.Equal(t, "a; b ?[31mc", prose.OneLine(" a\nb \x1b[31mc\n"))
}

// TestRow: a row that is too long continues below its last column, or starts there; colors take no room.
func TestRow(t *testing.T) {
	require.Equal(t, "a  \x1b[31mb\x1b[0m c\n", prose.Row("a  \x1b[31mb\x1b[0m c\n", 6))
	long := "one two three four five six seven"
	require.Equal(t, "a  b  one two three four\n      five six seven\n", prose.Row("a  b  "+long, 26))
	require.Equal(t, "a           b\n    one two three four\n    five six seven\n",
		prose.Row("a           b  "+long, 26))
	require.Equal(t, "one two three four five\nsix seven\n", prose.Row(long, 26))
}

// TestTerm: a long Term is written by its last digits.
func TestTerm(t *testing.T) {
	for term, want := range map[uint64]string{0: "0", 17: "17", 999999999: "999999999", 459747879974401: "…974401",
		459747880000007: "…000007"} {
		require.Equal(t, want, prose.Term(term))
	}
}
