package scenario

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Step is one thing that happens, where a [Scenario] says exactly what does. Then nothing else
// happens, and the run ends with the last Step. Before the first one, every process that is not
// down from the beginning gets its Init.
//
// Messages wait on their links, in the order in which they were sent, until a Step takes them off.
// A link is named by its receiver and the port of that; see [Step.Nth] for which message it is.
type Step struct {
	// start, deliver, timeout, suspect, trust, crash, pause, resume, recover, restart, lose, duplicate or
	// command, cut or heal; of an [Act] also delay
	Do observe.What
	// to which it happens: that starts, receives or crashes, or whose timer runs out; of command, if zero, the
	// process that leads
	Process election.ID
	// of deliver, lose, duplicate, delay: the link, as its receiver sees it; of suspect, trust: the link
	// to the process that a failure detector suspects, or trusts again
	Port  election.Port
	Nth   int   // of deliver, lose, duplicate, delay: which of the messages on that link; the oldest is 0
	Timer uint8 // of timeout
	Layer uint8 // of timeout: the machine of a stack that set the timer

	Command string // of command: its name
	// of command, if it is about a list; of recover, restart: the voters that the process wishes from now on,
	// if it has others than [Input].Wishes gives it
	Voters []election.ID

	// Choices are what chance brings in this step: what [election.Env.Choose] returns, where there are
	// two things at least to choose from. Missing ones are 0. In an Init that no Step brings all are.
	Choices []int

	At *time.Duration // when; if nil, one unit after the step before, and the first at 0

	By     time.Duration   // of delay: how much later the message arrives; if negative, how much sooner
	Groups [][]election.ID // of cut: as in a [fault.Partition]
	OneWay bool            // of cut: lost is only what an earlier group sends to a later one
}

// kinds are what a Step can do, and which fields such a Step has.
var kinds = []struct {
	do                          observe.What
	port, message, timer, takes bool // takes: a Node takes an event, in which chance may have a part
	act, links                  bool // only an Act can do it; it happens to links, and to no process
	voters, leads               bool // may have a list of voters; without a process it happens to the leader
}{
	{do: observe.Start, takes: true},
	{do: observe.Deliver, port: true, message: true, takes: true},
	{do: observe.Timeout, timer: true, takes: true},
	{do: observe.Suspect, port: true, takes: true},
	{do: observe.Trust, port: true, takes: true},
	{do: observe.Crash},
	{do: observe.Pause},
	{do: observe.Resume},
	{do: observe.Recover, takes: true, voters: true},
	{do: observe.Restart, takes: true, voters: true},
	{do: observe.Lose, port: true, message: true},
	{do: observe.Duplicate, port: true, message: true},
	{do: observe.Command, takes: true, voters: true, leads: true},
	{do: observe.Cut, links: true},
	{do: observe.Heal, links: true},
	{do: observe.Delay, port: true, message: true, act: true}, // what only an Act can do comes last
}

// Their names: what a Step can do, and what an Act can.
var kindNames, actNames = func() (steps, acts []string) {
	for i := range kinds {
		name := kinds[i].do.String()
		if acts = append(acts, name); !kinds[i].act {
			steps = append(steps, name)
		}
	}
	return steps, acts
}()

// maxSteps bounds how many steps a file may hold.
const maxSteps = 1 << 24

// When returns when a Step happens, after one that happened at some time; for the first Step
// this is one unit before the beginning, -[Unit].
func (s *Step) When(before time.Duration) time.Duration {
	switch {
	case s.At != nil:
		return *s.At
	// Time stops at its end and does not wrap round into the past.
	case before > math.MaxInt64-Unit:
		return before
	}
	return before + Unit
}

