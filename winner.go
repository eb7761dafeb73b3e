package election

// Candidate is one process of an election as a [Winner] sees it.
type Candidate struct {
	Rank      Rank
	Ports     int  // how many links it has
	Up        bool // it has not crashed
	Initiator bool // it has started this election
}

// Winner is the rule that says which process an election must elect. The simulator, the checker and the
// suites judge an election by it. Algorithms share the rules below or bring one of their own.
type Winner struct {
	Name string // "largest of the initiators", for people
	// Of returns the ID of the candidate that must lead, zero if none may. Every leader is wrong then, and an
	// election that a process has begun must end with one: zero is for settings in which none can begin.
	Of func(all []Candidate) ID
	// ByStart: the rule depends on which processes start.
	ByStart bool
	// Smallest: the smallest Rank wins instead of the largest.
	Smallest bool
}

// The rules that several algorithms share.
var (
	LargestOfAll        = &Winner{Name: "largest of all", Of: largest(func(*Candidate) bool { return true })}
	LargestOfInitiators = &Winner{Name: "largest of the initiators", ByStart: true,
		Of: largest(func(c *Candidate) bool { return c.Initiator })}
	LargestOfLive = &Winner{Name: "largest that is up", Of: largest(func(c *Candidate) bool { return c.Up })}
)

// String returns the rule's name.
func (w *Winner) String() string {
	if w == nil {
		return ""
	}
	return w.Name
}

// ofLive returns the rule where processes that are down take no part, as on an overlay.
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
		// Show the rule only those that are up, so that it need not know of crashes.
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

// largest returns the rule that elects the largest Rank among the processes that count.
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

// Faults says under which failures an algorithm keeps its promises. The zero value: under none.
type Faults struct {
	Crash    bool // a process may crash and stay down
	Recover  bool // a process that has crashed may come back without its state
	Restart  bool // a process that has crashed may come back with what it saved last
	Reported bool // all this only if a failure detector reports each crash to every process that is up
	Loss     bool // a finite number of messages may be lost
	Copies   bool // a message may arrive twice; see Transport
	Returns  bool // all this only if each process that crashes comes back in the end
	Nudged   bool // after a crash a process may lack a leader until it is started once more

	// A process may stop for longer than Delay and go on with its old state, timers late; or all messages
	// between two groups may be lost for a while. In the meantime two processes may lead, or be in a critical
	// section with tokens that are out of order. Afterwards every promise holds again, for what is asked
	// then, and tokens are larger than all before.
	Pause, Cut bool

	// Drift is by how much clocks may run too fast or too slowly: 0.01 is one second in a hundred.
	Drift float64

	// Down returns how many of n processes may be down at the same time. If nil, any number.
	Down func(n int) int
}

// Unaided reports whether processes may crash with no failure detector to report it to the others.
func (f *Faults) Unaided() bool { return f.Crash && !f.Reported }

// MostDown returns how many of n processes may be down at the same time.
func (f *Faults) MostDown(n int) int {
	switch {
	case !f.Crash:
		return 0
	case f.Down == nil:
		return n
	}
	return f.Down(n)
}
