// Package itairodeh elects a leader on a one-way ring whose processes have no IDs, by the randomized algorithm
// of Itai and Rodeh.
//
// If all processes are identical and run the same deterministic rules, each step of one can be a step of all:
// they stay identical forever, and no leader is elected. Therefore each process draws a random number and sends
// it around the ring. A token that meets a larger number is dropped, and a process that meets a larger token
// becomes passive and relays. A process recognizes its own token by its number of hops, which equals the number
// of processes. If no other process has drawn the same number, the process leads. Otherwise the processes that
// share the largest number draw again, in the next round.
//
// # The rules
//
//  1. Start. A process that starts is active. In round 1 it draws a number from 1 to K and sends TOKEN with
//     round and number, hops 1, not shared. A process that has relayed already takes part and ignores the
//     Start.
//  2. Relay. A process that is passive, or has not started, passes TOKEN on, with one more hop.
//  3. Larger. An active process that receives TOKEN of a larger round, or of its round and a larger number,
//     becomes passive. It passes TOKEN on, with one more hop.
//  4. Smaller. An active process drops TOKEN of a smaller round, or of its round and a smaller number. A
//     leader drops each TOKEN.
//  5. Same. An active process that receives TOKEN of its own round and number, with fewer hops than there are
//     processes, passes it on with one more hop, as shared.
//  6. Home. If it has made as many hops, and is not shared, the process leads and sends ELECTED around the
//     ring.
//  7. Again. If it is shared, the process enters the next round: it draws and sends TOKEN as in rule 1.
//  8. Elected. A process that receives ELECTED follows the leader in it, and passes it on. The leader removes
//     it from the ring. For each of them the election has then ended.
//  9. Stray. Each process drops TOKEN that has made more hops than there are processes. Such a TOKEN does not
//     exist if the number of processes is right.
//
// Corrected here: the source has no rule 9, and no upper limit on hops. Without it, a token on a ring of the
// wrong size may circulate forever.
//
// # Variants
//
//	rounds  as published, with the number of the round
//	finite  TOKEN has no round: after Fokkink and Pang
//
// On links that deliver in order, an active process receives only tokens of its own round. It sends its own
// token of a round before it passes on one of another process, so that both have returned before either enters
// the next round. The variant finite therefore sends the same messages as rounds, with a fixed size, and has
// finitely many states, all of which the checker visits. On other links the round is needed.
//
// # Model
//
// A ring on which messages travel clockwise, asynchronous. No process uses an ID: all processes are initially
// identical and differ only in the numbers they draw. Each knows the exact number of processes. No failures;
// any number of initiators, including late ones. Any of the initiators may win. The source assumes links that
// deliver in order; rounds does not need them.
//
// # Names
//
// A library has to report which process leads, and processes without IDs cannot. The leader therefore puts its
// name, [election.Setup].Self, into ELECTED, and the others publish it. No rule depends on it: the test
// TestBlind gives all processes the same name, and the run is the same.
//
// # Messages
//
// With n processes that all start, 2n-1 tokens at best: the unique largest number makes n hops, each other
// token one. There is no worst case, because rounds repeat as often as all active processes draw the same
// number. The announcement takes n more.
//
// # Rounds
//
// Of m active processes that draw from 1 to K, j share the largest number with the probability P(m, j). The
// expected number of rounds is R(m):
//
//	R(m) = 1 + the sum of P(m, j) R(j) over all j from 2 to m
//	P(m, j) = the sum of C(m, j) (v-1)^(m-j) / K^m over all v from 1 to K
//
// With K = n it is 2, 1.688, 1.6, 1.498, 1.456, 1.427 for n = 2, 3, 4, 8, 16, 64: no more than 2 for any size.
//
// # Limitations
//
// The number of processes must be right. If it is too small, several processes lead, or none. If it is too
// large, none leads: a process draws forever, or the last token is dropped. If it is not known at all, no
// algorithm can do better on an anonymous ring. The election ends with probability 1, but no number of steps is
// always enough. K must be at least 2. The random choices must be independent: processes whose generators have
// the same seed stay identical. The drivers here seed each generator from the operating system. After one crash
// or one lost message the election may not end.
//
// Sources: A. Itai and M. Rodeh, Symmetry breaking in distributed networks, FOCS 1981 and Information and
// Computation 88, 1990; W. Fokkink and J. Pang, Simplifying Itai-Rodeh leader election for anonymous rings,
// AVoCS 2004.
package itairodeh

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Message kinds. A token carries the drawn number as the priority of a Rank without ID, the hops (Value) and
// the round (Round). Elected carries the Rank of the leader.
const (
	kindToken uint8 = iota + 1
	kindElected
)

// flagShared means that another process has the round and number of the token.
const flagShared uint8 = 1

// Config contains the parameters of an election. The zero value is suitable for a driver that knows the number
// of processes.
type Config struct {
	// Size is the number of processes that all of them assume. If zero, the driver sets it.
	Size uint32
	// K is the number of values from which a process draws. If zero, the number of processes.
	K uint32

	// Finite omits the number of the round. Links must deliver in order.
	Finite bool

	words params.Wording // wording of errors
}

// Algorithms returns the variants, the default first.
func Algorithms() []*election.Algorithm { return []*election.Algorithm{Rounds(), Finite()} }

// Rounds returns the algorithm as published, with numbers of rounds.
func Rounds() *election.Algorithm { return (&Config{}).describe() }

// Finite returns the algorithm without numbers of rounds.
func Finite() *election.Algorithm { return (&Config{Finite: true}).describe() }

