package params

import (
	"slices"
	"strconv"
)

// Draw draws a random value for about half of the parameters, among processes with these IDs. The Table may be
// one without targets. Each value has the kind that its parameter takes, but the algorithm may still reject it,
// alone or in combination with others. intN returns a number from 0 to n-1. Draw omits parameters that must fit
// the run ([DelayBound], [DrawRange], [GroupSize], [Diameter]), and parameters that another table reads.
func Draw[ID ~uint64](t Table, ids []ID, intN func(n int) int) map[string]Value {
	all := make([]uint64, len(ids))
	for i, id := range ids {
		all[i] = uint64(id)
	}
	values := make(map[string]Value)
	for i := range t {
		if t[i].To.draw != nil && !t[i].Role.ofTheRun() && intN(2) == 0 {
			values[t[i].Name] = t[i].To.draw(all, intN)
		}
	}
	return values
}

// ofTheRun reports whether the value of a parameter is determined by the run. Other values are wrong in most
// runs.
func (r Role) ofTheRun() bool {
	return r == DelayBound || r == DrawRange || r == GroupSize || r == Diameter
}

// drawNumber draws a small number: for time-outs any number of units will do, and a small count is used up
// within a short run.
func drawNumber(_ []uint64, intN func(n int) int) Value { return Value{Number: float64(intN(9))} }

func drawProcess(ids []uint64, intN func(n int) int) Value {
	return Value{Text: strconv.FormatUint(ids[intN(len(ids))], 10)} // a float64 cannot represent every ID
}

func drawTimes(ids []uint64, intN func(n int) int) Value {
	times := make(map[uint64]float64)
	for _, id := range slices.Sorted(slices.Values(ids)) {
		times[id] = float64(intN(9))
	}
	return Value{ByID: times}
}

// drawGroups draws groups of random sizes: each process joins the group of an earlier process, or leads one.
func drawGroups(ids []uint64, intN func(n int) int) Value {
	lists := make(map[uint64][]uint64)
	var leaders []uint64
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if i := intN(len(leaders) + 1); i < len(leaders) {
			lists[leaders[i]] = append(lists[leaders[i]], id)
		} else {
			leaders, lists[id] = append(leaders, id), []uint64{}
		}
	}
	return Value{Lists: lists}
}

func drawAmong[S ~string](choices []S) func([]uint64, func(int) int) Value {
	return func(_ []uint64, intN func(n int) int) Value {
		return Value{Text: string(choices[intN(len(choices))])}
	}
}
