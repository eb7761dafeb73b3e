// Package floodmax elects on any connected graph in rounds: in each round a process sends the largest Rank
// that it knows to all its neighbours. After as many rounds as the diameter, each process knows the largest
// of all. The variants:
//
//	basic   every process sends in every round.
//	change  a process sends only after a round in which it has heard of a larger one.
//	alpha   basic over a synchronizer, for networks in which messages take any time.
//
// In basic and change a clock makes the rounds: a timer of one unit, the time that each message takes. There
// is no announcement. Each process knows the leader by counting, and all know it at the same time.
//
// # The rules
//
//  1. Start. A process that starts takes itself as the best, and enters round 1.
//  2. Send. A process that enters a round sends MAX with the best, and the number of the round, to all its
//     neighbours. In change it sends nothing if the best has stayed the same in the round before.
//  3. Hear. A process keeps the largest Rank in a MAX as its best.
//  4. Join. A process that has not started, and gets a first MAX, relays from then on. The number in it is
//     that of the round, which ends at the same instant.
//  5. Round. When the time of a round is over, the process enters the next one.
//  6. Decide. When the time of the last round is over the best leads: the process itself, or the one that
//     it follows. From then on the process drops each MAX.
//
// # Model
//
// A connected graph with links both ways, unique IDs, no failures. Each process knows the same number of
// rounds, D, not less than the diameter of the graph: the largest distance of any two processes. If that is
// not known, the number of processes will do, less one, which is the default.
//
// Basic and change are for the synchronous model. All that start do so at one instant, and each message takes
// one unit ([Config].Delay). Where all processes start, messages may take less. At one instant messages
// arrive before timers run out. A Start at a process that the election has reached is ignored.
//
// Alpha is asynchronous. Package synchronizer has its model: any process may start, at any time, and then all
// take part from round 1 on.
//
// # Messages
//
// With M ports in all, two for each link, and D rounds:
//
//	basic   D*M         if all start; fewer, if only some do
//	change  M           at least, if all start: in round 1 each process sends, and later if what it
//	        D*M         at most                 knows has grown
//	alpha   (2D + 1)*M  always: D*M max, (D+1)*M safe
//
// Alpha takes as many whichever start, on every schedule. The time of basic and change is D units:
// messages of one unit each. With alpha all know the leader at most D units after the last process has
// woken, if no message takes longer than a unit; the last SAFE arrives a unit later.
//
// A process keeps a Rank and a few numbers, in alpha also what has come for the next pulse.
//
// # Guarantees
//
// The largest of those that start is elected, in alpha the largest of all. After r rounds a process knows
// the largest in its distance r, since that has come one link further in each round. So after D rounds all
// know the same. A process knows of the end as soon as it knows the leader. In the synchronous model that is
// the same instant for all.
//
// # Limitations
//
// With fewer rounds than the diameter several processes may lead. On the path 5-1-2-3-4 with two rounds 4 has
// not heard of 5, and leads beside it: 3 takes 4 for the leader, 1 and 2 take 5.
//
// Basic and change are wrong where messages take longer than a unit, or processes start at different times:
// a process then decides before it has heard of the largest, and several may lead. Take alpha there. A crash
// may have the same effect, and so may one lost message. Alpha is blocked by either for ever. A process of
// basic or change that has lost its state may decide in an early Term before it hears of a later one. Ranks
// must not change while an election runs.
//
// Source: N. Lynch, Distributed Algorithms, 1996, chapter 4 (FloodMax, OptFloodMax). There all processes
// start; that others relay, with the number of the round in MAX, is added here.
package floodmax

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
	"github.com/go-election/election/synchronizer"
)

// kindMax is the only kind of message. It carries the largest Rank that its sender knows, and in Round the
// number of the round.
const kindMax uint8 = 1

// timerRound is the time of a round.
const timerRound uint8 = 0

// DefaultDelay is [Config].Delay where none is given.
const DefaultDelay = time.Second

// Config are the parameters. The zero value is right where nothing is known of the graph.
type Config struct {
	// Rounds is how many rounds there are: the diameter of the graph, or more. If zero, one less than there
	// are processes.
	Rounds uint32
	// Delay is how long a message takes, and so a round. If zero, a second. Alpha does without it.
	Delay time.Duration
}

// Algorithms returns the variants with their parameters as they are by default.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{must(Basic(Config{})), must(Change(Config{})), must(Alpha(Config{}))}
}

func must(a *election.Algorithm, err error) *election.Algorithm {
	if err != nil {
		panic(err) // the zero Config is right
	}
	return a
}

// Basic returns the variant in which every process sends in every round. An error wraps [election.ErrInput].
func Basic(c Config) (*election.Algorithm, error) {
	a, err := c.describe("basic", "in each round every process sends the largest that it knows to all "+
		"neighbours", Basic)
	if err == nil {
		a.Best = bound(c.named()+"*M, M ports in all", c.rounds)
		a.Mean, a.Worst = a.Best, a.Best
	}
	return a, err
}

