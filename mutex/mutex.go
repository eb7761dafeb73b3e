// Package mutex implements distributed mutual exclusion: at most one process at a time is in a critical
// section. It offers three variants, none of which is better than the others in every respect:
//
//	arbiter         an elected process grants the section to one process after another
//	ricartagrawala  a process asks all others before it enters; the earlier request goes first
//	tokenring       a token circulates; the process that holds it may enter
//
// A Start requests entry to section 0, and a [Request] entry to any of Config.Sections. When a process has
// entered, it raises Entered with a fencing token. It raises Exited when it has left: after
// Config.CriticalSection, on a [Release], or because the grant has expired. Sections are independent of each
// other. Go programs should use package mutex/lock.
//
// # Fencing
//
// The token of an entry is larger than the tokens of all earlier entries to the section. A process sends its
// token with every request to the guarded resource, and the resource rejects tokens that are smaller than the
// largest one it has seen. A process that was delayed and wrongly believes that it is still inside can then do
// no harm.
//
// # The rules of arbiter
//
//  1. Request. A process that wants to enter sends REQUEST to the arbiter. If it knows no arbiter, the machine
//     below starts an election.
//  2. Queue. The arbiter queues each REQUEST. A newer REQUEST of the holder shows that the holder is not
//     inside any more.
//  3. Grant. The arbiter grants a free section to the first request in the queue whose client is not suspected
//     (GRANT).
//  4. Enter. A process that receives the GRANT it is waiting for is inside. It immediately returns any other
//     GRANT (RELEASE), including a GRANT of an earlier reign.
//  5. Leave. A process leaves after Config.CriticalSection, on a [Release], or when its Lease expires. It
//     sends RELEASE.
//  6. Free. On RELEASE of the current grant, or two Delays after the end of its Lease, the section is free.
//  7. Suspect. If a process is suspected, its sections are free immediately. If it is the arbiter, another
//     election starts, unless the machine below detects the crash itself.
//  8. Elected. A process that learns of a new arbiter sends its REQUESTs again to the new arbiter, and
//     declares each section that it is in with a marked REQUEST.
//  9. Claim. A process that is elected, or whose Term grows, begins a reign: it sends CLAIM to all.
//  10. Declare. A process that receives CLAIM accepts no grant of an earlier reign from then on. It declares
//     as in rule 8, or replies LATER if it knows of a larger reign.
//  11. Later. An arbiter that receives LATER claims a reign that is larger still.
//  12. Grace. The arbiter grants nothing until Grace, in which these replies arrive, has passed.
//
// # The rules of ricartagrawala
//
//  13. Request. A process that wants to enter numbers its request one higher than the largest number that it
//     has sent or received in a REQUEST, and sends the request to all others.
//  14. Answer. A process answers OK immediately, unless it is inside, or wants to enter and its own request is
//     earlier. In these cases it defers the answer. If numbers are equal, the smaller ID is earlier.
//  15. Enter. A process that has all answers is inside.
//  16. Leave. A process that leaves, or withdraws its request, sends the answers that it has deferred.
//  17. Gone. A process that is suspected is neither asked nor waited for. A process that is trusted is
//     asked for every answer that is missing, even if it was not suspected. A process that was suspected and
//     sends a message is asked for all answers.
//
// # The rules of tokenring
//
//  18. Request. A process that wants to enter waits for the token, unless the token rests at this process.
//  19. Token. A process that receives the token enters if it wants to. Otherwise it passes the token on, after
//     a Rest if no process has entered.
//  20. Leave. A process that leaves passes the token on.
//  21. First. Config.First creates the token.
//  22. Doubt. A process that has waited for the token for Regenerate sends CANDIDATE with the next Term.
//  23. Candidate. A process passes on a CANDIDATE that is larger than all earlier ones of that Term. A process
//     that holds the token, or that the token has passed, stops the CANDIDATE.
//  24. Win. A process whose CANDIDATE returns creates a new token with that Term.
//  25. Relink. A process whose links change passes on no more candidates of its Term, and passes a resting
//     token on.
//  26. Old. A message of an earlier Term changes nothing; old tokens are destroyed in this way.
//
// # arbiter
//
// The arbiter runs on a complete graph. A process sends REQUEST to the arbiter, which queues it. The process is
// inside when GRANT arrives, and sends RELEASE when it leaves. The arbiter is elected in a machine below this
// one, by any algorithm that elects a process, except those for hypercubes and meshes. An election for rings,
// trees or graphs runs on an overlay of the processes that are not suspected
// ([election.Algorithm.OverComplete]). The first request starts the first election, unless Arbiter names the
// first arbiter. Which process is elected depends on the election: any leader on which all processes agree will
// do. The arbiter learns of crashes only through Suspect.
//
//   - A reign is the period in which one arbiter grants. It begins whenever a process is elected, and whenever
//     the Term of an arbiter grows, because there may have been another arbiter during a pause or a partition.
//     The arbiter sends CLAIM with the number of the reign to all others. A process that knows a larger reign
//     replies LATER, and the arbiter claims an even larger one. Any other process accepts no grant of an
//     earlier reign from then on, and declares with a marked REQUEST if it is inside. The arbiter grants
//     nothing until Grace, in which these replies arrive, has passed.
//   - A grant is valid for Lease. Then its holder leaves, and two Delays later the arbiter grants the section
//     to the next client. If the client is suspected, the arbiter grants the section immediately.
//   - Every REQUEST has a number, which GRANT and RELEASE repeat: a client that receives a grant which it no
//     longer requests returns it immediately.
//   - A token consists of the number of the reign, the place of the arbiter among all processes by Rank, and a
//     count. The number is the Term, unless there has been a reign with an equal or larger number.
//
// Model: a message takes at most Delay, links lose nothing, and a suspected process is down and has no message
// in flight. Processes recover with the state that they saved last, and at least one process stays up, so that
// it can report earlier reigns. With bully, processes need not hear of every crash. With any other election, a
// detector reports each process that stays down to all live processes, including those that have recovered in
// the meantime. An overlay changes only when a process crashes or recovers. Each change starts another
// election, and after the last one all processes agree on the participants. The election must end whichever
// process starts it (bully/halting does not, unless the largest process starts it). Guarantee: no two processes
// are inside at the same time, tokens increase, and every request of a process that stays up is granted after
// crashes have been detected. An entry takes 3 messages (none if the arbiter itself enters) and two delays. A
// reign takes n-1 CLAIMs, and their replies.
//
// During a pause or a partition two processes may be inside, and tokens may be granted out of order. After it
// is over and the election has ended, the whole guarantee holds again after one Lease.
//
// # ricartagrawala
//
// Ricart-Agrawala runs on a complete graph. The token is the number of the request, and the place of the
// process among all processes by ID.
//
// Model: asynchronous, links lose nothing, no process crashes; links may reorder and duplicate messages.
// Guarantee: no two processes are inside at the same time; entries are in the order of their requests' (number,
// ID), so all requests are granted. An entry takes 2(n-1) messages and two delays. If all processes have been
// down, tokens continue to increase if all processes recover with the state that they saved last. A process
// saves its state once per 1024 numbers, and continues with larger numbers after a restart.
//
// # tokenring
//
// The token ring runs on a one-way ring. One TOKEN per section circulates and counts entries. A process that
// wants to enter does so when the token arrives, and keeps the token while it is inside. An entry takes 1
// message if all processes want to enter, and any number if none does; a process waits for up to n-1 messages
// and the stays of all processes before it. The token starts at First with a budget of Hops and stops when the
// budget is used up. Without a budget it circulates forever, and no run comes to rest. While no process enters,
// each process keeps the token for Rest, so that an idle ring takes one message per Rest.
//
// If Regenerate is set, a process that has waited for that long without seeing the token assumes that the token
// is lost, and starts an election for the next Term (CANDIDATE). The winner is the process whose Rank returns,
// as in the algorithm of Chang and Roberts; it creates a new token with that Term. A process that a candidate
// has passed destroys older tokens. A process that holds the token stops every candidate and raises the token
// to the candidate's Term, and a process that the token has passed stops every candidate of that Term. There is
// therefore at most one token, even if the assumption was wrong. After each election a process waits twice as
// long for the token, so that eventually a token has enough time to return.
//
// If Bridge is set, the ring runs over a complete graph, ordered by ID, and bypasses suspected processes by
// linking their neighbours. A token that was lost with a process, or that arrived before its receiver had heard
// of the crash, is replaced by Regenerate. After the links of a process have changed, it passes on no more
// candidates of its current Term, because its new neighbour may not know of that election. A process that is
// left alone keeps the token until another process recovers.
//
// Model: asynchronous, links deliver in order, and without Regenerate they lose nothing and no process crashes.
// With Regenerate, messages may be lost and processes may crash, on two conditions: the ring must be complete
// for long enough to pass a candidate and a token around it, and a process recovers with the state that it
// saved last. Without Regenerate, if all processes have been down, First creates a new token if it is a founder
// again. Tokens continue to increase if all processes recover with the state that they saved last.
//
// # Corrected here
//
//   - arbiter: Burrows gives each lock its own sequencer. Here one count serves all sections, and the reign
//     comes first, because an arbiter does not keep a file that outlives it.
//   - ricartagrawala: the source counts replies. Here a process records which processes have answered each
//     request, so that duplicates are harmless. OK also carries the number of the latest entry, so that the
//     tokens of a process that recovers without its state increase. A process saves how far its numbers have
//     advanced, so that tokens increase if all processes have been down. The source assumes that all processes
//     are up. Here a process that is trusted is asked again if it has not answered, because a request sent before it
//     was up is lost.
//   - tokenring: the source does not describe what happens if the election for a lost token is lost too. Here
//     the process starts another election after twice the time.
//
// # Limitations
//
// Without CriticalSection a process stays inside until a [Release], or forever; under the arbiter, for a Lease
// at most. The program that runs the process learns of the end only through Exited. A process that recovers has
// forgotten its requests.
//
//   - arbiter: without fencing tokens, an old and a new holder may be inside together whenever the model is
//     violated: a suspicion is wrong, or the holder is delayed for longer than its Lease. If a process crashes
//     inside and is never suspected, the others wait until its Lease expires. A lost message may make a request
//     wait forever. After 2^31 reigns, requests are refused.
//   - arbiter over an overlay: every crash and every recovery starts elections, one for each process that
//     notices it at a different time. Nothing is granted in the meantime.
//   - ricartagrawala: a process that is silent, and that no detector reports, blocks all others. So does a
//     process that is not up when it is asked, until it is trusted. If a suspicion is wrong, two processes may be
//     inside. After 2^63/n requests all further ones are refused.
//   - tokenring: the token is lost with one message or one crash, and a duplicate of the message creates a
//     second token ([election.Faults] does not list Copies). Without Bridge, a process that stays down
//     interrupts the ring. With Bridge, one process must stay up, and a detector must report each process that
//     is down to all live processes.
//
// Sources: G. Ricart and A. Agrawala, An optimal algorithm for mutual exclusion in computer networks, CACM
// 24(1), 1981; G. Le Lann, Distributed systems: towards a formal approach, 1977; M. Burrows, The Chubby lock
// service for loosely-coupled distributed systems, OSDI 2006.
package mutex

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// MaxSections is the maximum number of critical sections.
const MaxSections = 64

