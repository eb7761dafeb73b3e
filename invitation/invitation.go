// Package invitation forms groups on a complete graph, each with a leader. It implements the second algorithm
// of Garcia-Molina, for systems in which a message may take any time, processes crash and recover, and links
// are cut. Leaders look for other leaders, and the larger one invites the groups of the others into a new one.
//
// No process can distinguish a slow process from a crashed one, so without a majority no algorithm can
// guarantee a single leader in such a system. This algorithm guarantees less: a process is in one group at a
// time, and all members of a group follow its leader. Several groups, and as many leaders, are not a failure.
//
// # The rules
//
// A group has a number: the Rank of the process that has founded it, which leads it, and how many groups that
// process had been in at the time. The messages and states of the paper are in brackets. A process in Election
// has no leader; a process in Reorganization waits until its group is ready, which is Normal.
//
//  1. Check. A leader asks all others whether they lead (AYC).
//  2. A process replies yes if it leads a group that is ready, and no otherwise (AYC_R).
//  3. If all say no, or none says yes before the time for answers ends, the check is over.
//  4. A leader that has found a larger one waits, the longer the more processes are between the two. The
//     larger one should merge first.
//  5. Merge. The leader founds a group, and sends INVITATION with its number to the leaders that have said yes
//     and to its old members (Election).
//  6. Accept. A process whose group is ready leaves it, and sends ACCEPT to the process that invites
//     (Election). If it was a leader it forwards INVITATION to its members first. It ignores an invitation to
//     its own group. If its group is not ready it ignores every invitation, unless its leader sends it in
//     order to leave the group. A process whose leader accepts an invitation of that process recovers.
//  7. The process that invites replies yes to an ACCEPT of its new group, as long as it counts them, and no
//     otherwise (ACCEPT_R). Yes makes the other process wait for READY (Reorganization), no makes it recover.
//     An answer to an earlier ACCEPT has no effect.
//  8. Ready. When the time for acceptance ends, the leader sends READY to the members (Reorganization).
//  9. A process that waits in that group follows the leader from then on, and replies yes (Normal). Any other
//     process replies no (READY_R). The leader drops the processes that say no. It leads when all have
//     replied, or the time for answers ends (Normal).
//  10. Recover. A process that has accepted an invitation, and does not receive READY in time, founds a group
//     of its own. So does a process that recovers from a crash.
//  11. A member asks its leader whether it is still there (AYT). The leader replies yes if it leads that group
//     and the process is a member (AYT_R). No, or no answer in time, makes the process recover and check.
//  12. A member that receives AYC of its leader with a larger number is not in that leader's group any more.
//     It recovers.
//  13. A process that recovers from a crash, or joins while others run, checks. A process whose leader is
//     suspected recovers and checks.
//  14. A Start makes a leader check, and a member ask its leader. While it does either, or its group is not
//     ready, a Start has no effect. With Config.Interval a process does so periodically.
//
// # Model
//
// Every process knows the Rank of every other. Messages may take any time and overtake each other. Processes
// crash, and recover with the state that they saved. The time-outs may be wrong: groups that could have merged
// then stay apart.
//
// # Guarantees
//
// A process decides for one group at a time, and no group number is used twice: it is saved before it is
// sent. Without Config.Interval every run comes to rest. At rest each live process leads a group, or follows a
// process that leads the same group, if no message is lost and crashes of leaders are reported. Outcome
// contains the number of the group: Leader and Term. Members of different groups may be in the same Term.
//
// With Config.Interval the processes detect crashes themselves, and messages may be lost for a while. After
// failures have stopped, and if messages take at most Config.Delay, all live processes eventually form one
// group. Which process leads it depends on the schedule. It is the largest if all start at the same instant,
// each in a group of its own, and messages take at most Config.Delay.
//
// # Messages
//
// A check that finds all others in one group costs 2(n-1). A merge of all groups costs 7(n-1) if messages are
// in time, whatever the groups were: n-1 each of AYC, AYC_R, INVITATION, ACCEPT, ACCEPT_R, READY and READY_R.
// Its last message arrives AnswerTimeout + AcceptTimeout and two delays after the Start, plus the wait of rule
// 4. If all start simultaneously it is (2n+5)(n-1), because each of them asks.
//
// # Limitations
//
// Two leaders are not an error here, so a leader must not do what only one process may do. Package elector has
// one leader at a time. Terms of different leaders have no order, so Outcome.Before does not fence one group
// off from another. A process that is cut off leads itself immediately. Two leaders that merge at the same
// moment may divide the others between them; with the wait of rule 4 one of them is later the next time.
// Without Config.Interval a lost message may leave a process in a group that its leader has left.
//
// # Corrected here
//
// The paper uses remote calls and waits inside procedures; here each wait is a state and a timer.
//
//   - AYC carries the number of the group. It tells a member that its leader has left the group, for example
//     after a crash (rule 12).
//   - An invitation that a process's own leader forwards is accepted in every state, because it also means that
//     the leader has left (rule 6). If it overtakes READY, the process would otherwise follow a leader that has
//     gone. For the same reason it also goes to the process that invites, if that is a member.
//   - The answer to ACCEPT counts for that ACCEPT only. A process may accept an invitation, move on, and accept
//     one to the same group again; an old answer and an old READY would then make it follow a leader that has
//     gone. Therefore a process counts all groups that it has been in, not only those that it has founded.
//   - A leader keeps members that do not reply to READY: they may follow it.
//   - The wait of rule 4 counts processes, where the paper subtracts IDs, which need not be dense.
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

