package svg_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/svg"
)

// luminance is that of the guidelines for accessible pages, from 0 to 1.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		part := float64(n) / 255
		if part <= 0.03928 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// lightPages and darkPages are the colors of pages that show pictures: of GitHub, of browsers, of an editor and of
// the library itself.
var (
	lightPages = []string{"#FFFFFF", "#F6F8FA", "#F7F7F5"}
	darkPages  = []string{"#0D1117", "#212830", "#121212", "#16191D", "#1E1E1E"}
)

// TestContrast: what carries meaning stands out from the page, from each light one and each dark one.
func TestContrast(t *testing.T) {
	dark := svg.Schemes()
	for _, c := range []struct {
		least   float64
		colours []string
	}{
		{4.5, []string{svg.Ink, svg.Grey, svg.Black, svg.Red, svg.Gold}},
		{3, []string{svg.Mid, svg.Shade1, svg.Shade3, svg.Shade5, svg.Blue,
			svg.Orange, svg.Green, svg.Pink, svg.Amber, svg.Sky}},
	} {
		for _, colour := range c.colours {
			for _, page := range append(lightPages, svg.Paper) {
				require.GreaterOrEqual(t, contrast(t, colour, page), c.least, "%s on %s", colour, page)
			}
			for _, page := range append(darkPages, dark[svg.Paper]) {
				require.GreaterOrEqual(t, contrast(t, dark[colour], page), c.least, "%s on %s", colour, page)
			}
		}
	}
	for _, band := range []string{svg.Pale, svg.Rose, svg.Alarm} {
		require.GreaterOrEqual(t, contrast(t, svg.Ink, band), 4.5, "letters on %s", band)
		require.GreaterOrEqual(t, contrast(t, dark[svg.Ink], dark[band]), 4.5, "letters on %s, dark", band)
	}
}

// TestNoSheet: a picture lies on the reader's page, which is as dark as the picture expects where a browser
// shows it alone.
func TestNoSheet(t *testing.T) {
	picture := disc()
	require.NotContains(t, picture, "<rect")
	require.Contains(t, picture, "<style>svg:root { color-scheme: light dark }")

	sheet := `<rect width="100%" height="100%" fill="` + svg.Paper + `"/>`
	onSheet := svg.OnSheet(picture)
	require.Equal(t, 1, strings.Count(onSheet, "<rect"))
	require.Contains(t, onSheet, "</style>\n"+sheet+"\n<circle")
	require.Contains(t, onSheet, `[fill="`+svg.Paper+`"] { fill: `+svg.Schemes()[svg.Paper]+` }`)
}

// TestDark: a picture for a dark page has the counterparts of its colours, a sheet, and no rule beside them.
func TestDark(t *testing.T) {
	dark := svg.Dark(disc())
	require.Contains(t, dark, `r="5" fill="`+svg.Schemes()[svg.Blue]+`"`)
	require.Contains(t, dark, `height="100%" fill="`+svg.Schemes()[svg.Paper]+`"`)
	require.NotContains(t, dark, svg.Blue)
	require.NotContains(t, dark, "<style>")
	require.Equal(t, dark, svg.Dark(dark))
	require.Equal(t, dark, svg.OnSheet(dark))
}

func disc() string {
	var d svg.Drawing
	d.Circle(20, 20, 5, svg.Blue, "", 0)
	return d.Document(40, 40, "a disc", "It is blue.")
}