// Defaults of a [Config] and of the variants that Algorithms returns.
const (
	DefaultDelay   = time.Second
	DefaultSection = time.Second // CriticalSection of Algorithms
	DefaultRest    = time.Second / 100
)

// leastLease is the minimum of the default Lease.
const leastLease = 10 * time.Second

// Config configures the sections. Each process measures durations with its own clock.
type Config struct {
	// Sections is the number of critical sections, up to MaxSections. If zero, one.
	Sections int
	// CriticalSection is how long a process stays inside. If zero, until a [Release].
	CriticalSection time.Duration

	// Election elects the arbiter. The variant Arbiter requires it. It may be any algorithm that elects a
	// process, except those for hypercubes and meshes; see [election.Algorithm.OverComplete].
	Election *election.Algorithm
	// Arbiter is the first arbiter. If zero, the first arbiter is elected.
	Arbiter election.ID
	// Lease is how long a grant of the arbiter is valid. If zero, 10 seconds or twice CriticalSection,
	// whichever is longer.
	Lease time.Duration
	// Grace is how long a new arbiter waits before it grants anything. If zero, two Delays. It must not be
	// less: all live processes need this time to receive the CLAIM and reply.
	Grace time.Duration
	// Delay is the maximum delay of a message. If zero, the Delay of the Election, or DefaultDelay.
	Delay time.Duration

	// First is the process that creates the token, if it is one of the founders of the group (Founding in
	// package process). If it is not a founder, there is no token, and without Regenerate no process ever
	// enters. If zero, an election creates the token, which requires Regenerate.
	First election.ID
	// Hops is the maximum number of messages per token. If zero, the number is unlimited: tokens circulate
	// forever, and no run comes to rest ([election.Algorithm.NeverQuiesces]).
	Hops uint32
	// Rest is how long a process keeps an idle token: a token with which no process has entered since its last
	// visit here. If zero, DefaultRest, or none with Hops. A shorter Rest costs messages, one per Rest. A
	// longer Rest delays the first entry after an idle period, by up to n-1 rests.
	Rest time.Duration
	// Regenerate is how long a process waits for the token before it assumes that the token is lost. If zero,
	// it waits forever, and TokenRing requires First.
	Regenerate time.Duration
	// Bridge means that the ring runs over a complete graph and bypasses suspected processes; see
	// [election.Algorithm.OverComplete]. If false, the algorithm runs on a ring.
	Bridge bool

	overlay bool // the Election runs on an overlay

	words params.Wording // wording of errors
}

