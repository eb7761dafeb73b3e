// Package lease elects one leader at a time by a majority of voters, each of which lends its vote for a limited
// time. However the network behaves, and however long processes pause, no two processes hold a valid lease at
// the same time.
//
// [New] describes the algorithm. It runs on a complete graph. All processes are voters, and become candidates
// when they are started. Services use it through package elector.
//
// # The rules
//
// Let n be the number of voters and Q = n/2+1 a majority. A lease is a pair of a Term and the time at which it
// ends. If the voters may change, a quorum of the configuration takes the place of Q voters: see "Changing the
// voters".
//
//  1. Claim. A candidate chooses a Term larger than all that it has heard of, notes the time, and sends CLAIM
//     to all, including itself.
//  2. Grant. A voter grants a CLAIM if it has no live grant to another owner, and the Term is larger than the
//     Term of its vote, or equal to it with the same owner. The CLAIM is its vote from then on, and the grant
//     is live for GrantTime. Otherwise the voter sends REFUSED.
//  3. Lead. A candidate whose CLAIM has been granted by Q different voters leads until Lease after it sent the
//     CLAIM, not after the grants arrived.
//  4. Renew. A leader sends its CLAIM again every Renew, with the same Term and another Round. Rules 2 and 3
//     apply. Grants of a Round also count for the previous Round, as long as the previous Round has no
//     majority. A leader that is not granted in time stops: the Term is never used again.
//  5. Release. A process that stops leading, or gives up a CLAIM that too many voters refuse, sends RELEASE. A
//     voter then ends the grant of exactly this process, incarnation and Term. RELEASE contains a larger Term
//     than its own if its sender has heard of one.
//  6. Return. A voter that recovers from a crash is silent for Quarantine, because a lease that it granted
//     before may last that long. If it has lost its memory, it then reads the largest Term (READ; MEMORY) from
//     Q others that have kept theirs, before it grants. If there are two voters, it reads from the other one.
//  7. Cold start. A voter that does not find enough others with memory within Cold accepts the answers of a
//     majority, including itself, with memory or without. If all others have answered, it accepts their
//     answers immediately.
//  8. Turn. A candidate may take its turn if its own vote is not lent, and no voter has refused it for a grant
//     that may still be live. It waits for a Stagger for each larger candidate that is not known to be down,
//     so that the largest one is most likely to lead, and for a random time, which is longer if it has failed
//     before.
//  9. Ask. A candidate first asks all voters whether they would grant a CLAIM (PROBE; FREE or HELD), and
//     repeats the question until Q voters would, including itself. A candidate that cannot win therefore does
//     not disturb the others.
//  10. Hand over. A leader that resigns releases its lease, and sends HANDOFF to its successor, which claims
//     immediately, without rules 8 and 9. If its CLAIM has the next Term, it contains the leader's incarnation
//     and also counts as the leader's RELEASE; if it is refused nevertheless, it is sent again. The leader does not
//     claim again before a Lease has passed, or a HANDOFF arrives. Its RELEASE names the successor: other
//     candidates wait for 8 Delay, but at most a Lease.
//  11. Follow. A leader sends LEADS to all when it begins. The others follow the leader of the largest Term
//     for GrantTime from each LEADS and each renewing CLAIM, unless they have led in that Term or a larger
//     one. A process that leads or claims, and hears of a leader with a larger Term, stops. A leader whose
//     renewal is answered by HELD also stops: the voter has heard of a leader with a larger Term, and of its
//     end, and would not follow this one.
//  12. Take back. RELEASE contains whether its claim ever led. If it did not, a voter that has voted for the
//     claim returns to its previous vote. If the voter does not know its previous vote, it grants the same
//     Term again, but no smaller one.
//  13. Remind. A voter that refuses a renewal sends GRANTED once more to the owner of its vote, with Round 0,
//     which does not count as a grant. An owner whose claim is over answers with RELEASE, in case the first
//     RELEASE was lost, or arrived before the CLAIM.
//  14. Label. A configuration has a label: the Term of the leader that wrote it, and the number of the step in
//     this Term. Labels are ordered by Term, then by step. A process without an agreed configuration holds a
//     wish: its label is smaller than all agreed labels, and different from other wishes. Voters save their
//     configuration with their vote.
//  15. Compare. PROBE and CLAIM contain the label of the sender's configuration. A voter refuses a label that is
//     smaller than its own, or another wish. The grants of a round count by the configuration under which the
//     CLAIM was sent. Only a member of its own configuration claims.
//  16. Found. Under a wish, a quorum is all members of the wish. A voter that grants a claim under a wish, or
//     claims under it, is bound: it keeps this wish after a restart, whatever the program wishes then. The
//     first leader renews immediately, because majorities decide only after that.
//  17. Store. A leader puts its configuration under its own Term, with step 0, and saves it before its first
//     renewal. A renewal contains the label and a hash of the sets. A voter grants it only after it has saved
//     the configuration under this label. If it holds the same sets, it only changes the label. Otherwise it
//     refuses, the leader sends the configuration, and claims again. The first CLAIM of an attempt changes no
//     voter's configuration.
//  18. Step. A configuration is confirmed when a quorum of it has granted a renewal with its label. A leader
//     takes steps only from a configuration that is confirmed in its Term: from one set C to the joint
//     configuration of C and N, and from there to N, or back to C. A leader may also take back a step that it
//     has taken itself in this Term and that is not confirmed. Each step increases the label; the leader saves
//     the configuration, sends it to all and renews immediately. The Term and the lease stay.
//  19. Learn. A process sends its label and the hash of its sets (one MEMBER without a voter) to the sender of a
//     PROBE or CLAIM with a smaller label. If the sets of that process are the same, it takes the label;
//     otherwise it answers with READ, and gets the configuration: a process sends it (one MEMBER for each
//     voter) to the sender of a READ with a smaller label. A process that does not lead adopts every
//     configuration with a larger label than its own, from any sender.
//  20. Return. In rule 6, a voter without memory reads the label, too (HOLDS), and counts an answer with memory
//     once it holds a configuration at least as new as that answer's. It votes again when the answers of voters with
//     memory leave no quorum without one of them, in either set, or when all other members have answered. Under
//     a wish, it does so when all other members have answered. Rule 7 applies to agreed configurations only.
//  21. Leave. A leader that is not a member of the confirmed set hands over to a member (rule 10). With Stays, its
//     program commands that when its work has stopped; until then, grants of members renew the lease.
//  22. Lengths. If processes have different Leases, voters grant for the longest one: its driver tells a process the
//     Lease of another one before that one's first message. A voter that hears of a Lease longer than all that it
//     knew does not grant claims of that process until such a Lease has passed, except for a renewal. MEMORY contains
//     the longest Lease that its sender knows. A voter without memory that hears of a longer one, from its driver or
//     in MEMORY, extends its silence by the difference, and then reads again; answers to earlier questions no
//     longer count.
//
// An owner is a process and its incarnation, a number that the process gets at each start. A candidate that has
// recovered from a crash is a different owner: its old grants do not belong to it.
//
// # Model
//
// Messages are lost, duplicated, reordered, and take any time. Processes crash, recover with or without the
// state that they saved, and pause. Clock rates differ from the true rate by at most the fraction Drift.
// Nothing is assumed about delays, except that a round trip usually takes less than twice Renew: Delay is a
// hint on which safety does not depend.
//
// # Guarantee
//
// No two processes ever hold leases that are valid by their own clocks at the same time. Two leaders share a
// voter (rules 2, 3). Its first grant outlasts the first lease, because GrantTime is Lease measured by the
// slowest clock and converted to the fastest, and because the claim was sent before it was granted. The voter
// does not grant the second claim earlier: not by rule 2; not by rule 5 or 10, because the owner of the lease
// has stopped; and not after a crash (rule 6).
//
// Terms increase from lease to lease as long as no majority loses its memory at the same time, and each voter
// that has lost its memory finds enough others within Cold; with Durable, they always increase. Two leases
// share a voter, which grants no smaller Term (rule 2). If the voter has lost its memory in between, it has
// read from another voter of the first lease (rule 6): Q others and the Q-1 others that have granted the first
// lease are together more than n-1.
//
// Taking back a vote (rule 12) does not change this. The owner of the claim has given it up before it led, so
// it leads in that Term neither before nor later, and late grants do not count. A vote for a claim that led is
// never taken back. Therefore, of all claims that a voter has granted and that have led, none has a larger Term
// than its vote, and a claim with the same Term is its vote. This also holds for the previous vote, except for
// the claim that is taken back, and so for a voter that returns to its previous vote. Other voters may read a
// vote before it is taken back: they then refuse more, not less. A claim is saved before it leads, so saved
// state never implies that a claim has not led.
//
// Voters that recover together cannot read from a voter whose Quarantine lasts. When it ends, that voter reads
// from all others, and all others read from it in return. Its answers are therefore usually in flight before it
// leads, and no other voter waits for Cold if it crashes then. Reading in return is as safe as reading: an
// answer counts only if it contains the incarnation that asks, and no voter asks before its Quarantine has
// ended. READ itself is not an answer: it may be older than a grant that its sender has made since.
//
// If a majority can communicate with each other and includes a candidate, messages take no longer than Delay,
// and clocks are right, then a process leads within GrantTime + (n-1) Stagger + 36 Delay after the last
// failure: grants expire, the candidate waits for its turn or until it asks again, for at most 32 Delay, and
// asks and claims. If candidates claim simultaneously and split the votes, it takes the same time again. For a
// voter that recovers, the time counts from the end of its Quarantine, or from when it has read its memory, at
// the latest Cold later.
//
// # Different Leases
//
// The Leases of processes differ while they are restarted one by one with another Lease. A leader counts its own Lease,
// so it is safe with voters that grant for a longer one. By rule 22, each voter grants for a Lease that is at least as
// long as the leader's. Drift may differ, too: clocks must then be within the smallest one.
//
// A voter that has lost its memory and returns with a shorter Lease does not know for how long it has granted. Suppose
// that it grants again although it had granted a round of a longer Lease, which is still valid. A voter, or the leader
// itself, belongs both to the quorum of that round and to those from which the returning voter has read. If that
// process knew the longer Lease when it answered, the returning voter has been silent for it, and the lease had
// expired. Otherwise it has learned of the longer Lease after its answer, so it has granted the round only a longer Lease
// later: that was too late to count, because the round began before the crash. This argument needs what rule 6 needs:
// that no majority loses its memory at the same time, and that the voter does not give up after Cold. Cold ends at the
// earliest four times its own Lease after the return, so a voter may give up in time if another process has a Lease more
// than four times as long.
//
// With Durable, LastGrant is the longest Lease that the voter knew when it saved. So a voter saves its vote again when it
// lends it for a longer Lease than its own, unless it renews a grant that is live. Until LastGrant has passed, what it
// saves must not contain a shorter one.
//
// # Changing the voters
//
// Without the command [Wish], all processes of the View are voters, and the voters never change. With it, the
// voters are the members of one agreed configuration: a set of processes, or two sets while it changes. A
// majority of the set, or of each of the two sets, is a quorum. The processes may have different wishes. A
// process that is not a voter still grants claims, but its grants do not count.
//
// Why two leases still share a voter: two consecutive configurations have no disjoint quorums, because a joint
// configuration contains a majority of each of its sets. A leader takes the next step only after a quorum of the
// present configuration has stored it, and these voters refuse smaller labels (15) and smaller Terms (2). So a
// candidate under an older configuration no longer finds a quorum. The only exception is the directly preceding
// configuration, whose quorums share a voter with the quorums of the new one. If two leaders have written steps, the
// later leader has first confirmed its own configuration (18), so no quorum is left for the steps of the earlier one. A voter that lost
// its memory has read from a set that every quorum of its configuration includes (20). A group is founded once,
// because all members of a wish are bound to it, and a member of two different wishes grants only under one.
//
// The exceptions: voters without which there is no quorum have lost their memory at the same time; or all processes
// of a list know nothing of the group, because they are new or have lost their memory, reach nobody who does, and
// found a second one. With rule 7, one voter that has lost its memory is enough, if the voters that know the
// latest change cannot be reached for Cold.
//
// A group that does not change sends no additional messages. Each voter saves once more in each Term, at the
// first renewal. A change costs two rounds of renewals, and n MEMBERs for each process at each of its steps.
//
// # Priorities
//
// If processes have priorities (Prefer), the one with the largest priority goes first. A candidate waits for up
// to 2 Delay for answers to its PROBE beyond a majority. If one of them comes from a candidate with a larger
// priority, it lets that candidate go first: for 4 Delay, its turn and a Delay, once per vacancy. A candidate
// takes its turn immediately when it receives the PROBE of a candidate with a smaller priority. Voters ignore
// priorities when they grant.
//
// # Messages
//
// A renewal takes 2(n-1) messages, an election 5(n-1): PROBE and FREE, CLAIM and GRANTED, LEADS. A voter that
// refuses a renewal adds up to two messages.
//
// # Limitations
//
// An action that a leader starts during its lease may end after it: a process can pause between reading the
// clock and writing. Every action therefore carries the Term, and the guarded resource refuses smaller Terms.
//
// A candidate that crashes while it claims cannot report that it never led. The voters that have granted its
// claim refuse a leader with the same Term, or a smaller one, as long as that leader leads. So does a voter
// that has granted two such claims before either was taken back, or has read its vote from others: it does not
// know its previous vote, and refuses smaller Terms.
//
// A process that lies can end elections while it is there, can name a Lease of up to 26 days, and can use up half of
// all Terms: see MaxTermJump of package process. If the voters may change, it can also send a configuration of its own, which the others adopt
// and save, whether it is a voter or not.
//
// A virtual machine that was paused, or restored from a snapshot, has a clock that stood still. It cannot
// detect this with its own clock.
//
// # Corrected here
//
// In PaxosLease a voter may replace a grant to the same process, which renews it, or any grant when its own
// timer fires. Rule 2 compares incarnations and stored deadlines. The learners of PaxosLease are not part of
// this package.
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

