package trace

import (
	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
)

// MostFilmed is the largest number of processes in a [Film].
const MostFilmed = 1 << 14

// Film is a run as a page plays it: the events as columns of numbers, the steps that they belong to, and what
// processes believe after each. A step is one thing that happens to a process with everything that the process does
// then. Steps are numbered from 1; step 0 is before all. A process is given by its place in [FilmHead.IDs].
type Film struct {
	Head    FilmHead
	Events  FilmEvents
	Steps   FilmSteps
	Changes FilmChanges
}

// FilmEvents are the events in their order. The columns have one length.
type FilmEvents struct {
	Do      []uint8 // an observe.What
	Process []uint16
	Step    []uint32
	At      []float64 // in units
	Port    []uint16
	Peer    []int32 // of Send and Deliver; -1 for none
	// Link of Deliver, Lose and Duplicate is the sending, and of Send the event that ends it, a Deliver or
	// a Lose. Copy of Duplicate is the event that ends the copy, and of that event the Duplicate. Each is -1
	// for none.
	Link, Copy []int32
	Kind       []uint8 // of a message, as are the next ones
	Flags      []uint8 // of Decide: the election.Role
	Layer      []uint8 // the machine of a stack
	Timer      []uint8
	Term       []uint64
	Rank       []uint64 // the ID; of Decide: the leader
	Priority   []uint64
	Value      []uint64 // of Choose: what is chosen
	Round      []uint32 // of Choose: among how many
	Min, Max   []float64
}

// FilmSteps are the steps in their order, the first being step 1.
type FilmSteps struct {
	First   []uint32 // the index of its first event, which is what happens to the process
	Count   []uint32 // how many events it has
	Process []uint16
	Do      []uint8
	At      []float64
}

// FilmChanges are the moments at which a process becomes another: what it is after a step.
type FilmChanges struct {
	Step    []uint32
	Process []uint16
	Role    []uint8 // an election.Role
	Status  []uint8 // 0 up, 1 down, 2 paused
	Done    []uint8 // 1: it knows that the election has ended
	Term    []uint64
	Leader  []uint64 // an ID; 0 for none
	// Until is when the lease of a leader ends, in units, by the clock of the simulator; 0 for none. A
	// renewal is a change.
	Until []float64
}

// What a process may be in a film.
const (
	filmUp = iota
	filmDown
	filmPaused
)

// FilmHead describes what a film shows. What only the caller knows, such as the hash, is empty until it is set.
type FilmHead struct {
	Version    int               `json:"version"`
	IDs        []string          `json:"ids"`
	Priorities []string          `json:"priorities,omitempty"`
	Names      map[string]string `json:"names"`
	Driver     string            `json:"driver"` // "sim" if time is virtual
	Algorithm  string            `json:"algorithm"`
	Title      string            `json:"title"`
	Kinds      []string          `json:"kinds"`
	Announce   []bool            `json:"announce"` // of each kind
	Timers     [][]string        `json:"timers"`
	Does       []string          `json:"does"` // the names of Do
	Links      [][4]int          `json:"links"`
	// Tree lists the links that become part of the tree that the algorithm makes, in their order: the step
	// and both ends. An entry with no ends, each -1, begins the tree of a later election.
	Tree [][3]int `json:"tree"`
	// Sections has the changes of the first critical section: the step, how many
	// processes have started and wait for entry, and the places of the processes inside. It is
	// meaningless if an algorithm guards no section.
	Sections [][]int   `json:"sections,omitempty"`
	Cuts     []FilmCut `json:"cuts,omitempty"` // of the plan
	// Loans are the votes that are lent, as [Held] joins them, if the maker of the film sets them.
	Loans     []Loan               `json:"loans,omitempty"`
	OneWay    bool                 `json:"oneWay"`
	Shape     string               `json:"shape"`
	Positions [][2]float64         `json:"positions"` // from 0 to 1
	Hash      string               `json:"hash"`
	Messages  uint64               `json:"messages"`
	Counts    map[string]uint64    `json:"counts"` // by kind
	Bits      uint64               `json:"bits"`
	Time      float64              `json:"time"`
	End       float64              `json:"end"`
	About     string               `json:"about,omitempty"`   // what is seen, in a line, if the maker sets it
	Summary   string               `json:"summary,omitempty"` // of the algorithm, likewise
	Result    string               `json:"result"`
	OK        bool                 `json:"ok"`
	Errors    []string             `json:"errors"`
	Outside   []FilmOutside        `json:"outside"`
	Wrong     []FilmOutside        `json:"wrong"`             // steps after which what must never be is so
	Stopped   string               `json:"stopped,omitempty"` // why the film ends before the run does
	Command   string               `json:"command"`
	Scenario  *scenario.Scenario   `json:"scenario"`
	Columns   map[string]FilmTable `json:"columns"`
}

// FilmTable has the places of the columns of a table of an encoded film.
type FilmTable struct {
	N       int               `json:"n"`    // the length of each
	Columns map[string][2]any `json:"cols"` // the type of the numbers, and the offset in the whole
}

// FilmOutside is a step that leaves what the algorithm's model allows, or after which something is wrong.
type FilmOutside struct {
	Step int    `json:"step"`
	Why  string `json:"why"`
}

// NewFilm returns the film of a trace. What a process does in a step stands behind what happened to it, also
// if the lines of other processes stand between.
func NewFilm(t *Trace) (*Film, error) {
	b, err := newFilming(&t.Header, nil)
	if err != nil {
		return nil, err
	}
	t = grouped(t)
	for i := range t.Events {
		e := &t.Events[i]
		p, ok := b.where[e.Process]
		if !ok {
			return nil, input.Errorf("%d is not a process of this run", e.Process)
		}
		b.add(p, e)
	}
	b.finish()
	return b.film, nil
}

// grouped returns a trace in which each step stands together.
func grouped(t *Trace) *Trace {
	apart := false
	for i := 1; i < len(t.Events) && !apart; i++ {
		apart = t.Events[i].Do.Effect() && t.Events[i].Process != t.Events[i-1].Process
	}
	if !apart {
		return t
	}
	// An effect moves forward, to its step: a sending still stands before its receipt.
	steps, open := [][]int{}, make(map[election.ID]int)
	for i := range t.Events {
		e := &t.Events[i]
		if k, ok := open[e.Process]; ok && e.Do.Effect() {
			steps[k] = append(steps[k], i)
			continue
		}
		open[e.Process] = len(steps)
		steps = append(steps, []int{i})
	}
	g := &Trace{Header: t.Header, Events: make([]Event, 0, len(t.Events))}
	for _, step := range steps {
		for _, i := range step {
			g.Events = append(g.Events, t.Events[i])
		}
	}
	return g
}
