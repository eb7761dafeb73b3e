package election_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// trace is what happens in a run.
type trace struct {
	lines   []traceLine
	two     []time.Duration // the moments after which two or more lead
	offices map[uint64]int  // how often a process took office in a Term, by an event of its own
	leaders int             // at the end
}

type traceLine struct {
	at   time.Duration
	text string
	beat bool // a heartbeat, which is of interest only if it changes something
}

// String returns a line for everything that happens.
func (tr trace) String() string {
	var b strings.Builder
	for _, l := range tr.lines {
		fmt.Fprintf(&b, "%5v  %s\n", float64(l.at)/float64(sim.Unit), l.text)
	}
	return b.String()
}

// watchedNode is a Node whose events are reported.
type watchedNode struct {
	election.Node
	report func(e *election.Env, ev *election.Event)
}

func (w *watchedNode) Step(e *election.Env, ev *election.Event) {
	w.Node.Step(e, ev)
	w.report(e, ev)
}

// watch runs a run to its end, and notes what happens.
func watch(t *testing.T, c sim.Config) trace {
	t.Helper()
	tr := trace{offices: make(map[uint64]int)}
	before := make([]election.Outcome, len(c.IDs))
	began := make([]time.Duration, len(c.IDs)) // when each was begun, for the last time
	alg, plain := *c.Algorithm, c.Algorithm
	alg.New = func(s election.Setup) election.Node {
		return &watchedNode{plain.New(s), func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				p := slices.Index(c.IDs, e.Self().ID)
				before[p], began[p] = election.Outcome{}, ev.At
			} else {
				tr.lines = append(tr.lines, happens(plain, e, ev))
			}
		}}
	}
	c.Algorithm = &alg
	s, err := sim.New(c)
	require.NoError(t, err)
	for seen := 0; s.Step(); seen = len(tr.lines) {
		tr.leaders = 0
		for p := range c.IDs {
			o := s.Outcome(p)
			if o.Role == election.Leader && !crashed(&c, p, began[p], s.Now()) {
				tr.leaders++
			}
			if o != before[p] && len(tr.lines) > seen {
				tr.change(&before[p], o)
			}
		}
		if last := len(tr.lines) - 1; last >= seen && tr.lines[last].beat && tr.leaders < 2 {
			tr.lines = tr.lines[:last]
		}
		if tr.leaders > 1 {
			tr.two = append(tr.two, s.Now())
		}
	}
	tr.leaders = s.Result().Claimants
	tr.blame(&c)
	return tr
}

// crashed reports whether a process has crashed since it began.
func crashed(c *sim.Config, p int, began, now time.Duration) bool {
	return slices.ContainsFunc(c.CrashAt, func(a scenario.At) bool {
		return a.ID == c.IDs[p] && began < a.Time && a.Time <= now
	})
}

// change adds to the last line what has become of a process.
func (tr *trace) change(was *election.Outcome, is election.Outcome) {
	last := &tr.lines[len(tr.lines)-1]
	last.beat = false
	switch is.Role {
	case election.Leader:
		last.text += fmt.Sprintf(": leads in Term %d", is.Term)
		tr.offices[is.Term]++
	case election.Follower:
		last.text += fmt.Sprintf(": follows %d in Term %d", is.Leader.ID, is.Term)
	default:
		last.text += fmt.Sprintf(": elects in Term %d", is.Term)
	}
	*was = is
}

// happens puts into words what happens to a process of bully.
func happens(a *election.Algorithm, e *election.Env, ev *election.Event) traceLine {
	l := traceLine{at: ev.At}
	what := ev.Op.String()
	switch ev.Op {
	case election.Start:
		what = "starts"
	case election.Rejoin:
		what = "comes back"
	case election.Timeout:
		what = [...]string{"has had no answer", "has heard of no coordinator", "sends heartbeats",
			"misses heartbeats"}[ev.Timer]
		l.beat = ev.Timer == 2
	case election.Recv:
		kind := a.KindName(ev.Msg.Kind)
		what = fmt.Sprintf("hears %s of %d, Term %d", kind, e.Peer(ev.Port).ID, ev.Msg.Term)
		l.beat = kind == "heartbeat"
	}
	l.text = fmt.Sprintf("%d %s", e.Self().ID, what)
	return l
}

// blame adds what goes wrong by the configuration of a run, before what else happens at that time.
func (tr *trace) blame(c *sim.Config) {
	var wrong []traceLine
	add := func(at time.Duration, format string, args ...any) {
		wrong = append(wrong, traceLine{at: at, text: fmt.Sprintf(format, args...)})
	}
	for _, p := range c.Faults.Partitions {
		add(p.From, "-- links are cut")
		if p.Until != 0 {
			add(p.Until, "-- links are whole")
		}
	}
	for _, a := range c.CrashAt {
		add(a.Time, "-- %d crashes", a.ID)
	}
	for _, p := range c.PauseAt {
		add(p.From, "-- %d is paused", p.ID)
		add(p.Until, "-- %d goes on, and still believes that it leads", p.ID)
	}
	tr.lines = append(wrong, tr.lines...)
	slices.SortStableFunc(tr.lines, func(a, b traceLine) int { return int(a.at - b.at) })
}