// Config contains the parameters. The zero value is ready for use in a local network.
type Config struct {
	// Lease is how long a leader leads unless it renews its lease. After a crash, failover takes about this
	// long. If zero, 100 times Delay: 750 ms.
	Lease time.Duration
	// Renew is the interval between renewals. If zero, Lease/4: three consecutive renewals may be lost. If it
	// equals Lease, leases are not renewed. It must not be longer.
	Renew time.Duration
	// Drift is the largest error of the rate of a clock: 0.001 is a millisecond per second. If zero, 0.001,
	// twice the largest correction that operating systems apply; if negative, none. It must be less than 0.5.
	Drift float64
	// Delay is how long a message and its handling usually take. If they take longer, elections take longer. If
	// zero, DefaultDelay.
	Delay time.Duration
	// Stagger is how long a candidate waits for each larger one. If zero, twice Delay; if negative, none: a
	// candidate then waits only after a failed attempt.
	Stagger time.Duration
	// Cold is how long a voter without memory looks for enough others with memory. After that it accepts the
	// answers of a majority, with memory or without, as it must when the whole group starts. If all others have
	// answered, it does so immediately. This is the only case in which Terms may decrease. If zero, 3 times
	// Quarantine; if negative, the voter never gives up.
	Cold time.Duration
	// Durable means that voters save the largest Term that they have granted, and remember it after a restart.
	// If false, a voter that restarts has no memory.
	Durable bool
	// LastGrant is the longest time for which this voter has granted before it was restarted: it is silent for at
	// least that long. If zero, it is not longer than GrantTime.
	LastGrant time.Duration
	// Eager means that candidates claim without asking first.
	Eager bool
	// Stays means that a leader continues to lead until its program commands it to resign, even if it is not a voter
	// any more, or has taken the last step of its Term. If false, it resigns by itself.
	Stays bool

	words params.Wording // wording of errors
}

