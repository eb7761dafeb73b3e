package modbully

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Config contains the parameters. The zero value is ready for use. All variants accept all parameters; the
// parameters of pending-convenience times affect [Convenience] only.
type Config struct {
	Delay      time.Duration // D, the maximum delay of a message; if zero, a second
	Processing time.Duration // p, the maximum time to handle a message
	// AcceptTimeout is how long to wait for ACCEPT, for OK, or for an answer to ENQUIRY. If zero, 3D, or 2D+p
	// if that is longer. It must be at least 2D+p.
	AcceptTimeout time.Duration
	// CoordinatorTimeout is how long to wait for COORDINATOR after ACCEPT, GRANT or OK. If zero, 6D, or
	// AcceptTimeout+2D+p if that is longer. It must be at least AcceptTimeout+2D+p.
	CoordinatorTimeout time.Duration
	// ReplyTimeout is how long a coordinator waits for PCRP or REPLY. If zero, 4D, or 2D+p if that is longer.
	// It must be at least 2D+p.
	ReplyTimeout time.Duration
	// Coordinator is the initial leader, which all processes know. A Start reports its crash, until a process
	// that is not smaller leads: if the Coordinator is up and follows no other process, there are then two
	// leaders. If zero, no process leads initially, and a Start suspects none.
	Coordinator election.ID
	// Pending returns the pending-convenience time of each process, which it reports to the coordinator. It
	// affects the waits of processes with WaitOwn only. If nil, zero for all.
	Pending func(election.ID) time.Duration
	// Wait determines how long a process waits after it has suspected the leader or was started, to see whether
	// another process is faster. If empty, [Convenience] waits as with WaitRank after a suspicion, and not at
	// all after a Start; the other variants never wait. If Waits is not nil, it sets the wait of each process
	// instead.
	//
	// The source proposes individual waits, but waits as short as a message delay prevent hardly any process
	// from electing, and by default they are zero. With WaitRank only the largest process elects.
	Wait  Wait
	Waits func(election.ID) time.Duration
	// Heartbeat is the interval between heartbeats of a leader. A follower that receives none for
	// Heartbeat+2D+p starts an election. If zero, there are no heartbeats. It must be at least a hundredth of
	// D.
	Heartbeat time.Duration
	// Refresh is the interval at which a coordinator collects the pending-convenience times again. If zero, it
	// never does.
	Refresh time.Duration
	// Echo means that a process measures its distance to the leader when it hears of its first leader, or
	// recovers, and uses it as its own pending-convenience time.
	Echo bool
	// LiteralReset, for [Number], means that only the last REPLY resets the count of ELECTIONs, although a
	// process that has not replied may have crashed. This is incorrect, see the package documentation.
	LiteralReset bool
	// Unsafe means that time-outs that are too short for the delays are accepted.
	Unsafe bool

	words params.Wording // wording of errors
}

// Wait determines how long a process waits between its suspicion and its election.
type Wait string

// Wait policies.
const (
	// WaitNone means no wait.
	WaitNone Wait = "none"
	// WaitPaper means the last MPC, the same for all processes, so that it prevents no process from electing
	// simultaneously with others. It has no effect if no pending-convenience times are set or measured, or in
	// variants other than [Convenience]: the MPC is then zero.
	WaitPaper Wait = "paper"
	// WaitOwn means the process's own pending-convenience time. It has no effect if that is zero.
	WaitOwn Wait = "own"
	// WaitRank means AcceptTimeout+2D+p for each process between this process and the suspect. If all suspect
	// within AcceptTimeout of one another, and the largest of them is up, only the largest elects.
	WaitRank Wait = "rank"
)

// DefaultDelay is the default of [Config].Delay.
const DefaultDelay = time.Second

// rules are the settings that all processes of a run share.
type rules struct {
	variant                     Variant
	accept, coordinator, reply  time.Duration
	heartbeat, silence, refresh time.Duration // silence: how long a follower waits for a heartbeat
	slot                        time.Duration // for WaitRank, per process
	policy                      Wait
	startsAtOnce                bool // a Start does not wait, a suspicion does
	echo, literal               bool
	kind                        [sayings]uint8 // kind of each message
	says                        [sayings]uint8 // message of each kind
}

// complete replaces zero values by defaults, checks all values, and returns the settings for processes.
func (c *Config) complete(v Variant) (*rules, error) {
	words := v.wording()
	if words.says == nil {
		return nil, input.Errorf("variant: %.40q is not one of base, convenience, number, grant", string(v))
	}
	if c.Delay == 0 {
		c.Delay = DefaultDelay
	}
	if err := c.checkTimes(); err != nil {
		return nil, err
	}
	answer := 2*c.Delay + c.Processing // the longest time until an answer arrives
	fill(&c.AcceptTimeout, max(3*c.Delay, answer))
	fill(&c.CoordinatorTimeout, max(6*c.Delay, c.AcceptTimeout+answer))
	fill(&c.ReplyTimeout, max(4*c.Delay, answer))
	if err := c.checkBounds(answer); err != nil {
		return nil, err
	}
	r := &rules{
		variant: v, accept: c.AcceptTimeout, coordinator: c.CoordinatorTimeout, reply: c.ReplyTimeout,
		heartbeat: c.Heartbeat, refresh: c.Refresh, slot: c.AcceptTimeout + answer, policy: c.Wait,
		echo: c.Echo && v == Convenience, literal: c.LiteralReset && v == Number,
	}
	if c.Heartbeat > 0 {
		r.silence = c.Heartbeat + answer
	}
	switch {
	case v != Convenience:
		r.refresh = 0
	case c.Wait == "" && c.Waits == nil:
		r.policy, r.startsAtOnce = WaitRank, true
	}
	for i, says := range words.says {
		r.kind[says], r.says[i+1] = uint8(i+1), says
	}
	return r, nil
}

