// Package bully elects on a complete graph, among processes that crash and come back: the largest
// that is up bullies the others into accepting it.
//
// [Rules] gives the algorithm by the six rules that it is taught with; [Halting] gives the original
// of Garcia-Molina, which halts the others before it announces itself. Both are long-lived: they
// hold one election after another. They begin one on a Start, on a Suspect of the coordinator, when they
// come back (Rejoin), or by themselves if there are heartbeats and they hear none. Package process sends
// Rejoin unless the group is founded: a member does not know whether the others run already.
//
// # The rules
//
// The six rules are the first six; what they leave open follows.
//
//  1. A process that suspects the coordinator, or comes back, sends ELECTION to all that are larger,
//     unless it is electing already. If no process is larger it has won.
//  2. A process that gets ELECTION answers ALIVE, and starts an election too. A process that
//     leads replies COORDINATOR to the asker only, instead of starting.
//  3. A process that gets no ALIVE in time has won.
//  4. One that gets ALIVE waits for COORDINATOR, and starts again if that does not come in time.
//  5. The winner sends COORDINATOR to all, or to the smaller ones only.
//  6. COORDINATOR of a larger process is accepted; that of a smaller one starts an election.
//  7. A leader sends HEARTBEAT from time to time. A process that hears none of its leader starts an election;
//     one of another process is a claim to lead, as in rule 6.
//  8. A process adopts a larger Term. It sends CATCHUP to a process whose claim to lead counts less than
//     the leader that it follows. That one announces itself again in a later Term, or elects if that
//     leader is larger.
//  9. A process that is suspected, or has said good-bye, is neither asked nor waited for, until it is
//     trusted or sends a message. One that is trusted during an election gets ELECTION.
//
// No rule blocks: each is triggered by a message or a timer.
//
// # The rules of the original
//
//  10. A process that suspects the coordinator, or comes back, asks the larger processes one after another
//     whether they are up (AREYOUUP). If one is, the election is left to that.
//  11. A process that is asked replies UP, and names the coordinator that it follows, or that has halted
//     it. The asker asks that one too. A coordinator that is asked holds another election.
//  12. If no larger process is up, the process sends HALT to all smaller ones. A process that gets HALT
//     from a larger one stops whatever it does, and replies HALTED.
//  13. Then it sends NEWCOORDINATOR to those that have halted, which reply ACCEPTED.
//  14. Then it sends READY to those that have accepted. They follow it from then on, and reply DONE.
//  15. When all are done it leads. If a process that has answered does not answer again, or another one has
//     asked meanwhile, it holds another election.
//  16. A process that has halted elects if the next message of the election does not come in time.
//  17. A process that is suspected, or has said good-bye, is not waited for. If it is the coordinator, or has
//     halted this process, this one elects.
//  18. A leader sends HEARTBEAT from time to time. A process that hears none elects. One that hears that of a
//     larger process than its leader asks that one whether it is up.
//  19. An answer that is not one to the present question changes nothing, and nor does a message of an
//     election that is over.
//
// # Model
//
// Every process knows the Rank of every other. Synchronous: a message takes at most Delay and its handling at
// most Processing; links lose nothing. Processes crash and come back, with or without their state.
// Suspicions are right.
//
// # Guarantee
//
// Once no process crashes or comes back any more, and some process has noticed every crash of a coordinator,
// all that are up follow the largest of them. In the original all that followed a coordinator have to notice
// its crash, and a process without a coordinator begins again only on a Start or a heartbeat: one that finds
// a larger process up leaves the election to that. From the beginning of an election in which no process
// crashes that takes at most AliveTimeout + 2*(Delay + Processing); where a winner crashes before it
// announces itself, the others wait for CoordinatorTimeout and hold another. With heartbeats a crash of the
// leader is noticed, and all agree again, after at most (1+Patience)*Heartbeat + AliveTimeout + 4*Delay +
// 3*Processing. In the original that is (1+Patience)*Heartbeat + (1+f)*AliveTimeout + 7*(Delay + Processing),
// where f processes above the next leader are down: it asks them one after another.
//
// # Terms
//
// A Term is the number of an election. Every message carries one; a process that hears a larger one adopts
// it. Of two coordinators the one of the larger Term is followed, in the same Term the larger one,
// even after a decision; in the original the one that halts last. So a Term may have two leaders, one after
// the other: the larger one may have been down, or cut off, or have come back with an old Term, or without
// its state, counting from one again. What a leader does must carry the pair (Term, Rank), and its receiver
// must refuse smaller pairs. A process in a later Term sends a CatchUp to the claimant, which
// announces itself again in that Term or a later one.
//
// A leader that is asked in the next Term adopts that Term, and replies to the asker only. Asked in a later
// one, it announces itself to all: another process may have led meanwhile. Where it replies to one only,
// until its next heartbeat, if there are any, the others do not know of that Term. If the leader and all that
// do crash before, the next leader begins the same Term again, with a smaller pair: what it does is refused
// until there is another election.
//
// # Messages
//
// Let n be all processes, those that are down included, H those that are up and not smaller than
// the one that starts. Then ELECTION is the sum over j in H of those larger than j, ALIVE
// |H|(|H|-1)/2, COORDINATOR n-1, or as many as are smaller than the winner; where the largest of
// all is up, it wins at once and answers COORDINATOR to the |H|-2 in between as well. With only the
// largest down that makes n^2-n if the smallest notices, and n if the next in line does. Heartbeats
// come on top. The original takes n-1 messages and five for each smaller process that is up.
//
// If all n processes start the original together, it takes at most 6n^2-2n-6 messages. The largest holds
// one election, and another one each time that a process asks it: n at most, as each of the others elects once
// and asks the largest at most once. An election of the largest takes six messages for each other process.
// Each of the others asks the next larger one first, and then the largest, if that is another. All are asked in
// vain, and late, if messages overtake each other: so the bound is reached. It was also found by a search of
// all schedules of up to 4 processes. On links that keep the order such a search finds 10n-12 for n from 2 to 5.
//
// # Limitations
//
// Under partition each side elects its own leader; a message that is late, or a process that is
// only slow, makes two leaders as well, each sure of itself, until they hear of each other. No
// choice of time-outs mends that where delays have no bound. Terms put leaders in order, they do not
// prevent two at a time: what the leader writes to must refuse smaller pairs than the largest it has seen.
// The largest process takes over whenever it comes back, however healthy the coordinator is: one
// that goes up and down deposes it again and again.
//
// # Corrected here
//
// Rules departs from the lecture notes that give the six rules:
//
//   - A process that elects already does not begin again when it is asked (rule 2). Otherwise one initiator
//     among n processes causes 2^(n-1)-1 ELECTIONs.
//   - A process that leads replies by COORDINATOR to the asker, rather than electing: all others follow it.
//   - COORDINATOR of a larger process is accepted (rule 6), and it goes to all (rule 5): to smaller processes
//     only, it would never reach one that rule 6 is for. AnnounceLower is there for comparison.
//   - A process that comes back begins an election, and the time-outs have values.
//   - Elections are numbered, with what that brings along (Terms).
//   - A process that is suspected, or has said good-bye, is neither asked nor waited for.
//
// Halting departs from the paper, which gives remote calls instead of messages:
//
//   - An answer names the coordinator that its sender follows, and the asker asks that one too. In the paper
//     the coordinator finds a process that has come back by asking all from time to time.
//   - The coordinator holds another election when it is asked: the asker is not among its followers. One that
//     elects does so at the end, unless the asker has halted for it since.
//   - With heartbeats the coordinator sends the first with READY, and not after all are done.
//
// Sources: H. Garcia-Molina, Elections in a distributed computing system, IEEE Transactions on
// Computers C-31(1), 1982; A. Tanenbaum, M. van Steen, Distributed systems; G. Coulouris et al.,
// Distributed systems.
package bully

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Config are the parameters. The zero value is ready for use, but never fails over by itself: that takes a
// Heartbeat, or a failure detector of the caller.
type Config struct {
	// Delay is the longest that a message takes, and Processing the longest that its handling
	// does: pauses of the program, waiting for a processor. Whatever takes longer may make two
	// leaders, so several times the longest that was ever measured is not too much; the price is that
	// a crash is noticed later. If zero, a second and nothing.
	Delay, Processing time.Duration
	// AliveTimeout is how long to wait for an answer; if zero, 3*Delay + Processing. Less than
	// 2*Delay + Processing is refused.
	AliveTimeout time.Duration
	// CoordinatorTimeout is how long to wait for a coordinator, from the first answer on; if zero,
	// AliveTimeout + 3*Delay + 3*Processing. Less than AliveTimeout + 2*Delay + 3*Processing is refused.
	CoordinatorTimeout time.Duration
	// AnnounceLower: a winner announces itself to smaller processes only. Larger ones are taken to be
	// down. One that returns at that moment hears nothing, so some processes may keep following a
	// coordinator that has come back as a follower before they missed it, unless there are heartbeats.
	AnnounceLower bool
	// Heartbeat is how often a leader says that it is there. A process that hears none for
	// (1+Patience)*Heartbeat + 2*Delay + Processing starts an election, also in the beginning. If
	// zero there are none, and no process notices a crash unless a Suspect reports it. Several times
	// the Delay is usual; less than a hundredth of it is refused.
	Heartbeat time.Duration
	// Patience is how many heartbeats in a row may be lost; if zero, none. One or two suit
	// links that lose a packet now and then.
	Patience uint64
	// Unsafe: time-outs that are too short for the delays are taken as they are.
	Unsafe bool

	words params.Wording // of what is refused
}

