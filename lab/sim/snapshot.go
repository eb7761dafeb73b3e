package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Snapshot is the whole state of a run at one moment. It does not change when the run continues, and can be
// restored any number of times.
type Snapshot struct {
	procs    []proc // of each but its Node, whose state is in nodes
	nodes    []byte // the Nodes' states, one after another
	ends     []int  // index in nodes at which the state of each process ends
	messages []entry
	last     links
	timers   timers
	outcomes outcomes
	pauses   pauses
	saved    map[int32][]byte
	state    state
}

// Snapshot copies the state of the run.
func (s *Sim) Snapshot() *Snapshot {
	c := &Snapshot{procs: slices.Clone(s.procs), ends: make([]int, len(s.procs)), last: s.last.clone(),
		timers: s.timers.clone(), outcomes: s.outcomes.clone(), messages: s.onTheWay(),
		pauses: s.pauses.clone(), saved: maps.Clone(s.saved), state: s.state}
	// What is appended later goes elsewhere.
	c.state.entries, c.state.hand.outside = slices.Clip(s.entries), slices.Clip(s.hand.outside)
	c.state.hand.resumed = slices.Clip(s.hand.resumed)
	c.state.tree = s.tree.Clip()
	c.state.drawn = slices.Clone(s.drawn) // the run counts on in place
	for i := range s.procs {
		c.nodes = new(election.State).Append(c.nodes, &s.procs[i].host)
		c.ends[i] = len(c.nodes)
	}
	return c
}

// Restore returns the run to a state of this run or of another run with the same Config. It returns an error
// if the run is observed (Config.Observe), since events that an observer has received cannot be undone. Find
// the way in a run without observer, and repeat it in a run with one: the same Config gives the same run.
func (s *Sim) Restore(c *Snapshot) error {
	if s.watch != nil {
		return input.Errorf("snapshot: a run that is observed cannot go back, for its observer cannot")
	}
	if len(c.procs) != len(s.procs) {
		return input.Errorf("snapshot: of %d processes, not %d", len(c.procs), len(s.procs))
	}
	start := 0 // of the Node's state in nodes
	for i, end := range c.ends {
		// The host of the Snapshot points to the Node of the run that it was taken of, perhaps another one.
		host := s.procs[i].host
		s.procs[i] = c.procs[i]
		s.procs[i].host = host
		if err := new(election.State).Restore(&s.procs[i].host, c.nodes[start:end]); err != nil {
			return fmt.Errorf("sim: snapshot: process %d: %w", s.config.IDs[i], err)
		}
		start = end
	}
	s.state, s.last, s.timers, s.outcomes = c.state, c.last.clone(), c.timers.clone(), c.outcomes.clone()
	s.drawn = slices.Clone(c.state.drawn)
	s.pauses, s.saved = c.pauses.clone(), maps.Clone(c.saved)
	// After the time was restored: the calendar counts its days from now on.
	s.enqueue(c.messages)
	return nil
}

func (t *timers) clone() timers {
	c := *t
	c.line, c.heap, c.running = slices.Clone(t.line), slices.Clone(t.heap), slices.Clone(t.running)
	for p := range t.running {
		c.running[p].more = slices.Clone(t.running[p].more)
	}
	return c
}

func (o *outcomes) clone() outcomes {
	c := *o
	c.list = slices.Clone(o.list)
	return c
}
