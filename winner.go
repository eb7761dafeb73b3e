package election

// Candidate is one process of an election, as seen by a [Winner].
type Candidate struct {
	Rank      Rank
	Ports     int  // number of links
	Up        bool // has not crashed
	Initiator bool // has started this election
}

// Winner is a rule that determines which process an election must elect. The simulator, the checker and the
// test suites judge elections by it. Algorithms share the rules below or define their own.
type Winner struct {
	Name string // "largest of the initiators", for people
	// Of returns the ID of the process that must lead. It returns zero if none may, for settings in which no
	// election can start: any leader is then wrong, and so is an election that a process has started.
	Of func(all []Candidate) ID
	// ByStart means that the rule depends on which processes start.
	ByStart bool
	// Smallest means that the smallest Rank wins instead of the largest.
	Smallest bool
}

// Rules that several algorithms share.
var (
	LargestOfAll        = &Winner{Name: "largest of all", Of: largest(func(*Candidate) bool { return true })}
	LargestOfInitiators = &Winner{Name: "largest of the initiators", ByStart: true,
		Of: largest(func(c *Candidate) bool { return c.Initiator })}
	LargestOfLive = &Winner{Name: "largest live process", Of: largest(func(c *Candidate) bool { return c.Up })}
)

// String returns the rule's name.
func (w *Winner) String() string {
	if w == nil {
		return ""
	}
	return w.Name
}

// ofLive returns the same rule restricted to live processes, as on an overlay.
func (w *Winner) ofLive() *Winner {
	switch w {
	case nil, LargestOfLive:
		return w
	case LargestOfAll:
		return LargestOfLive
	}
	v := *w
	v.Name += " that are up"
	v.Of = func(all []Candidate) ID {
		// Pass only live candidates to the rule, so that it need not know about crashes.
		var live []Candidate
		for i := range all {
			if all[i].Up {
				live = append(live, all[i])
			}
		}
		return w.Of(live)
	}
	return &v
}

// largest returns a rule that elects the largest Rank among the processes for which counts is true.
func largest(counts func(*Candidate) bool) func([]Candidate) ID {
	return func(all []Candidate) ID {
		var best Rank
		for i := range all {
			if c := &all[i]; counts(c) && best.Less(c.Rank) {
				best = c.Rank
			}
		}
		return best.ID
	}
}

// Faults describes the failures that an algorithm tolerates. The zero value means none.
type Faults struct {
	Crash    Crash // whether processes may crash, and how they return
	Reported bool  // crashes are tolerated only if a failure detector reports each one to every live process
	Nudged   bool  // after a crash a process may lack a leader until it is started again
	Loss     bool  // a finite number of messages may be lost
	Copies   bool  // a message may be duplicated; see Transport

	// Pause: a process may stop for longer than Delay and continue with its old state and late timers. Cut: all
	// messages between two groups of processes may be lost for a while. During the failure, two processes may
	// lead, or be in a critical section with tokens out of order. Afterwards every guarantee holds again for
	// new requests, and tokens are larger than all earlier ones.
	Pause, Cut bool

	// Drift is the largest error of clock rates: 0.01 is one second in a hundred.
	Drift float64

	// Down returns how many of n processes may be down at the same time. If nil, any number may.
	Down func(n int) int
}

// Crash describes whether processes may crash, and how a process that has crashed returns.
type Crash uint8

// The possible crashes. Everything after StaysDown includes a return with state.
const (
	NoCrash     Crash = iota // no process may crash
	StaysDown                // a process may crash and stays down
	MayRestart               // it may restart with the state it saved last
	MustRestart              // it must restart with that state: until then nothing is promised
	MayRecover               // it may return with the state it saved last or without any state
)

// Unaided reports whether crashes are tolerated without a failure detector that reports them.
func (f *Faults) Unaided() bool { return f.Crash != NoCrash && !f.Reported }

// MostDown returns how many of n processes may be down at the same time.
func (f *Faults) MostDown(n int) int {
	switch {
	case f.Crash == NoCrash:
		return 0
	case f.Down == nil:
		return n
	}
	return f.Down(n)
}
