// Package modbully elects on a complete graph, among processes that crash and come back: the
// modified bully algorithm and the variants that take its redundancy away. The largest process
// that is up leads, and a process that notices that the leader is gone asks the next in line to take
// over, instead of bullying all.
//
// # The rules
//
// No handler ever waits for an answer.
//
//  1. Start. A process that suspects the leader begins an election in the next Term, unless it holds one
//     already. It waits before that as [Config].Wait says. A Start suspects no process, but before the
//     first election [Config].Coordinator, with whose crash the sources begin.
//  2. Election. It sends ELECTION to the largest process below the suspect, in grant to all between. If
//     there is none, it takes over itself. Without a suspect it asks the largest, the leader perhaps.
//  3. Accept. A process that gets ELECTION answers ACCEPT, and takes over: all above it are gone. While
//     its announcement is under way it does not announce again in convenience, and does not answer in
//     number. In a Term that has a coordinator already it answers by a CATCHUP.
//  4. Wait. After ACCEPT, COORDINATOR must come in time, else the election begins again without the
//     process that has accepted.
//  5. Silence. Without ACCEPT in time the next lower process is asked.
//  6. OK, grant. A process that gets ELECTION answers OK, and elects if it hears no COORDINATOR in time.
//  7. Grant. After [Config].AcceptTimeout the largest process that has said OK gets GRANT. If there is
//     none, the asker takes over.
//  8. Take over. A process that takes over leads, and sends COORDINATOR to all smaller ones; LEADER to the
//     larger ones, if it has only guessed that they are down. A process that gets GRANT takes over.
//  9. Coordinator. COORDINATOR of a larger process cancels whatever is under way: waits, timers, elections.
//     The process follows it. That of a smaller one starts an election.
//  10. PCRP, convenience. COORDINATOR, and REFRESH, is answered by PCRP, with the pending-convenience
//     time. When all have answered, or after [Config].ReplyTimeout, all that have get the maximum, as MPC.
//  11. Reply, number. COORDINATOR is answered by REPLY. With the last of them, or after
//     [Config].ReplyTimeout, the count of ELECTIONs begins anew.
//  12. Return. A process that comes back asks all others which one leads (ENQUIRY). If none answers in
//     time, it elects.
//  13. Enquiry. Only the leader answers by LEADER. If the asker is the leader, its followers do.
//  14. Leader. A process that gets LEADER follows that leader, or takes over if it is larger itself.
//  15. Echo. A process that needs the MPC, or measures its own time, sends ECHO to the leader, which
//     answers by ECHO_REPLY.
//  16. Catch up. A process that hears of a lesser leader than its own sends a CATCHUP (Terms). Its receiver
//     waits for the leader of the later Term, or announces itself again in the next one.
//  17. Heartbeat. A leader sends HEARTBEAT and REFRESH from time to time, if asked to. A process that
//     hears no HEARTBEAT suspects its leader.
//  18. Suspicion. Suspect and Left say which process is down, or has said good-bye: it is neither asked nor
//     waited for until Trust or Joined, or a message of its own.
//
// # The variants
//
//   - [Base] serves every ELECTION by another announcement: k processes that notice at once cause k
//     of them. That is the redundancy.
//   - [Convenience] announces by COORDINATOR&PCRQ, which also asks each process for its pending-convenience
//     time. A process that suspects the leader waits before it elects, see [Config].Wait. One that has come
//     back asks the leader for the MPC where the MPC is what it waits for.
//   - [Number] counts the ELECTIONs: only the first is answered and served, until the count begins anew.
//     ELECTION of a later election is served in any case.
//   - [Grant] is the algorithm of Kordafshari et al.: ELECTION goes to all between, which answer
//     OK; after Config.AcceptTimeout the largest of them gets GRANT and announces itself. A process
//     that has sent OK and hears no COORDINATOR in time starts an election too.
//
// A process that comes back asks all others which one leads (ENQUIRY); only the leader answers
// (LEADER). It takes over if it is larger, as it does if none answers in time and no larger one
// accepts, and then sends LEADER to the larger processes as well: one of them may just have come
// back too. A leader that comes back before it was missed gets LEADER from its followers, with its own
// Rank, and announces itself again.
//
// # Model
//
// Every process knows the Rank of every other. Synchronous: a message takes at most Config.Delay, its
// handling at most Config.Processing; links lose nothing. Processes crash and come back. A process
// that is suspected is down, and none is suspected before its last message has arrived: a time-out of
// more than two Delays, or a detector that is not faster than a message. A process that follows a
// leader that is down gets a Suspect or a Start sooner or later, or misses the heartbeat.
//
// # Messages
//
// Let the Ranks be 1..n, n the old leader, which is down; i the one that notices, m the largest
// that is up, f = n-1-m how many are down between m and n.
//
//	ELECTION      f+1 if i < m, f if i = m; grant: n-1-i
//	ACCEPT        1 if i < m; grant: an OK from each above i that is up, and 1 GRANT if i < m
//	COORDINATOR   m-1, also to those that are down
//	REPLY, PCRP, MPC   one for each below m that is up
//
// With only n down and i < m: base n, convenience 3n-4, number 2n-2, grant 3n-2i-3. For i = m it is n-2,
// 3n-6, 2n-4 and n-2. If all above i are down: n-2, n+2i-4, n+i-3 and n-2. If k that are smaller than m
// notice at once: base kn, convenience 3n-4+2(k-1), number 2n-3+k. Each of the dead in between takes an
// AcceptTimeout, but with Grant, where all of them take one together.
//
// To come back costs n-1 ENQUIRY and 1 LEADER, with Config.Echo 2 more; if that takes over, the
// announcement and a LEADER to each that is larger. A refresh costs 3 for each that is smaller and
// up, 1 for each that is down; a heartbeat n-1.
//
// # Terms
//
// A Term is the number of an election. Every message carries one, and a process that hears a larger
// one adopts it. Of two coordinators the one of the larger Term is followed, in the same Term
// the larger one. A process that is ahead of an announcer that it would have to obey, or electing in a
// later Term than the announcer's, sends it a CatchUp, and the announcer announces itself again, in
// a later Term still. A coordinator smaller than the process that hears it causes an election. One that
// is asked to take over in a Term that has a coordinator already says so by a CatchUp, and the
// other waits for that coordinator. While no process comes back, none of this costs a message.
//
// # Guarantee
//
// Once no process crashes or comes back any more, and some process has noticed every leader that is gone,
// all that are up follow the largest of them.
//
// # Limitations
//
// A message that is late, or a suspicion that is wrong, makes two leaders. The one that was passed
// over does not hear of the other, since announcements go to smaller processes only: a heartbeat
// mends that, nothing else does. The same under partition, where each side elects its own. Number
// needs links that keep the order: an ELECTION overtaken by the sender's REPLY is served as
// another one. With accept time-outs below two delays, processes that Number leaves without an
// answer ask the next one, and two leaders come about even without a crash. Config.LiteralReset is
// there to show what happens if the count begins anew with the last REPLY only: one crash before a
// REPLY, and ELECTIONs are ignored for ever. Each attempt at finding a candidate looks at all
// Ranks: where all of n processes start at once that is n*n looks, even where there are few
// messages.
//
// # Corrected here
//
// The first source gives base in words, convenience and number as figures 9 and 10:
//
//   - No handler waits: in the figures a process that waits for ACCEPT, PCRP, REPLY or MPC handles nothing
//     else, and two of them wait for each other.
//   - COORDINATOR ends the wait before an election, which figure 9 does not look at again afterwards.
//   - A process follows the leader from COORDINATOR on, and not from MPC: if the leader crashes in
//     between, its followers would keep the one before.
//   - The wait of figure 9 is the same for all, so it keeps no process from electing. It is WaitPaper; by
//     default each waits for those above it.
//   - Answers are waited for until a time-out, so that one crash does not end all elections. That holds
//     for the reset of figure 10 too, which LiteralReset shows.
//   - An ELECTION of a later Term is served even while an announcement is under way.
//   - Without an answer the next lower process is asked: the source counts these messages, but no figure
//     has them.
//   - A process that has come back finds the leader by ENQUIRY, and takes over if it is larger: in the
//     source it asks its "neighbours", and follows whichever process leads.
//   - Round-trip times need not be unique, as the source assumes: ties go by Rank.
//   - n counts the crashed leader in all formulas here. In equations 1 and 2 of the source it does not,
//     and its "worst" case is below the "average" one.
//
// Sources: R. Nourmandipour, developing the modified bully algorithm to remove election redundancy
// (base, convenience, number); M. S. Kordafshari et al., modified bully election algorithm, 2005
// (grant).
package modbully

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Variant says how the redundancy of simultaneous elections is dealt with.
type Variant string

