package detect

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// curve is one detector with a parameter that varies.
type curve struct {
	name, colour string
	steps        int
	at           func(step int) Detector
}

// curves are those of docs/detectors.svg.
var curves = []curve{
	{"Deadline, by Timeout", svg.Blue, 18, func(i int) Detector {
		return Deadline{Timeout: 130*ms + time.Duration(i)*20*ms}
	}},
	{"Chen, by Margin", svg.Orange, 9, func(i int) Detector {
		return Chen{Margin: 50*ms +
			time.Duration(i)*40*ms}
	}},
	{"Phi without a Pause, by Threshold", svg.Green, 9, func(i int) Detector {
		return Phi{Pause: 1, Threshold: uint64(1 + i + i*i/4)}
	}},
	{"Phi, by Threshold", svg.Pink, 5, func(i int) Detector {
		return Phi{Pause: 100 * ms,
			Threshold: uint64(1 + 2*i)}
	}},
}

// The measures of the figure.
const (
	sheetWidth, sheetHeight = 640.0, 720.0
	axisLeft, axisRight     = 110.0, 610.0
	axisTop, axisBottom     = 240.0, 620.0
	lastTime                = 600.0 // ms
	topPower, bottomPower   = 4.0, -1.0
	letter                  = 18.2 // 11 px on a screen of 390 px
)

func abscissa(took time.Duration) float64 {
	return axisLeft + (axisRight-axisLeft)*took.Seconds()*1000/lastTime
}

func ordinate(hourly float64) float64 {
	return axisTop + (axisBottom-axisTop)*(topPower-math.Log10(hourly))/(topPower-bottomPower)
}

// point returns where a detector stands in the figure, and whether it makes any mistake.
func (n *network) point(t *testing.T, d Detector) (x, y float64, ok bool) {
	_, mean, _ := n.detection(t, d, manyCrashes)
	count, _ := n.mistakes(t, d, manyHours*time.Hour)
	hourly := float64(count) / manyHours
	return abscissa(mean), ordinate(hourly), hourly >= math.Pow(10, bottomPower)
}

// drawn returns the figure.
func (n *network) drawn(t *testing.T) string {
	d := &svg.Drawing{}
	write := func(x, y float64, anchor, text string) { d.Text(x, y, letter, anchor, "", text) }
	d.Text(20, 34, 22, "start", `font-weight="bold"`, "What a quicker detection costs")
	write(20, 66, "start", "An interval of 100 ms; 10 % of the beats are lost.")
	write(20, 90, "start", "Each point: one value of a parameter.")
	for power := bottomPower; power <= topPower; power++ {
		y := ordinate(math.Pow(10, power))
		d.Line(axisLeft, y, axisRight, y, 0.5, svg.Faint, "")
		label := strconv.FormatFloat(math.Pow(10, power), 'g', -1, 64)
		if power > 0 {
			label = prose.Grouped(uint64(math.Pow(10, power)))
		}
		write(axisLeft-8, y+6, "end", label)
	}
	for at := time.Duration(0); at <= 600*ms; at += 100 * ms {
		d.Line(abscissa(at), axisBottom, abscissa(at), axisBottom+5, 1, svg.Ink, "")
		write(abscissa(at), axisBottom+28, "middle", strconv.Itoa(int(at/ms)))
	}
	d.Line(axisLeft, axisBottom, axisRight, axisBottom, 1, svg.Ink, "")
	write((axisLeft+axisRight)/2, axisBottom+64, "middle", "mean time until a crash is suspected, in ms")
	d.Upwards(34, (axisTop+axisBottom)/2, letter, "mistakes an hour")
	for i, c := range curves {
		d.Group(c.name)
		var path []float64
		for step := range c.steps {
			if x, y, ok := n.point(t, c.at(step)); ok {
				path = append(path, x, y)
			}
		}
		d.Path(path, 1.5, c.colour, "")
		for ; len(path) > 0; path = path[2:] {
			mark(d, path[0], path[1], i, c.colour)
		}
		y := 122 + 26*float64(i)
		mark(d, 30, y-6, i, c.colour)
		write(46, y, "start", c.name)
		d.Ungroup()
	}
	return d.Document(sheetWidth, sheetHeight, "What a quicker detection costs",
		"Mistakes an hour over the mean time until a crash is suspected, for four detectors.")
}

// mark draws a point of a curve, in a form of its own, so that curves differ in grey.
func mark(d *svg.Drawing, x, y float64, form int, colour string) {
	const r = 5
	switch form {
	case 0:
		d.Circle(x, y, r-1, colour, "", 0)
	case 1:
		d.Rect(x-r+1, y-r+1, 2*r-2, 2*r-2, colour)
	case 2:
		d.Polygon([]float64{x, y - r, x + r, y, x, y + r, x - r, y}, colour, svg.Paper)
	default:
		d.Polygon([]float64{x - r, y + r, x, y - r, x + r, y + r}, colour, svg.Paper)
	}
}

// TestFigure: docs/detectors.svg is what the simulation gives: one point, and all in a long run.
func TestFigure(t *testing.T) {
	const file = "../docs/detectors.svg"
	n := &networks[2]
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(n.drawn(t)), 0o600))
	}
	drawn, err := os.ReadFile(file)
	require.NoError(t, err)
	if !*Long && !*update {
		x, y, ok := n.point(t, curves[0].at(2))
		require.True(t, ok)
		require.Contains(t, string(drawn), fmt.Sprintf(`cx="%s" cy="%s"`, svg.Num(x), svg.Num(y)))
		return
	}
	require.Equal(t, n.drawn(t), string(drawn), "run: go test ./detect -run TestFigure -update")
}
