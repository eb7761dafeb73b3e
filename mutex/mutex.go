// Package mutex shares resources among processes: at most one at a time is in a critical section.
// There are three ways to do it, none better than the others in every respect:
//
//	arbiter         an elected process grants the section to one after another
//	ricartagrawala  a process that wants to enter asks all others; the earlier request goes first
//	tokenring       the process that holds the token that goes round may enter
//
// A Start requests entry to section 0, a [Request] to any of Config.Sections. A process that has entered
// raises Entered, with a fencing token, and Exited when it has left: after Config.CriticalSection, on
// a [Release], or because the grant has expired. Sections are independent of each other.
// A program in Go uses package mutex/lock.
//
// # Fencing
//
// The token of an entry is larger than those of all earlier entries to the section. A process that
// enters passes it along with everything it does to the resource, and the resource refuses tokens
// smaller than the largest that it has seen. Then a process that was held up and believes that it is
// still inside can do no harm.
//
// # The rules of arbiter
//
//  1. Request. A process that wants to enter sends REQUEST to the arbiter. If it knows of none, the
//     machine below begins an election.
//  2. Queue. The arbiter queues each REQUEST. A newer one of the holder shows that it is inside no longer.
//  3. Grant. A free section goes to the first request in the queue whose client is not suspected (GRANT).
//  4. Enter. A process that gets the GRANT that it waits for is inside. Any other it gives back at once
//     (RELEASE), and one of an earlier reign too.
//  5. Leave. A process leaves after Config.CriticalSection, on a [Release], or when its Lease is over. It
//     sends RELEASE.
//  6. Free. On RELEASE of the present grant, or two Delays after the end of its Lease, the section is free.
//  7. Suspect. The sections of a process that is suspected, or has gone on purpose, are free at once. If
//     it is the arbiter, another election begins, unless the one below notices that itself.
//  8. Elected. A process that hears of a new arbiter sends its REQUESTs again to that one, and declares by a
//     REQUEST marked so each section that it is in.
//  9. Claim. A process that is elected, or whose Term grows, begins a reign: it sends CLAIM to all.
//  10. Declare. A process that gets CLAIM takes no grant of an earlier reign from then on. It declares as in
//     rule 8, or replies LATER if it knows of a larger reign.
//  11. Later. An arbiter that gets LATER claims a larger reign than that.
//  12. Grace. The arbiter grants nothing before Grace is over, in which these replies arrive.
//
// # The rules of ricartagrawala
//
//  13. Request. A process that wants to enter numbers its request by one more than the largest number that
//     it has sent or received in a REQUEST, and sends that to all others.
//  14. Answer. A process answers OK at once, unless it is inside, or wants to enter and its own request is
//     earlier. Then it defers its answer. Of equal numbers the smaller ID is earlier.
//  15. Enter. A process that has all answers is inside.
//  16. Leave. A process that leaves, or takes its request back, sends the answers that it has deferred.
//  17. Gone. A process that is suspected, or has gone on purpose, is neither asked nor waited for. One
//     that is trusted or has joined again is asked for what it has not answered, also if it was neither
//     suspected nor gone. So is one that was gone and sends a message, for all.
//
// # The rules of tokenring
//
//  18. Request. A process that wants to enter waits for the token, unless that rests there.
//  19. Token. A process that gets the token enters, if it wants to. If not it passes the token on, after a
//     Rest where no process has entered.
//  20. Leave. A process that leaves passes the token on.
//  21. First. Config.First makes the token.
//  22. Doubt. A process that has waited for the token for Regenerate sends CANDIDATE with the next Term.
//  23. Candidate. A process passes on a CANDIDATE that is larger than all of that Term before. One that
//     has the token, or that the token has passed, stops it.
//  24. Win. A process whose CANDIDATE comes round makes a new token, of that Term.
//  25. Relink. A process whose links change lets no candidate of its Term pass any more, and passes a resting
//     token on.
//  26. Old. A message of an earlier Term changes nothing: so old tokens are destroyed.
//
// # arbiter
//
// On a complete graph. A process sends REQUEST to the arbiter, which queues it; it is inside when
// GRANT comes, and sends RELEASE when it leaves. Any algorithm that elects a process, but those for
// hypercubes and meshes, elects the arbiter, in a machine below this one; one for rings, trees or graphs
// runs on an overlay of the processes that are not suspected ([election.Algorithm.OverComplete]). The first
// request begins the first election, unless Arbiter names the first arbiter. Which process is elected is
// for the election to say: any leader that all agree on will do. The arbiter learns of crashes by
// Suspect alone.
//
//   - A reign is the time for which one arbiter grants. It begins whenever a process is elected, and whenever
//     the Term of an arbiter grows: after a pause or a partition there was another one, perhaps. The arbiter
//     sends CLAIM with the number of the reign to all others. A process that knows a larger reign
//     replies LATER, and the arbiter claims one larger than that. Any other process takes no grant of an
//     earlier reign from then on, and declares by a REQUEST marked so if it is inside. The arbiter
//     grants nothing before Grace is over, in which these replies arrive.
//   - A grant is good for Lease. After that its holder leaves, and after two Delays more the arbiter
//     passes it on. That of a client that is suspected, or has gone on purpose, it passes on at once.
//   - Every REQUEST has a number, which GRANT and RELEASE repeat: a client that no longer asks for what is
//     granted gives it back at once.
//   - A token consists of the number of the reign, the place of the arbiter among all processes by Rank,
//     and a count. The number is the Term, unless there was a reign as large already.
//
// Model: a message takes at most Delay, links lose nothing, and a process that is suspected is down and
// has no message under way. Processes that come back have the state that they saved last, and one process at
// least stays up, so that it can reply which reigns there were. With bully they need not hear of every
// crash. With any other election a detector reports to all that are up, also to those that have come
// back meanwhile, each process that stays down. An overlay changes only where a process crashes or comes
// back. Each change begins another election, and after the last one all agree which processes take part.
// The election must end whichever process starts it (that of bully/halting does not, unless the largest
// starts). Guarantee: no two are inside at a time, tokens increase, and every request of a process that
// stays up is served once crashes have been noticed. 3 messages an entry, none where the arbiter enters
// itself; two delays to enter. A reign takes n-1 CLAIMs, and their replies.
//
// After a pause or a partition two may have been inside, and tokens may have been granted out of order. Once
// it is over and the election has ended, all of the guarantee holds again, after one Lease.
//
// # ricartagrawala
//
// On a complete graph. The token is the number of the request, and the place of the process among all by ID.
//
// Model: asynchronous, links lose nothing, no process crashes; links need not keep the order, and
// messages may arrive twice. Guarantee: no two are inside at a time; entries are in the order of their
// requests' (number, ID), and so all are served. 2(n-1) messages an entry; two delays to enter. Once all
// processes have been down, tokens go on to increase if all come back with the state that they saved last. A
// process saves one time in 1024 numbers, and goes on behind those.
//
// # tokenring
//
// On a one-way ring. A TOKEN for each section goes round; a process that wants to enter does so when it
// comes, and keeps it meanwhile. It counts entries. From 1 message an entry, if all want to enter, to any
// number, if none does; to enter takes up to n-1 messages and all that are inside before. It starts
// at First, with a budget of Hops; where that is used up it stays. Without one it goes round for ever, and no
// run comes to rest. While no process enters, each keeps it for Rest, so that an idle ring takes one
// message a Rest.
//
// If Regenerate is set, a process that has waited for that long without seeing the token doubts that there is
// one, and begins an election for the next Term (CANDIDATE): the winner is the process whose Rank comes
// round, as in the algorithm of Chang and Roberts, and it makes a new token, of that Term. A process that a
// candidate has passed destroys older tokens; one that has the token stops every candidate and gives the
// token its Term, and one that the token has passed stops every candidate of that Term. So there is one token
// at most, however wrong the doubt. After each election a process waits twice as long for the token, so that
// in the end one has the time to come round.
//
// If Bridge is set, the ring is laid over a complete graph, by IDs, and leaves out a process that is
// suspected: its neighbours are linked with each other. A token that was lost with it, or that came
// before its receiver had heard of the crash, is made anew by Regenerate. Where the links of a
// process change no candidate of its present Term passes any more, since its new neighbour may
// not know of that election. A process that is left alone keeps the token until another comes back.
//
// Model: asynchronous, links keep the order, and without Regenerate they lose nothing and no process crashes.
// With it messages may be lost and processes may crash, on two conditions: the ring must be whole long
// enough for a candidate and a token to pass, and a process that comes back has the state that it saved
// last. Without Regenerate, First makes a new token once all processes have been down, if it is a founder
// again. Tokens go on to increase if all come back with the state that they saved last.
//
// # Corrected here
//
//   - arbiter: Burrows gives each lock a sequencer of its own. Here one count serves all sections, and
//     the reign comes first, since an arbiter keeps no file that outlives it.
//   - ricartagrawala: the source counts replies. Here the answers of each request are gathered by
//     process, so that a message may arrive twice. OK also carries the number of the latest entry, so
//     that the tokens of a process that has come back without its state increase. A process saves how far
//     its numbers have come, so that tokens increase when all have been down. The source supposes
//     that all processes are up. Here a process that Trust or Joined reports is asked again if it has
//     not answered: a request that was sent before it was up is lost.
//   - tokenring: the source does not say how a process that waits for a lost token goes on when its
//     election is lost too. Here it begins another one, after twice the time.
//
// # Limitations
//
// Without CriticalSection a process stays inside until a [Release]: for ever, or for a Lease of the
// arbiter. The program that runs it learns of the end by Exited alone. A process that comes back has
// forgotten its requests.
//
//   - arbiter: without the token, an old holder and a new one may be inside together wherever the model
//     does not hold: a suspicion is wrong, or the holder is held up for longer than its Lease. A process
//     that crashes inside and is never suspected is waited for until its Lease is over. A message that
//     is lost may let a request wait for ever. After 2^31 reigns requests are refused.
//   - arbiter over an overlay: every crash and every return begins elections, one for each process that
//     notices at a different time; nothing is granted meanwhile.
//   - ricartagrawala: a process that is silent, and that no detector reports, blocks all others. So does one
//     that is not up when it is asked, until Trust or Joined reports it. Where a
//     suspicion is wrong two may be inside. After 2^63/n requests all further ones are refused.
//   - tokenring: the token is lost with one message, or one crash, and a message that arrives twice makes two
//     tokens ([election.Faults] does not list Copies). Without Bridge a process that stays down cuts the
//     ring. With it one process must stay up, and a detector must report each that is down to all that
//     are up.
//
// Sources: G. Ricart and A. Agrawala, An optimal algorithm for mutual exclusion in computer
// networks, CACM 24(1), 1981; G. Le Lann, Distributed systems: towards a formal approach, 1977;
// M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006.
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

