// Package lease elects one leader at a time by a majority of voters that each lend it their vote for a while:
// whatever the network does, and however long processes pause, no two processes hold a valid lease at once.
//
// [New] describes the algorithm. It runs on a complete graph whose processes are all voters, and candidates
// once they are started. Services use it through package elector.
//
// # The rules
//
// Let n be the voters, Q = n/2+1 a majority. A lease is a pair of a Term and the time at which it ends.
//
//  1. Claim. A candidate draws a Term larger than all that it has heard of, notes the time, and sends
//     CLAIM to all, itself included.
//  2. Grant. A voter grants a CLAIM if no grant of its own to another owner is live, and the Term is
//     larger than that of its vote, or is that one and the owner is the same. The CLAIM is its vote from
//     then on, and the grant is live for GrantTime. Otherwise the voter sends REFUSED.
//  3. Lead. A candidate whose CLAIM Q different voters have granted leads until Lease after it sent the
//     CLAIM, not after the grants came back.
//  4. Renew. A leader sends its CLAIM anew every Renew, with the same Term and another Round. Rules 2 and
//     3 apply. What is granted in a Round counts for the Round before as well, as long as that one has no
//     majority. A leader that is not granted in time stops: the Term is never used again.
//  5. Release. A process that stops leading, or gives up a CLAIM that too many refuse, sends RELEASE. A voter
//     then ends the grant of exactly this process, incarnation and Term. RELEASE names a larger
//     Term than its own if its sender has heard of one.
//  6. Return. A voter that comes back after a crash keeps silent for Quarantine: so long may a lease last
//     that it has granted before. If it has lost its memory, it then reads the largest Term (READ; MEMORY)
//     from Q others that have kept theirs, before it grants; of two voters, from the other one.
//  7. Cold start. A voter that finds fewer others with memory within Cold makes do with the answers of a
//     majority, itself included, with memory or without; as soon as all others have answered, with those.
//  8. Turn. A candidate whose own vote is not lent, and that was not refused for a grant which may be live
//     yet, waits for a Stagger for each larger one that is not known to be down, so that the largest most
//     likely leads, and for a random time, which is longer if it has failed before.
//  9. Ask. A candidate first asks all whether a CLAIM would be granted (PROBE; FREE or HELD), and again
//     until Q voters say so, itself included. So one that cannot win disturbs no other.
//  10. Hand over. A leader that resigns releases its lease, and sends HANDOFF to its successor, which claims
//     at once, without rules 8 and 9. Its CLAIM, if of the next Term, names the leader, and counts as the
//     RELEASE too; refused all the same, it is sent again. The leader waits for a Lease, or for a HANDOFF. Its
//     RELEASE names the successor: other candidates wait for 8 Delay, at most a Lease.
//  11. Follow. A leader sends LEADS to all as it begins. The others follow the leader of the largest Term for
//     GrantTime from each LEADS and each CLAIM that renews, unless they have led in that Term or a larger
//     one. A process that leads, or claims, and hears of a leader of a larger Term stops. So does a leader
//     whose renewal is answered by HELD as well: the voter has heard of a leader of a larger Term, and of its
//     end, and would not follow this one.
//  12. Take back. RELEASE says whether its claim never led. If it did not, a voter whose vote it is returns
//     to the vote before that one. If it does not know that one, it grants the Term again, but no smaller
//     one.
//  13. Remind. A voter that refuses a renewal sends GRANTED once more to the owner of its vote, with Round 0,
//     which counts for nothing. An owner whose claim is over answers RELEASE, in case that was lost, or came
//     before the CLAIM.
//
// An owner is a process and its incarnation, the number that it gets at each start. A candidate that has
// come back after a crash is another owner: its old grants are not its own.
//
// # Model
//
// Messages are lost, doubled, overtaken, and take any time. Processes crash, come back with what they saved
// or without, and pause. Clocks run at the same rate but for the fraction Drift. Nothing is assumed of
// delays but that a round trip mostly takes less than twice Renew: Delay is a hint, which the safety does not
// rest on.
//
// # Guarantee
//
// At no time do two processes hold a lease that is valid by their own clocks: two leaders share a voter
// (rules 2, 3), whose first grant outlasts the first lease, as GrantTime is Lease by the fastest clock
// against the slowest, and as it was sent before it was granted. It does not grant the second before: not
// by rule 2, not by rule 5 or 10, as the owner of the lease has stopped, and not after a crash (rule 6).
//
// Terms increase from lease to lease as long as a majority never lose their memory at the same time, and each
// voter that has lost its own finds enough others within Cold; with Durable, always. Two leases share a
// voter, which grants no smaller Term (rule 2). If it has lost its memory in between, it has read from
// another voter of the first lease (rule 6): Q others and the Q-1 others that have granted that lease
// are more than n-1.
//
// That a vote is taken back (rule 12) changes none of this. The owner of the claim has given it up before it
// led: so it leads in that Term neither before nor later, and grants that arrive late count for nothing. A
// vote for a claim that led stays. Thus of all claims that a voter has granted and that have led, none has a
// larger Term than its vote, and one of the same Term is its vote. That holds for the vote before as well,
// but for the claim that is taken back, and so for a voter that returns to it. Other voters may read a vote
// before it is taken back: they then refuse more, not less. A claim is saved before it leads, so what was
// saved says of no claim that it never led.
//
// All this holds as well while the lists of voters differ by one voter. A majority of one list and one of the
// other share a voter. And Q others of either list, and the others of a majority of the other one, share a
// voter. Only from three voters to two, or to one, they need not: a voter of the two has one other to read
// from, and the third may have granted the last lease. Terms then need Durable, or a candidate that
// knows of a larger one.
//
// Voters that come back together cannot read from one whose Quarantine lasts. When it ends, that voter reads
// from all, and all read from it in return. So its answers are mostly under way before it leads, and none
// waits for Cold if it crashes then. To read in return is as safe as to read: an answer counts only if it
// names the incarnation that asks, and none asks before its Quarantine has ended. READ itself is no
// answer: it may be older than what its sender has granted since.
//
// Where a majority can talk to each other, a candidate is among them, messages take no longer than Delay and
// clocks are right, one leads within GrantTime + (n-1) Stagger + 36 Delay after the last failure: grants
// end, the candidate waits for its turn or until it asks again, for at most 32 Delay, and asks and claims. If
// candidates claim at once and split the votes, it takes as much again. A voter that comes back counts
// from the end of its Quarantine on, or once it has read its memory, at the latest Cold later.
//
// # Priorities
//
// Where processes get priorities (Prefer), the one of the largest goes first. A candidate waits for up to 2
// Delay for the answers to its PROBE beyond a majority. If one comes from a candidate of a larger
// priority, it lets that go first: for 4 Delay, its turn and a Delay, once in a vacancy. A candidate
// takes its turn at once when it gets the PROBE of one of a smaller priority. No voter asks for a
// priority before it grants.
//
// # Messages
//
// A renewal takes 2(n-1) messages, an election 5(n-1): PROBE and FREE, CLAIM and GRANTED, LEADS. A voter that
// refuses a renewal adds up to two.
//
// # Limitations
//
// What a leader began under its lease may end after it: a process can pause between its look at the clock and
// the write. The Term accompanies every effect, and what guards the data refuses smaller ones.
//
// A candidate that crashes while it claims cannot say that it never led. The voters that have granted
// its claim refuse a leader of the same Term, or a smaller one, as long as that leads. So does a voter
// that has granted two such claims before either was taken back, or has read its vote from others: it
// does not know the vote before, and refuses smaller Terms.
//
// A process that lies can end elections while it is there, and can use up half of all Terms, but no more: see
// MaxTermJump of package process.
//
// A paused virtual machine, or one restored from a snapshot, has a clock that stood still. No clock of
// its own shows that.
//
// # Corrected here
//
// PaxosLease lets a voter replace a grant of the same process that it renews, or of any when its own timer
// fires. Rule 2 compares incarnations and stored deadlines. Its learners are no part of this package.
//
// Sources: C. Gray, D. Cheriton, Leases, SOSP 1989; M. Trencseni, A. Gazso, H. Reinhardt, PaxosLease, 2012.
package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Config are the parameters. The zero value is ready for use in a local network.
type Config struct {
	// Lease is how long a leader leads unless it renews. After a crash the next one leads about this much
	// later. If zero, 100 times Delay: 750 ms.
	Lease time.Duration
	// Renew is how often a leader renews. If zero, Lease/4: three renewals in a row may be lost. If as
	// long as Lease, no lease is renewed; more is refused.
	Renew time.Duration
	// Drift is the largest error of the rate of a clock: 0.001 is a millisecond a second. If zero, 0.001,
	// twice what operating systems correct clocks by; if negative, none. 0.5 and more is refused.
	Drift float64
	// Delay is how long a message and its handling mostly take. If it takes longer, elections take longer. If
	// zero, DefaultDelay.
	Delay time.Duration
	// Stagger is how long a candidate waits for each larger one. If zero, twice Delay; if negative,
	// none; a candidate then waits after a failed attempt only.
	Stagger time.Duration
	// Cold is how long a voter without memory looks for enough others with memory. Then it makes do with
	// what a majority says, with memory or without, as it must where the whole group starts. If all have
	// answered, it does so at once. Only here Terms may go back. If zero, 3 times Quarantine; if negative,
	// it never gives up.
	Cold time.Duration
	// Durable: voters save the largest Term that they have granted, and remember it after a restart. If
	// false, a voter that restarts has no memory.
	Durable bool
	// LastGrant is the GrantTime of this voter before it was restarted with another Lease: it keeps silent for
	// at least as long. If zero, the Lease has not changed.
	LastGrant time.Duration
	// Eager: candidates claim without asking first. If false, they ask.
	Eager bool

	words params.Wording // of what is refused
}