// The variants.
const (
	Base        Variant = "base"
	Convenience Variant = "convenience"
	Number      Variant = "number"
	Grant       Variant = "grant"
)

// What a message says. Which number it has on the wire depends on the variant.
const (
	sayElection uint8 = iota + 1
	sayAccept
	sayOK
	sayGrant
	sayCoordinator
	sayReply
	sayPCRP
	sayMPC
	sayEnquiry
	sayLeader
	sayHeartbeat
	sayRefresh
	sayEcho
	sayEchoReply

	sayings = 16 // the length of tables by what is said, or by kind; all of these are below it
)

// wording is what one variant says, in the order of its kinds.
type wording struct {
	says  []uint8
	names []string
}

func (v Variant) wording() wording {
	switch v {
	case Base:
		return wording{
			[]uint8{sayElection, sayAccept, sayCoordinator, sayEnquiry, sayLeader, sayHeartbeat},
			[]string{"election", "accept", "coordinator", "enquiry", "leader", "heartbeat"},
		}
	case Convenience:
		return wording{
			[]uint8{sayElection, sayAccept, sayCoordinator, sayPCRP, sayMPC, sayEnquiry, sayLeader,
				sayHeartbeat, sayRefresh, sayEcho, sayEchoReply},
			[]string{"election", "accept", "coordinator_pcrq", "pcrp", "mpc", "enquiry", "leader",
				"heartbeat", "refresh", "echo", "echo_reply"},
		}
	case Number:
		return wording{
			[]uint8{sayElection, sayAccept, sayCoordinator, sayReply, sayEnquiry, sayLeader, sayHeartbeat},
			[]string{"election", "accept", "coordinator", "reply", "enquiry", "leader", "heartbeat"},
		}
	case Grant:
		return wording{
			[]uint8{sayElection, sayOK, sayGrant, sayCoordinator, sayEnquiry, sayLeader, sayHeartbeat},
			[]string{"election", "ok", "grant", "coordinator", "enquiry", "leader", "heartbeat"},
		}
	}
	return wording{}
}