func fill(to *time.Duration, value time.Duration) {
	if *to == 0 {
		*to = value
	}
}

// checkTimes checks each duration separately, and the wait policy.
func (c *Config) checkTimes() error {
	for name, t := range c.table().Times() {
		if err := c.checkTime(name, t); err != nil {
			return err
		}
	}
	switch least := c.Delay / heartbeatsPerDelay; {
	case c.Heartbeat > 0 && c.Heartbeat < least:
		return c.words.Errorf("heartbeat", "%v is below %v, a hundredth of {delay}: heartbeats would be "+
			"all that "+
			"processes do", c.Heartbeat, least)
	case !slices.Contains([]Wait{"", WaitNone, WaitPaper, WaitOwn, WaitRank}, c.Wait):
		return c.words.Errorf("wait", "%.40q is not one of none, paper, own, rank", string(c.Wait))
	case c.Wait != "" && c.Waits != nil:
		return c.words.Errorf("wait", "both a policy and a table")
	}
	return nil
}

// heartbeatsPerDelay is the maximum number of heartbeats in flight. A Heartbeat should be several Delays long;
// a much shorter one is an error in the unit, such as a plain 5, which Go interprets as five nanoseconds.
const heartbeatsPerDelay = 100

func (c *Config) checkTime(name string, t time.Duration) error {
	switch {
	case t < 0:
		return c.words.Errorf(name, "%v is negative", t)
	case t > params.MaxTimeout:
		return c.words.Errorf(name, "%v is too long", t)
	}
	return nil
}

// timeOf returns the duration of a process in a table, limited to the valid range of time-outs.
func timeOf(table func(election.ID) time.Duration, id election.ID) time.Duration {
	if table == nil {
		return 0
	}
	return min(max(table(id), 0), params.MaxTimeout)
}

// checkBounds rejects time-outs that are too short for the delays; answer is the maximum time until an answer
// arrives.
func (c *Config) checkBounds(answer time.Duration) error {
	for _, t := range []struct {
		name      string
		is, least time.Duration
		why       string
	}{
		{"accept_timeout", c.AcceptTimeout, answer, "an answer takes up to two delays and processing"},
		{"reply_timeout", c.ReplyTimeout, answer, "an answer takes up to two delays and processing"},
		{"coordinator_timeout", c.CoordinatorTimeout, c.AcceptTimeout + answer, "{accept_timeout}, two " +
			"delays and processing"},
	} {
		if err := c.checkTime(t.name, t.is); err != nil { // also check the defaults
			return err
		}
		if t.is < t.least && !c.Unsafe {
			return c.words.Errorf(t.name, "%v is below %v: "+t.why, t.is, t.least)
		}
	}
	return nil
}

// table returns the parameters, whose values go to c.
func (c *Config) table() params.Table {
	const positive = "0 is no time"
	return params.Table{
		{Name: "coordinator", About: "the leader at first, as all know, whose crash the first starts report",
			Default: "none", To: params.Process(&c.Coordinator)},
		{Name: "accept_timeout", About: "how long to wait for accept, ok, or the answer to enquiry",
			Default: "3 delays", Positive: positive, To: params.Time(&c.AcceptTimeout)},
		{Name: "coordinator_timeout", About: "how long to wait for the coordinator after an accept",
			Default: "6 delays", Positive: positive, To: params.Time(&c.CoordinatorTimeout)},
		{Name: "reply_timeout", About: "how long a coordinator waits for replies",
			Default: "4 delays", Positive: positive, To: params.Time(&c.ReplyTimeout)},
		{Name: "pending", About: "the pending-convenience time of each process",
			Default: "0", To: params.Times(&c.Pending)},
		{Name: "wait", About: "how long to wait after a suspicion: none, paper, own, rank, or a table by " +
			"process",
			Default: "convenience: rank, else none",
			To:      params.ChoiceOrTimes(&c.Wait, &c.Waits, WaitNone, WaitPaper, WaitOwn, WaitRank)},
		{Name: "heartbeat", About: "how often a leader says that it is there",
			Default: "never", To: params.Time(&c.Heartbeat)},
		{Name: "refresh", About: "how often a coordinator collects the pending-convenience times",
			Default: "never", To: params.Time(&c.Refresh)},
		{Name: "echo", About: "processes measure their pending-convenience times: yes or no",
			Default: "no", To: params.Truth(&c.Echo)},
		{Name: "reset", About: "when number counts anew: safe, or literal (only when all have replied)",
			Default: "safe", To: params.Either(&c.LiteralReset, "safe", "literal")},
		{Name: "delay", About: "the longest that a message takes",
			Default: "1", Role: params.DelayBound, Positive: positive, To: params.Time(&c.Delay)},
		{Name: "processing", About: "the longest that handling a message takes",
			Default: "0", To: params.Time(&c.Processing)},
		{Name: "unsafe", About: "take time-outs that are too short for the delays: yes or no",
			Default: "no", To: params.Truth(&c.Unsafe)},
	}
}
