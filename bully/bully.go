// Package bully elects a leader on a complete graph whose processes crash and recover: the largest live process
// bullies the others into accepting it.
//
// [Rules] returns the algorithm in the form of the six rules in textbooks. [Halting] returns the original of
// Garcia-Molina, which halts the others before it announces the leader. Both are long-lived: they run one
// election after another. An election starts on a Start, on a Suspect of the coordinator, when a process
// recovers (Rejoin), or, with heartbeats, when a process does not receive them. Package process sends Rejoin
// unless the group is founded, because a member does not know whether the others are already running.
//
// # The rules
//
// The first six rules are the six rules of the textbooks; the others specify what they leave open.
//
//  1. A process that suspects the coordinator, or recovers, sends ELECTION to all larger processes, unless it
//     is already electing. If no process is larger, it has won.
//  2. A process that receives ELECTION answers ALIVE, and starts an election too. A process that leads replies
//     COORDINATOR to the asker only, instead of starting an election.
//  3. A process that receives no ALIVE in time has won.
//  4. A process that receives ALIVE waits for COORDINATOR, and starts again if COORDINATOR does not arrive in
//     time.
//  5. The winner sends COORDINATOR to all, or to the smaller processes only.
//  6. A process accepts COORDINATOR of a larger process; COORDINATOR of a smaller one makes it start an
//     election.
//  7. A leader sends HEARTBEAT periodically. A process that receives none from its leader starts an election;
//     a HEARTBEAT of another process is a claim to lead, as in rule 6.
//  8. A process adopts a larger Term. It sends CATCHUP to a process whose claim to lead counts less than the
//     leader that it follows. That process announces itself again in a later Term, or elects if the leader is
//     larger.
//  9. A process that is suspected is neither asked nor waited for, until it is trusted or sends a message. A
//     process that is trusted during an election receives ELECTION.
//
// No rule blocks: each is triggered by a message or a timer.
//
// # The rules of the original
//
//  10. A process that suspects the coordinator, or recovers, asks the larger processes one after another
//     whether they are up (AREYOUUP). If one is, it leaves the election to that process.
//  11. A process that is asked replies UP, and names the coordinator that it follows, or that has halted it.
//     The asker asks the coordinator too. A coordinator that is asked holds another election.
//  12. If no larger process is up, the process sends HALT to all smaller ones. A process that receives HALT
//     from a larger one stops whatever it is doing, and replies HALTED.
//  13. Then the process sends NEWCOORDINATOR to the processes that have halted, which reply ACCEPTED.
//  14. Then it sends READY to the processes that have accepted. They follow it from then on, and reply DONE.
//  15. When all are done it leads. If a process that has answered does not answer again, or another one has
//     asked in the meantime, it holds another election.
//  16. A process that has halted elects if the next message of the election does not arrive in time.
//  17. A process that is suspected is not waited for. If it is the coordinator, or has halted this process,
//     this process elects.
//  18. A leader sends HEARTBEAT periodically. A process that receives none elects. A process that receives the
//     HEARTBEAT of a larger process than its leader asks that process whether it is up.
//  19. An answer that does not belong to the current question has no effect, nor does a message of an election
//     that is over.
//
// # Model
//
// Every process knows the Rank of every other. Synchronous: a message takes at most Delay and its handling at
// most Processing; links lose nothing. Processes crash and recover, with or without their state. Suspicions are
// right.
//
// # Guarantee
//
// After the last crash or recovery, and after some process has detected every crash of a coordinator, all live
// processes follow the largest of them. In the original, all processes that followed a coordinator have to
// detect its crash, and a process without a coordinator elects again only on a Start or a heartbeat: if it
// finds a larger process up, it leaves the election to that process. From the beginning of an election in which
// no process crashes this takes at most AliveTimeout + 2*(Delay + Processing); if a winner crashes before it
// announces itself, the others wait for CoordinatorTimeout and hold another election. With heartbeats, a crash
// of the leader is detected, and all agree again, after at most (1+Patience)*Heartbeat + AliveTimeout + 4*Delay
// + 3*Processing. In the original this time is (1+Patience)*Heartbeat + (1+f)*AliveTimeout + 7*(Delay +
// Processing), where f is the number of processes above the next leader that are down: it asks them one after
// another.
//
// # Terms
//
// A Term is the number of an election. Every message carries one; a process adopts a larger Term when it
// receives one. Of two coordinators, processes follow the one with the larger Term, or in the same Term the
// larger one, even after a decision; in the original they follow the one that halts them last. A Term may
// therefore have two leaders, one after the other: the larger one may have been down, or cut off, or have
// recovered with an old Term, or without its state, counting from one again. Every action of a leader must
// carry the pair (Term, Rank), and its receiver must refuse smaller pairs. A process in a later Term sends a
// CatchUp to the claimant, which announces itself again in that Term or a later one.
//
// A leader that is asked in the next Term adopts that Term, and replies to the asker only. Asked in a later
// Term, it announces itself to all: another process may have led in the meantime. If it replies to one process
// only, the others do not know of that Term until its next heartbeat, if it sends heartbeats. If the leader and
// all processes that know the Term crash before that, the next leader begins the same Term again, with a
// smaller pair: its actions are refused until there is another election.
//
// # Messages
//
// Let n be the number of all processes, including those that are down, and H the set of live processes not
// smaller than the one that starts. The number of ELECTIONs is the sum over j in H of the number of processes
// larger than j; there are |H|(|H|-1)/2 ALIVEs; and n-1 COORDINATORs, or as many as there are processes smaller
// than the winner. If the largest of all processes is up, it wins immediately and also answers COORDINATOR to
// the |H|-2 processes in between. If only the largest is down, the total is n^2-n if the smallest detects the
// crash, and n if the next in line does. Heartbeats are additional. The original takes n-1 messages and five
// for each smaller live process.
//
// If all n processes start the original together, it takes at most 6n^2-2n-6 messages. The largest holds one
// election, and another one each time that a process asks it: at most n, because each of the others elects once
// and asks the largest at most once. An election of the largest takes six messages for each other process. Each
// of the others asks the next larger one first, and then the largest, if that is a different process. If
// messages overtake each other, all asking may be in vain and late, so the bound is reached. A search of all
// schedules of up to 4 processes found it too. On links that deliver in order such a search finds 10n-12 for n
// from 2 to 5.
//
// # Limitations
//
// In a partition each side elects its own leader. A late message, or a process that is only slow, also causes
// two leaders, each sure of itself, until they hear from each other. If delays are unbounded, no choice of
// time-outs can prevent this. Terms order leaders, but do not prevent two at a time: the resource that leaders
// write to must refuse smaller pairs than the largest it has seen. The largest process takes over whenever it
// recovers, however healthy the coordinator is: a process that goes up and down deposes it again and again.
//
// # Corrected here
//
// Rules differs from the lecture notes that give the six rules:
//
//   - A process that is already electing does not begin again when it is asked (rule 2). Otherwise one
//     initiator among n processes causes 2^(n-1)-1 ELECTIONs.
//   - A process that leads replies COORDINATOR to the asker, rather than electing: all others follow it.
//   - COORDINATOR of a larger process is accepted (rule 6), and it goes to all (rule 5): if it went to smaller
//     processes only, it would never reach a process to which rule 6 applies. AnnounceLower exists for
//     comparison.
//   - A process that recovers begins an election, and the time-outs have values.
//   - Elections are numbered, with the consequences described above (Terms).
//   - A process that is suspected is neither asked nor waited for.
//
// Halting differs from the paper, which uses remote calls instead of messages:
//
//   - An answer names the coordinator that its sender follows, and the asker asks the coordinator too. In the
//     paper the coordinator finds a process that has recovered by asking all periodically.
//   - The coordinator holds another election when it is asked: the asker is not among its followers. A process
//     that is electing does so at the end, unless the asker has halted for it since.
//   - With heartbeats the coordinator sends the first one with READY, and not after all are done.
//
// Sources: H. Garcia-Molina, Elections in a distributed computing system, IEEE Transactions on Computers
// C-31(1), 1982; A. Tanenbaum, M. van Steen, Distributed systems; G. Coulouris et al., Distributed systems.
package bully

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Config contains the parameters. The zero value is ready for use, but without failover: that requires a
// Heartbeat, or a failure detector of the caller.
type Config struct {
	// Delay is the maximum delay of a message, and Processing the maximum time to handle it, including pauses
	// of the program and waiting for a processor. If a message takes longer, there may be two leaders, so
	// choose several times the longest duration ever measured; the price is slower failover. If zero, a second
	// and nothing.
	Delay, Processing time.Duration
	// AliveTimeout is how long to wait for an answer; if zero, 3*Delay + Processing. It must be at least
	// 2*Delay + Processing.
	AliveTimeout time.Duration
	// CoordinatorTimeout is how long to wait for a coordinator, after the first answer; if zero, AliveTimeout +
	// 3*Delay + 3*Processing. It must be at least AliveTimeout + 2*Delay + 3*Processing.
	CoordinatorTimeout time.Duration
	// AnnounceLower means that a winner announces itself to smaller processes only, because larger ones are
	// assumed to be down. A larger process that recovers at that moment receives nothing. Without heartbeats,
	// some processes may therefore keep following a coordinator that has recovered as a follower before they
	// noticed its crash.
	AnnounceLower bool
	// Heartbeat is the interval between heartbeats of a leader. A process that receives none for
	// (1+Patience)*Heartbeat + 2*Delay + Processing starts an election, also at the beginning. If zero, there
	// are no heartbeats, and no process detects a crash unless a Suspect reports it. Several times the Delay is
	// usual; it must be at least a hundredth of Delay.
	Heartbeat time.Duration
	// Patience is the number of consecutive heartbeats that may be lost; if zero, none. One or two are suitable
	// for links that occasionally lose a packet.
	Patience uint64
	// Unsafe means that time-outs that are too short for the delays are accepted.
	Unsafe bool

	words params.Wording // wording of errors
}

