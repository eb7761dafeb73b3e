// Package svg writes pictures, of which the same calls give the same bytes on every machine. A picture
// follows the colour scheme of its reader: see [Schemes].
package svg

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Drawing is a picture as it grows. Its zero value is empty.
type Drawing struct{ b strings.Builder }

// Put adds an element, on a line of its own. For a %v it writes a float64 as [Num] does, and a list of them
// with spaces.
func (d *Drawing) Put(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case float64:
			args[i] = Num(a)
		case []float64:
			args[i] = joined(a)
		}
	}
	fmt.Fprintf(&d.b, format+"\n", args...)
}

// Document returns the whole picture, which lies on the page of its reader: see [OnSheet]. The title is its
// name, and about describes it for readers who cannot see it.
func (d *Drawing) Document(width, height float64, title, about string) string {
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s"`+
			` role="img" font-family="Helvetica, Arial, sans-serif" fill="%s">`+
			"\n<title>%s</title>\n<desc>%s</desc>\n%s%s</svg>\n",
		Num(width), Num(height), Ink, Escaped(title), Escaped(about),
		scheme(`fill="`+Ink+`"`+d.b.String()), d.b.String())
}

// Num writes a number with up to two decimals, the same on every machine.
func Num(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// Escaped returns a text as it stands in an element. It is what encoding/xml makes of the text; but that
// package would be part of the program that a browser loads, with its readers and writers.
func Escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '"', '\'', '&', '<', '>':
			fmt.Fprintf(&b, "&%s;", names[r])
		case '\t', '\n', '\r':
			fmt.Fprintf(&b, "&#x%X;", r)
		default:
			if r < ' ' || r == 0xFFFE || r == 0xFFFF {
				r = utf8.RuneError // XML has no such character
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// names are what XML calls the characters that mean something to it.
var names = map[rune]string{'"': "#34", '\'': "#39", '&': "amp", '<': "lt", '>': "gt"}

// Rect fills a rectangle.
func (d *Drawing) Rect(x, y, width, height float64, colour string) {
	d.Put(`<rect x="%v" y="%v" width="%v" height="%v" fill="%v"/>`, x, y, width, height, colour)
}

// Line draws a line. Dashes are as SVG has them, empty for none.
func (d *Drawing) Line(x1, y1, x2, y2, width float64, colour, dashes string) {
	d.Put(`<line x1="%v" y1="%v" x2="%v" y2="%v" stroke="%v" stroke-width="%v"%v/>`, x1, y1, x2, y2, colour,
		width, Dashed(dashes))
}

// Text writes a text. The style is another attribute, or empty.
func (d *Drawing) Text(x, y, size float64, anchor, style, text string) {
	if style != "" {
		style = " " + style
	}
	d.Put(`<text x="%v" y="%v" font-size="%v" text-anchor="%v"%v>%v</text>`, x, y, size, anchor, style,
		Escaped(text))
}

// Paragraph writes a text on as many lines as it needs, of a width at most, the first at y. It returns where the next
// line after it would stand. In a font that is wider than Helvetica and Arial, a line that would be too long is
// condensed.
func (d *Drawing) Paragraph(x, y, size, apart, most float64, style, text string) float64 {
	bold := strings.Contains(style, "bold")
	for _, line := range broken(text, most/size, bold) {
		attributes := style
		if TextWidth(line, bold)*size > most {
			attributes += fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`,
				Num(min(helvetica.width(line, bold)*size, most)))
		}
		d.Text(x, y, size, "start", strings.TrimSpace(attributes), line)
		y += apart
	}
	return y
}

// Dashed returns the attribute of a line with dashes, as SVG has them; none if they are empty.
func Dashed(dashes string) string {
	if dashes == "" {
		return ""
	}
	return ` stroke-dasharray="` + dashes + `"`
}

// Upwards writes a text that is read from below, centred at y.
func (d *Drawing) Upwards(x, y, size float64, text string) {
	d.Put(
		`<text x="%v" y="%v" font-size="%v" text-anchor="middle" transform="rotate(-90 %[1]v %[2]v)">%[4]v</text>`,
		x, y, size, Escaped(text))
}

// Path draws a line through points: x, y, x, y.
func (d *Drawing) Path(points []float64, width float64, colour, dashes string) {
	d.Put(`<polyline points="%v" fill="none" stroke="%v" stroke-width="%v" stroke-linejoin="round"%v/>`,
		points, colour, width, Dashed(dashes))
}

// Circle draws a disc, with a rim unless that has no width.
func (d *Drawing) Circle(x, y, r float64, colour, rim string, width float64) {
	if width > 0 {
		rim = fmt.Sprintf(` stroke="%s" stroke-width="%s"`, rim, Num(width))
	}
	d.Put(`<circle cx="%v" cy="%v" r="%v" fill="%v"%v/>`, x, y, r, colour, rim)
}

// Polygon fills what is between points, with a rim.
func (d *Drawing) Polygon(points []float64, colour, rim string) {
	d.Put(`<polygon points="%v" fill="%v" stroke="%v" stroke-width="1"/>`, points, colour, rim)
}

// Band fills what is between points with a faint shade of a colour.
func (d *Drawing) Band(points []float64, colour string) {
	d.Put(`<polygon points="%v" fill="%v" fill-opacity="0.07"/>`, points, colour)
}

// Group begins a group of elements, with what a reader sees that points at it; [Drawing.Ungroup] ends it.
func (d *Drawing) Group(about string) { d.Put(`<g><title>%s</title>`, Escaped(about)) }

// Ungroup ends a group.
func (d *Drawing) Ungroup() { d.Put(`</g>`) }

func joined(points []float64) string {
	all := make([]string, len(points))
	for i, x := range points {
		all[i] = Num(x)
	}
	return strings.Join(all, " ")
}
