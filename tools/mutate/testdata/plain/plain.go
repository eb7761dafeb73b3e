// Package plain has a place for each kind of change, and some that look like one.
package plain

import "time"

type Size int

const unit Size = 10

func Less(x, y int) bool {
	return x < y
}

func AtMost(x, y Size) bool {
	return x <= y
}

func Greater(x, y string) bool {
	return x > y
}

func AtLeast(x float64) bool {
	return x >= 2
}

func Equal(x, y any) bool {
	return x == y
}

func Differ(x, y int) bool {
	return x != y
}

func Both(x bool, y func() bool) bool {
	return x && y()
}

func Either(x bool, y func() bool) bool {
	return x || y()
}

func Least(x, y, z Size) Size {
	return min(x, y, z)
}

func Largest(x, y time.Duration) time.Duration {
	return max(x, y)
}

func Yes() bool {
	return true
}

func No() bool {
	return false
}

func Condition(x bool) string {
	if x {
		return "yes"
	}
	return "no"
}

func Loop(more func() bool) (list []string) {
	for more() {
		list = append(list, "again")
	}
	return list
}

func Cases(x, y bool) string {
	switch {
	case x, y:
		return "yes"
	}
	return "no"
}

func Call(f func()) {
	f()
}

func Assign(x string) string {
	x = "assigned"
	return x
}

func Count(x int) int {
	x++
	return x
}

func Panic(x string) string {
	if x == "" {
		panic("empty")
	}
	return x
}

func Constant() Size {
	return 2*unit + 0x10
}

func Shift(x uint8) uint8 {
	return x << 3
}

func Times(n int) (list []int) {
	for i := 0; i < n; i++ {
		list = append(list, i)
	}
	return list
}

// The variables hide the names of their types.
func Hidden(time, Size Size) bool {
	return time < Size
}

// The function in it has no result, so its panic can be dropped.
func Inner() func() {
	return func() {
		panic("inner")
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
