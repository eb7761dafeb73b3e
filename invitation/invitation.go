// Package invitation forms groups on a complete graph, each with a leader. It is the second algorithm of
// Garcia-Molina, for systems in which a message may take any time, processes crash and come back, and links
// are cut. Leaders look for other leaders, and the larger one invites the groups of the others into a new
// one.
//
// No process can distinguish a slow one from a crashed one, so no algorithm without a majority can promise
// one leader there. This one promises less: a process is in one group at a time, and all of a group follow
// its leader. Several groups, and as many leaders, are no failure.
//
// # The rules
//
// A group has a number: the Rank of the process that has founded it, which leads it, and how many groups
// that process had been in then. In brackets stand the messages and the states of the paper. A process in
// Election has no leader; one in Reorganization waits until its group is ready, which is Normal.
//
//  1. Check. A leader asks all others whether they lead (AYC).
//  2. A process replies yes if it leads a group that is ready, and no otherwise (AYC_R).
//  3. If all say no, or none says yes before the time for answers ends, the check is over.
//  4. A leader that has found a larger one waits, the longer the more processes are between the two. The
//     larger one is to merge first.
//  5. Merge. The leader founds a group, and sends INVITATION with its number to those that have said yes
//     and to its old members (Election).
//  6. Accept. A process whose group is ready leaves it, and sends ACCEPT to the process that invites
//     (Election). If it was a leader it forwards INVITATION to its members first. It ignores an invitation
//     to its own group. If its group is not ready it ignores every invitation, unless its leader sends that
//     to leave the group. A process whose leader accepts an invitation of that process recovers.
//  7. The process that invites replies yes to an ACCEPT of its new group, as long as it counts them, and no
//     otherwise (ACCEPT_R). Yes lets the other wait for READY (Reorganization), no makes it recover. An
//     answer to an earlier ACCEPT changes nothing.
//  8. Ready. When the time for acceptance ends, the leader sends READY to the members (Reorganization).
//  9. A process that waits in that group follows the leader from then on, and replies yes (Normal). Any
//     other replies no (READY_R). The leader drops those that say no. It leads when all have replied, or
//     the time for answers ends (Normal).
//  10. Recover. A process that has accepted an invitation, and does not get READY in time, founds a group
//     of its own. So does a process that comes back from a crash.
//  11. A member asks its leader whether it is still there (AYT). The leader replies yes if it leads that
//     group and the process is a member (AYT_R). No, or no answer in time, makes the process recover and
//     check.
//  12. A member that gets AYC of its leader with a larger number is in that leader's group no more. It
//     recovers.
//  13. A process that comes back, or joins while others run, checks. One whose leader is suspected, or has
//     said good-bye, recovers and checks.
//  14. A Start makes a leader check, and a member ask its leader. While it does either, or its group is not
//     ready, a Start changes nothing. With Config.Interval a process does so again and again.
//
// # Model
//
// Every process knows the Rank of every other. Messages may take any time and overtake each other.
// Processes crash, and come back with what they saved. The time-outs may be wrong: then groups stay apart
// that could have merged.
//
// # Guarantees
//
// A process decides for one group, and no number of a group is used twice: it is saved before it is sent.
// Without Config.Interval every run comes to rest. At rest each process that is up leads a group, or
// follows a process that leads the same group, if no message is lost and crashes of leaders are reported.
// Outcome has the number of the group: Leader and Term. Members of different groups may be in the same
// Term.
//
// With Config.Interval the processes notice crashes by themselves, and messages may be lost for a while. Once
// nothing goes wrong any more, and messages take at most Config.Delay, all that are up are one group in
// the end. Which process leads it depends on the schedule. It is the largest if all start at the same
// instant, each in a group of its own, and messages take at most Config.Delay.
//
// # Messages
//
// A check that finds all others in one group costs 2(n-1). A merge of all groups costs 7(n-1) if messages
// are in time, whatever the groups were: n-1 each of AYC, AYC_R, INVITATION, ACCEPT, ACCEPT_R, READY and
// READY_R. Its last message arrives AnswerTimeout + AcceptTimeout and two delays after the Start, and later
// by the wait of rule 4. Where all start at once it is (2n+5)(n-1), since each of them asks.
//
// # Limitations
//
// Two leaders are no mistake here, so a leader must not do what one process alone may do. Package elector
// has one leader at a time. Terms of different leaders have no order, so Outcome.Before does not fence one
// group off from another. A process that is cut off leads itself at once. Two leaders that merge at the
// same moment may divide the others between them; with the wait of rule 4 one of them comes later the next
// time. Without Config.Interval a lost message may leave a process in a group that its leader has left.
//
// # Corrected here
//
// The paper has remote calls and waits inside procedures; here each wait is a state and a timer.
//
//   - AYC carries the number of the group. A member knows by it that its leader has left the group, as
//     after a crash (rule 12).
//   - An invitation that its own leader forwards is accepted in every state, because it also says that the
//     leader has left (rule 6). If it overtakes READY, the process would follow a leader that has gone. For
//     the same reason it goes to the process that invites, too, if that is a member.
//   - The answer to ACCEPT counts for that ACCEPT only. A process may accept an invitation, move on, and
//     accept one to the same group again; an old answer and an old READY would then make it follow a leader
//     that has gone. So a process counts all groups that it has been in, not only those that it has founded.
//   - A leader keeps members that do not reply to READY: they may follow it.
//   - The wait of rule 4 counts processes, where the paper subtracts IDs: these need not be dense.
//
// Source: H. Garcia-Molina, Elections in a distributed computing system, IEEE Transactions on Computers
// C-31(1), 1982.
package invitation

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

