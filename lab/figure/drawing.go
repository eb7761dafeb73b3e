package figure

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// letter is the size of most text in a figure.
const letter = 15.0

// drawing is an SVG document as it grows. It is a white sheet, also on a dark page.
type drawing struct{ b strings.Builder }

func (d *drawing) open(width, height float64, title string) {
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s"`+
		` role="img" font-family="Helvetica, Arial, sans-serif">`+"\n", coordinate(width), coordinate(height))
	fmt.Fprintf(&d.b, "<title>%s</title>\n", escaped(title))
	d.rect(0, 0, width, height, "#FFFFFF")
}

func (d *drawing) close() string {
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

// coordinate writes a number with up to two decimals, the same on every machine.
func coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

func (d *drawing) rect(x, y, width, height float64, colour string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
		coordinate(x), coordinate(y), coordinate(width), coordinate(height), colour)
}

func (d *drawing) line(x1, y1, x2, y2 float64, colour string, width float64) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"/>`+"\n",
		coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), colour, coordinate(width))
}

func (d *drawing) text(x, y, size float64, anchor, weight, text string) {
	if weight != "" {
		weight = ` font-weight="` + weight + `"`
	}
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" font-size="%s" text-anchor="%s"%s>%s</text>`+"\n",
		coordinate(x), coordinate(y), coordinate(size), anchor, weight, escaped(text))
}

// upwards writes text that is read from below, centred at y.
func (d *drawing) upwards(x, y float64, text string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" font-size="%s" text-anchor="middle"`+
		` transform="rotate(-90 %[1]s %[2]s)">%[4]s</text>`+"\n",
		coordinate(x), coordinate(y), coordinate(letter), escaped(text))
}

// path draws a line through points: x, y, x, y. Dashes are as SVG has them, empty for none.
func (d *drawing) path(points []float64, colour string, width float64, dashes string) {
	if dashes != "" {
		dashes = ` stroke-dasharray="` + dashes + `"`
	}
	fmt.Fprintf(&d.b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%s"`+
		` stroke-linejoin="round"%s/>`+"\n", joined(points), colour, coordinate(width), dashes)
}

// circle draws a disc, with a rim unless that has no width.
func (d *drawing) circle(x, y, r float64, colour, rim string, width float64) {
	if width > 0 {
		rim = fmt.Sprintf(` stroke="%s" stroke-width="%s"`, rim, coordinate(width))
	}
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s" fill="%s"%s/>`+"\n",
		coordinate(x), coordinate(y), coordinate(r), colour, rim)
}

// polygon fills what is between points.
func (d *drawing) polygon(points []float64, colour string) {
	fmt.Fprintf(&d.b, `<polygon points="%s" fill="%s" stroke="#FFFFFF" stroke-width="1"/>`+"\n",
		joined(points), colour)
}

func joined(points []float64) string {
	var b strings.Builder
	for i, x := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(coordinate(x))
	}
	return b.String()
}
