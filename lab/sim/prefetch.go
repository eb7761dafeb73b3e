package sim

// prefetched is the number of messages of which prefetch reads the receivers at once.
const prefetched = 16

// prefetch reads the processes that the next messages go to, all at once, so that the cache misses
// overlap instead of coming one after another.
func (s *Sim) prefetch() {
	var sum uint32
	for i := range prefetched {
		var m *entry
		if s.byTime != nil {
			m = s.byTime.peek(i)
		} else {
			m = s.fifo.peek(i)
		}
		if m == nil {
			break
		}
		// Any field will do: what counts is that the load brings the process into the cache.
		sum += s.procs[m.to].depth
	}
	s.prefetchSum = sum
}
