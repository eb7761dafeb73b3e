package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/check"
)

// anonymous returns an election on an anonymous ring: n processes that all believe that there are size, and
// draw 1 or 2.
func anonymous(n int, size uint32) check.Config { return drawingFrom(2, n, size) }

// drawingFrom returns the same election with draws from more numbers.
func drawingFrom(numbers uint32, n int, size uint32) check.Config {
	a := must(itairodeh.New(itairodeh.Config{Size: size, K: numbers, Finite: true}))
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	return ring(a, ids...)
}

// anonymousWith is the same, of the right size, with a mistake.
func anonymousWith(n int, step bend) check.Config {
	c := anonymous(n, uint32(n))
	c.Algorithm = with(c.Algorithm, step)
	return c
}

// anonymousToken is the kind of message.
const anonymousToken = 1

// alike makes all processes draw the same numbers.
func alike(n *bent, e *election.Env, ev *election.Event) {
	own := election.NewEnv(aside{e}, nil)
	fx := own.Begin(0)
	n.Node.Step(own, ev)
	do(e, fx)
}

// neverShared forgets to mark a token that meets the same number.
func neverShared(n *bent, e *election.Env, ev *election.Event) {
	fx := n.try(e, ev)
	for i := range fx.Sends {
		fx.Sends[i].Msg.Flags = 0
	}
	do(e, fx)
}

// ownByNumber takes each token of the own number for the own one, whatever its hops.
func ownByNumber(n *bent, e *election.Env, ev *election.Event) {
	seen := *ev
	if received(ev, anonymousToken) && n.is(0) && n.number(5) == ev.Msg.Rank.Priority {
		seen.Msg.Value = 2 // as many as there are processes
	}
	do(e, n.try(e, &seen))
}

func anonymousExhibits() []Entry {
	overtaking := drawingFrom(3, 3, 3)
	overtaking.Unordered = true
	return []Entry{{
		Name: "itairodeh: fewer processes than there are", Source: "A. Itai, M. Rodeh 1981", Limit: true,
		Wrong: "The processes believe that the ring is smaller than it is. The token of another process has then " +
			"made the expected number of hops, so a process takes it for its own.",
		Config:  anonymous(4, 2),
		Control: Control{"the same, two processes", anonymous(2, 2)},
	}, {
		Name: "itairodeh: more processes than there are", Source: "A. Itai, M. Rodeh 1981", Limit: true,
		Wrong: "The processes believe that the ring is larger than it is. After one trip around the ring a " +
			"process takes its own token for the token of another process, and marks it as shared. So the " +
			"processes draw again and again.",
		Config:  anonymous(2, 4),
		Control: Control{"the same, four processes", anonymous(4, 4)},
	}, {
		Name: "itairodeh: generators of the same seed", Source: known,
		Wrong:   "All processes draw the same numbers, so they remain identical forever and no leader is elected.",
		Config:  anonymousWith(2, alike),
		Control: Control{"itairodeh/finite", anonymous(2, 2)},
	}, {
		Name: "itairodeh: a token that meets its number is not marked", Source: known,
		Wrong: "A process does not mark a token with its own number as shared. Every process that has drawn " +
			"the largest number takes itself for the only one, and leads.",
		Config:  anonymousWith(2, neverShared),
		Control: Control{"itairodeh/finite", anonymous(2, 2)},
	}, {
		Name: "itairodeh: the own token is known by its number", Source: known,
		Wrong: "A process recognizes its token by the number and does not count the hops. It takes the token of " +
			"another process with the same number for its own, and both lead.",
		Config:  anonymousWith(2, ownByNumber),
		Control: Control{"itairodeh/finite", anonymous(2, 2)},
	}, {
		Name:   "itairodeh: no rounds, and links that do not keep the order",
		Source: "W. Fokkink, J. Pang 2004",
		Limit:  true,
		Wrong: "Without rounds the algorithm needs links that keep messages in order. On other links a token of " +
			"the next round may overtake one of this round, and is compared with numbers of the wrong round.",
		Config:  overtaking,
		Control: Control{"the same, links keep the order", drawingFrom(3, 3, 3)},
	}}
}