// DefaultDelay is [Config].Delay where none is given.
const DefaultDelay = time.Second

// Algorithms returns the variants with their parameters as they are by default.
func Algorithms() []*election.Algorithm {
	return []*election.Algorithm{must(Rules(Config{})), must(Halting(Config{}))}
}

func must(a *election.Algorithm, err error) *election.Algorithm {
	if err != nil {
		panic(err)
	}
	return a
}

// describe completes c and returns what the variants have in common. Configure starts from c as it was before
// that: a time-out that follows from Delay has to follow from the Delay that is set last.
func (c *Config) describe(variant, summary string,
	with func(Config) (*election.Algorithm, error),
) (*election.Algorithm, error) {
	given := *c
	if err := c.complete(); err != nil {
		return nil, err
	}
	// Two leaders hear of each other by heartbeats alone. In the original one may then lead in an earlier
	// Term than its followers have seen.
	apart := c.Heartbeat > 0 && variant == "rules"
	return &election.Algorithm{
		Name: "bully", Variant: variant, Summary: summary,
		Source:   "Garcia-Molina 1982",
		Topology: election.Complete,
		TwoWay:   true,
		Winner:   election.LargestOfLive,
		Faults: election.Faults{Crash: true, Recover: true, Restart: true,
			Pause: apart, Cut: apart},
		LateStart:     election.LateJoins,
		LongLived:     true,
		NeverQuiesces: c.Heartbeat > 0,
		Heartbeats:    c.Heartbeat > 0,
		Delay:         c.Delay,
		Params:        c.table().Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			c := given
			c.words = params.ForFiles
			if err := c.table().Read(g); err != nil {
				return nil, err
			}
			return with(c)
		},
	}, nil
}

