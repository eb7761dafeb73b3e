package trace

import (
	"slices"
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// newFilmHead returns the head of a film, as far as it follows from a header.
func newFilmHead(h *Header, positions [][2]float64) FilmHead {
	s := &story{trace: &Trace{Header: *h}}
	f := FilmHead{Version: filmVersion, Driver: h.Driver, Names: make(map[string]string),
		Kinds:    slices.Clone(h.Kinds),
		Announce: make([]bool, len(h.Kinds)), Timers: h.Timers, Title: s.title(), Counts: map[string]uint64{},
		Errors: []string{}, Outside: []FilmOutside{}, Wrong: []FilmOutside{},
		Links: [][4]int{}, Tree: [][3]int{}, Positions: [][2]float64{},
		Scenario: &h.Scenario}
	a := election.Algorithm{Name: h.Scenario.Algorithm, Variant: h.Scenario.Variant}
	f.Algorithm = a.Title()
	for p := range h.Scenario.IDs {
		f.IDs = append(f.IDs, s.id(p))
		f.Names[f.IDs[p]] = f.IDs[p]
	}
	for _, priority := range h.Scenario.Priorities {
		f.Priorities = append(f.Priorities, strconv.FormatUint(priority, 10))
	}
	for do := range observe.Done + 1 {
		name := ""
		if _, ok := observe.Parse(do.String()); ok {
			name = do.String()
		}
		f.Does = append(f.Does, name)
	}
	if f.Timers == nil {
		f.Timers = [][]string{}
	}
	if h.Links != nil {
		f.network(h, positions)
	} else {
		f.Positions = unitSquare(circle(len(f.IDs)))
	}
	return f
}

// mostByDistance is the largest graph that a film lays out by its distances, which takes the longer the
// cube of its size is.
const mostByDistance = 512

// mostListed is the largest complete graph whose links are listed: of a larger one all pairs have a link.
const mostListed = 64

// network fills in how the processes are joined, and their places in a picture.
func (f *FilmHead) network(h *Header, positions [][2]float64) {
	if size := h.Links.Len(); h.Links.Shape() == election.Complete && size > mostListed {
		f.Shape, f.Positions = "complete", unitSquare(circle(size)) // half a million links need not be found
		return
	}
	n := &network{story: &story{trace: &Trace{Header: *h}}}
	n.join()
	f.OneWay = h.Links.OneWay()
	form, places := n.arrange()
	size := h.Links.Len()
	if form == byDistance && size > mostByDistance {
		places = func() []point { return circle(size) }
	}
	if f.Positions = positions; len(positions) != size {
		f.Positions = unitSquare(places())
	}
	switch {
	case h.Links.Shape() == election.Ring:
		f.Shape = "ring"
	case h.Links.Shape() == election.Complete || len(n.links) == size*(size-1)/2 && size > 2:
		f.Shape = "complete"
	case form == inLayers || form == inRings:
		f.Shape = "tree"
	case form == inRows:
		f.Shape = "grid"
	case form == inWrappedRows:
		f.Shape = "torus"
	case form == asCube:
		f.Shape = "cube"
	default:
		f.Shape = "graph"
	}
	for _, l := range n.links {
		back := int(l.to.Port)
		if f.OneWay {
			back = none
		}
		f.Links = append(f.Links, [4]int{l.from.Process, int(l.from.Port), l.to.Process, back})
	}
}

// unitSquare scales places into a square of side 1, in whose middle they are.
func unitSquare(places []point) [][2]float64 {
	all := make([][2]float64, len(places))
	if len(places) == 0 {
		return all
	}
	low, high := places[0], places[0]
	for _, at := range places {
		low = point{min(low.x, at.x), min(low.y, at.y)}
		high = point{max(high.x, at.x), max(high.y, at.y)}
	}
	side := max(high.x-low.x, high.y-low.y)
	if side == 0 {
		side = 1
	}
	for p, at := range places {
		all[p] = [2]float64{0.5 + (at.x-(low.x+high.x)/2)/side, 0.5 + (at.y-(low.y+high.y)/2)/side}
	}
	return all
}
