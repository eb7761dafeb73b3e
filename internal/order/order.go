// Package order sorts lists if a small program matters more than speed.
package order

import "sort"

// Stable sorts a list like slices.SortStableFunc, but with one function for lists of all types. The generic
// function is compiled for each type, to 10 to 20 kB of WebAssembly each.
func Stable[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