// CheckSteps returns an error that wraps [election.ErrInput] unless these steps can be those of the Input,
// which is complete. If steps is not nil, nothing else may be planned, even if the list is empty. Whether a
// Step is possible is known only when its turn comes.
func (in *Input) CheckSteps(steps []Step) error {
	if steps == nil {
		return nil
	}
	// Even planned faults that the steps would never reach are refused: a reader would expect them to happen.
	if field := in.planned(); field != "" {
		return beside(field)
	}
	if in.Draws != nil { // each step has its Choices
		return beside("draws")
	}
	where := in.Positions()
	last := -Unit
	for i := range steps {
		if err := in.checkStep(&steps[i], where, kindNames); err != nil {
			return input.Errorf("steps[%d].%s", i, input.Reason(err))
		}
		at := steps[i].When(last)
		switch {
		case at < 0:
			return input.Errorf("steps[%d].at: %s is less than 0", i, InUnits(at))
		case at < last:
			return input.Errorf("steps[%d].at: %s is before the previous step, at %s", i, InUnits(at),
				InUnits(last))
		}
		last = at
	}
	return nil
}

// planned returns the first field that plans something for a later time, or leaves links to chance.
func (in *Input) planned() string {
	for _, field := range []struct {
		name  string
		given bool
	}{
		{"start_times", len(in.StartTimes) > 0}, {"crash_at", len(in.CrashAt) > 0},
		{"recover_at", len(in.RecoverAt) > 0},
		{"restart_at", len(in.RestartAt) > 0}, {"suspect_after", in.SuspectAfter > 0},
		{"pause_at", len(in.PauseAt) > 0}, {"loss", in.Faults.Loss > 0},
		{"duplicate", in.Faults.Duplicate > 0}, {"reorder", in.Faults.Reorder > 0},
		{"partitions", len(in.Faults.Partitions) > 0}, {"commands", len(in.Commands) > 0},
	} {
		if field.given {
			return field.name
		}
	}
	return ""
}

// beside refuses a field that steps leave no room for.
func beside(field string) error {
	return input.Errorf("%s: not allowed with steps, which contain all events", field)
}

// checkStep checks one Step, without those before it.
func (in *Input) checkStep(s *Step, where map[election.ID]int, names []string) error {
	k := slices.Index(names, s.Do.String())
	p, known := where[s.Process]
	switch {
	case s.Do == 0:
		return input.Errorf("do: missing")
	case k < 0:
		return input.Errorf("do: %s is not a step %s", quote(s.Do.String()), listed(names))
	case s.Process == 0 && !kinds[k].links && !kinds[k].leads:
		return input.Errorf("process: missing")
	case !known && s.Process != 0:
		return input.Errorf("process: %d is not a process", s.Process)
	}
	is := &kinds[k]
	for _, field := range []struct {
		name        string
		given, fits bool
	}{
		{"port", s.Port != 0, is.port}, {"nth", s.Nth != 0, is.message}, {"timer", s.Timer != 0, is.timer},
		{"layer", s.Layer != 0, is.timer}, {"choices", len(s.Choices) > 0, is.takes},
		{"command", s.Command != "", is.leads}, {"voters", s.Voters != nil, is.voters},
		{"process", s.Process != 0, !is.links}, {"by", s.By != 0, s.Do == observe.Delay},
		{"groups", s.Groups != nil, s.Do == observe.Cut}, {"one_way", s.OneWay, s.Do == observe.Cut},
	} {
		if field.given && !field.fits {
			return input.Errorf("%s: not a field of %s", field.name, s.Do)
		}
	}
	for c, choice := range s.Choices {
		if choice < 0 {
			return input.Errorf("choices[%d]: %d is less than 0", c, choice)
		}
	}
	switch {
	case s.Do == observe.Cut:
		return fault.CheckGroups(s.Groups, func(id election.ID) bool { _, ok := where[id]; return ok })
	case s.Do == observe.Command:
		if err := in.checkCommand(s.Process, s.Command, s.Voters, where); err != nil {
			return err
		}
	case s.Voters != nil && len(in.Wishes) == 0:
		return input.Errorf("voters: without \"wishes\" of all processes the voters never change")
	case s.Voters != nil:
		if err := checkVoters(s.Voters, where); err != nil {
			return err
		}
	}
	switch {
	case s.Nth < 0:
		return input.Errorf("nth: %d is less than 0", s.Nth)
	case is.port && uint64(s.Port) >= uint64(in.Topology.Ports(p)):
		return input.Errorf("port: %d has no port %d", s.Process, s.Port)
	case is.message && in.Topology.OneWay() && s.Port != election.Counterclockwise:
		return input.Errorf("port: nothing arrives over port %d on a one-way ring", s.Port)
	}
	// A Start of a process that is no initiator passes: a check with nudges starts any that has no leader.
	return nil
}