func rank(w cost.Widths) uint64 { return w.Rank() }

// table returns the parameters, whose values go to c.
func (c *Config) table() params.Table {
	const positive = "zero leaves no time for a message"
	return params.Table{
		{Name: "delay", About: "the longest that a message takes", Default: "1", Role: params.DelayBound,
			Positive: positive, To: params.Time(&c.Delay)},
		{Name: "processing", About: "the longest that its handling takes", Default: "0",
			To: params.Time(&c.Processing)},
		{Name: "alive_timeout", About: "how long to wait for an answer", Default: "3 delays and processing",
			Positive: positive, To: params.Time(&c.AliveTimeout)},
		{Name: "coordinator_timeout", About: "how long to wait for a coordinator after an answer",
			Default: "alive_timeout, 3 delays, 3 processings", Positive: positive,
			To: params.Time(&c.CoordinatorTimeout)},
		{Name: "announce", About: "whom a winner tells: all, or lower ones only", Default: "all",
			To: params.Either(&c.AnnounceLower, "all", "lower")},
		{Name: "heartbeat", About: "how often a leader says that it is there", Default: "never",
			To: params.Time(&c.Heartbeat)},
		{Name: "patience", About: "how many heartbeats in a row may be lost", Default: "0",
			To: params.Count(&c.Patience)},
		{Name: "unsafe", About: "yes: take time-outs that are too short for the delays", Default: "no",
			To: params.Truth(&c.Unsafe)},
	}
}

// complete fills in what is zero, and refuses what cannot be right.
func (c *Config) complete() error {
	for name, t := range c.table().Times() {
		if t < 0 || t > params.MaxTimeout {
			return c.words.Errorf(name, "%v is not between 0 and %v", t, params.MaxTimeout)
		}
	}
	if most := uint64(params.MaxTimeout / max(c.Heartbeat, 1)); c.Heartbeat > 0 && c.Patience >= most {
		return c.words.Errorf("patience", "%d is not between 0 and %d", c.Patience, most-1)
	}
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	answer := 2*c.Delay + c.Processing
	claim := 2*c.Delay + 3*c.Processing // three are handled in turn: ELECTION, the time-out and COORDINATOR
	if c.AliveTimeout == 0 {
		c.AliveTimeout = answer + c.Delay
	}
	if c.CoordinatorTimeout == 0 {
		c.CoordinatorTimeout = c.AliveTimeout + claim + c.Delay
	}
	in := func(t time.Duration) string { return c.words.Time(t, c.Delay) }
	switch least := c.Delay / heartbeatsPerDelay; {
	case c.Heartbeat > 0 && c.Heartbeat < least:
		return c.words.Errorf("heartbeat", "%s is less than %s, a hundredth of {delay}: heartbeats "+
			"would be all that processes do", in(c.Heartbeat), in(least))
	case c.Unsafe:
	case c.AliveTimeout < answer:
		return c.words.Errorf("alive_timeout", "%s is less than %s, which an answer may take "+
			"(2*{delay} + {processing}); {unsafe=yes} takes it all the same", in(c.AliveTimeout), in(answer))
	case c.CoordinatorTimeout < c.AliveTimeout+claim:
		return c.words.Errorf("coordinator_timeout", "%s is less than %s, which a coordinator may take "+
			"({alive_timeout} + 2*{delay} + 3*{processing}); {unsafe=yes} takes it all the same",
			in(c.CoordinatorTimeout), in(c.AliveTimeout+claim))
	}
	return nil
}

// heartbeatsPerDelay is how many heartbeats may be under way at most. A Heartbeat is meant to be some Delays
// long; far below one it is a slip of the unit, such as a plain 5, which Go takes for five nanoseconds.
const heartbeatsPerDelay = 100

// watchTimeout is how long a follower waits for a heartbeat.
func (c *Config) watchTimeout() time.Duration {
	return time.Duration(1+c.Patience)*c.Heartbeat + 2*c.Delay + c.Processing
}
