package process

import (
	"slices"
	"time"
)

// link is the state of one link: it numbers the packets sent and recognizes duplicates among those received.
type link struct {
	sent uint64 // number of the last packet sent

	// heard contains the latest incarnations of the peer that packets have come from, the latest first. It
	// keeps more than one, because a late duplicate from an earlier incarnation would otherwise look as if the
	// peer had restarted.
	heard []incarnation

	// began is when the first packet of the latest incarnation arrived. returned reports whether a packet of an
	// earlier incarnation arrived long after that.
	began    time.Time
	returned bool
}

// incarnation records which packets of one incarnation of a peer have arrived.
type incarnation struct {
	id   uint64
	last uint64              // largest number that has arrived
	seen [window / 64]uint64 // bit n modulo window: whether number n has arrived, for the last window numbers
}

// incarnations is the number of incarnations that a link remembers. A duplicate counts as a new packet only if
// the peer restarts this often while it is in flight.
const incarnations = 4

// window is the number of most recent packets that a link can tell from duplicates. A packet that is overtaken
// by this many later ones counts as a duplicate.
const window = 256

// copied records the arrival of a packet, and reports whether the packet had arrived before.
func (l *link) copied(id, seq uint64) bool {
	if seq == 0 {
		return false // the sender does not number packets
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

// alternates records the arrival of a new packet, and reports whether packets of the peer's latest incarnation
// and of an earlier one alternate, which means that two processes use its ID. A single return is no evidence: a
// late packet of an old incarnation may be the first one that this process receives from it. The old
// incarnation then counts as the latest, and every packet of its successor as a return.
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

// copied is like link.copied, for the packets of one incarnation.
func (i *incarnation) copied(seq uint64) bool {
	if seq > i.last {
		if seq-i.last >= window {
			clear(i.seen[:])
		} else {
			for i.last < seq { // clear the bits of numbers that have not arrived, which still describe older packets
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
