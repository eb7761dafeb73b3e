package sim

import (
	"math/bits"

	"github.com/go-election/election"
)

// hash mixes every event of a run, in order, into 64 bits. Two runs of one hash have, for all
// practical purposes, done the same.
type hash struct{ h uint64 }

// add mixes in an event of process p. The constants are from wyhash and XXH3. Without them a field that is
// zero would make the product zero, whatever the other factor.
func (h *hash) add(ev *election.Event, p uint32) {
	m := &ev.Msg
	a := mix(uint64(ev.At)^0xa0761d6478bd642f, uint64(p)<<32|uint64(ev.Port)^0xe7037ed1a0b428db)
	b := mix(m.Term^0x8ebc6af09c88c6e3, m.Rank.Priority^0x589965cc75374cc3)
	c := mix(uint64(m.Rank.ID)^0x1d8e4e27c47d124f, m.Value^0xeb44accab455d165)
	what := uint64(m.Round)<<32 | uint64(m.Kind)<<24 | uint64(m.Flags)<<16 | uint64(m.Layer)<<8 |
		uint64(ev.Op)
	d := what ^ uint64(ev.Timer)<<56
	h.h = mix(h.h^a^bits.RotateLeft64(b, 17)^bits.RotateLeft64(c, 41), d^0x9fb21c651e98df25)
}

func (h *hash) sum() uint64 { return h.h }

// mix multiplies and folds.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