// Algorithms returns the variants with default parameters. elect elects the arbiter, unless the parameter
// election selects one of the others. Elections that Arbiter would reject cannot be selected. Algorithms panics
// if Arbiter would reject elect, for example if it is nil or mesh.
func Algorithms(elect *election.Algorithm, others ...*election.Algorithm) []*election.Algorithm {
	c := Config{CriticalSection: DefaultSection, Election: elect}
	return []*election.Algorithm{must(arbiterOf(c, others)), must(RicartAgrawala(c)), must(tokenRing(c, c))}
}

func must(a *election.Algorithm, err error) *election.Algorithm {
	if err != nil {
		panic(err)
	}
	return a
}

// Kinds of a Command.
const (
	commandRequest uint8 = iota + 1
	commandRelease
)

// Request requests entry to a section. The caller chooses the number, which Entered and Exited repeat. A
// process that is already waiting uses the new number for its request. A process that is inside ignores the
// request.
func Request(section uint8, number uint32) election.Event {
	return command(commandRequest, section, number)
}

// Release leaves a section, or withdraws the request with this number.
func Release(section uint8, number uint32) election.Event {
	return command(commandRelease, section, number)
}

func command(kind, section uint8, number uint32) election.Event {
	return election.Event{Op: election.Command, Msg: election.Message{Kind: kind, Flags: section,
		Round: number}}
}

