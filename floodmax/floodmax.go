// Package floodmax elects a leader on any connected graph in rounds: in each round a process sends the largest
// Rank that it knows to all its neighbours. After as many rounds as the diameter, each process knows the
// largest of all. The variants:
//
//	basic   every process sends in every round.
//	change  a process sends only after a round in which it has received a larger Rank.
//	alpha   basic over a synchronizer, for networks with arbitrary message delays.
//
// In basic and change a clock determines the rounds: a timer of one unit, the time that each message takes.
// There is no announcement. Each process knows the leader by counting rounds, and all know it at the same time.
//
// # The rules
//
//  1. Start. A process that starts takes its own Rank as the best, and enters round 1.
//  2. Send. A process that enters a round sends MAX with the best Rank, and the number of the round, to all
//     its neighbours. In change it sends nothing if the best Rank has not changed in the previous round.
//  3. Hear. A process keeps the largest Rank in a MAX as its best.
//  4. Join. A process that has not started, and receives a first MAX, relays from then on. MAX contains the
//     number of the round, which ends at the same instant.
//  5. Round. When the time of a round is over, the process enters the next one.
//  6. Decide. When the time of the last round is over, the owner of the best Rank leads, which is either the
//     process itself or the one that it follows. From then on the process drops each MAX.
//
// # Model
//
// A connected graph with two-way links, unique IDs, no failures. Each process knows the same number of rounds,
// D, which is at least the diameter of the graph: the largest distance between any two processes. If the
// diameter is not known, use the number of processes minus one, which is the default.
//
// Basic and change are for the synchronous model. All initiators start at the same instant, and each message
// takes one unit ([Config].Delay). If all processes start, messages may take less. Messages that arrive at the
// instant at which a timer fires are delivered first. A Start at a process that the election has reached is
// ignored.
//
// Alpha is asynchronous, with the model of package synchronizer: any process may start, at any time, and then
// all take part from round 1 on.
//
// # Messages
//
// With M ports in all, two for each link, and D rounds:
//
//	basic   D*M         if all start; fewer, if only some do
//	change  M           at least, if all start: in round 1 each process sends, and later if its
//	        D*M         at most                 knowledge has grown
//	alpha   (2D + 1)*M  always: D*M max, (D+1)*M safe
//
// Alpha takes the same number for any initiators, on every schedule. The time of basic and change is D units:
// messages of one unit each. With alpha all know the leader at most D units after the last process has woken,
// if no message takes longer than a unit; the last SAFE arrives a unit later.
//
// A process keeps a Rank and a few numbers, in alpha also the messages for the next pulse.
//
// # Guarantees
//
// The largest of the initiators is elected, in alpha the largest of all. After r rounds a process knows the
// largest Rank within distance r, because Ranks travel one link further in each round. After D rounds all
// processes therefore know the same. A process knows the end as soon as it knows the leader. In the synchronous
// model this is the same instant for all.
//
// # Limitations
//
// With fewer rounds than the diameter several processes may lead. On the path 5-1-2-3-4 with two rounds, 4 has
// not heard of 5 and leads too: 3 follows 4; 1 and 2 follow 5.
//
// Basic and change are incorrect if messages take longer than a unit, or processes start at different times: a
// process then decides before it has heard of the largest, and several may lead. Use alpha in these cases. A
// crash may have the same effect, and so may one lost message. Alpha is blocked by either forever. A process of
// basic or change that has lost its state may decide in an early Term before it hears of a later one. Ranks
// must not change during an election.
//
// Source: N. Lynch, Distributed Algorithms, 1996, chapter 4 (FloodMax, OptFloodMax). There all processes start;
// relaying by the others, with the number of the round in MAX, is added here.
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

// kindMax is the only message kind. It carries the largest Rank that its sender knows, and the number of the
// round (Round).
const kindMax uint8 = 1

// timerRound measures the time of a round.
const timerRound uint8 = 0

// DefaultDelay is the default of [Config].Delay.
const DefaultDelay = time.Second

// Config contains the parameters. The zero value is suitable if nothing is known about the graph.
type Config struct {
	// Rounds is the number of rounds: the diameter of the graph, or more. If zero, the number of processes
	// minus one.
	Rounds uint32
	// Delay is the delay of a message, and so the duration of a round. If zero, a second. Alpha does not use
	// it.
	Delay time.Duration
}

// Algorithms returns the variants with their parameters as they are by default.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{must(Basic(Config{})), must(Change(Config{})), must(Alpha(Config{}))}
}

func must(a *election.Algorithm, err error) *election.Algorithm {
	if err != nil {
		panic(err) // the zero Config is valid
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

// describe completes c and returns the common part of the variants. Configure starts from the original c.
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
	a := &election.Algorithm{
		Name: "floodmax", Variant: variant, Summary: summary,
		Source:      "Lynch 1996",
		Topology:    election.Graph,
		TwoWay:      true,
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
	}
	if c.Rounds == 0 {
		a.Knows = election.NetworkSize
	}
	return a, nil
}

// configure returns the function that reads the parameters of a variant.
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

// rounds returns the number of rounds among n processes.
func (c *Config) rounds(n int) float64 {
	if c.Rounds > 0 {
		return float64(c.Rounds)
	}
	return float64(n - 1)
}

// named returns the number of rounds in the form used in formulas.
func (c *Config) named() string {
	if c.Rounds > 0 {
		return fmt.Sprint(c.Rounds)
	}
	return "(n-1)"
}

// bound returns a bound on messages, given the number for each port.
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
