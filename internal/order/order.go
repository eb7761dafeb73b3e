// Package order sorts lists where the size of a program counts for more than its speed.
package order

import "sort"

// Stable sorts a list as slices.SortStableFunc does, with one function for lists of all types. That of slices
// is compiled anew for each type, to 10 to 20 kB of WebAssembly.
func Stable[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