// Config contains the parameters. The zero value is ready for use, but groups do not merge by themselves: that
// requires an Interval, or a Start.
type Config struct {
	// Delay is the usual maximum delay of a message. If zero, a second. Only the time-outs depend on it, and
	// the guarantee that all become one group with an Interval. Time-outs must not be too short for it, because
	// groups would never merge.
	Delay time.Duration
	// AnswerTimeout is how long to wait for answers; if zero, 3*Delay.
	AnswerTimeout time.Duration
	// AcceptTimeout is how long invited processes have to accept; if zero, 5*Delay. A forwarded invitation
	// takes three delays until ACCEPT arrives.
	AcceptTimeout time.Duration
	// PriorityWait is how long a leader waits for a larger leader, for each process between the two. If zero,
	// AnswerTimeout + AcceptTimeout, the duration of a merge.
	PriorityWait time.Duration
	// Interval is the interval at which a leader looks for other leaders, and a member asks whether its leader
	// is there. If zero, they do so only on a Start. It must be at least a hundredth of Delay.
	Interval time.Duration
	// Leader returns the initial leader of each process, which must be its own leader. If nil, each process is
	// initially a group of its own.
	Leader func(election.ID) election.ID

	words params.Wording // wording of errors
}

// DefaultDelay is the default of [Config].Delay.
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
	given := c // a default time-out has to follow from the Delay that is set last
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
		Elects:   election.GroupLeaders,
		// Loss is not tolerated, even with an Interval: a member that gets no answer from its leader leaves it.
		// While messages are lost, groups break up repeatedly, and merge only afterwards.
		Faults:        election.Faults{Crash: election.MayRestart, Pause: looks, Cut: looks},
		LateStart:     election.LateJoins,
		NeverQuiesces: looks,
		Heartbeats:    looks,
		Timers: [][]string{{"the wait for answers", "the wait for a larger leader",
			"the wait for acceptance", "the wait for READY", "the next look"}},
		Best: cost.Bound{Formula: "7(n-1)", When: "one starts, and all are up",
			Also: "2(n-1) if all are one group already"},
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

// looksPerDelay limits how often a process may look: an Interval is often given in the wrong unit.
const looksPerDelay = 100

// complete replaces zero values by defaults, and rejects invalid values.
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

// checkTimes rejects durations with which groups would never merge although each message is in time.
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

// leaderOf returns the initial leader of a process, according to Leader.
func (c *Config) leaderOf(id election.ID) election.ID {
	if leader := c.Leader(id); c.Leader(leader) == leader {
		return leader
	}
	return id // a process that follows another does not lead
}
