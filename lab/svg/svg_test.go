package svg_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/svg"
)

// TestEscaped: a text is escaped as the standard library escapes it, whatever it holds.
func TestEscaped(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x11000; r++ {
		all.WriteRune(r) // of half a pair: U+FFFD
	}
	for _, text := range []string{"", "5 < 6 & \"7\"\n", "\xff half a \xe2\x82 character", all.String()} {
		var want strings.Builder
		require.NoError(t, xml.EscapeText(&want, []byte(text)))
		require.Equal(t, want.String(), svg.Escaped(text))
	}
}
