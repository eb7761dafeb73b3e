package params

import (
	"slices"
	"strconv"
)

// Draw draws a value for about half of the parameters, among processes of these IDs. A description will do.
// Each value is of the kind that its parameter takes; the algorithm may refuse it all the same, by itself or
// beside another one. The function intN returns a number from 0 to n-1. Draw leaves out what
// has to fit the run ([DelayBound], [DrawRange], [GroupSize], [Diameter]), and what another table reads.
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

// ofTheRun reports whether the value of a parameter follows from the run. Another value is wrong in most
// runs.
func (r Role) ofTheRun() bool {
	return r == DelayBound || r == DrawRange || r == GroupSize || r == Diameter
}

// drawNumber draws a small number: of time-outs in units one is as good as another, and what is counted runs
// out within a short run.
func drawNumber(_ []uint64, intN func(n int) int) Value { return Value{Number: float64(intN(9))} }

func drawProcess(ids []uint64, intN func(n int) int) Value {
	return Value{Text: strconv.FormatUint(ids[intN(len(ids))], 10)} // a float64 does not hold every ID
}

func drawTimes(ids []uint64, intN func(n int) int) Value {
	times := make(map[uint64]float64)
	for _, id := range slices.Sorted(slices.Values(ids)) {
		times[id] = float64(intN(9))
	}
	return Value{ByID: times}
}

// drawGroups draws groups of any size: each process joins the group of one before it, or leads one.
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
