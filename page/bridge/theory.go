package bridge

import (
	"context"
	"encoding/json"
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
)

// curves are the closed forms of an algorithm, point by point; null where none is known.
type curves struct {
	Ns    []int      `json:"ns"` // the numbers of processes that its shape can have, of those asked for
	Best  []*float64 `json:"best"`
	Mean  []*float64 `json:"mean"`
	Worst []*float64 `json:"worst"`
	Bits  []*float64 `json:"bits"` // of the most messages, each as long as the longest kind
}

// mostPoints bounds the points of a curve.
const mostPoints = 512

// theory evaluates the closed forms of an algorithm on its usual links.
func (b *Bridge) theory(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Algorithm string          `json:"algorithm"`
		Variant   string          `json:"variant"`
		Params    json.RawMessage `json:"params"`
		Ns        []int           `json:"ns"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	if len(in.Ns) > mostPoints {
		return Reply{}, input.Errorf("ns: %d numbers, at most %d can be shown", len(in.Ns), mostPoints)
	}
	short, err := json.Marshal(struct {
		Algorithm string          `json:"algorithm"`
		Variant   string          `json:"variant,omitempty"`
		Params    json.RawMessage `json:"params,omitempty"`
	}{in.Algorithm, in.Variant, in.Params})
	if err != nil {
		return Reply{}, err
	}
	w, err := readWanted(short)
	if err != nil {
		return Reply{}, err
	}
	a, err := find(w.Algorithm, w.Variant)
	if err != nil {
		return Reply{}, err
	}
	c := curves{Ns: []int{}, Best: []*float64{}, Mean: []*float64{}, Worst: []*float64{}, Bits: []*float64{}}
	for _, n := range in.Ns {
		if n < 1 { // zero would stand for the usual number
			return Reply{}, input.Errorf("ns: %d processes, at least one is needed", n)
		}
		if ctx.Err() != nil {
			return Reply{}, context.Cause(ctx)
		}
		w.n, w.IDs = n, nil
		if err := w.number(a); err != nil {
			return Reply{}, err
		}
		if len(w.IDs) != n {
			continue // its shape has another size
		}
		in, err := w.Input(find)
		if err != nil {
			return Reply{}, err
		}
		c.add(&in)
	}
	return written(c)
}

// add adds the point of one number of processes.
func (c *curves) add(in *scenario.Input) {
	a, n := in.Algorithm, len(in.IDs)
	c.Ns = append(c.Ns, n)
	point := func(b *cost.Bound) *float64 { return known(b.At(n, in.Topology.Links())) }
	worst := point(&a.Worst)
	c.Best, c.Mean, c.Worst = append(c.Best, point(&a.Best)), append(c.Mean, point(&a.Mean)),
		append(c.Worst, worst)
	var bits *float64
	if worst != nil {
		bits = known(*worst * float64(longest(a, in.Widths())))
	}
	c.Bits = append(c.Bits, bits)
}

// longest returns the bits of the longest message of an algorithm.
func longest(a *election.Algorithm, w cost.Widths) (bits uint64) {
	for i := range a.Kinds {
		if a.Kinds[i].Bits != nil {
			bits = max(bits, a.Kinds[i].Bits(w))
		}
	}
	return bits
}

// known returns nil for what is not known.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
