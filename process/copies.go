package process

import (
	"slices"
	"time"
)

// link is what a process keeps of one of its links, to number what it sends and to know copies of what it
// receives.
type link struct {
	sent uint64 // the number of the last packet

	// The incarnations of the peer that packets have come from, the latest first. A late copy may be of an
	// earlier one: if only the latest were known, it would look like a peer that has started again.
	heard []incarnation

	// Of the latest incarnation: when its first packet came, and whether one of an earlier incarnation came
	// long after that.
	began    time.Time
	returned bool
}

// incarnation holds which packets of one incarnation of a peer have arrived.
type incarnation struct {
	id   uint64
	last uint64              // the largest number that has arrived
	seen [window / 64]uint64 // whether number n has, for the last window numbers: bit n modulo window
}

// incarnations is the number of incarnations that a link remembers. A peer would have to start that often
// while a copy is under way for the copy to count as a packet.
const incarnations = 4

// window is the number of packets before the last of which a link knows whether they have arrived. A packet
// that this number of later ones has overtaken looks like a copy, and counts as one.
const window = 256

// copied notes that a packet has arrived, and reports whether it had arrived before.
func (l *link) copied(id, seq uint64) bool {
	if seq == 0 {
		return false // its sender numbers none
	}
	at := slices.IndexFunc(l.heard, func(i incarnation) bool { return i.id == id })
	if at < 0 {
		if len(l.heard) == incarnations {
			l.heard = l.heard[:incarnations-1]
		}
		l.heard = slices.Insert(l.heard, 0, incarnation{id: id})
		l.began, l.returned = time.Now(), false
		at = 0
	}
	return l.heard[at].copied(seq)
}

// alternates notes that a packet is new, and reports whether the peer's latest incarnation and an earlier one
// take turns: two processes use its ID. One return is not enough: a late packet of an incarnation that has
// ended may be the first that this process hears of it. Then that one counts as the latest, and every packet
// of its successor as a return.
func (l *link) alternates(id, seq uint64) bool {
	switch {
	case seq == 0 || len(l.heard) < 2:
		return false
	case id != l.heard[0].id:
		l.returned = l.returned || time.Since(l.began) >= warnEvery
		return false
	}
	alternates := l.returned
	l.returned = false
	return alternates
}

// copied is copied of a link, for the packets of one incarnation.
func (i *incarnation) copied(seq uint64) bool {
	if seq > i.last {
		if seq-i.last >= window {
			clear(i.seen[:])
		} else {
			for i.last < seq { // numbers that have not arrived yet take the place of older ones
				i.last++
				i.seen[i.last%window/64] &^= 1 << (i.last % 64)
			}
		}
		i.last = seq
		i.seen[seq%window/64] |= 1 << (seq % 64)
		return false
	}
	word, bit := &i.seen[seq%window/64], uint64(1)<<(seq%64)
	if i.last-seq >= window || *word&bit != 0 {
		return true
	}
	*word |= bit
	return false
}
