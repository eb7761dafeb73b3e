package sim

import "unsafe"

// prefetched is the number of messages of which prefetch reads the receivers at once.
const prefetched = 16

// prefetch reads the processes that the next messages go to, and then their Nodes, all at once, so that the
// cache misses overlap instead of coming one after another.
func (s *Sim) prefetch() {
	var sum uint32
	var next [prefetched]uint32
	found := 0
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
		next[i], found = m.to, i+1
		// Any field will do: what counts is that the load brings the process into the cache.
		sum += s.procs[m.to].depth
	}
	for _, to := range next[:found] {
		node := s.procs[to].host.Node()
		// The second word of an interface points to what is in it. No method of a Node only reads, so
		// there is no other way to bring its memory into the cache. Without this floodmax takes twice as
		// long.
		if at := (*[2]*uint8)(unsafe.Pointer(&node))[1]; at != nil {
			sum += uint32(*at)
		}
	}
	s.prefetchSum = sum
}
