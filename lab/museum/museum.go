// Package museum contains mistakes that were printed for algorithms of this project, that are common, or that
// this project has made. Each mistake is Go code, next to the right algorithm in the same setting. The model
// checker finds all of them, as the tests of this package show. docs/museum.md lists the results.
//
//	for _, x := range museum.All() {
//		r, err := check.Run(ctx, x.Config)        // r.Counterexample shows the mistake
//		r, err = check.Run(ctx, x.Control.Config) // r.Counterexample is nil
//	}
//
// [Find] finds the algorithms by the names that scenarios use: the algorithm is "museum", and the variant is
// [Entry.ID].
//
// Mistakes of drivers are in the tests of this package. They are Nodes that handle events as a wrong driver
// would, within the bounds of package process. Next to each is the name of the test that checks the drivers
// of this project for the mistake.
package museum

import (
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// Name is the name under which [Find] finds the algorithms of this package.
const Name = "museum"

// Entry is one mistake.
type Entry struct {
	Name    string // what goes wrong, behind the name of the algorithm
	Source  string // origin of the mistake
	Wrong   string // what the code does wrong and what happens then, in full sentences
	Setting string // what else the reader has to know about both algorithms, in full sentences
	Hint    string // a schedule that shows the mistake; empty if [Entry.NoExercise] returns a reason
	Limit   bool   // the code is right, but the algorithm is used outside of its model

	Config  check.Config // the wrong algorithm, and what may go wrong around it
	Control Control
	Also    []Control // other settings without a violation, such as the mistake in a setting in which it does no harm

	// Property is what the checker finds to be violated, and Par the length of its shortest trail there;
	// of an exercise, of those on which processes start at any time. Both are empty if one run of the
	// simulator shows the mistake: a certain number of messages, or crashes and starts at certain times.
	Property verdict.Property
	Par      int

	// byHand: acts show it that are the steps of that trail, whatever their times are.
	byHand bool
	// counted: what is wrong is seen in the number of messages of one run in the simulator. It names the run.
	counted string
	// played: it takes a crash and starts at given times, in the simulator.
	played bool
	// prompts are what processes of a played run learn of others, and late starts.
	prompts []prompt
	seed    uint64 // of a played run with random delays
}

// prompt is an event that a service posts to a process, at a time.
type prompt struct {
	at time.Duration
	to election.ID
	op election.Op
	of election.ID // the process that it is about; zero for a Start
}

// Control is the same setting without the mistake. For a limit, it is the same algorithm within its model.
type Control struct {
	Name string
	check.Config
}

// All returns the entries, in the order of docs/museum.md.
func All() []Entry {
	all := slices.Concat(ringExhibits(), completeExhibits(), graphExhibits(), overlayExhibits(),
		leaseExhibits(), storeExhibits())
	for i := range all {
		x := &all[i]
		var is shortest
		if i < len(trails) { // otherwise the Entry is new, and trails.go must be regenerated
			is = trails[i]
		}
		x.Property, x.Par, x.byHand, x.Hint = is.property, is.steps, is.byHand, hints[x.ID()]
	}
	return all
}

// shortest is the result of the checker: the violated property, the number of steps to the violation, and
// whether acts show it as well.
type shortest struct {
	property verdict.Property
	steps    int
	byHand   bool
}

// How much an exercise has at most: a reader is to see all of it, and to do it act by act.
const (
	mostProcesses = 4
	mostSteps     = 25
)

// NoExercise returns the reason why the mistake cannot be found by hand, in a schedule of acts. It returns ""
// for an exercise.
func (x *Entry) NoExercise() string {
	switch {
	case x.counted != "":
		return "messages count"
	case x.played:
		return "times of crashes and starts count"
	case x.Limit:
		return "the code is right"
	case len(x.Config.IDs) > mostProcesses:
		return "too many processes"
	case x.Par > mostSteps:
		return "too many steps"
	case !x.byHand: // or the right algorithm fails by the same acts, or faults are beyond its model
		return "draws or times count"
	}
	return ""
}

// mostOfID is the longest ID: a scenario has no longer variants.
const mostOfID = 40

// ID returns the name in the form in which a scenario has it, without its small words:
// "lcr-start-not-guarded".
func (x *Entry) ID() string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(x.Name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		switch {
		case slices.Contains(small, word):
			continue
		case b.Len()+len(word) >= mostOfID:
			return b.String()
		case b.Len() > 0:
			b.WriteByte('-')
		}
		b.WriteString(word)
	}
	return b.String()
}

// small are words that an ID leaves out.
var small = []string{"a", "an", "the", "is", "are", "that", "of", "for", "in", "on", "to", "by", "has", "it",
	"its"}

// Package returns the name of the algorithm that the mistake is put into.
func (x *Entry) Package() string { return x.Config.Algorithm.Name }

// Algorithm returns the wrong algorithm under the name by which [Find] finds it. It takes no parameters.
func (x *Entry) Algorithm() *election.Algorithm {
	named := *x.Config.Algorithm
	named.Name, named.Variant, named.Configure, named.Params = Name, x.ID(), nil, nil
	return &named
}

// Find finds an algorithm of the catalog, or the wrong one of an Entry: "museum", by its ID as the variant.
func Find(name, variant string) (*election.Algorithm, error) {
	if name != Name {
		return catalog.Find(name, variant)
	}
	all := All()
	for i := range all {
		if all[i].ID() == variant {
			return all[i].Algorithm(), nil
		}
	}
	return nil, input.Errorf("algorithm: %s has no %.80q", Name, variant)
}
