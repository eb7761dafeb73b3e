package verdict

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/observe"
)

// Tally adds up the messages of a run by kind.
type Tally struct {
	counts [256]uint64
}

// Add counts one message.
func (t *Tally) Add(kind uint8) { t.counts[kind]++ }

// AddN counts n messages.
func (t *Tally) AddN(kind uint8, n uint64) { t.counts[kind] += n }

// Fill writes the messages of algorithm a into r.
func (t *Tally) Fill(r *Result, a *election.Algorithm, w cost.Widths) {
	for kind, n := range t.counts {
		if n == 0 {
			continue
		}
		r.Messages += n
		r.ByKind = append(r.ByKind, observe.KindCount{Kind: a.KindName(uint8(kind)), Count: n})
		if kind > 0 && kind <= len(a.Kinds) && a.Kinds[kind-1].Bits != nil {
			r.Bits += n * a.Kinds[kind-1].Bits(w)
		}
	}
}
