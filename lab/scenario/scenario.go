package scenario

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// Scenario is one election as a file describes it: what is to be run, and what must come out.
// The zero value of a field stands for one that is not given. A Scenario that was read, written
// and read again is the same.
type Scenario struct {
	Name       string          // for people
	Algorithm  string          // its package
	Variant    string          // If empty, the default of the package.
	Topology   *Links          // If nil, the algorithm's own; see Default.
	IDs        []election.ID   // the processes, in the order of the topology
	Priorities []uint64        // in the order of IDs; if nil, all zero
	Initiators []election.ID   // in the order in which they start; if nil, all; if empty, none
	StartTimes []time.Duration // in the order of Initiators; if nil, all zero
	Crashed    []election.ID   // down from the beginning
	CrashAt    []At
	RecoverAt  []At // they come back without their state
	RestartAt  []At // they come back with the state that they saved last
	PauseAt    []Pause
	ClockRates []ClockRate
	Faults     fault.Plan // what goes wrong on links: loss, duplicate, reorder, partitions
	Wishes     []Wish
	Commands   []Command

	// how long after a crash or a return a failure detector reports it; if zero, it does not
	SuspectAfter time.Duration
	Draws        [][]int // what each process draws, as in an Input

	Schedule Schedule      // If empty, UnitDelay.
	Seed     uint64        // decides everything that is left to chance
	Delay    *Delay        // how long messages take under RandomDelay; if nil, the default of the driver
	FIFO     *bool         // whether links keep the order; if nil, they do
	Until    time.Duration // how long to run; if zero, until nothing is left to happen
	Steps    []Step        // all that happens, one after another; if nil, what the other fields say
	Acts     []Act         // what a hand does besides; not together with Steps

	Params map[string]params.Value // of the algorithm; times are in units
	// the counts hold on every asynchronous schedule on links that keep the order
	AnySchedule bool
	Expect      *Expect          // If nil, nothing in particular.
	Property    verdict.Property // that the run violates, if the scenario is a counterexample
	Note        string           // for people
}

// Links is the topology of a Scenario. Each kind has its own fields; the others stay empty.
type Links struct {
	Kind          election.Shape
	Bidirectional *bool                       // of a ring; if nil, as the algorithm needs it
	Edges         [][2]election.ID            // of a tree or graph; those of a rooted tree may be left out
	Weights       []uint64                    // of the Edges, in their order; if nil, they have none
	Parent        map[election.ID]election.ID // of a rooted tree: of each process but the root
	Dimension     *int                        // of a hypercube
	Rows, Cols    int                         // of a mesh, row by row
}

// Input returns what drivers take; it shares the lists of s. The algorithm comes from find, by
// name and variant, where an empty variant is the default. Whatever the scenario wants that its
// algorithm does not have, or that cannot be, gives an error that wraps [election.ErrInput].
func (s *Scenario) Input(find func(name, variant string) (*election.Algorithm, error)) (Input, error) {
	a, err := s.algorithm(find)
	if err != nil {
		return Input{}, err
	}
	in := Input{
		Algorithm: a, IDs: s.IDs, Priorities: s.Priorities, Initiators: s.Initiators,
		StartTimes: s.StartTimes, Crashed: s.Crashed, CrashAt: s.CrashAt, RecoverAt: s.RecoverAt,
		RestartAt: s.RestartAt, PauseAt: s.PauseAt, ClockRates: s.ClockRates, Faults: s.Faults,
		SuspectAfter: s.SuspectAfter, Draws: s.Draws, Wishes: s.Wishes, Commands: s.Commands,
	}
	if err := s.checkRun(); err != nil {
		return Input{}, err
	}
	if err := in.checkSize(); err != nil {
		return Input{}, err
	}
	if in.Algorithm, err = Configure(a, s.ParamsOf(a), s.IDs, s.longestDelay()); err != nil {
		return Input{}, err
	}
	if s.Topology != nil {
		if in.Topology, err = s.Topology.build(&in); err != nil {
			return Input{}, err
		}
	}
	if err := in.Check(); err != nil {
		return Input{}, err
	}
	if err := s.checkSteps(&in); err != nil {
		return Input{}, err
	}
	if err := in.CheckActs(s.Acts); err != nil {
		return Input{}, err
	}
	if s.Schedule == Hand {
		if err := in.CheckHand(); err != nil {
			return Input{}, err
		}
	}
	if err := in.CheckTurns(); err != nil {
		return Input{}, err
	}
	if s.Expect != nil {
		if err := s.Expect.check(&in); err != nil {
			return Input{}, err
		}
	}
	return in, nil
}

