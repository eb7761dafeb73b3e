package treeelect

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
)

// Graph returns root over a graph: see [OverGraph].
func Graph() *election.Algorithm {
	a, _ := OverGraph("root") // it has no error
	a.Variant = "graph"
	return a
}

// OverGraph returns a variant (root, any or saturation) as an algorithm for connected graphs. Any single
// process starts it. First, the processes build a spanning tree: a process that is asked to join (build) takes
// the first asker as its parent and asks its other neighbours; a question from a neighbour counts as that
// neighbour's answer. When all have answered, the process sends joined to its parent, which thereby knows its
// child. When all have reported to the initiator the tree is complete; the initiator is its root, and starts
// the variant, which sees only the tree.
//
// The tree takes M messages, one in each direction over every link: N-1 joined, and M-(N-1) build. The variant
// takes as many messages as on a tree with one initiator: 4(N-1) for root, 3(N-1) for any, 3(N-1) for
// saturation. Every election builds a new tree.
//
// A process stores the port of its parent, and the set of ports that belong to the tree. If you only need a
// leader, package echo is cheaper: it finds the leader while it builds the tree.
//
// Climb is not supported, because the initiator is the root. If the variant is unknown, the error wraps
// [election.ErrInput].
func OverGraph(name string) (*election.Algorithm, error) {
	var a *election.Algorithm
	var onTree func(tree *spanning) variant
	formula, each := "M + 3(n-1)", 3
	switch name {
	case "root":
		a = Root()
		onTree = func(tree *spanning) variant {
			return &process{tree: tree, mayBegin: true, confirms: true}
		}
		formula, each = "M + 4(n-1)", 4
	case "any":
		a = Any()
		onTree = func(tree *spanning) variant { return &process{tree: tree, mayBegin: true} }
	case "saturation":
		a = Saturation()
		onTree = func(tree *spanning) variant { return &saturator{tree: tree} }
	default:
		return nil, input.Errorf("treeelect has no variant %.60q for graphs: there are root, any, saturation",
			name)
	}
	a.Variant = "graph_" + name
	a.Summary = "a tree is made of the graph; on that, " + a.Summary
	a.Topology, a.Knows, a.SingleInitiator = election.Graph, election.OwnPorts, true
	a.Faults.Copies = false // the tree counts each answer
	build := uint8(len(a.Kinds) + 1)
	a.Kinds = append(a.Kinds, election.Kind{Name: "build", Bits: nothing},
		election.Kind{Name: "joined", Bits: nothing})
	always := cost.Bound{Formula: formula + ", M ports in all",
		CountPorts: func(n, ports int) float64 { return float64(ports + each*(n-1)) }}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(election.Setup) election.Node {
		n := &builder{build: build, joined: build + 1}
		n.election = onTree(&n.tree)
		return n
	}
	return a, nil
}

// variant is a participant of an election on the tree.
type variant interface {
	election.Node
	start(e *election.Env)
}

// builder builds the tree, and then runs the election on it.
type builder struct {
	tree   spanning
	parent election.Port
	heard  uint32 // number of neighbours that have answered or asked
	asked  bool
	first  bool // no neighbour has asked: this process is the root
	made   bool // this process and all below it have joined

	build, joined uint8 // kinds, numbered after those of the election
	election      variant
}

func (n *builder) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start:
		n.start(e)
	case ev.Op == election.Recv && ev.Msg.Kind == n.build:
		n.asks(e, ev.Port)
	case ev.Op == election.Recv && ev.Msg.Kind == n.joined:
		n.joins(e, ev.Port)
	// The election runs on the tree, and none of its messages arrives before the tree is complete at this
	// process.
	case ev.Op != election.Recv || n.made:
		n.election.Step(e, ev)
	default: // rule 15
	}
}

func (n *builder) start(e *election.Env) { // rule 12
	if !n.asked {
		n.asked, n.first = true, true
		n.ask(e, election.NoPort)
		n.allHeard(e)
	}
}

// asks handles BUILD: the first neighbour that asks becomes the parent.
func (n *builder) asks(e *election.Env, from election.Port) { // rule 13
	if n.asked {
		// Both processes have asked each other over this link: each treats the question of the other as an
		// answer.
		n.heard++
	} else {
		n.asked, n.parent = true, from
		n.tree.ports.Add(from)
		n.ask(e, from)
	}
	n.allHeard(e)
}

// joins handles JOINED: one more child, with all processes below it.
func (n *builder) joins(e *election.Env, from election.Port) { // rule 14
	if n.asked {
		n.tree.ports.Add(from)
		n.heard++
		n.allHeard(e)
	}
}

// ask asks the other neighbours to join.
func (n *builder) ask(e *election.Env, parent election.Port) {
	// A nil tree stands for all links of the process.
	var all *spanning
	all.send(e, parent, election.Message{Kind: n.build})
}

// allHeard joins the parent, or starts the election, if all other neighbours have answered.
func (n *builder) allHeard(e *election.Env) {
	others := e.Ports()
	if !n.first {
		others--
	}
	if n.made || int(n.heard) != others {
		return
	}
	n.made = true
	if n.first { // rule 15
		n.election.start(e)
	} else { // rule 14
		e.Send(n.parent, election.Message{Kind: n.joined})
	}
}

// Inside returns the participant of the election on the tree.
func (n *builder) Inside() election.Node { return n.election }

func (n *builder) State(s *election.State) {
	n.tree.ports.State(s)
	s.Port(&n.parent)
	s.Uint32(&n.heard)
	s.Bool(&n.asked)
	s.Bool(&n.first)
	s.Bool(&n.made)
	n.election.State(s)
}