// sectionBits are the bits of Flags that contain the section; flagInside is another bit.
const (
	sectionBits = MaxSections - 1
	flagInside  = 0x80
)

// Timers. Each section adds its number to them.
const (
	timerStay  uint8 = 0               // the time inside has passed
	timerLease uint8 = MaxSections     // a grant has expired
	timerRest  uint8 = MaxSections     // the token has rested; tokenring has no leases
	timerLost  uint8 = 2 * MaxSections // the token has not arrived
	timerGrace uint8 = 3 * MaxSections // Grace of a new arbiter
	timerFirst uint8 = timerGrace + 1  // creates the first token
)

// timersOf returns the names of timers by number. names contains the timers of the first section.
func (c *Config) timersOf(names []string) []string {
	all := slices.Clone(names)
	for first, name := range names {
		for section := 1; name != "" && uint8(first) < timerGrace && section < c.Sections; section++ {
			all = append(all, make([]string, max(first+section+1-len(all), 0))...)
			all[first+section] = fmt.Sprintf("%s, section %d,", name, section)
		}
	}
	return all
}

// phase is the state of a process with respect to a section.
type phase uint8

const (
	outside phase = iota
	waiting
	inside
)

// seat is the state of a process in one section.
type seat struct {
	phase  phase
	number uint32 // number that the user gave to the request
	token  uint64 // token of the entry
}

