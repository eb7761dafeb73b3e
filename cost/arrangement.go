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

// Halving returns the order on which rounds that leave the local maxima take longest. Each of the larger half
// stands between two smaller ones, and the larger half alone is in such an order again.
func Halving(n int) []uint64 {
	if n < 2 {
		return Rising(n)
	}
	small := uint64(n - n/2)
	order := make([]uint64, 0, n)
	// Small and large alternate, so in each round every second candidate survives: as many rounds as
	// possible.
	for i, survivor := range Halving(n / 2) {
		order = append(order, uint64(i+1), small+survivor)
	}
	if n%2 == 1 {
		order = append(order, small)
	}
	return order
}
