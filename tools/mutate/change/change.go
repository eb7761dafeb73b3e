// Package change holds the switches of the copies that tools/mutate writes: at each place that can be
// changed, such a copy asks here whether its change is on.
package change

import (
	"cmp"
	"os"
	"strconv"
)

// Variable is the variable of the environment that names the change to switch on.
const Variable = "MUTANT"

// Active is the change that is on; 0: none.
var Active, _ = strconv.Atoi(os.Getenv(Variable))

// On reports whether a change is on.
func On(id int) bool { return id == Active }

// Const is a constant of the source, or another one.
func Const[T any](id int, was, becomes T) T {
	if On(id) {
		return becomes
	}
	return was
}

// Less is x < y, or x <= y.
func Less[T cmp.Ordered](id int, x, y T) bool { return x < y || On(id) && x == y }

// AtMost is x <= y, or x < y.
func AtMost[T cmp.Ordered](id int, x, y T) bool { return x < y || !On(id) && x == y }

// Greater is x > y, or x >= y.
func Greater[T cmp.Ordered](id int, x, y T) bool { return x > y || On(id) && x == y }

// AtLeast is x >= y, or x > y.
func AtLeast[T cmp.Ordered](id int, x, y T) bool { return x > y || !On(id) && x == y }

// Min is the smallest of its arguments, or the largest.
func Min[T cmp.Ordered](id int, x T, more ...T) T { return extreme(On(id), x, more) }

// Max is the largest of its arguments, or the smallest.
func Max[T cmp.Ordered](id int, x T, more ...T) T { return extreme(!On(id), x, more) }

func extreme[T cmp.Ordered](largest bool, x T, more []T) T {
	for _, y := range more {
		if largest {
			x = max(x, y)
		} else {
			x = min(x, y)
		}
	}
	return x
}