// DefaultDelay is the default of [Config].Delay.
const DefaultDelay = 15 * time.Second / 2000

// GrantTime returns how long a voter's grant is live: a Lease measured by the slowest clock, converted to the
// fastest.
func (c Config) GrantTime() time.Duration { return scale(c.Lease, max(c.Drift, 0)) }

// Quarantine returns how long a voter that recovers is silent: as long as any grant that it may have made
// before can last.
func (c Config) Quarantine() time.Duration { return max(c.GrantTime(), c.LastGrant) }

// scale converts a duration on the slowest clock to the fastest, rounded up.
func scale(d time.Duration, drift float64) time.Duration {
	return time.Duration(math.Ceil(float64(d) * (1 + drift) / (1 - drift)))
}

// longest limits durations to 26 days, so that a Stagger for each of thousands of candidates, and sums of a few
// durations, fit into a time.Duration.
const longest = time.Duration(math.MaxInt64) / 4096

// Complete replaces zero values by defaults. If a value is invalid, the error has this wording.
func (c *Config) Complete(w params.Wording) error {
	c.words = w
	return c.complete()
}

// complete replaces zero values by defaults, and rejects invalid values.
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
	// If both are too large, report the Lease: the caller may have derived the Delay from it.
	case c.Delay < 0 || c.Delay > longest && c.Lease <= longest:
		return c.words.Errorf("delay", "%s is not between 1 ns and %s", in(c.Delay), in(longest))
	case c.Lease < 2 || c.Lease > longest:
		return c.words.Errorf("lease", "%s is not between 2 ns and %s", in(c.Lease), in(longest))
	case c.Renew < 1 || c.Renew > c.Lease:
		return c.words.Errorf("renew", "%s is not between 1 ns and a {lease} of %s", in(c.Renew), in(c.Lease))
	case !(c.Drift < 0.5): // written so that it also rejects NaN
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