// DefaultDelay is the default of [Config].Delay.
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

// describe completes c and returns the common part of the variants. Configure starts from the original c: a
// default time-out has to follow from the Delay that is set last.
func (c *Config) describe(variant, summary string,
	with func(Config) (*election.Algorithm, error),
) (*election.Algorithm, error) {
	given := *c
	if err := c.complete(); err != nil {
		return nil, err
	}
	// Two leaders hear of each other by heartbeats only. In the original, one of them may then lead in an
	// earlier Term than its followers have seen.
	apart := c.Heartbeat > 0 && variant == "rules"
	return &election.Algorithm{
		Name: "bully", Variant: variant, Summary: summary,
		Source:   "Garcia-Molina 1982",
		Topology: election.Complete,
		TwoWay:   true,
		Winner:   election.LargestOfLive,
		Faults: election.Faults{Crash: election.MayRecover,
			Pause: apart, Cut: apart},
		LateStart:     election.LateJoins,
		Elects:        election.Successors,
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

// complete replaces zero values by defaults, and rejects invalid values.
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
	claim := 2*c.Delay + 3*c.Processing // three messages are handled in turn: ELECTION, the time-out and COORDINATOR
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
			"(2*{delay} + {processing}); {unsafe=yes} accepts it anyway", in(c.AliveTimeout), in(answer))
	case c.CoordinatorTimeout < c.AliveTimeout+claim:
		return c.words.Errorf("coordinator_timeout", "%s is less than %s, which a coordinator may take "+
			"({alive_timeout} + 2*{delay} + 3*{processing}); {unsafe=yes} accepts it anyway",
			in(c.CoordinatorTimeout), in(c.AliveTimeout+claim))
	}
	return nil
}

// heartbeatsPerDelay is the maximum number of heartbeats in flight. A Heartbeat should be several Delays long;
// a much shorter one is an error in the unit, such as a plain 5, which Go interprets as five nanoseconds.
const heartbeatsPerDelay = 100

// watchTimeout is how long a follower waits for a heartbeat.
func (c *Config) watchTimeout() time.Duration {
	return time.Duration(1+c.Patience)*c.Heartbeat + 2*c.Delay + c.Processing
}