// checkSteps checks the steps, and that they stand beside nothing that has no part in them.
func (s *Scenario) checkSteps(in *Input) error {
	switch {
	case s.Steps == nil:
		return nil
	case len(s.Acts) > 0:
		return beside("acts")
	case s.Schedule == RandomDelay || s.Schedule == Hand:
		return input.Errorf("schedule: %s, not allowed with steps, which contain all events", s.Schedule)
	case s.FIFO != nil:
		return beside("fifo")
	}
	return in.CheckSteps(s.Steps)
}

// steps reads the list of what happens.
func (p *parser) steps() []Step {
	// An empty list in the file is not nil: it says that nothing happens.
	all := []Step{}
	p.list(maxSteps, func(int) {
		var s Step
		p.object(func(name string) bool { return p.step(&s, name, kindNames) || p.stepAlone(&s, name) })
		all = append(all, s)
	})
	return all
}

// step reads a field that a Step and an Act have.
func (p *parser) step(s *Step, name string, names []string) bool {
	switch name {
	case "do":
		s.Do, _ = observe.Parse(oneOf(p, "a step", names))
	case "process":
		s.Process = p.id()
	case "port":
		s.Port = election.Port(p.upTo("a port", math.MaxUint32))
	case "nth":
		s.Nth = int(p.upTo("a position", math.MaxInt32))
	case "timer":
		s.Timer = uint8(p.upTo("a timer", math.MaxUint8))
	case "layer":
		s.Layer = uint8(p.upTo("a layer", math.MaxUint8))
	case "command":
		s.Command = p.text()
	case "voters":
		s.Voters = p.ids()
	case "groups":
		s.Groups = p.groups()
	case "one_way":
		s.OneWay = *p.truth()
	default:
		return false
	}
	return true
}

// stepAlone reads a field that no Act has.
func (p *parser) stepAlone(s *Step, name string) bool {
	switch name {
	case "choices":
		s.Choices = []int{}
		p.list(maxSteps, func(int) { s.Choices = append(s.Choices, int(p.upTo("a choice", math.MaxInt32))) })
	case "at":
		at := p.time()
		s.At = &at
	default:
		return false
	}
	return true
}

// upTo reads a whole number that is not too large.
func (p *parser) upTo(what string, most uint64) uint64 {
	n := p.whole(what)
	if n > most {
		p.wrong("%d is more than %d", n, most)
	}
	return n
}

// ExpectedOf returns the process that must be elected where these steps are all that happens; compare
// [Input.Expected]. That is not known where a step is none of start, deliver and timeout, nor
// where a process starts that a message has reached, and so may compete or not.
func (in *Input) ExpectedOf(steps []Step) verdict.Rightful {
	// Copy the Input, since its Initiators are replaced below by the processes that start in these steps.
	started := *in
	started.Initiators = []election.ID{}
	reached := make(map[election.ID]bool)
	for i := range steps {
		switch id := steps[i].Process; steps[i].Do {
		case observe.Start:
			if reached[id] {
				return verdict.Rightful{}
			}
			if !slices.Contains(started.Initiators, id) {
				started.Initiators = append(started.Initiators, id)
			}
		case observe.Deliver:
			reached[id] = true
		case observe.Timeout:
		default:
			return verdict.Rightful{}
		}
	}
	return started.Expected()
}