// New returns the algorithm. If a duration is invalid, the error wraps [election.ErrInput].
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
		LateStart: election.LateJoins, Elects: election.LeaseHolders, NeverQuiesces: true, Heartbeats: true,
		Faults: election.Faults{Crash: election.MayRecover, Loss: true, Copies: true,
			Nudged: true, Pause: true, Cut: true, Drift: c.Drift,
			Down: func(n int) int { return (n - 1) / 2 }},
		Kinds: []election.Kind{
			{Name: "probe", ID: "label", Round: "round", Value: "incarnation", Bits: sized(160)},
			{Name: "free", ID: "label", Round: "round", Bits: sized(96)},
			{Name: "held", Priority: "label", Round: "round", Value: "nanoseconds", Bits: sized(160)},
			{Name: "claim", ID: "label", Priority: "hash", Round: "round", Value: "incarnation",
				Marks: []string{"renewal", "next"}, Bits: sized(226)},
			{Name: "granted", ID: "label", Round: "round", Value: "incarnation", Marks: []string{"candidate"},
				Bits: sized(161)},
			{Name: "refused", Priority: "label", Round: "round", Value: "nanoseconds",
				Marks: []string{"unknown"}, Bits: sized(160)},
			{Name: "leads", Announces: true, Value: "incarnation", Bits: sized(64)},
			{Name: "release", Value: "incarnation", Marks: []string{"never led"}, Bits: sized(193)},
			{Name: "handoff", Value: "incarnation", Bits: sized(128)},
			{Name: "read", ID: "label", Value: "incarnation", Marks: []string{"in return"}, Bits: sized(65)},
			{Name: "memory", Round: "lease", Value: "incarnation", Marks: []string{"lost"}, Bits: sized(225)},
			{Name: "member", Priority: "hash", Value: "label", Round: "of", Marks: []string{"old", "new",
				"old called", "new called"}, Bits: sized(228)},
			{Name: "holds", Priority: "incarnation", Value: "label", Marks: []string{"lost"}, Bits: sized(129)},
		},
		Commands: commands,
		Timers:   [][]string{{timerDue: "the next deadline", timerTurn: "the wait for larger candidates"}},
		Delay:    c.Delay,
		Best:     cost.Bound{Formula: "5(n-1)", When: "one starts, and all are up"},
		Params:   c.table(nil).Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			own := given
			own.words = params.ForFiles
			// A parameter that is given as zero means zero, not the default, so use another value for one that
			// is not given.
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
		Names: func(m *election.Message) election.ID {
			if m.Kind == kindMember {
				return m.Rank.ID
			}
			return 0
		},
		New: func(s election.Setup) election.Node { return &process{config: &c, me: s.Self} },
	}, nil
}

// Algorithms returns the only variant, with the zero Config.
func Algorithms() []*election.Algorithm {
	a, err := New(Config{Delay: time.Second}) // one unit of scenario files
	if err != nil {
		panic(err)
	}
	return []*election.Algorithm{a}
}

func sized(bits uint64) func(cost.Widths) uint64 { return func(cost.Widths) uint64 { return bits } }

// table returns the parameters. Reading them stores the values in c, and the drift in thousandths in permille.
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