// DefaultDelay is [Config].Delay where none is given.
const DefaultDelay = 15 * time.Second / 2000

// GrantTime returns how long a voter's grant is live: a lease by the slowest clock, seen on the fastest.
func (c Config) GrantTime() time.Duration { return scale(c.Lease, max(c.Drift, 0)) }

// Quarantine returns how long a voter that has come back keeps silent: as long as any grant that it may have
// given before.
func (c Config) Quarantine() time.Duration { return max(c.GrantTime(), c.LastGrant) }

// scale returns a time by a clock that is as slow as may be, on one that is as fast, rounded up.
func scale(d time.Duration, drift float64) time.Duration {
	return time.Duration(math.Ceil(float64(d) * (1 + drift) / (1 - drift)))
}

// longest bounds the times to 26 days, so that a Stagger for each of thousands of candidates, and sums of a
// few times, fit into a time.Duration.
const longest = time.Duration(math.MaxInt64) / 4096

// complete sets what is zero, and refuses what cannot be.
func (c *Config) complete() error {
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	if c.Lease == 0 {
		c.Lease = 100 * min(c.Delay, longest/100)
	}
	if c.Renew == 0 {
		c.Renew = max(c.Lease/4, 1)
	}
	if c.Drift == 0 {
		c.Drift = 0.001
	}
	if c.Stagger == 0 {
		c.Stagger = 2 * min(c.Delay, longest/2)
	}
	c.Stagger, c.Drift = max(c.Stagger, 0), max(c.Drift, 0)
	in := func(t time.Duration) string { return c.words.Time(t, c.Delay) }
	switch {
	// Where both are too large, the caller may have derived the Delay from the Lease.
	case c.Delay < 0 || c.Delay > longest && c.Lease <= longest:
		return c.words.Errorf("delay", "%s is not between 1 ns and %s", in(c.Delay), in(longest))
	case c.Lease < 2 || c.Lease > longest:
		return c.words.Errorf("lease", "%s is not between 2 ns and %s", in(c.Lease), in(longest))
	case c.Renew < 1 || c.Renew > c.Lease:
		return c.words.Errorf("renew", "%s is not between 1 ns and a {lease} of %s", in(c.Renew), in(c.Lease))
	case !(c.Drift < 0.5): // or no number at all
		return c.words.Errorf("drift", "%v is not less than 0.5", c.Drift)
	case c.Stagger > longest:
		return c.words.Errorf("stagger", "%s is more than %s", in(c.Stagger), in(longest))
	case c.LastGrant < 0 || c.LastGrant > 4*longest:
		return c.words.Errorf("last grant", "%s is not between 0 and %s", in(c.LastGrant), in(4*longest))
	}
	if c.Cold == 0 {
		c.Cold = 3 * c.Quarantine()
	}
	return nil
}