// New returns the algorithm for a Config. An error wraps [election.ErrInput].
func New(c Config) (*election.Algorithm, error) {
	switch {
	case c.K == 1 && c.Size != 1:
		return nil, c.words.Errorf("k", "processes that draw from one number stay alike for ever")
	case c.K > math.MaxInt32:
		return nil, c.words.Errorf("k", "%d is more than 2^31-1", c.K)
	}
	return c.describe(), nil
}

func (c *Config) describe() *election.Algorithm {
	own := *c
	a := &election.Algorithm{
		Name: "itairodeh", Variant: "rounds",
		Summary: "processes without IDs draw numbers; those that share the largest draw again, in the next " +
			"round",
		Source:    "Itai, Rodeh 1981",
		Topology:  election.Ring,
		LateStart: election.LateIgnored,
		Kinds: []election.Kind{
			{Name: "token", Round: "round", Value: "hops", Marks: []string{"shared"},
				Bits: func(w cost.Widths) uint64 { return own.tokenBits(w) }},
			{Name: "elected", Announces: true, Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
		Best: cost.Bound{Formula: "2n-1 + n", Count: func(n int) float64 { return float64(3*n - 1) }},
		Worst: cost.Bound{
			Also: "no bound; with K = n at most 2 rounds in the mean"},
		Params:    own.table().Described(),
		Configure: own.configure,
		New:       own.node,
	}
	if c.Size == 0 {
		a.Knows = election.NetworkSize
	}
	if c.Finite {
		a.Kinds[kindToken-1].Round = ""
		a.Variant, a.NeedsFIFO, a.Source = "finite", true, "after Itai, Rodeh 1981; Fokkink, Pang 2004"
		a.Summary = "the same without the number of the round, for links that keep the order"
	}
	return a
}

func (c *Config) node(s election.Setup) election.Node {
	n := &process{size: uint64(c.Size), numbers: int(c.K), finite: c.Finite}
	if n.size == 0 {
		n.size = uint64(s.Size)
	}
	if n.numbers == 0 {
		n.numbers = int(n.size)
	}
	return n
}

// table describes the parameters, and sets them in c.
func (c *Config) table() params.Table {
	return params.Table{
		{Name: "size", About: "the number of processes, as all believe", Default: "as many as there are",
			Role: params.GroupSize, Most: math.MaxInt32, To: params.Count(&c.Size)},
		{Name: "k", About: "from how many numbers a process draws; 0: the size", Default: "size",
			Role: params.DrawRange, To: params.Count(&c.K)},
	}
}

func (c *Config) configure(given *params.Given) (*election.Algorithm, error) {
	own := *c
	own.words = params.ForFiles
	if err := own.table().Read(given); err != nil {
		return nil, err
	}
	a, err := New(own)
	if n := len(given.IDs()); err == nil && n > 0 && int(own.Size) > n && int(own.Size)%n == 0 {
		// The token of the last active process returns as shared, and the process draws again, forever.
		a.NeverQuiesces = true
	}
	return a, err
}

// tokenBits returns the size of a token in bits.
func (c *Config) tokenBits(w cost.Widths) uint64 {
	const shared, round = 1, 32
	hops := max(w.N, uint64(bits.Len32(c.Size)))
	sum := shared + hops + cmp.Or(uint64(bits.Len32(c.K)), hops)
	if !c.Finite {
		sum += round
	}
	return sum
}

// phase is the progress of a process.
type phase uint8

const (
	idle    phase = iota // it has neither started nor relayed
	active               // it may still lead
	passive              // it relays
	leading
)

// process is a participant. It has no field for its own ID.
type process struct {
	size    uint64
	numbers int
	finite  bool

	phase  phase
	round  uint32
	number uint64 // number drawn in this round
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.phase == idle {
			n.phase = active
			n.draw(e)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindToken:
			n.token(e, ev.Msg)
		case kindElected:
			n.elected(e, ev.Msg)
		}
	}
}

// draw begins a round.
func (n *process) draw(e *election.Env) {
	if !n.finite {
		n.round++
	}
	n.number = uint64(e.Choose(n.numbers)) + 1
	e.Send(election.Clockwise, election.Message{Kind: kindToken, Round: n.round,
		Rank: election.Rank{Priority: n.number}, Value: 1})
}

func (n *process) token(e *election.Env, m election.Message) {
	order := cmp.Or(cmp.Compare(m.Round, n.round), cmp.Compare(m.Rank.Priority, n.number))
	switch {
	case m.Value > n.size: // rule 9
	case n.phase == leading: // rule 4
	case n.phase != active: // rule 2
		n.relay(e, m)
	case order > 0: // rule 3
		n.relay(e, m)
	case order < 0: // rule 4
	case m.Value != n.size: // rule 5
		m.Flags |= flagShared
		n.pass(e, m)
	case m.Flags&flagShared == 0: // rule 6
		n.phase = leading
		e.Decide(e.Self())
		e.Send(election.Clockwise, election.Message{Kind: kindElected, Rank: e.Self()})
	default: // rule 7
		n.draw(e)
	}
}

// relay passes on this token and all later ones.
func (n *process) relay(e *election.Env, m election.Message) {
	n.phase = passive
	n.pass(e, m)
}

// pass passes a token on.
func (n *process) pass(e *election.Env, m election.Message) {
	m.Value++
	e.Send(election.Clockwise, m)
}

func (n *process) elected(e *election.Env, m election.Message) { // rule 8
	// If all processes know the right number of processes, there is one leader, and the message is its own.
	if n.phase != leading {
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
	}
	e.Done()
}

// State visits what a Step may change.
func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.phase), uint8(leading)+1)
	s.Uint32(&n.round)
	s.Uint64(&n.number)
}
