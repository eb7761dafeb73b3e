package svg_test

import (
	"encoding/xml"
	"regexp"
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

// line is a line of a text, with the attribute that condenses it.
var line = regexp.MustCompile(`<text [^>]*?(?: textLength="([^"]*)" lengthAdjust="spacingAndGlyphs")?>([^<]*)</text>`)

// TestParagraph: a line has all words that fit in Helvetica and Arial, and no more. One that would be too long in a
// wide font is condensed there.
func TestParagraph(t *testing.T) {
	const size, bold = 16.1, `font-weight="bold"`
	for _, c := range []struct {
		most        float64
		style, text string
		want        [][2]string // the lines, and how long they are in any font
	}{
		// Arial needs 310 and 292 for this, DejaVu Sans 374 and 332.
		{380, bold, "5 leads after 10 units, 60 messages in all", [][2]string{{"", "5 leads after 10 units, 60 messages in all"}}},
		{362, bold, "5 leads after 10 units, 60 messages in all",
			[][2]string{{"309.64", "5 leads after 10 units, 60 messages in all"}}},
		{309, bold, "5 leads after 10 units, 60 messages in all",
			[][2]string{{"287.26", "5 leads after 10 units, 60 messages in"}, {"", "all"}}},
		{309, "", "5 leads after 10 units, 60 messages in all",
			[][2]string{{"291.73", "5 leads after 10 units, 60 messages in all"}}},
		{291, "", "5 leads after 10 units, 60 messages in all",
			[][2]string{{"271.16", "5 leads after 10 units, 60 messages in"}, {"", "all"}}},
		// Many wide or narrow letters.
		{100, "", "WWWWWW WWWWWW", [][2]string{{"", "WWWWWW"}, {"", "WWWWWW"}}},
		{100, "", "iiiiii iiiiii iiiiii", [][2]string{{"", "iiiiii iiiiii iiiiii"}}},
		// A word that is longer than a line has one of its own.
		{60, "", "an unbelievable word", [][2]string{{"", "an"}, {"60", "unbelievable"}, {"", "word"}}},
		{60, "", "", nil},
	} {
		d := &svg.Drawing{}
		bottom := d.Paragraph(14, 20, size, 20, c.most, c.style, c.text)
		var have [][2]string
		for _, m := range line.FindAllStringSubmatch(d.Document(400, 100, "", ""), -1) {
			have = append(have, [2]string{m[1], m[2]})
		}
		require.Equal(t, c.want, have, "%v %s", c.most, c.style)
		require.InDelta(t, 20+20*len(c.want), bottom, 1e-9)
	}
}
