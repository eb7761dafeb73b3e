package report

import (
	"io"
	"math"
	"strconv"

	"github.com/go-election/election/lab/experiment"
)

// orNull returns nil for what JSON has no number for.
func orNull(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// comparisonJSON is the JSON form of a comparison.
type comparisonJSON struct {
	Order    string      `json:"order"`
	Schedule string      `json:"schedule"`
	Seeds    int         `json:"seeds"`
	Seed     string      `json:"seed"` // as text, for readers that keep 53 bits only
	Cells    []cellJSON  `json:"cells"`
	Least    []leastJSON `json:"least"`
}

// cellJSON is one algorithm among n processes; what no closed form is known for is null.
type cellJSON struct {
	Algorithm string            `json:"algorithm"`
	Variant   string            `json:"variant"`
	Links     string            `json:"links"`
	N         int               `json:"n"`
	Messages  experiment.Spread `json:"messages"`
	Time      experiment.Spread `json:"time"`
	Bits      experiment.Spread `json:"bits"`
	Best      *float64          `json:"best"`
	Mean      *float64          `json:"mean"`
	Worst     *float64          `json:"worst"`
}

// leastJSON has the algorithms that take the least of a measure on average, from one size to another.
type leastJSON struct {
	Metric     experiment.Measure `json:"metric"`
	First      int                `json:"first"`
	Last       int                `json:"last"`
	Algorithms []string           `json:"algorithms"`
}

// ComparisonJSON writes what came out of a Comparison as one object on one line. The order and the schedule are
// those that Prepare has made of the runs, for the reader.
func ComparisonJSON(w io.Writer, c *experiment.Comparison, cells []experiment.Cell, order, schedule string) error {
	o := comparisonJSON{Order: order, Schedule: schedule, Seeds: c.Seeds,
		Seed: strconv.FormatUint(c.Seed, 10)}
	for i := range cells {
		cell := &cells[i]
		o.Cells = append(o.Cells, cellJSON{
			Algorithm: cell.Algorithm.Name, Variant: cell.Algorithm.Variant, Links: cell.Links, N: cell.N,
			Messages: cell.Messages, Time: cell.Time, Bits: cell.Bits,
			Best: orNull(cell.Best), Mean: orNull(cell.Mean), Worst: orNull(cell.Worst),
		})
	}
	for _, m := range experiment.Measured() {
		for _, s := range experiment.Stretches(cells, m) {
			o.Least = append(o.Least, leastJSON{m, s.First, s.Last, s.Titles})
		}
	}
	return Write(w, o)
}

// redundancyJSON is the JSON form of the experiment.
type redundancyJSON struct {
	Experiment string       `json:"experiment"`
	N          int          `json:"n"`
	Iterations int          `json:"iterations"`
	Seed       string       `json:"seed"` // as text, for readers that keep 53 bits only
	Tied       int          `json:"tied"`
	Series     []seriesJSON `json:"series"`
	Claims     []claimJSON  `json:"claims"`
}

// seriesJSON is one method under one model. The lists hold a number for each iteration.
type seriesJSON struct {
	methodJSON
	MeanStarted  float64  `json:"mean_started"`
	ShareStarted float64  `json:"share_started_above_1"`
	MeanServed   float64  `json:"mean_served"`
	ShareServed  float64  `json:"share_served_above_1"`
	MeanMessages float64  `json:"mean_messages"`
	Noticed      []int    `json:"noticed"`
	Started      []int    `json:"started"`
	Served       []int    `json:"served"`
	Messages     []uint64 `json:"messages"`
}

// methodJSON is a method under a model.
type methodJSON struct {
	Model   experiment.Model `json:"model"`
	Variant string           `json:"variant"`
	Wait    *string          `json:"wait"`
	Ties    *experiment.Ties `json:"ties"`
}

type claimJSON struct {
	Figure int `json:"figure"`
	methodJSON
	Claim string `json:"claim"`
	Holds bool   `json:"holds"`
	Found string `json:"found"`
}

func methodOf(model experiment.Model, m experiment.Method) methodJSON {
	return methodJSON{Model: model, Variant: m.Variant, Wait: textOrNull(m.Wait), Ties: textOrNull(m.Ties)}
}

// RedundancyJSON writes the result of a Redundancy and its comparison with the paper, as one JSON object on one line.
func RedundancyJSON(w io.Writer, r *experiment.Redundancy, all []experiment.Series) error {
	o := redundancyJSON{
		Experiment: "redundancy", N: r.N, Iterations: r.Iterations,
		Seed: strconv.FormatUint(r.Seed, 10), Tied: experiment.Tied(r.N),
	}
	for i := range all {
		s := &all[i]
		j := seriesJSON{
			methodJSON: methodOf(s.Model, s.Method), MeanStarted: s.MeanStarted(),
			ShareStarted: s.ShareStarted(),
			MeanServed:   s.MeanServed(), ShareServed: s.ShareServed(), MeanMessages: s.MeanMessages(),
		}
		for _, t := range s.Trials {
			j.Noticed, j.Started = append(j.Noticed, t.Noticed), append(j.Started, t.Started)
			j.Served, j.Messages = append(j.Served, t.Served), append(j.Messages, t.Messages)
		}
		o.Series = append(o.Series, j)
	}
	for _, c := range experiment.Claims(all) {
		o.Claims = append(o.Claims, claimJSON{c.Figure, methodOf(c.Model, c.Method), c.Says, c.Holds,
			c.Found})
	}
	return Write(w, o)
}

// complexityJSON is the JSON form of the experiment.
type complexityJSON struct {
	Experiment string         `json:"experiment"`
	N          int            `json:"n"`
	Accounting string         `json:"accounting"`
	Elections  int            `json:"elections"`
	Differing  int            `json:"differing"`
	Equations  []equationJSON `json:"equations"`
}

type equationJSON struct {
	Equation string             `json:"equation"`
	Variant  string             `json:"variant"`
	Case     string             `json:"case"`
	Printed  *string            `json:"paper"`
	Correct  string             `json:"correct"`
	Verdict  experiment.Verdict `json:"verdict"`
	Why      string             `json:"why"`
	Rows     []rowJSON          `json:"rows"`
}

// rowJSON is one count; i is null for all processes that may notice together.
type rowJSON struct {
	N        int      `json:"n"`
	I        *int     `json:"i"`
	Paper    *float64 `json:"paper"`
	Correct  float64  `json:"correct"`
	Measured float64  `json:"measured"`
}

// ComplexityJSON writes the rows of a Complexity, with the number of elections that were measured, as one
// object on one line.
func ComplexityJSON(w io.Writer, c *experiment.Complexity, elections int, rows []experiment.Row) error {
	o := complexityJSON{Experiment: "complexity", N: c.N, Accounting: experiment.Accounting, Elections: elections}
	for some := range experiment.ByEquation(rows) {
		e := some[0].Equation
		j := equationJSON{
			Equation: e.Name, Variant: e.Variant, Case: e.Case, Printed: textOrNull(e.Printed),
			Correct: e.Formula,
			Verdict: e.Verdict, Why: e.Why,
		}
		for i := range some {
			r := &some[i]
			row := rowJSON{N: r.N, Paper: orNull(r.Paper), Correct: r.Formula, Measured: r.Measured}
			if r.I > 0 {
				row.I = &r.I
			}
			if r.Differs() {
				o.Differing++
			}
			j.Rows = append(j.Rows, row)
		}
		o.Equations = append(o.Equations, j)
	}
	return Write(w, o)
}