// kinds describes the messages of a variant. All carry the Rank of the sender, or of the leader;
// some a time too.
func (v Variant) kinds() []election.Kind {
	rank := func(w cost.Widths) uint64 { return w.Rank() }
	rankAndTime := func(w cost.Widths) uint64 { return w.Rank() + 64 }
	words := v.wording()
	kinds := make([]election.Kind, len(words.says))
	for i, says := range words.says {
		kinds[i] = election.Kind{Name: words.names[i], Announces: says == sayCoordinator, Bits: rank}
		if says == sayPCRP || says == sayMPC || says == sayEchoReply {
			kinds[i].Bits, kinds[i].Value = rankAndTime, "pending time"
		}
	}
	return kinds
}

// Algorithms returns the variants with their parameters as they are by default.
func Algorithms() []*election.Algorithm {
	var all []*election.Algorithm
	for _, v := range []Variant{Base, Convenience, Number, Grant} {
		a, err := New(v, Config{})
		if err != nil {
			panic(err) // the zero Config is ready for use
		}
		all = append(all, a)
	}
	return all
}

// New returns a variant. The error wraps [election.ErrInput]: a variant that is none, or
// parameters that cannot be.
func New(v Variant, c Config) (*election.Algorithm, error) {
	given := c
	rules, err := c.complete(v)
	if err != nil {
		return nil, err
	}
	always := v.allStart()
	best := always
	best.Also = v.oneNotices() + " where only n is down and one below n-1 notices"
	return &election.Algorithm{
		Name: "modbully", Variant: string(v), Summary: v.summary(), Source: v.source(),
		Topology:  election.Complete,
		TwoWay:    true,
		NeedsFIFO: v == Number,
		Winner:    election.LargestOfLive,
		Faults: election.Faults{Crash: true, Recover: true, Restart: true,
			Pause: rules.heartbeat > 0, Cut: rules.heartbeat > 0},
		LateStart:     election.LateJoins,
		StartSuspects: c.Coordinator != 0,
		LongLived:     true,
		NeverQuiesces: rules.heartbeat > 0 || rules.refresh > 0,
		Heartbeats:    rules.heartbeat > 0,
		Kinds:         v.kinds(),
		Timers: [][]string{{timerPhase: "the wait of this phase", timerAnswers: "the wait for answers",
			timerRefresh: "the interval of refreshes"}},
		Delay:  c.Delay,
		Params: c.table().Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			c := given
			c.words = params.ForFiles
			if err := c.table().Read(g); err != nil {
				return nil, err
			}
			return New(v, c)
		},
		Best: best, Mean: always, Worst: always,
		New: func(s election.Setup) election.Node {
			me := s.As(s.Self.ID)
			return &process{me: s.Self, rules: rules, wait: timeOf(c.Waits, me), own: timeOf(c.Pending, me),
				coordinatorAtFirst: s.As(c.Coordinator)}
		},
	}, nil
}

