package sim

import "unsafe"

// prefetched is the number of messages, or timers, whose receivers prefetch fetches in one batch.
const prefetched = 16

// places are in memory, each at something that is used soon; nil for none.
type places [prefetched]unsafe.Pointer

// ahead returns the receivers of the next messages, in room that the next call uses again.
func (s *Sim) ahead() []uint32 {
	next := s.room[:0]
	for i := range s.room {
		var m *entry
		if s.byTime != nil {
			m = s.byTime.peek(i)
		} else {
			m = s.fifo.peek(i)
		}
		if m == nil {
			break
		}
		next = append(next, m.to)
	}
	return next
}

// prefetchMessages prefetches for the next messages, and fetches those after them.
func (s *Sim) prefetchMessages() {
	later := s.beyond()
	s.prefetchSum += touch(&later)
	s.prefetch(s.ahead())
}

// beyond returns the addresses of the messages that follow the messages of ahead. The processor itself fetches consecutive
// reads, but a burst of sixteen reads overtakes it.
func (s *Sim) beyond() (later places) {
	for i := range later {
		later[i] = unsafe.Pointer(s.fifo.peek(len(s.room) + i))
	}
	return later
}

// timersAhead is ahead for the timers of the line.
func (s *Sim) timersAhead() []uint32 {
	next := s.room[:0]
	for _, t := range s.timers.line[s.timers.first:] {
		if len(next) == len(s.room) {
			break
		}
		next = append(next, uint32(t.p))
	}
	return next
}

// prefetch fetches the Nodes of the next receivers, and the processes of the receivers after them, so that
// their cache misses overlap. A process is fetched one batch before its Node, since it contains the address
// of the Node. If timers have changed lately, prefetch fetches the timers of the latter processes too.
func (s *Sim) prefetch(next []uint32) {
	s.batches++
	procs, nodes := s.soon(next)
	s.prefetchSum += touch(&nodes) + touch(&procs)
	// Not always: in a round of floodmax a hundred thousand messages arrive, and none changes a timer.
	if changes := s.timers.changes; changes != s.changesSeen {
		s.changesSeen = changes
		timers := s.timersOf(next)
		s.prefetchSum += touch(&timers)
	}
}

// timersOf returns the addresses of the timers of the processes that soon returns.
func (s *Sim) timersOf(next []uint32) (timers places) {
	if s.timers.running == nil {
		return timers
	}
	for i, p := range next[min(prefetched, len(next)):] {
		timers[i] = unsafe.Pointer(&s.timers.running[p])
	}
	return timers
}

// soon returns the addresses that prefetch fetches.
func (s *Sim) soon(next []uint32) (procs, nodes places) {
	for i, p := range next {
		if i >= prefetched {
			procs[i-prefetched] = unsafe.Pointer(&s.procs[p])
			continue
		}
		node := s.procs[p].host.Node()
		// The second word of an interface points to what is in it. No method of a Node only reads, so
		// there is no other way to bring its memory into the cache. Without this floodmax takes twice as
		// long.
		nodes[i] = (*[2]unsafe.Pointer)(unsafe.Pointer(&node))[1]
	}
	return procs, nodes
}
