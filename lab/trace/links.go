package trace

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// WriteLinks draws the network of a trace: each process with its role at the end, each link as wide as many
// messages went over it. A ring is a circle, a tree has layers, a grid has rows; any other graph is laid out
// by its distances. A network of more than [MostLanes] processes gives [ErrTooLarge].
func WriteLinks(w io.Writer, t *Trace) error {
	if n := len(t.Header.Scenario.IDs); n > MostLanes {
		return fmt.Errorf("%w: %d processes, at most %d have room in a network", ErrTooLarge, n, MostLanes)
	}
	if t.Header.Links == nil || t.Header.Links.Len() != len(t.Header.Scenario.IDs) {
		return input.Errorf("links: the trace does not say how its processes are joined")
	}
	t, steps := ordered(byTime(t))
	s := newStory(t)
	s.steps = steps
	_, err := io.WriteString(w, newNetwork(s).document())
	return err
}

// network is a story by its links.
type network struct {
	story   *story
	links   []link
	number  []int // of the link of each port, from 1, by the index of the topology; 0 if it leads nowhere
	least   int   // messages over a link that has any
	most    int   // messages over a link
	grown   int   // links of the tree that the algorithm builds
	nowhere int   // messages over ports that lead to no process
	down    []bool
}

// link joins two ports, or leads from one to another if it is one-way.
type link struct {
	from, to    topology.End
	there, back int // how many messages go from from to to, and back
	spreads     bool
	joined      int   // the number of the link among those of the tree, in the order in which they joined it
	cuts        []int // the partitions that cut it, by their place in the plan
}

func (l *link) messages() int { return l.there + l.back }

func newNetwork(s *story) *network {
	n := &network{story: s, down: make([]bool, len(s.trace.Header.Scenario.IDs))}
	n.join()
	n.count()
	n.spreading()
	for k := range s.trace.Header.Scenario.Faults.Partitions {
		n.cut(k)
	}
	n.cutByHand()
	return n
}

// join finds the links.
func (n *network) join() {
	t := n.story.trace.Header.Links
	n.number = make([]int, t.Links())
	for a, b := range topology.All(t) {
		if n.number[t.Index(a.Process, a.Port)] > 0 {
			continue
		}
		n.links = append(n.links, link{from: a, to: b})
		n.number[t.Index(a.Process, a.Port)] = len(n.links)
		if q, port, ok := t.Link(b.Process, b.Port); ok && (topology.End{Process: q, Port: port}) == a {
			n.number[t.Index(b.Process, b.Port)] = len(n.links)
		}
	}
}

// at returns the link of a port of a process, or nil.
func (n *network) at(p int, port election.Port) *link {
	t := n.story.trace.Header.Links
	if uint64(port) >= uint64(t.Ports(p)) || n.number[t.Index(p, port)] == 0 {
		return nil
	}
	return &n.links[n.number[t.Index(p, port)]-1]
}

// count counts the messages of each link, and notes which processes are down at the end.
func (n *network) count() {
	for i := range n.story.trace.Events {
		e := &n.story.trace.Events[i]
		p := n.story.where[e.Process]
		switch e.Do {
		case observe.Send:
			l := n.at(p, e.Port)
			switch {
			case l == nil:
				n.nowhere++
				continue
			case l.from == topology.End{Process: p, Port: e.Port}:
				l.there++
			default:
				l.back++
			}
		case observe.Crash:
			n.down[p] = true
		case observe.Recover, observe.Restart:
			n.down[p] = false
		}
	}
	n.least = math.MaxInt
	for i := range n.links {
		if m := n.links[i].messages(); m > 0 {
			n.least, n.most = min(n.least, m), max(n.most, m)
		}
	}
}

// leader returns the process that leads at the end, or none if that is not a single one.
func (n *network) leader() int {
	leader := noProcess
	for p := range n.story.final {
		if n.story.final[p].Role == election.Leader {
			if leader != noProcess {
				return noProcess
			}
			leader = p
		}
	}
	return leader
}