func (v Variant) summary() string {
	switch v {
	case Base:
		return "the next in line is asked to take over, once by everybody who notices"
	case Convenience:
		return "base, and who notices waits for a time that the coordinator hands out"
	case Number:
		return "base, and only the first of simultaneous elections is served"
	}
	return "all in line are asked, and the largest that answers is granted the office"
}

func (v Variant) source() string {
	if v == Grant {
		return "Kordafshari et al. 2005"
	}
	return "Nourmandipour"
}

// oneNotices is the count of the paper: the largest is down, and one process that is not the next in line
// starts, with Grant the smallest.
func (v Variant) oneNotices() string {
	switch v {
	case Base:
		return "n"
	case Convenience:
		return "3n-4"
	case Number:
		return "2n-2"
	}
	return "at most 3n-5"
}

// allStart is the count when all n processes start at once and none is down: the largest
// announces itself, all others ask it.
func (v Variant) allStart() cost.Bound {
	b := cost.Bound{Arrange: cost.Rising}
	switch v {
	case Base:
		b.Formula, b.Count = "(n-1)(n+2)", func(n int) float64 { return float64(n-1) * float64(n+2) }
	case Convenience:
		b.Formula, b.Count = "5(n-1)", func(n int) float64 { return 5 * float64(n-1) }
		b.Ordered = true // an ELECTION that is overtaken by the sender's PCRP is served as another one
	case Number:
		b.Formula, b.Count = "3(n-1)", func(n int) float64 { return 3 * float64(n-1) }
	case Grant:
		b.Formula, b.Count = "(n-1)(n+1)", func(n int) float64 { return float64(n-1) * float64(n+1) }
	}
	return b
}
