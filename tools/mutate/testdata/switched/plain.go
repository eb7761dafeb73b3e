// Package plain has a place for each kind of change, and some that look like one.
package plain

import mutated "github.com/go-election/election/tools/mutate/change"

import "time"

type Size int

const unit Size = 10

func Less(x, y int) bool {
	return mutated.Less[int](1, x, y)
}

func AtMost(x, y Size) bool {
	return mutated.AtMost[Size](2, x, y)
}

func Greater(x, y string) bool {
	return mutated.Greater(3, x, y)
}

func AtLeast(x float64) bool {
	return mutated.AtLeast[float64](4, x, mutated.Const[float64](5, 2, 3))
}

func Equal(x, y any) bool {
	return ((x == y) != mutated.On(6))
}

func Differ(x, y int) bool {
	return ((x != y) != mutated.On(7))
}

func Both(x bool, y func() bool) bool {
	return ((x) != mutated.On(8) && (y()) != mutated.On(8)) != mutated.On(8)
}

func Either(x bool, y func() bool) bool {
	return ((x) != mutated.On(9) || (y()) != mutated.On(9)) != mutated.On(9)
}

func Least(x, y, z Size) Size {
	return mutated.Min[Size](10, x, y, z)
}

func Largest(x, y time.Duration) time.Duration {
	return mutated.Max[time.Duration](11, x, y)
}

func Yes() bool {
	return !mutated.On(12)
}

func No() bool {
	return mutated.On(13)
}

func Condition(x bool) string {
	if (x) != mutated.On(14) {
		return "yes"
	}
	return "no"
}

func Loop(more func() bool) (list []string) {
	for (more()) != mutated.On(15) {
		if !mutated.On(16) {
			list = append(list, "again")
		}
	}
	return list
}

func Cases(x, y bool) string {
	switch {
	case ((x) != mutated.On(17)), ((y) != mutated.On(18)):
		return "yes"
	}
	return "no"
}

func Call(f func()) {
	if !mutated.On(19) {
		f()
	}
}

func Assign(x string) string {
	if !mutated.On(20) {
		x = "assigned"
	}
	return x
}

func Count(x int) int {
	if !mutated.On(21) {
		x++
	}
	return x
}

func Panic(x string) string {
	if (x == "") != mutated.On(22) {
		if !mutated.On(23) {
			panic("empty")
		}
	}
	return x
}

func Constant() Size {
	return mutated.Const[Size](24, mutated.Const[Size](25, 2*unit+0x10, 2*unit+17), 3*unit+0x10)
}

func Shift(x uint8) uint8 {
	return x << mutated.Const[int](26, 3, 4)
}

func Times(n int) (list []int) {
	for i := mutated.Const[int](28, 0, 1); (mutated.Less[int](29, i, n)) != mutated.On(27); i++ {
		if !mutated.On(30) {
			list = append(list, i)
		}
	}
	return list
}

// The variables hide the names of their types.
func Hidden(time, Size Size) bool {
	return mutated.Less(31, time, Size)
}

// The function in it has no result, so its panic can be dropped.
func Inner() func() {
	return func() {
		if !mutated.On(32) {
			panic("inner")
		}
	}
}

// Go demands it all as it is, the assignment does nothing, and no byte is larger than 255.
func Untouched(x int) uint8 {
	const seven = 7
	var list [4]int
	_ = x
	_ = [...]int{3: len(list)}
	switch x {
	default:
		panic("no return")
	case seven:
		return 255
	}
}