func (s *Scenario) algorithm(find func(name, variant string) (*election.Algorithm,
	error)) (*election.Algorithm, error) {
	switch {
	case s.Algorithm == "":
		return nil, input.Errorf("algorithm: missing")
	case len(s.Algorithm) > maxShown:
		return nil, input.Errorf("algorithm: %s is none", quote(s.Algorithm))
	case len(s.Variant) > maxShown:
		return nil, input.Errorf("variant: %s is none", quote(s.Variant))
	}
	a, err := find(s.Algorithm, s.Variant)
	if err != nil {
		return nil, asInput("algorithm", err)
	}
	return a, nil
}

// longestDelay returns how long a message can take, or zero where the driver chooses.
func (s *Scenario) longestDelay() time.Duration {
	switch {
	case s.Schedule != RandomDelay:
		return Unit
	case s.Delay == nil:
		return 0
	}
	return s.Delay.Longest()
}

// Configure returns an algorithm with parameters set, for a run among these processes in which messages take
// up to longest; zero if that is not known. The algorithm counts on that as its bound, unless a parameter
// sets another one. Times among the parameters are in units.
func Configure(a *election.Algorithm, values map[string]params.Value, ids []election.ID,
	longest time.Duration) (*election.Algorithm, error) {
	switch {
	case a.Configure == nil && len(values) == 0:
		return a, nil
	case a.Configure == nil:
		first := slices.Min(slices.Collect(maps.Keys(values)))
		return nil, input.Errorf("params%s: %s takes no parameters", member(first), a.Name)
	}
	bound := a.Params.NameOf(params.DelayBound)
	if _, given := values[bound]; bound != "" && !given && longest > 0 {
		bounded := map[string]params.Value{bound: {Number: float64(longest) / float64(Unit)}}
		maps.Copy(bounded, values)
		if a.Delay > 0 || len(values) > 0 && countsOnDelay(a, bounded, ids) {
			values = bounded
		}
	}
	b, err := a.Configure(params.New(values, Unit, ids))
	if err != nil {
		return nil, asInput("params", err)
	}
	return b, nil
}

// countsOnDelay reports whether an algorithm that counts on no bound does with these values: invitation
// does where it has an interval.
func countsOnDelay(a *election.Algorithm, values map[string]params.Value, ids []election.ID) bool {
	b, err := a.Configure(params.New(values, Unit, ids))
	return err == nil && b.Delay > 0
}

// WithDelay returns values with the bound on delays that the algorithm counts on. It adds that if the bound
// is not one unit and no value sets it, as a file of steps has no other field for it.
func WithDelay(a *election.Algorithm, values map[string]params.Value) map[string]params.Value {
	bound := a.Params.NameOf(params.DelayBound)
	if _, given := values[bound]; given || bound == "" || a.Delay == 0 || a.Delay == Unit {
		return values
	}
	all := map[string]params.Value{bound: {Number: float64(a.Delay) / float64(Unit)}}
	maps.Copy(all, values)
	return all
}

// checkRun checks the fields that drivers are given besides the Input.
func (s *Scenario) checkRun() error {
	if s.Schedule != "" && !slices.Contains(schedules, s.Schedule) {
		return input.Errorf("schedule: %s is not a schedule %s", quote(string(s.Schedule)), listed(schedules))
	}
	if s.Delay == nil {
		return nil
	}
	if s.Schedule != RandomDelay {
		return input.Errorf("delay: every message takes one unit, unless the schedule is random")
	}
	return s.Delay.check()
}

// asInput makes an error about the input of an error of another package about a field.
func asInput(field string, err error) error {
	if errors.Is(err, election.ErrInput) {
		return err
	}
	return input.Errorf("%s: %w", field, err)
}