// MaxSections is how many critical sections there may be.
const MaxSections = 64

// Defaults of a [Config], and in Algorithms.
const (
	DefaultDelay   = time.Second
	DefaultSection = time.Second // CriticalSection of Algorithms
	DefaultRest    = time.Second / 100
)

// leastLease is the shortest Lease where none is given.
const leastLease = 10 * time.Second

// Config says how sections are shared. Times are measured by each process for itself.
type Config struct {
	// Sections is how many there are, up to MaxSections. If zero, one.
	Sections int
	// CriticalSection is how long a process stays inside. If zero, until a [Release].
	CriticalSection time.Duration

	// Election elects the arbiter: any algorithm that elects a process, but those for hypercubes and
	// meshes; see [election.Algorithm.OverComplete]. Arbiter needs it.
	Election *election.Algorithm
	// Arbiter is the process that is the arbiter from the beginning. If zero, one is elected.
	Arbiter election.ID
	// Lease is how long a grant of the arbiter is good. If zero, 10 seconds or twice
	// CriticalSection, whichever is longer.
	Lease time.Duration
	// Grace is how long a new arbiter waits before it grants anything. If zero, two Delays. Less is refused:
	// by then all that are up have heard its CLAIM, and have replied.
	Grace time.Duration
	// Delay is the longest that a message takes. If zero, that of the Election, or DefaultDelay.
	Delay time.Duration

	// First is where the token is in the beginning: that process makes it, if it is one of the founders
	// of the group (Founding in package process). If it is not, there is no token, and without
	// Regenerate no process ever enters. If zero, the token is nowhere: it is made by an election, which
	// takes Regenerate.
	First election.ID
	// Hops is how many messages the tokens may take, each. If zero, any number: they go round for
	// ever, so that a run does not come to rest ([election.Algorithm.NeverQuiesces]).
	Hops uint32
	// Rest is how long a process keeps an idle token: one that no process has entered with since it was
	// here last. If zero, DefaultRest; none with Hops. Shorter rests cost messages, one a Rest; longer
	// ones cost time to enter after a while in which no process did, at most n-1 of them.
	Rest time.Duration
	// Regenerate is how long a process waits for the token before it doubts that there is one. If
	// zero, for ever, and TokenRing needs a First.
	Regenerate time.Duration
	// Bridge: the ring is laid over a complete graph, and a process that is suspected is left out of it, as
	// [election.Algorithm.OverComplete] says. If false, it runs on a ring.
	Bridge bool

	overlay bool // the Election runs on an overlay

	words params.Wording // of what is refused
}

