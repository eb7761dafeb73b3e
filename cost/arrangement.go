package cost

// Arrangements of 1..n in clockwise order, for [Bound.Arrange].

// Rising returns 1, 2, ..., n.
func Rising(n int) []uint64 {
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(i + 1)
	}
	return order
}

// Falling returns n, n-1, ..., 1.
func Falling(n int) []uint64 {
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(n - i)
	}
	return order
}

// Halving returns the order that maximizes the number of rounds if each round keeps only the local maxima. Each
// process of the larger half stands between two smaller ones, and the larger half alone is again in such an
// order.
func Halving(n int) []uint64 {
	if n < 2 {
		return Rising(n)
	}
	small := uint64(n - n/2)
	order := make([]uint64, 0, n)
	// Alternate small and large, so that exactly every second candidate survives each round, which gives the
	// maximum number of rounds.
	for i, survivor := range Halving(n / 2) {
		order = append(order, uint64(i+1), small+survivor)
	}
	if n%2 == 1 {
		order = append(order, small)
	}
	return order
}
