package scenario

import (
	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
)

// Of returns a Scenario that makes this Input, but for the parameters of its algorithm, which an
// Input does not hold. It shares the lists of the Input. The error wraps [election.ErrInput] if the Input
// cannot be run, or if no file can say what the links are.
func Of(from *Input) (*Scenario, error) {
	in := *from // so that what is not given is filled in here only
	if err := in.Check(); err != nil {
		return nil, err
	}
	return of(&in)
}

// Scenario returns what a file says of the Input, but for its Topology and the parameters of its
// algorithm. It shares the lists of the Input.
func (in *Input) Scenario() Scenario {
	return Scenario{
		Algorithm: in.Algorithm.Name, Variant: in.Algorithm.Variant, IDs: in.IDs, Priorities: in.Priorities,
		Initiators: in.Initiators, StartTimes: in.StartTimes, Crashed: in.Crashed, CrashAt: in.CrashAt,
		RecoverAt: in.RecoverAt, RestartAt: in.RestartAt, PauseAt: in.PauseAt,
		ClockRates: in.ClockRates, Faults: in.Faults, SuspectAfter: in.SuspectAfter,
		Draws: in.Draws, Wishes: in.Wishes, Commands: in.Commands,
	}
}

func of(in *Input) (*Scenario, error) {
	s := in.Scenario()
	if t, err := Default(in.Algorithm, in.IDs); err == nil && topology.Equal(t, in.Topology) {
		return &s, nil
	}
	links, err := linksOf(in)
	if err != nil {
		return nil, err
	}
	s.Topology = links
	// Build the links again and compare: a list of links cannot express every numbering of ports.
	if t, err := links.build(in); err != nil || !topology.Equal(t, in.Topology) {
		return nil, input.Errorf("topology: no scenario can describe where the ports of this %s lead",
			topology.Name(in.Topology))
	}
	return &s, nil
}

// linksOf describes a topology, as well as can be.
func linksOf(in *Input) (*Links, error) {
	t := in.Topology
	l := &Links{Kind: t.Shape()}
	switch t.Shape() {
	case election.Ring:
		twoWay := !t.OneWay()
		l.Bidirectional = &twoWay
	case election.Hypercube:
		dimension, _ := topology.Dimension(t.Len())
		l.Dimension = &dimension
	case election.Mesh:
		for l.Cols = 3; t.Len()%l.Cols != 0 || t.Ports(l.Cols-1) != 2; l.Cols++ {
			if l.Cols == t.Len() {
				return nil, input.Errorf("topology: a mesh without rows")
			}
		}
		l.Rows = t.Len() / l.Cols
	case election.Tree, election.Graph:
		l.Edges = [][2]election.ID{}
		weighs := topology.IsWeighted(t)
		for _, end := range topology.Listed(t) {
			q, _, _ := t.Link(end.Process, end.Port)
			l.Edges = append(l.Edges, [2]election.ID{in.IDs[end.Process], in.IDs[q]})
			if weighs {
				l.Weights = append(l.Weights, in.Weight(end.Process, end.Port))
			}
		}
		if tree, ok := t.(topology.Rooted); ok {
			l.Parent = make(map[election.ID]election.ID)
			for p, id := range in.IDs {
				if p != tree.Root() {
					q, _, _ := t.Link(p, tree.Parent(p))
					l.Parent[id] = in.IDs[q]
				}
			}
		}
	}
	return l, nil
}
