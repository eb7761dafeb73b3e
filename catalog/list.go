package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// List is a list of algorithms that can be searched by name: the algorithms of the project, see [All], or of a
// program that adds others. The variants of an algorithm are adjacent, the default first.
type List []*election.Algorithm

// Names returns the names of the algorithms, in the order of the list.
func (l List) Names() []string {
	var names []string
	for _, a := range l {
		names = append(names, a.Name)
	}
	return slices.Compact(names)
}

// Variants returns the names of an algorithm's variants, the default first. It returns none if the algorithm
// has a single variant or is not in the list.
func (l List) Variants(name string) []string {
	var variants []string
	for _, a := range l {
		if a.Name == name && a.Variant != "" {
			variants = append(variants, a.Variant)
		}
	}
	return variants
}

// OnGraph returns the first variant of a's algorithm that runs on any connected graph, or nil if there is none.
func (l List) OnGraph(a *election.Algorithm) *election.Algorithm {
	for _, other := range l {
		if other.Name == a.Name && other.Topology == election.Graph {
			return other
		}
	}
	return nil
}

// Find returns one variant of an algorithm, or the default variant if variant is empty. If there is none, the
// error wraps [election.ErrInput] and lists the alternatives.
func (l List) Find(name, variant string) (*election.Algorithm, error) {
	known := false
	for _, a := range l {
		if a.Name != name {
			continue
		}
		if variant == "" || variant == a.Variant {
			return a, nil
		}
		known = true
	}
	if !known {
		return nil, input.Errorf("unknown algorithm %.60q: %s", name, l.suggest(name))
	}
	if variants := l.Variants(name); len(variants) > 0 {
		return nil, input.Errorf("unknown variant %.60q: %s has %s", variant, name,
			strings.Join(variants, ", "))
	}
	return nil, input.Errorf("unknown variant %.60q: %s has only one, without a name", variant, name)
}

// suggest returns the name that is most similar to name, or all names if none is similar.
func (l List) suggest(name string) string {
	if base, variant, ok := strings.Cut(name, "/"); ok { // a title, in one word
		if _, err := l.Find(base, variant); err == nil && variant != "" {
			return fmt.Sprintf("the algorithm is %q, its variant %q", base, variant)
		}
	}
	nearest, least := "", 0
	for _, candidate := range l.Names() {
		d := prose.Distance(name, candidate)
		// A distance as long as the name means that no letter is the same: do not suggest it.
		if d < max(len(name), len(candidate)) && (nearest == "" || d < least) {
			nearest, least = candidate, d
		}
	}
	if nearest == "" {
		return "there are " + strings.Join(l.Names(), ", ")
	}
	return "did you mean " + nearest + "?"
}
