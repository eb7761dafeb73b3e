package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
)

// LeastDemonstrated is how many members a [Demonstration] needs: it kills one and waits for the next leader,
// so the members that are left must be a majority.
const LeastDemonstrated = 3

// Demonstration returns a script that shows what a group of [LeastDemonstrated] members or more is for.
func Demonstration(t elector.Times) string {
	// A member that has come back votes again when its quarantine is over, which takes a little more
	// than a lease.
	return fmt.Sprintf(`wait leader
wait agreement
kill leader
wait leader
restart all
sleep %v
term leader
wait leader
restart all
wait agreement
expect one leader
`, 2*t.Complete().Lease)
}

// Tour returns a script that kills the leader, stops it, cuts it off and asks it to end, one after another, and
// repairs each. It waits after each of these steps.
func Tour(pause time.Duration) string {
	var b strings.Builder
	for _, act := range [][2]string{{doKill, doRestart}, {doStop, doContinue}, {doCut, doHeal}, {doTerm, doRestart}} {
		fmt.Fprintf(&b, "wait leader\nsleep %v\nwait leader\n%s leader\nsleep %[1]v\n%[3]s all\n", pause, act[0], act[1])
	}
	b.WriteString("wait agreement\nexpect one leader\n")
	return b.String()
}

// What can be done. A line of a script is one of these words, and what it is done to: a member, "leader"
// or "all".
const (
	doKill     = "kill"     // SIGKILL
	doTerm     = "term"     // SIGTERM, and wait until the member has ended: it hands over if it leads
	doStop     = "stop"     // SIGSTOP
	doContinue = "cont"     // SIGCONT
	doCut      = "cut"      // no packet from or to others arrives
	doHeal     = "heal"     // they arrive again
	doRestart  = "restart"  // kill, unless the member is down, and start again
	doTransfer = "transfer" // the leader hands over to this member
	doResign   = "resign"   // the leader hands over
	doSleep    = "sleep"    // for a time
	doWait     = "wait"     // wait leader, wait leader b, wait no leader, wait agreement
	doExpect   = "expect"   // expect one leader, expect leader b, expect no leader

	doIsolate = "isolate"
)

// Step is a line of a script.
type Step struct {
	Line int // in the script, from 1; 0 if it stands in none
	Do   string
	// a member, leader or all; of wait and expect: leader, no leader, agreement, one leader, or a member
	// that leads
	To  string
	For time.Duration // of sleep
}

// String returns the step as it stands in a script.
func (s Step) String() string {
	if (s.Do == doWait || s.Do == doExpect) && isName(s.To) {
		return s.Do + " leader " + s.To
	}
	return strings.TrimSpace(s.Do + " " + s.To)
}

// Script is what is done to a cluster, step by step.
type Script []Step

// Parse reads a script: a step on each line, and comments behind #. An error wraps [election.ErrInput].
func Parse(r io.Reader) (Script, error) {
	var s Script
	lines, n := bufio.NewScanner(r), 1
	for ; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		step, err := parseStep(words)
		if err != nil {
			return nil, input.Errorf("line %d: %s", n, input.Reason(err))
		}
		step.Line = n
		s = append(s, step)
	}
	if err := lines.Err(); err != nil {
		return nil, input.Errorf("line %d: %w", n, err)
	}
	return s, nil
}

func parseStep(words []string) (s Step, err error) {
	s.Do, s.To = words[0], strings.Join(words[1:], " ")
	leader, named := strings.CutPrefix(s.To, "leader ")
	switch {
	case s.Do == doSleep:
		if s.For, err = time.ParseDuration(s.To); err != nil || s.For <= 0 {
			return s, input.Errorf("sleep: %.60q is not a time above 0, as in 500ms or 2s", s.To)
		}
		return s, nil
	case s.Do == doResign && s.To == "":
		return s, nil
	case s.Do == doResign:
		return s, input.Errorf("resign: unexpected %.60q", s.To)
	case s.Do == doWait || s.Do == doExpect:
		if named && isName(leader) {
			s.To = leader
			return s, nil
		}
		allowed := []string{"leader", "no leader", "agreement"}
		if s.Do == doExpect {
			allowed = []string{"one leader", "no leader", "agreement"}
		}
		if !slices.Contains(allowed, s.To) {
			return s, input.Errorf("%s: %.60q is not one of %s, leader a", s.Do, s.To,
				strings.Join(allowed, ", "))
		}
		return s, nil
	}
	actions := []string{doKill, doTerm, doStop, doContinue, doCut, doHeal, doRestart, doTransfer}
	switch {
	case !slices.Contains(actions, s.Do):
		return s, input.Errorf("%.60q is not one of %s, resign, sleep, wait, expect", s.Do,
			strings.Join(actions, ", "))
	case s.Do == doTransfer && !isName(s.To):
		return s, input.Errorf("transfer: %.60q is not a member", s.To)
	case !isName(s.To) && s.To != "leader" && s.To != "all":
		return s, input.Errorf("%s: %.60q is not a member, leader or all", s.Do, s.To)
	}
	return s, nil
}

