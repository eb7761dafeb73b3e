// Package modbully elects a leader on a complete graph whose processes crash and recover. It implements the
// modified bully algorithm and variants that remove its redundancy. The largest live process leads. A process
// that detects the crash of the leader asks the next in line to take over, instead of bullying all others.
//
// # The rules
//
// No handler ever waits for an answer.
//
//  1. Start. A process that suspects the leader begins an election in the next Term, unless it is already
//     holding one. It first waits according to [Config].Wait. A Start does not suspect any process, except
//     before the first election, when it suspects [Config].Coordinator, with whose crash the sources begin.
//  2. Election. The process sends ELECTION to the largest process below the suspect, in grant to all between.
//     If there is none, it takes over itself. If it suspects no process, it asks the largest, which may be the
//     leader.
//  3. Accept. A process that receives ELECTION answers ACCEPT, and takes over: all processes above it are
//     gone. While its announcement is in progress it does not announce again in convenience, and does not
//     answer in number. In a Term that already has a coordinator it answers by a CATCHUP.
//  4. Wait. After ACCEPT, COORDINATOR must arrive in time; otherwise the election begins again without the
//     process that has accepted.
//  5. Silence. Without ACCEPT in time the next lower process is asked.
//  6. OK, grant. A process that receives ELECTION answers OK, and elects if it receives no COORDINATOR in
//     time.
//  7. Grant. After [Config].AcceptTimeout the largest process that has said OK receives GRANT. If there is
//     none, the asker takes over.
//  8. Take over. A process that takes over leads, and sends COORDINATOR to all smaller ones; it sends LEADER
//     to the larger ones, if it has only assumed that they are down. A process that receives GRANT takes over.
//  9. Coordinator. COORDINATOR of a larger process cancels everything in progress: waits, timers, elections.
//     The process follows the sender. COORDINATOR of a smaller process starts an election.
//  10. PCRP, convenience. A process answers COORDINATOR and REFRESH by PCRP, with the pending-convenience
//     time. When all have answered, or after [Config].ReplyTimeout, all that have answered receive the
//     maximum, as MPC.
//  11. Reply, number. A process answers COORDINATOR by REPLY. With the last REPLY, or after
//     [Config].ReplyTimeout, the count of ELECTIONs is reset.
//  12. Return. A process that recovers asks all others which one leads (ENQUIRY). If none answers in time, it
//     elects.
//  13. Enquiry. Only the leader answers by LEADER. If the asker is the leader, its followers do.
//  14. Leader. A process that receives LEADER follows that leader, or takes over if it is larger itself.
//  15. Echo. A process that needs the MPC, or measures its own time, sends ECHO to the leader, which answers
//     by ECHO_REPLY.
//  16. Catch up. A process that hears of a lesser leader than its own sends a CATCHUP (Terms). Its receiver
//     waits for the leader of the later Term, or announces itself again in the next one.
//  17. Heartbeat. A leader sends HEARTBEAT and REFRESH periodically, if configured. A process that receives no
//     HEARTBEAT suspects its leader.
//  18. Suspicion. A Suspect reports that a process is down or has left: it is neither asked nor waited for
//     until a Trust, or a message of its own.
//
// # The variants
//
//   - [Base] serves every ELECTION by another announcement: k processes that detect a crash simultaneously
//     cause k of them. This is the redundancy.
//   - [Convenience] announces by COORDINATOR&PCRQ, which also asks each process for its pending-convenience
//     time. A process that suspects the leader waits before it elects, see [Config].Wait. If the wait depends
//     on the MPC, a process that has recovered asks the leader for the MPC.
//   - [Number] counts the ELECTIONs: only the first is answered and served, until the count is reset. ELECTION
//     of a later election is always served.
//   - [Grant] is the algorithm of Kordafshari et al.: ELECTION goes to all between, which answer OK; after
//     Config.AcceptTimeout the largest of them receives GRANT and announces itself. A process that has sent OK
//     and receives no COORDINATOR in time starts an election too.
//
// A process that recovers asks all others which one leads (ENQUIRY); only the leader answers (LEADER). The
// process takes over if it is larger, and also if none answers in time and no larger one accepts. It then sends
// LEADER to the larger processes as well: one of them may just have recovered too. A leader that recovers
// before its crash was detected receives LEADER from its followers, with its own Rank, and announces itself
// again.
//
// # Model
//
// Every process knows the Rank of every other. Synchronous: a message takes at most Config.Delay, its handling
// at most Config.Processing; links lose nothing. Processes crash and recover. A suspected process is down, and
// no process is suspected before its last message has arrived: a time-out must be longer than two Delays, and a
// detector must not be faster than a message. A process that follows a crashed leader eventually receives a
// Suspect or a Start, or misses the heartbeat.
//
// # Messages
//
// Let the Ranks be 1..n, n the old leader, which is down; i the process that detects the crash, m the largest
// live process, and f = n-1-m the number of processes between m and n, which are down.
//
//	ELECTION      f+1 if i < m, f if i = m; grant: n-1-i
//	ACCEPT        1 if i < m; grant: an OK from each live process above i, and 1 GRANT if i < m
//	COORDINATOR   m-1, including processes that are down
//	REPLY, PCRP, MPC   one for each live process below m
//
// With only n down and i < m: base n, convenience 3n-4, number 2n-2, grant 3n-2i-3. For i = m it is n-2, 3n-6,
// 2n-4 and n-2. If all above i are down: n-2, n+2i-4, n+i-3 and n-2. If k processes smaller than m detect the
// crash simultaneously: base kn, convenience 3n-4+2(k-1), number 2n-3+k. Each crashed process in between takes
// an AcceptTimeout, except with Grant, where all of them together take one.
//
// A recovery costs n-1 ENQUIRY and 1 LEADER, with Config.Echo 2 more; if the process takes over, also the
// announcement and a LEADER to each larger process. A refresh costs 3 for each smaller live process and 1 for
// each smaller process that is down; a heartbeat costs n-1.
//
// # Terms
//
// A Term is the number of an election. Every message carries one, and a process adopts a larger Term when it
// receives one. Of two coordinators, processes follow the one with the larger Term, or in the same Term the
// larger one. If a process is ahead of an announcer that it would have to obey, or is electing in a later Term
// than the announcer's, it sends the announcer a CatchUp, and the announcer announces itself again, in an even
// later Term. A coordinator smaller than the process that receives its announcement causes an election. If a
// process is asked to take over in a Term that already has a coordinator, it replies with a CatchUp, and the
// asker waits for that coordinator. While no process recovers, none of this costs a message.
//
// # Guarantee
//
// After the last crash or recovery, and after some process has detected the crash of every leader, all live
// processes follow the largest of them.
//
// # Limitations
//
// A late message or a wrong suspicion causes two leaders. The leader that was passed over does not hear of the
// other, because announcements go to smaller processes only: only a heartbeat corrects this. The same happens
// in a partition, where each side elects its own. Number needs links that deliver in order: an ELECTION
// overtaken by the sender's REPLY is served as another one. With accept time-outs below two delays, processes
// that Number leaves without an answer ask the next one, and two leaders are elected even without a crash.
// Config.LiteralReset shows what happens if only the last REPLY resets the count: after one crash before a
// REPLY, ELECTIONs are ignored forever. Each search for a candidate examines all Ranks: if all of n processes
// start simultaneously, n*n Ranks are examined, even if there are few messages.
//
// # Corrected here
//
// The first source gives base in words, convenience and number as figures 9 and 10:
//
//   - No handler waits: in the figures, a process that waits for ACCEPT, PCRP, REPLY or MPC handles nothing
//     else, so two such processes can deadlock.
//   - COORDINATOR ends the wait before an election, which figure 9 does not check again afterwards.
//   - A process follows the leader from COORDINATOR on, and not from MPC: if the leader crashes in between, its
//     followers would keep the previous leader.
//   - The wait of figure 9 is the same for all, so it prevents no process from electing. It is WaitPaper; by
//     default each process waits for the processes above it.
//   - Waiting for answers ends with a time-out, so that one crash does not block all elections. This includes
//     the reset of figure 10; LiteralReset shows the original.
//   - An ELECTION of a later Term is served even while an announcement is in progress.
//   - Without an answer the next lower process is asked: the source counts these messages, but no figure
//     contains them.
//   - A process that has recovered finds the leader by ENQUIRY, and takes over if it is larger: in the source
//     it asks its "neighbours", and follows any process that leads.
//   - Round-trip times need not be unique, as the source assumes: ties go by Rank.
//   - n counts the crashed leader in all formulas here. In equations 1 and 2 of the source it does not, and its
//     "worst" case is below the "average" one.
//
// Sources: R. Nourmandipour, developing the modified bully algorithm to remove election redundancy (base,
// convenience, number); M. S. Kordafshari et al., modified bully election algorithm, 2005 (grant).
package modbully

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Variant determines how the redundancy of simultaneous elections is removed.
type Variant string