// New returns the algorithm. The error wraps [election.ErrInput]: times that cannot be.
func New(c Config) (*election.Algorithm, error) {
	given := c
	if err := c.complete(); err != nil {
		return nil, err
	}
	return &election.Algorithm{
		Name:     "lease",
		Summary:  "a majority lends its votes for a while: one leader at a time, whatever happens",
		Source:   "Gray, Cheriton 1989; Trencseni et al. 2012",
		Topology: election.Complete, TwoWay: true,
		LateStart: election.LateJoins, LongLived: true, NeverQuiesces: true, Heartbeats: true, Leases: true,
		Faults: election.Faults{Crash: true, Recover: true, Restart: true, Loss: true, Copies: true,
			Nudged: true, Pause: true, Cut: true, Drift: c.Drift,
			Down: func(n int) int { return (n - 1) / 2 }},
		Kinds: []election.Kind{
			{Name: "probe", Round: "round", Value: "incarnation", Bits: sized(160)},
			{Name: "free", Round: "round", Bits: sized(96)},
			{Name: "held", Round: "round", Value: "nanoseconds", Bits: sized(160)},
			{Name: "claim", Round: "round", Value: "incarnation", Marks: []string{"renewal", "next"},
				Bits: sized(226)},
			{Name: "granted", Round: "round", Value: "incarnation", Marks: []string{"candidate"},
				Bits: sized(161)},
			{Name: "refused", Round: "round", Value: "nanoseconds", Bits: sized(160)},
			{Name: "leads", Announces: true, Value: "incarnation", Bits: sized(64)},
			{Name: "release", Value: "incarnation", Marks: []string{"never led"}, Bits: sized(193)},
			{Name: "handoff", Value: "incarnation", Bits: sized(128)},
			{Name: "read", Value: "incarnation", Marks: []string{"in return"}, Bits: sized(65)},
			{Name: "memory", Value: "incarnation", Marks: []string{"lost"}, Bits: sized(193)},
		},
		Timers: [][]string{{timerDue: "the next deadline", timerTurn: "the wait for larger candidates"}},
		Delay:  c.Delay,
		Best:   cost.Bound{Formula: "5(n-1)", When: "one starts, and all are up"},
		Params: c.table(nil).Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			own := given
			own.words = params.ForFiles
			// A parameter of zero is zero, not the default. So what is not given has to be another number.
			permille := uint64(math.MaxUint64)
			own.Stagger = math.MinInt64
			if err := own.table(&permille).Read(g); err != nil {
				return nil, err
			}
			switch permille {
			case math.MaxUint64:
			case 0:
				own.Drift = -1
			default:
				own.Drift = float64(min(permille, 1000)) / 1000
			}
			switch own.Stagger {
			case math.MinInt64:
				own.Stagger = given.Stagger
			case 0:
				own.Stagger = -1
			}
			return New(own)
		},
		New: func(s election.Setup) election.Node { return &process{config: &c, me: s.Self} },
	}, nil
}