func isName(text string) bool { return len(text) == 1 && text[0] >= 'a' && text[0] < 'a'+MostMembers }

// Play does one step after another, until one fails. What is done to the leader waits until there is one.
func (c *Cluster) Play(ctx context.Context, s Script) error {
	for _, step := range s {
		var err error
		// The last leader may have lost its lease since the script waited for it.
		if needsLeader(step) {
			err = c.await(ctx, c.patience(), "a leader that can be reached",
				func() (bool, error) { return c.holder() != nil, nil })
		}
		if err == nil {
			err = c.Do(ctx, step)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", step.Line, step, err)
		}
	}
	return nil
}

// needsLeader reports whether a step is done to the leader, whichever member that is.
func needsLeader(s Step) bool {
	return s.Do == doResign || s.Do == doTransfer || s.To == "leader" && s.Do != doWait && s.Do != doExpect
}

// patience is how long a script waits for anything.
func (c *Cluster) patience() time.Duration { return 10*time.Second + 10*c.config.Times.Lease }

// Do does one step.
func (c *Cluster) Do(ctx context.Context, s Step) error {
	switch s.Do {
	case doSleep:
		timer := time.NewTimer(s.For)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case doWait:
		what := strings.TrimPrefix(s.String(), "wait ")
		return c.await(ctx, c.patience(), what, func() (bool, error) { return c.holds(s.To) == nil, nil })
	case doExpect:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.holds(s.To)
	case doTransfer, doResign:
		return c.handOver(ctx, s)
	}
	targets, err := c.targets(s)
	if err != nil {
		return err
	}
	for _, p := range targets {
		if err := c.strike(ctx, s.Do, p); err != nil {
			return err
		}
	}
	return nil
}

// holds returns why something does not hold now, nil if it does. The caller holds mu.
func (c *Cluster) holds(what string) error {
	leader := c.holder()
	valid := 0
	for _, l := range c.leases {
		if !l.ended && c.now() < l.Until {
			valid++
		}
	}
	switch {
	case what == "no leader" && valid == 0:
		return nil
	case what == "no leader" && valid == 1:
		return errors.New("1 lease is valid")
	case what == "no leader", what == "one leader" && valid != 1:
		return fmt.Errorf("%d leases are valid", valid)
	case leader == nil:
		return errors.New("no member leads that can be reached")
	case what == "agreement":
		for _, p := range c.members {
			if p.state == Up && (p.latest.Leader != leader.Member || p.latest.Term != leader.Term) {
				return fmt.Errorf("%s does not follow %s", p.Self, leader.Member)
			}
		}
	case isName(what) && leader.Member != what:
		return fmt.Errorf("%s leads", leader.Member)
	}
	return nil
}

// targets returns the members that a step is for. Of all, it is those to which it can be done.
func (c *Cluster) targets(s Step) ([]*process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s.To {
	case "leader":
		l := c.holder()
		if l == nil {
			return nil, errors.New("no member leads that can be reached")
		}
		return []*process{c.named(l.Member)}, nil
	case "all":
		return slices.DeleteFunc(slices.Clone(c.members),
			func(p *process) bool { return !suits(s.Do, p.state) }), nil
	}
	p := c.named(s.To)
	switch {
	case p == nil:
		return nil, fmt.Errorf("there is no member %s", s.To)
	case !suits(s.Do, p.state) && s.Do != doRestart:
		return nil, fmt.Errorf("%s is %s", p.Self, p.state)
	}
	return []*process{p}, nil
}

// suits reports whether something can be done to a member in this condition.
func suits(do string, state Condition) bool {
	switch do {
	case doContinue:
		return state == Stopped
	case doHeal:
		return state == Cut
	case doRestart: // of all: a member that runs is named
		return state == Down
	case doKill:
		return state != Down
	}
	return state == Up
}

// command sends an order. The caller holds mu.
func (c *Cluster) command(p *process, o order) error { return json.NewEncoder(p.stdin).Encode(o) }
