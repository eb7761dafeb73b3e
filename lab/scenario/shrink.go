package scenario

import "slices"

// Shrink makes a run that fails smaller as long as it fails in the same way. Each function of smaller returns the
// i-th smaller run of a kind, and whether there is an i-th one. The function fails reports whether such a run
// fails, and returns it, perhaps without parts that have become pointless. Shrink returns a run of which no
// smaller one fails, or the smallest so far when more returns false.
func Shrink[T any](run T, smaller []func(run T, i int) (T, bool), fails func(T) (T, bool), more func() bool) T {
	// Begin again after every success: a part that was needed before may be superfluous now.
	for again := true; again && more(); {
		again = false
		for _, kind := range smaller {
			for i := 0; more(); {
				less, ok := kind(run, i)
				if !ok {
					break
				}
				if less, ok = fails(less); ok {
					run, again = less, true // and try what is now the i-th
				} else {
					i++
				}
			}
		}
	}
	return run
}

// Shorter returns functions for [Shrink] that leave out ever shorter parts of a list of n, the last part first.
func Shorter[E any](n int) (all []func(list []E, i int) ([]E, bool)) {
	for size := n; size > 0; size /= 2 {
		all = append(all, func(list []E, i int) ([]E, bool) {
			to := len(list) - i*size
			if to <= 0 {
				return nil, false
			}
			return slices.Delete(slices.Clone(list), max(to-size, 0), to), true
		})
	}
	return all
}