// Algorithms returns the variants with their parameters as they are by default; the arbiter is
// elected by the algorithm given, unless its parameter election names one of the others. Those that Arbiter
// would refuse cannot be named. Algorithms panics if Arbiter would refuse elect, as it does for nil or mesh.
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

// The kinds of a Command.
const (
	commandRequest uint8 = iota + 1
	commandRelease
)

// Request requests entry to a section. The number is the caller's, and comes back with Entered and
// Exited. A process that waits already asks again under the new number, one that is inside takes no
// notice.
func Request(section uint8, number uint32) election.Event {
	return command(commandRequest, section, number)
}

// Release leaves a section, or takes the request back that has this number.
func Release(section uint8, number uint32) election.Event {
	return command(commandRelease, section, number)
}

func command(kind, section uint8, number uint32) election.Event {
	return election.Event{Op: election.Command, Msg: election.Message{Kind: kind, Flags: section,
		Round: number}}
}

// sectionBits are the bits of Flags that name the section; flagInside is another.
const (
	sectionBits = MaxSections - 1
	flagInside  = 0x80
)

// The timers. Those of sections are numbered from these.
const (
	timerStay  uint8 = 0               // the time inside is over
	timerLease uint8 = MaxSections     // a grant has expired
	timerRest  uint8 = MaxSections     // the token has rested; tokenring has no leases
	timerLost  uint8 = 2 * MaxSections // the token has not come
	timerGrace uint8 = 3 * MaxSections // of a new arbiter
	timerFirst uint8 = timerGrace + 1  // the token is put on the ring
)