// Algorithms returns the only variant, with the zero Config.
func Algorithms() []*election.Algorithm {
	a, err := New(Config{Delay: time.Second}) // a unit of scenario files
	if err != nil {
		panic(err)
	}
	return []*election.Algorithm{a}
}

func sized(bits uint64) func(cost.Widths) uint64 { return func(cost.Widths) uint64 { return bits } }

// table returns the parameters, whose values go to c when they are read, and the drift in thousandths to
// permille.
func (c *Config) table(permille *uint64) params.Table {
	return params.Table{
		{Name: "delay", About: "how long a message mostly takes", Default: "1", Role: params.DelayBound,
			Positive: "zero leaves no time for a message", To: params.Time(&c.Delay)},
		{Name: "lease", About: "how long a leader leads unless it renews", Default: "100 delays",
			Role: params.LeaseTime, To: params.Time(&c.Lease)},
		{Name: "renew", About: "how often a leader renews", Default: "a quarter of lease",
			To: params.Time(&c.Renew)},
		{Name: "drift", About: "the largest error of a clock, in thousandths", Default: "1",
			To: params.Count(permille)},
		{Name: "stagger", About: "how long a candidate waits for each larger one", Default: "2 delays",
			To: params.Time(&c.Stagger)},
		{Name: "durable", About: "whether voters remember after a restart", Default: "no",
			To: params.Truth(&c.Durable)},
		{Name: "eager", About: "whether candidates claim without asking first", Default: "no",
			To: params.Truth(&c.Eager)},
	}
}
