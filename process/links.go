package process

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
)

// Link is what lies behind a port of a process.
type Link struct {
	Peer election.Rank // who is there; a complete graph's algorithms may ask for it, others see nobody
	Port election.Port // which port of the peer's own this link is
}

// CompleteLinks returns the links of one process of a complete graph: to each of the others, in the
// order of their IDs, as all of them must number their ports. Self may be among them or not.
func CompleteLinks(self election.Rank, all ...election.Rank) []Link {
	others := slices.DeleteFunc(slices.Clone(all), func(r election.Rank) bool { return r.ID == self.ID })
	slices.SortFunc(others, func(a, b election.Rank) int { return cmp.Compare(a.ID, b.ID) })
	smaller := election.Port(0)
	for smaller < election.Port(len(others)) && others[smaller].ID < self.ID {
		smaller++
	}
	links := make([]Link, len(others))
	for i, peer := range others {
		links[i] = Link{Peer: peer, Port: smaller}
		if peer.ID < self.ID {
			links[i].Port-- // the peer itself is one of those that are smaller
		}
	}
	return links
}