// Config are the parameters. The zero value is ready for use, but groups never merge unasked: that takes an
// Interval, or a Start.
type Config struct {
	// Delay is how long a message takes at most, mostly. If zero, a second. Only the time-outs depend on it,
	// and that all become one group with an Interval. Time-outs that are too short for it are refused: groups
	// would never merge.
	Delay time.Duration
	// AnswerTimeout is how long to wait for answers; if zero, 3*Delay.
	AnswerTimeout time.Duration
	// AcceptTimeout is how long invited processes have to accept; if zero, 5*Delay. An invitation that is
	// forwarded takes three delays until ACCEPT arrives.
	AcceptTimeout time.Duration
	// PriorityWait is how long a leader waits for each process that a larger one is ahead of it. If zero,
	// AnswerTimeout + AcceptTimeout, the time of a merge.
	PriorityWait time.Duration
	// Interval is how long after the last time a leader looks for other leaders, and a member asks
	// whether its leader is there. If zero, only when a Start says so. Less than a hundredth of Delay is
	// refused.
	Interval time.Duration
	// Leader returns the leader of each process in the beginning, which must be its own. If nil, each
	// process is a group of its own.
	Leader func(election.ID) election.ID

	words params.Wording // of what is refused
}

// DefaultDelay is [Config].Delay where none is given.
const DefaultDelay = time.Second

// Algorithms returns the only variant.
func Algorithms() []*election.Algorithm {
	a, err := New(Config{})
	if err != nil {
		panic(err)
	}
	return []*election.Algorithm{a}
}

// New returns the algorithm for a Config. An error wraps [election.ErrInput].
func New(c Config) (*election.Algorithm, error) {
	given := c // a time-out that follows from Delay has to follow from the Delay that is set last
	if err := c.complete(); err != nil {
		return nil, err
	}
	looks := c.Interval != 0
	a := &election.Algorithm{
		Name:     "invitation",
		Summary:  "leaders look for each other, and the larger one invites the groups of the others",
		Source:   "Garcia-Molina 1982",
		Topology: election.Complete,
		TwoWay:   true,
		Groups:   true,
		// Not Loss, not even with an Interval: a member that has no answer from its leader leaves it. So
		// while any messages are lost groups come apart again and again, and meet only afterwards.
		Faults:        election.Faults{Crash: true, Restart: true, Pause: looks, Cut: looks},
		LateStart:     election.LateJoins,
		LongLived:     true,
		NeverQuiesces: looks,
		Heartbeats:    looks,
		Timers: [][]string{{"the wait for answers", "the wait for a larger leader",
			"the wait for acceptance", "the wait for READY", "the next look"}},
		Best: cost.Bound{Formula: "7(n-1)", When: "one starts, and all are up",
			Also: "2(n-1) where all are one group already"},
		Params: c.table().Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			c := given
			c.words = params.ForFiles
			if err := c.table().Read(g); err != nil {
				return nil, err
			}
			return New(c)
		},
		New: func(s election.Setup) election.Node { return &process{me: s.Self, config: &c} },
	}
	if looks {
		a.Delay = c.Delay
	}
	for _, name := range []string{"ayc", "ayc_r", "invitation", "accept", "accept_r", "ready", "ready_r",
		"ayt",
		"ayt_r"} {
		a.Kinds = append(a.Kinds, election.Kind{Name: name, Bits: cost.Widths.Rank})
	}
	for _, kind := range []uint8{kindReady, kindReadyReply} {
		a.Kinds[kind-1].Announces = true
	}
	for _, kind := range []uint8{kindLeaderReply, kindAcceptReply, kindReadyReply, kindThereReply} {
		a.Kinds[kind-1].Marks = []string{"yes"}
	}
	a.Kinds[kindInvitation-1].Value = "former group"
	a.Kinds[kindAccept-1].Value, a.Kinds[kindAcceptReply-1].Value = "moves", "moves"
	return a, nil
}