// Change returns the variant in which a process sends only what is new. An error wraps [election.ErrInput].
func Change(c Config) (*election.Algorithm, error) {
	a, err := c.describe("change", "in each round every process sends the largest that it knows to all "+
		"neighbours, if that is new", Change)
	if err == nil {
		a.Best = bound("M, M ports in all", func(n int) float64 { return min(1, c.rounds(n)) })
		a.Worst = bound(c.named()+"*M", c.rounds)
		a.Worst.Loose = true
		a.New = func(s election.Setup) election.Node {
			n := c.node(s)
			n.sparing = true
			return n
		}
	}
	return a, err
}

// Alpha returns basic over the synchronizer alpha, for any delays. An error wraps [election.ErrInput].
func Alpha(c Config) (*election.Algorithm, error) {
	base, err := Basic(c)
	if err != nil {
		return nil, err
	}
	a, err := synchronizer.Alpha(base)
	if err != nil {
		return nil, err
	}
	a.Variant = "alpha"
	a.Summary = "basic over a synchronizer, which makes the rounds: a process enters one when all " +
		"neighbours have finished the one before"
	a.Source = "Lynch 1996; Awerbuch 1985"
	a.Best = bound("(2*"+c.named()+" + 1)*M, M ports in all",
		func(n int) float64 { return 2*c.rounds(n) + 1 })
	a.Mean, a.Worst = a.Best, a.Best
	a.Params, a.Configure = c.ofAlpha().Described(), c.configure(Alpha, (*Config).ofAlpha)
	return a, nil
}

// describe completes c and returns what the variants have in common. Configure starts from c as it was before
// that.
func (c *Config) describe(variant, summary string,
	with func(Config) (*election.Algorithm, error),
) (*election.Algorithm, error) {
	given := *c
	if c.Delay < 0 || c.Delay > params.MaxTimeout {
		return nil, params.ForPrograms.Errorf("delay", "%v is not between 0 and %v", c.Delay,
			params.MaxTimeout)
	}
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	return &election.Algorithm{
		Name: "floodmax", Variant: variant, Summary: summary,
		Source:      "Lynch 1996",
		Topology:    election.Graph,
		TwoWay:      true,
		KnowsSize:   c.Rounds == 0,
		Synchronous: true,
		Winner:      election.LargestOfInitiators,
		LateStart:   election.LateIgnored,
		Kinds: []election.Kind{{Name: "max", Round: "round", Bits: func(w cost.Widths) uint64 {
			return w.Rank() + max(w.N, uint64(bits.Len32(c.Rounds)))
		}}},
		Timers:    [][]string{{"the time of a round"}},
		Delay:     c.Delay,
		Params:    c.table().Described(),
		Configure: given.configure(with, (*Config).table),
		New:       func(s election.Setup) election.Node { return c.node(s) },
	}, nil
}

// configure returns what reads the parameters of a variant.
func (c Config) configure(with func(Config) (*election.Algorithm, error),
	table func(*Config) params.Table) func(*params.Given) (*election.Algorithm, error) {
	return func(g *params.Given) (*election.Algorithm, error) {
		own := c
		if err := table(&own).Read(g); err != nil {
			return nil, err
		}
		return with(own)
	}
}

// table returns the parameters of basic and change, whose values go to c.
func (c *Config) table() params.Table {
	return append(c.ofAlpha(), params.Param{Name: "delay", About: "how long a message takes, and so a round",
		Default: "1", Role: params.DelayBound, Positive: "zero leaves no time for a message",
		To: params.Time(&c.Delay)})
}

// ofAlpha returns the parameters of alpha, which has no clock.
func (c *Config) ofAlpha() params.Table {
	return params.Table{{Name: "rounds",
		About:   "how many rounds there are: the diameter of the graph, or more",
		Default: "one less than there are processes", Role: params.Diameter,
		Most:     1e6, // each is as long as a message takes
		Positive: "without a round no process hears of another", To: params.Count(&c.Rounds)}}
}

// rounds returns how many rounds there are among n processes.
func (c *Config) rounds(n int) float64 {
	if c.Rounds > 0 {
		return float64(c.Rounds)
	}
	return float64(n - 1)
}

// named returns the number of rounds as formulas have it.
func (c *Config) named() string {
	if c.Rounds > 0 {
		return fmt.Sprint(c.Rounds)
	}
	return "(n-1)"
}

// bound returns a bound on messages, by how many there are for each port.
func bound(formula string, perPort func(n int) float64) cost.Bound {
	return cost.Bound{Formula: formula,
		CountPorts: func(n, ports int) float64 { return perPort(n) * float64(ports) }}
}

func (c *Config) node(s election.Setup) *process {
	n := &process{rounds: c.Rounds, length: c.Delay}
	if n.rounds == 0 {
		n.rounds = uint32(max(s.Size-1, 0))
	}
	return n
}