// joining finds the links of the tree that the algorithm builds, in the last Term.
func (n *network) joining() {
	joins := n.story.trace.Header.joins()
	var term uint64
	for i := range n.story.trace.Events {
		e := &n.story.trace.Events[i]
		m := &e.Message
		if e.Do != observe.Send || int(m.Kind) >= len(joins) || !joins[m.Kind] || m.Term < term {
			continue
		}
		if m.Term > term { // the election before it has built another tree
			term, n.grown = m.Term, 0
			for k := range n.links {
				n.links[k].spreads, n.links[k].joined = false, 0
			}
		}
		if l := n.at(n.story.where[e.Process], e.Port); l != nil && l.joined == 0 {
			n.grown++
			l.spreads, l.joined = true, n.grown
		}
	}
}

// spreading finds the links over which the leader's ID comes to each process first. Where an algorithm
// elects on a tree that it makes of a graph, as echo does, these are the links of the tree: whatever has an
// ID in it goes over them.
func (n *network) spreading() {
	if n.story.trace.Header.Joins != nil {
		n.joining()
		return
	}
	leader, t := n.leader(), n.story.trace.Header.Links
	if leader == noProcess || t.Shape() != election.Graph && t.Shape() != election.Mesh {
		return
	}
	id := n.story.trace.Header.Scenario.IDs[leader]
	heard := make([]bool, len(n.down))
	heard[leader] = true
	for i := range n.story.trace.Events {
		e := &n.story.trace.Events[i]
		if p := n.story.where[e.Process]; e.Do == observe.Deliver && e.Message.Rank.ID == id && !heard[p] {
			heard[p] = true
			if l := n.at(p, e.Port); l != nil {
				l.spreads = true
			}
		}
	}
}

// cut notes the links that a partition cuts.
func (n *network) cut(k int) {
	plan := fault.Plan{Partitions: n.story.trace.Header.Scenario.Faults.Partitions[k : k+1]}
	cuts, from, ids := plan.Cuts(), plan.Partitions[0].From, n.story.trace.Header.Scenario.IDs
	for i := range n.links {
		l := &n.links[i]
		a, b := ids[l.from.Process], ids[l.to.Process]
		if cuts.Loses(a, b, from) || cuts.Loses(b, a, from) {
			l.cuts = append(l.cuts, k)
		}
	}
}

// cutByHand notes the links that an event cuts, as one more partition.
func (n *network) cutByHand() {
	k := len(n.story.trace.Header.Scenario.Faults.Partitions)
	for i := range n.story.trace.Events {
		e := &n.story.trace.Events[i]
		if e.Do != observe.Cut {
			continue
		}
		if l := n.at(n.story.where[e.Process], e.Port); l != nil && !slices.Contains(l.cuts, k) {
			l.cuts = append(l.cuts, k)
		}
	}
}

// cutTexts says of each partition what it cuts; of those by hand together.
func (n *network) cutTexts() (all []string) {
	partitions := n.story.trace.Header.Scenario.Faults.Partitions
	for k := range partitions {
		all = append(all, n.story.partitionText(&partitions[k]))
	}
	var byHand []string
	for _, c := range n.story.stretches() {
		byHand = append(byHand, n.story.stretchText(&c))
	}
	if byHand != nil {
		all = append(all, strings.Join(byHand, "; "))
	}
	return all
}

// linkTitle says how many messages went over a link each way.
func (n *network) linkTitle(l *link) string {
	a, b := n.story.id(l.from.Process), n.story.id(l.to.Process)
	text := fmt.Sprintf("%s to %s: %s", a, b, prose.Plural(l.there, "message"))
	if !n.story.trace.Header.Links.OneWay() {
		text += fmt.Sprintf("; %s to %s: %s", b, a, prose.Plural(l.back, "message"))
	}
	if l.joined > 0 {
		text += fmt.Sprintf("; link %d of the tree", l.joined)
	}
	return text
}

// networkAbout says what the picture shows to readers who cannot see it.
func (n *network) networkAbout(form form) string {
	parts := []string{n.story.headline(), n.story.setting()}
	parts = append(parts, fmt.Sprintf("%s, %s", formNames[form], prose.Plural(len(n.links), "link")))
	busiest := 0
	for i := range n.links {
		if n.links[i].messages() > n.links[busiest].messages() {
			busiest = i
		}
	}
	if n.most > 0 {
		parts = append(parts, "most messages go over one link: "+n.linkTitle(&n.links[busiest]))
	}
	if n.nowhere > 0 {
		parts = append(parts, prose.Plural(n.nowhere, "message")+" over ports that lead to no process")
	}
	return strings.Join(append(parts, n.story.log()), ". ") + "."
}
