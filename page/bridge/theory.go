package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
)

// curves are the closed forms of an algorithm on some numbers of processes.
type curves struct {
	Ns       []int   `json:"ns"`       // the sizes that its shape can have, among the requested ones
	Ports    []int   `json:"ports"`    // of the usual links of each size, in all
	Messages []curve `json:"messages"` // the known ones, from the lowest to the highest
	Bits     []curve `json:"bits"`     // at most one: of the most messages, each as long as the longest kind
	Time     []curve `json:"time"`     // at most one: the measured time if each message takes a unit
}

// curve is a closed form, or several that are equal.
type curve struct {
	Names []string   `json:"names"`
	At    []*float64 `json:"at"` // null if unknown
}

// The points of a curve: the most that can be asked for, and about how many there are of a plot.
const (
	mostPoints  = 512
	usualPoints = 48
)

// plotted returns numbers of processes for a plot in which n has its place.
func plotted(n int) (ns []int) {
	most := max(8, min(1024, n+(n+1)/2))
	for k := 1; k <= most; k += (most + usualPoints - 1) / usualPoints {
		ns = append(ns, k)
	}
	if i, found := slices.BinarySearch(ns, n); !found {
		ns = slices.Insert(ns, i, n)
	}
	return ns
}

// theory evaluates the closed forms of an algorithm on its usual links.
func (b *Bridge) theory(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Algorithm string          `json:"algorithm"`
		Variant   string          `json:"variant"`
		Params    json.RawMessage `json:"params"`
		N         int             `json:"n"`  // of a plot
		Ns        []int           `json:"ns"` // if they differ from the sizes of the plot
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	if in.Ns == nil && in.N > 0 && in.N <= trace.MostFilmed {
		in.Ns = plotted(in.N)
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
	c := curves{Ns: []int{}, Ports: []int{}}
	var best, mean, worst, bits, times []*float64
	asked, each := in.N, max(1, len(in.Ns)/12) // a dozen points make a line
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
		c.Ns, c.Ports = append(c.Ns, n), append(c.Ports, in.Topology.Links())
		point := func(b *cost.Bound) *float64 { return known(b.At(n, in.Topology.Links())) }
		most := point(&a.Worst)
		best, mean, worst = append(best, point(&a.Best)), append(mean, point(&a.Mean)), append(worst, most)
		if most != nil {
			most = known(*most * float64(longest(a, in.Widths())))
		}
		bits = append(bits, most)
		times = append(times, timed(ctx, in, n == asked || len(times)%each == 0))
	}
	c.Messages = merged(curve{[]string{"best"}, best}, curve{[]string{"mean"}, mean},
		curve{[]string{"worst"}, worst})
	c.Bits = merged(curve{[]string{"worst"}, bits})
	c.Time = merged(curve{[]string{"measured"}, times})
	return written(c)
}

// mostTimed is the most processes of an election whose time is measured: on complete links some algorithms
// take a million messages among more.
const mostTimed = 64

// timed returns the time of an election in which each message takes a unit, until the last process decides.
// It returns nil if the time is not wanted, or if not all processes decide.
func timed(ctx context.Context, in scenario.Input, wanted bool) *float64 {
	n := len(in.IDs)
	if !wanted || n > mostTimed || in.Algorithm.NeverQuiesces {
		return nil
	}
	in.IDs = slices.Clone(in.IDs)
	swap := func(i, k int) { in.IDs[i], in.IDs[k] = in.IDs[k], in.IDs[i] }
	rand.New(rand.NewPCG(1, uint64(n))).Shuffle(n, swap)
	result, err := sim.Run(ctx, sim.Config{Input: in})
	if err != nil { // such as an algorithm that needs another schedule
		return nil
	}
	return known(units(result.Time))
}

// merged returns the curves with at least one point, sorted by their values at the largest n. It merges equal
// curves.
func merged(all ...curve) []curve {
	list := []curve{}
	for _, c := range all {
		same := func(l curve) bool { return slices.EqualFunc(l.At, c.At, equal) }
		if !slices.ContainsFunc(c.At, func(v *float64) bool { return v != nil }) {
			continue
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Names = append(list[i].Names, c.Names...)
		} else {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b curve) int { return cmp.Compare(last(a.At), last(b.At)) })
	return list
}

func equal(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// last returns the value at the largest number of processes, or zero if it is not known.
func last(at []*float64) float64 {
	if v := at[len(at)-1]; v != nil {
		return *v
	}
	return 0
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
