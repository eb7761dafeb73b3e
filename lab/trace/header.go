package trace

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// About is what the header of a trace records in addition to the Input.
type About struct {
	Driver string // If empty, "sim".
	// with which the algorithm was configured, times in units; if nil, it was not
	Params   map[string]params.Value
	Schedule scenario.Schedule // If empty, none: the driver is not the simulator.
	Seed     uint64
	Delay    *scenario.Delay // of random delays; if nil, the default
	FIFO     *bool           // If nil, links keep the order.
	Until    time.Duration   // when the run ended in any case; if zero, when nothing was left to happen

	Property verdict.Property // that the run violates, if it is a counterexample; pictures mark where
	Note     string           // how, for people

	// Positions is where a film has the processes, taken from another film of the same network: to find that
	// for a large graph takes longer than a run. If nil, it is found.
	Positions [][2]float64

	// Alone is set by a recorder of one process whose peers run in other programs. It does not keep what was
	// sent, because the receipts are in other traces; see [Merge].
	Alone bool
}

// Configured returns the Params of [About] for an algorithm that was configured, with these or by default.
func Configured(p map[string]params.Value) map[string]params.Value {
	if p == nil {
		return map[string]params.Value{}
	}
	return p
}

// newHeader returns the header of a run of an Input, which it completes.
func newHeader(in *scenario.Input, about About) (Header, error) {
	if err := in.Check(); err != nil {
		return Header{}, err
	}
	if about.Driver == "" {
		about.Driver = "sim"
	}
	h := Header{Driver: about.Driver, Links: in.Topology, Delay: in.Algorithm.Delay}
	h.Scenario = in.Scenario()
	h.Scenario.Schedule, h.Scenario.Seed, h.Scenario.Delay = about.Schedule, about.Seed, about.Delay
	h.Scenario.FIFO, h.Scenario.Params, h.Scenario.Until = about.FIFO, about.Params, about.Until
	h.Scenario.Property, h.Scenario.Note = about.Property, about.Note
	for _, k := range in.Algorithm.Kinds {
		h.Kinds = append(h.Kinds, k.Name)
		if k.Joins {
			h.Joins = append(h.Joins, k.Name)
		}
	}
	h.Timers, h.Names = in.Algorithm.Timers, namesOf(in.Algorithm)
	h.Commands = in.Algorithm.Commands
	return h, nil
}

// clocks returns the clocks of the processes.
func (h *Header) clocks() *scenario.Clocks {
	in := scenario.Input{IDs: h.Scenario.IDs, ClockRates: h.Scenario.ClockRates}
	return in.Clocks()
}

// namesOf returns the names of the fields of messages, nil if there are none.
func namesOf(a *election.Algorithm) []Names {
	all, named := make([]Names, len(a.Kinds)), false
	for i := range a.Kinds {
		k := a.KindOf(uint8(i + 1))
		all[i] = Names{k.ID, k.Priority, k.Round, k.Value, k.Flags, k.Marks}
		named = named || k.ID+k.Priority+k.Round+k.Value+k.Flags != "" || k.Marks != nil
	}
	if !named {
		return nil
	}
	return all
}

// Input returns what was run: the algorithm, found by name and configured as it was, the processes and their
// links. If find returns another algorithm than the trace was made with, the error wraps [election.ErrInput].
func (h *Header) Input(find func(name, variant string) (*election.Algorithm, error)) (scenario.Input, error) {
	s := &h.Scenario
	a, err := find(s.Algorithm, s.Variant)
	if err != nil {
		return scenario.Input{}, err
	}
	// find returns the algorithm with its defaults. Configure it only if the run used others.
	if s.Params != nil || a.Delay != h.Delay {
		if a, err = scenario.Configure(a, s.Params, s.IDs, h.Delay); err != nil {
			return scenario.Input{}, err
		}
	}
	in := scenario.Input{Algorithm: a, Topology: h.Links, IDs: s.IDs, Priorities: s.Priorities}
	if err := in.Check(); err != nil {
		return scenario.Input{}, err
	}
	for k, name := range h.Kinds {
		if k >= len(a.Kinds) || a.Kinds[k].Name != name {
			return scenario.Input{}, input.Errorf("kinds[%d]: %s has no such message %.40q", k, a.Title(),
				name)
		}
	}
	return in, nil
}

