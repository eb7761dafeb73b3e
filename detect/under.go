package detect

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Detector is a failure detector with its parameters: a [Deadline], a [Phi] or a [Chen].
type Detector interface {
	// plan completes the parameters, rejects invalid ones, and returns the plan for the machines. delay is the
	// Delay of the algorithm above, or zero if it has none.
	plan(delay time.Duration) (*plan, error)
	// table returns the parameters, without targets.
	table() params.Table
	// read returns the detector with the parameters of a run set.
	read(from func(params.Table) error) (Detector, error)
}

// plan contains what the machines of one detector share.
type plan struct {
	name     string // "deadline"
	interval time.Duration
	delay    time.Duration // while messages take at most this long, no process is suspected wrongly
	numbered bool          // beats carry numbers
	first    time.Duration // how long a process may be silent before its first beat
	judge    judge
}

// judge determines until when a process is trusted.
type judge interface {
	// hear handles a beat of a process. If learn is false, this process was paused and the arrival time does
	// not reflect the network.
	hear(p *peer, at time.Duration, m *election.Message, learn bool)
}

// Under returns an algorithm with a failure detector below it: processes send beats to each other, and the
// algorithm receives a Suspect for each process that falls silent, and a Trust when it is heard again. The
// algorithm then tolerates crashes unaided. It runs on complete graphs; an algorithm for another topology runs
// on an overlay ([election.Algorithm.OverComplete]).
//
// The error wraps [election.ErrInput] if a parameter is invalid, or if the algorithm runs on a hypercube or
// mesh, is synchronous, has heartbeats of its own, or does not tolerate crashes even if they are reported.
func Under(a *election.Algorithm, d Detector) (*election.Algorithm, error) {
	over, err := a.OverComplete()
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return nil, input.Errorf("detect: no detector is given for %s", a.Title())
	case over.Faults.Unaided():
		// With a detector alone, two leaders that have suspected each other wrongly would never hear of each
		// other: these algorithms elect on a Suspect, not on a Trust.
		return nil,
			input.Errorf("detect: %s needs no detector: it notices crashes by heartbeats of its own, "+
				"where its parameters ask for some", a.Title())
	case over.Faults.Crash == election.NoCrash:
		return nil, input.Errorf("detect: %s survives no crash, even if a detector reports it", a.Title())
	case len(over.Kinds) == math.MaxUint8:
		return nil, input.Errorf("detect: %s has %d Kinds, which leaves none for a detector", a.Title(),
			len(over.Kinds))
	}
	plan, err := d.plan(over.Delay)
	if err != nil {
		return nil, err
	}
	b := *over
	// Some algorithms have no Variant.
	if last := &b.Name; b.Variant == "" {
		*last += " with " + plan.name
	} else {
		b.Variant += " with " + plan.name
	}
	b.Summary += "; a failure detector reports crashes"
	b.NeverQuiesces, b.Heartbeats, b.Below = true, true, over.Below+1
	b.Faults.Reported, b.Faults.Pause = false, true
	b.Delay = plan.delay
	if over.Delay > 0 {
		b.Delay = min(over.Delay, plan.delay)
	}
	kind := uint8(len(over.Kinds) + 1)
	bits, value := uint64(0), ""
	if plan.numbered {
		bits, value = 64, "number"
	}
	b.Kinds = append(slices.Clone(over.Kinds), election.Kind{Name: "beat", Value: value,
		Bits: func(cost.Widths) uint64 { return bits }})
	b.Timers = append([][]string{{timerBeat: "the interval of beats", timerWatch: "the wait for beats"}},
		over.Timers...)
	b.Best, b.Mean, b.Worst = cost.Bound{}, cost.Bound{}, cost.Bound{} // beats never end
	b.New = func(s election.Setup) election.Node {
		host := over.NewNode(s, false)
		return election.Stack(&machine{plan: plan, kind: kind}, &host)
	}
	b.Params = joined(d.table(), a.Params)
	b.Configure = func(g *params.Given) (*election.Algorithm, error) { return configure(a, d, g) }
	return &b, nil
}

// configure reads the parameters of the detector; the algorithm reads its own.
func configure(a *election.Algorithm, d Detector, g *params.Given) (*election.Algorithm, error) {
	d, err := d.read(func(t params.Table) error { return joined(t, a.Params).Read(g) })
	if err != nil {
		return nil, err
	}
	if a.Configure != nil {
		if a, err = a.Configure(g.For(a.Params)); err != nil {
			return nil, err
		}
	}
	return Under(a, d)
}

// joined returns the parameters of a detector and of the algorithm above, which reads its own. Both share one
// bound on delays.
func joined(own, above params.Table) params.Table {
	for _, row := range above.Described() {
		if row.Role != params.DelayBound {
			own = append(own, row)
		}
	}
	return own
}

// DefaultInterval is the period of beats if neither an Interval nor a Delay is given.
const DefaultInterval = time.Second / 10

// orDefault returns the interval, or its default for the given delay.
func orDefault(interval, delay time.Duration) time.Duration {
	switch {
	case interval > 0:
		return interval
	case delay > 0:
		return delay
	}
	return DefaultInterval
}

// checkTimes rejects durations that are negative, or so long that sums could overflow.
func checkTimes(t params.Table, words params.Wording) error {
	for name, v := range t.Times() {
		if v < 0 || v > params.MaxTimeout {
			return words.Errorf(name, "%v is not between 0 and %v", v, params.MaxTimeout)
		}
	}
	return nil
}

// intervalParam and delayParam are the parameters that all detectors have.
func intervalParam(to *time.Duration) params.Param {
	return params.Param{Name: "interval", About: "how often a process sends a beat to each other",
		Default: "delay", Positive: "zero leaves time for nothing but beats", To: params.Time(to)}
}

func delayParam(to *time.Duration) params.Param {
	return params.Param{Name: "delay", About: "the longest that a message takes",
		Default: "what the times of the detector allow for", Role: params.DelayBound,
		Positive: "zero leaves no time for a message", To: params.Time(to)}
}