// The variants.
const (
	Base        Variant = "base"
	Convenience Variant = "convenience"
	Number      Variant = "number"
	Grant       Variant = "grant"
)

// Contents of messages. The number of each on the wire depends on the variant.
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

	sayings = 16 // length of tables indexed by these or by kinds
)

// wording contains the messages of one variant, in the order of its kinds.
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

// kinds describes the messages of a variant. All carry the Rank of the sender or of the leader; some also carry
// a duration.
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

// New returns a variant. If the variant is unknown or a parameter is invalid, the error wraps
// [election.ErrInput].
func New(v Variant, c Config) (*election.Algorithm, error) {
	given := c
	rules, err := c.complete(v)
	if err != nil {
		return nil, err
	}
	always := v.allStart()
	best := always
	best.Also = v.oneNotices() + " if only n is down and one below n-1 notices"
	return &election.Algorithm{
		Name: "modbully", Variant: string(v), Summary: v.summary(), Source: v.source(),
		Topology:  election.Complete,
		TwoWay:    true,
		NeedsFIFO: v == Number,
		Winner:    election.LargestOfLive,
		Faults: election.Faults{Crash: election.MayRecover,
			Pause: rules.heartbeat > 0, Cut: rules.heartbeat > 0},
		LateStart:     election.LateJoins,
		StartSuspects: c.Coordinator != 0,
		Elects:        election.Successors,
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

// oneNotices returns the count in the paper: the largest is down, and one process starts that is not the next
// in line, with Grant the smallest.
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

// allStart returns the count if all n processes start simultaneously and none is down: the largest announces
// itself, all others ask it.
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
