package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// challenge is a run that a learner is to find: one that shows a mistake of a museum's algorithm, or one that
// takes the most messages.
type challenge struct {
	ID       string             `json:"id"`
	Package  string             `json:"package"`
	Name     string             `json:"name"`
	Wrong    string             `json:"wrong,omitempty"` // what is wrong with the code
	Setting  string             `json:"setting,omitempty"`
	Hint     string             `json:"hint"`
	Scenario *scenario.Scenario `json:"scenario"` // to begin with
	Property verdict.Property   `json:"property"` // the property to violate; empty if messages count
	Words    string             `json:"words"`    // what is to be reached
	Par      int                `json:"par"`      // the fewest steps; the most messages
	Budget   budget             `json:"budget"`   // what may go wrong

	wins func(ctx context.Context, b *Bridge, c *challenge, r *run) (*judgement, error)
}

// challenges lists them all.
func (b *Bridge) challenges(_ context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	if err := read(args, &struct{}{}); err != nil {
		return Reply{}, err
	}
	all, err := allChallenges()
	if err != nil {
		return Reply{}, err
	}
	return written(all)
}

func allChallenges() ([]*challenge, error) {
	all := costChallenges()
	entries := museum.All()
	for i := range entries {
		if x := &entries[i]; x.Hint != "" { // as of all exercises: see NoExercise
			c, err := challengeOf(x)
			if err != nil {
				return nil, input.At(x.ID(), err)
			}
			all = append(all, c)
		}
	}
	// The mistakes of a package that take the fewest steps come first: they are easier to find.
	place := make(map[string]int)
	for _, c := range all {
		if _, ok := place[c.Package]; !ok {
			place[c.Package] = len(place)
		}
	}
	order.Stable(all, func(a, b *challenge) int {
		return cmp.Or(cmp.Compare(place[a.Package], place[b.Package]), cmp.Compare(a.Par, b.Par))
	})
	return all, nil
}

// challengeOf returns the challenge to find a mistake.
func challengeOf(x *museum.Entry) (*challenge, error) {
	in := x.Config.Input
	in.Algorithm = x.Algorithm()
	if err := in.Check(); err != nil {
		return nil, err
	}
	s, err := scenario.Of(&in)
	if err != nil {
		return nil, err
	}
	s.Name, s.Schedule = x.Name, scenario.Hand
	name := strings.TrimPrefix(x.Name, x.Package()+": ")
	name = strings.ToUpper(name[:1]) + name[1:]
	return &challenge{ID: x.ID(), Package: x.Package(), Name: name, Wrong: x.Wrong, Setting: x.Setting,
		Hint: x.Hint, Scenario: s, Property: x.Property, Words: "violate: " + x.Property.Text(), Par: x.Par,
		Budget: budgetOf(&x.Config), wins: winsByMistake}, nil
}

// budgetOf returns what may go wrong in a check.
func budgetOf(c *check.Config) budget {
	k := budget{Crashes: c.Crashes, Recoveries: c.Recoveries, Restarts: c.Restarts, Losses: c.Losses,
		Duplicates: c.Duplicates, Pauses: c.Pauses, Cuts: c.Cuts, Any: c.Unordered}
	if c.Until > 0 {
		until := float64(c.Until) / float64(scenario.Unit)
		k.Until = &until
	}
	return k
}

// judgement is what became of an attempt.
type judgement struct {
	Solved bool `json:"solved"`
	// 1: with the hint; 2: without; 3: without, and no longer than par
	Grade    int              `json:"grade"`
	Property verdict.Property `json:"property,omitempty"` // that is violated
	Words    string           `json:"words"`              // why it counts, or why not
	Steps    int              `json:"steps"`              // steps of the run, or messages if these count
	Par      int              `json:"par"`
}

// judge reports whether a run solves a challenge.
func (b *Bridge) judge(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Challenge string          `json:"challenge"`
		Scenario  json.RawMessage `json:"scenario"`
		Hinted    bool            `json:"hinted"` // the learner has seen the hint
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	all, err := allChallenges()
	if err != nil {
		return Reply{}, err
	}
	for _, c := range all {
		if c.ID != in.Challenge {
			continue
		}
		r, err := b.open(in.Scenario, 0)
		if err != nil {
			return Reply{}, err
		}
		j, err := c.judge(ctx, b, r)
		if err != nil {
			return Reply{}, err
		}
		switch {
		case !j.Solved:
		case in.Hinted:
			j.Grade = 1
		default:
			j.Grade = 2
		}
		if j.Grade == 2 && (c.Property == "" || j.Steps <= c.Par) {
			j.Grade = 3
		}
		return written(j)
	}
	return Reply{}, input.Errorf("challenge: %.80q is none", in.Challenge)
}

// judge judges a run.
func (c *challenge) judge(ctx context.Context, b *Bridge, r *run) (*judgement, error) {
	if why, err := c.another(r.scenario); why != "" || err != nil {
		return &judgement{Words: why, Par: c.Par}, err
	}
	j, err := c.wins(ctx, b, c, r)
	if err != nil {
		return nil, err
	}
	j.Par = c.Par
	return j, nil
}