// table returns the parameters, whose values go to c.
func (c *Config) table() params.Table {
	const positive = "zero leaves no time for a message"
	return params.Table{
		{Name: "delay", About: "how long a message takes at most, mostly", Default: "1",
			Role: params.DelayBound, Positive: positive, To: params.Time(&c.Delay)},
		{Name: "answer_timeout", About: "how long to wait for answers", Default: "3 delays",
			Positive: positive, To: params.Time(&c.AnswerTimeout)},
		{Name: "accept_timeout", About: "how long invited processes have to accept", Default: "5 delays",
			Positive: positive, To: params.Time(&c.AcceptTimeout)},
		{Name: "priority_wait", About: "how long to wait for each process that a larger leader is ahead",
			Default: "answer_timeout and accept_timeout", Positive: positive,
			To: params.Time(&c.PriorityWait)},
		{Name: "interval", About: "how often leaders look for others, and members ask theirs",
			Default: "never", To: params.Time(&c.Interval)},
		{Name: "groups", About: "the groups in the beginning: the members by leader", Default: "each alone",
			To: params.Groups(&c.Leader)},
	}
}

// looksPerDelay bounds how often a process may look: an Interval is often given in the wrong unit.
const looksPerDelay = 100

// complete fills in what is zero, and refuses what cannot be right.
func (c *Config) complete() error {
	for name, t := range c.table().Times() {
		if t < 0 || t > params.MaxTimeout {
			return c.words.Errorf(name, "%v is not between 0 and %v", t, params.MaxTimeout)
		}
	}
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	if c.AnswerTimeout == 0 {
		c.AnswerTimeout = 3 * c.Delay
	}
	if c.AcceptTimeout == 0 {
		c.AcceptTimeout = 5 * c.Delay
	}
	if c.PriorityWait == 0 {
		c.PriorityWait = c.AnswerTimeout + c.AcceptTimeout
	}
	return c.checkTimes()
}

// checkTimes refuses times with which groups would never merge, although each message is in time.
func (c *Config) checkTimes() error {
	all := []struct {
		name        string
		given, time time.Duration
		why         string
	}{
		{"answer_timeout", c.AnswerTimeout, 2 * c.Delay, "which an answer may take"},
		{"accept_timeout", c.AcceptTimeout, 3 * c.Delay, "which an invitation that is forwarded may take"},
		{"priority_wait", c.PriorityWait, 2 * c.Delay, "by which the next merges may be apart"},
		{"interval", c.Interval, c.Delay / looksPerDelay, "a hundredth of {delay}"},
	}
	if c.Interval == 0 {
		all = all[:2] // the others concern the next look, and there is none
	}
	for _, least := range all {
		if least.given < least.time {
			return c.words.Errorf(least.name, "%s is less than %s, "+least.why,
				c.words.Time(least.given, c.Delay), c.words.Time(least.time, c.Delay))
		}
	}
	return nil
}

// leaderOf returns the leader of a process in the beginning, where Leader says that.
func (c *Config) leaderOf(id election.ID) election.ID {
	if leader := c.Leader(id); c.Leader(leader) == leader {
		return leader
	}
	return id // no process leads that follows another
}