// timersOf returns the names of timers by their numbers. Those of sections are given for the first one.
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

// phase is what a process does in a section.
type phase uint8

const (
	outside phase = iota
	waiting
	inside
)

// seat is the place of a process in one section.
type seat struct {
	phase  phase
	number uint32 // of the request, as its user knows it
	token  uint64 // of the entry
}

func (p *seat) visit(s *election.State) {
	s.Uint8((*uint8)(&p.phase))
	s.Uint32(&p.number)
	s.Uint64(&p.token)
}

// enter notes that the process is inside.
func (p *seat) enter(e *election.Env, at time.Duration, section uint8, token uint64, stay time.Duration) {
	p.phase, p.token = inside, token
	if stay > 0 {
		e.SetTimer(timerStay+section, stay, stay)
	}
	p.raise(e, at, section, election.Entered)
}

// leave notes that it is no longer.
func (p *seat) leave(e *election.Env, at time.Duration, section uint8) {
	p.phase = outside
	e.StopTimer(timerStay + section)
	p.raise(e, at, section, election.Exited)
}

func (p *seat) raise(e *election.Env, at time.Duration, section uint8, op election.Op) {
	e.Raise(election.Event{Op: op, At: at, Msg: election.Message{Flags: section, Value: p.token,
		Round: p.number}})
}

// place returns the number of processes that come before this one.
func place(e *election.Env, less func(peer, me election.Rank) bool) (before uint64) {
	me := e.Self()
	for port := range election.Port(e.Ports()) {
		if less(e.Peer(port), me) {
			before++
		}
	}
	return before
}

// placeBits is the number of bits that a place needs.
func placeBits(e *election.Env) int { return bits.Len(uint(e.Ports())) }

// complete fills in what is zero, and refuses what cannot be.
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
