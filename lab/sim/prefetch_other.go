//go:build !amd64

package sim

// touch reads a byte at each place, which brings it into the cache. It returns their sum, so that the reads
// are not optimised away.
func touch(at *places) (sum uint32) {
	for _, place := range at {
		if place != nil {
			sum += uint32(*(*uint8)(place))
		}
	}
	return sum
}