// arithmetic returns the topology that its shape alone determines, or nil.
func arithmetic(shape election.Shape, ids []election.ID, oneWay bool) topology.Topology {
	var t topology.Topology
	var err error
	switch shape {
	case election.Ring:
		t, err = topology.Ring(len(ids), oneWay)
	case election.Complete:
		t, err = topology.CompleteOf(ids)
	case election.Hypercube:
		dimension, ok := topology.Dimension(len(ids))
		if !ok {
			return nil
		}
		t, err = topology.Hypercube(dimension)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return t
}

// headerLine is a header as the first line holds it.
type headerLine struct {
	Trace    int                    `json:"trace"`
	Driver   string                 `json:"driver"`
	Scenario scenario.Scenario      `json:"scenario"`
	Links    linksLine              `json:"links"`
	Kinds    []string               `json:"kinds"`
	Joins    []string               `json:"joins,omitzero"`
	Names    []Names                `json:"names,omitempty"`
	Commands []election.CommandKind `json:"commands,omitempty"`
	Timers   []map[uint8]string     `json:"timers,omitempty"` // the few timers of a mutex have numbers far apart
	Delay    units                  `json:"delay,omitzero"`
}

// linksLine tells how processes are joined. A port that leads nowhere is an empty list, any other the process
// behind it and its port.
type linksLine struct {
	Shape   election.Shape `json:"shape"`
	OneWay  bool           `json:"one_way,omitempty"`
	Ports   [][][]number   `json:"ports,omitempty"`
	Weights [][]number     `json:"weights,omitempty"`
	Root    number         `json:"root,omitzero"`
	Up      []uint32       `json:"up,omitempty"`
}

// line returns the header as its line holds it.
func (h *Header) line() *headerLine {
	l := &headerLine{Trace: Version, Driver: h.Driver, Scenario: h.Scenario, Links: h.links(), Kinds: h.Kinds,
		Joins: h.Joins, Names: h.Names, Commands: h.Commands, Delay: units(h.Delay)}
	if l.Kinds == nil {
		l.Kinds = []string{}
	}
	// The links are written port by port. That works for every topology, even for one that a scenario cannot name.
	l.Scenario.Topology = nil
	for _, layer := range h.Timers {
		names := make(map[uint8]string)
		for timer, name := range layer {
			if name != "" {
				names[uint8(timer)] = name
			}
		}
		l.Timers = append(l.Timers, names)
	}
	return l
}

// links returns how the processes are joined, as the first line holds it.
func (h *Header) links() linksLine {
	t, ids := h.Links, h.Scenario.IDs
	l := linksLine{Shape: t.Shape(), OneWay: t.OneWay()}
	// A ring of a million processes would list two million ports that its shape already determines.
	if plain := arithmetic(t.Shape(), ids, t.OneWay()); plain != nil && topology.Equal(plain, t) {
		return l
	}
	for p := range t.Len() {
		ports, weights := [][]number{}, []number{}
		for port := range election.Port(t.Ports(p)) {
			end := []number{}
			if q, back, ok := t.Link(p, port); ok {
				end = []number{number(ids[q]), number(back)}
			}
			ports, weights = append(ports, end), append(weights, number(topology.Weight(t, p, port)))
		}
		l.Ports = append(l.Ports, ports)
		if topology.IsWeighted(t) { // a replay needs the weights, as the algorithm did
			l.Weights = append(l.Weights, weights)
		}
	}
	if tree, ok := t.(topology.Rooted); ok {
		l.Root = number(ids[tree.Root()])
		for p := range ids {
			l.Up = append(l.Up, uint32(tree.Parent(p)))
		}
	}
	return l
}

// joins reports for each kind of message whether it makes its link one of the tree that the algorithm builds.
func (h *Header) joins() []bool {
	all := make([]bool, len(h.Kinds)+1)
	for k, kind := range h.Kinds {
		all[k+1] = slices.Contains(h.Joins, kind)
	}
	return all
}