func (p *seat) visit(s *election.State) {
	s.Uint8((*uint8)(&p.phase))
	s.Uint32(&p.number)
	s.Uint64(&p.token)
}

// enter records that the process is inside.
func (p *seat) enter(e *election.Env, at time.Duration, section uint8, token uint64, stay time.Duration) {
	p.phase, p.token = inside, token
	if stay > 0 {
		e.SetTimer(timerStay+section, stay, stay)
	}
	p.raise(e, at, section, election.Entered)
}

// leave records that the process is no longer inside.
func (p *seat) leave(e *election.Env, at time.Duration, section uint8) {
	p.phase = outside
	e.StopTimer(timerStay + section)
	p.raise(e, at, section, election.Exited)
}

func (p *seat) raise(e *election.Env, at time.Duration, section uint8, op election.Op) {
	e.Raise(election.Event{Op: op, At: at, Msg: election.Message{Flags: section, Value: p.token,
		Round: p.number}})
}

// place returns the number of processes that precede this one.
func place(e *election.Env, less func(peer, me election.Rank) bool) (before uint64) {
	me := e.Self()
	for port := range election.Port(e.Ports()) {
		if less(e.Peer(port), me) {
			before++
		}
	}
	return before
}

// placeBits returns the number of bits that a place needs.
func placeBits(e *election.Env) int { return bits.Len(uint(e.Ports())) }

// complete replaces zero values by defaults, and rejects invalid values.
func (c *Config) complete() error {
	if c.Sections == 0 {
		c.Sections = 1
	}
	if c.Sections < 1 || c.Sections > MaxSections {
		return c.words.Errorf("sections", "%d is not between 1 and %d", c.Sections, MaxSections)
	}
	for _, table := range []params.Table{c.arbiterTable("", nil), c.ringTable()} {
		for name, t := range table.Times() {
			if t < 0 || t > params.MaxTimeout {
				return c.words.Errorf(name, "%v is not between 0 and %v", t, params.MaxTimeout)
			}
		}
	}
	if c.Delay == 0 && c.Election != nil {
		c.Delay = c.Election.Delay
	}
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	if c.Lease == 0 {
		c.Lease = max(leastLease, 2*c.CriticalSection)
	}
	if c.Grace == 0 {
		c.Grace = 2 * c.Delay
	}
	if c.Rest == 0 && c.Hops == 0 {
		c.Rest = DefaultRest
	}
	switch {
	case c.Lease < c.CriticalSection:
		return c.words.Errorf("lease", "%v is shorter than %v, the time inside", c.Lease,
			c.CriticalSection)
	case c.Grace < 2*c.Delay:
		return c.words.Errorf("grace", "%v is shorter than %v, two delays, which a claim and its "+
			"reply may take",
			c.Grace, 2*c.Delay)
	case c.Hops > 0 && c.Regenerate > 0:
		return c.words.Errorf("regenerate", "a token with a budget of hops is not lost when it stops; "+
			"leave out one of them")
	case c.Hops == math.MaxUint32:
		return c.words.Errorf("hops", "%d are too many", c.Hops)
	}
	return nil
}
