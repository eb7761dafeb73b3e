package report

import (
	"encoding/json"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
)

// Check is the JSON form of what a check has found.
type Check struct {
	Algorithm       string          `json:"algorithm"`
	Variant         string          `json:"variant"`
	N               int             `json:"n"`
	Network         string          `json:"network"`
	States          uint64          `json:"states"`
	Transitions     uint64          `json:"transitions"`
	Depth           int             `json:"depth"`
	Properties      []Judgement     `json:"properties"`
	Seconds         float64         `json:"seconds"`
	StatesPerSecond float64         `json:"states_per_second"`
	BytesPerState   float64         `json:"bytes_per_state"`
	Counterexample  *Counterexample `json:"counterexample"` // null if no property is violated

	Longest   *int    `json:"longest"`
	Messages  *int    `json:"messages"`
	Exhausted bool    `json:"exhausted"`
	Stopped   *string `json:"stopped"`
	Collision float64 `json:"collision_probability"`
	Reduced   uint64  `json:"reduced"`
	Delay     *Units  `json:"delay"` // null if time is not modelled
	Until     *Units  `json:"until"` // null if time has no end
	Outside   *string `json:"outside_model"`
}

// Counterexample is the JSON form of a run that violates a property.
type Counterexample struct {
	Property verdict.Property   `json:"property"`
	Reason   string             `json:"reason"`
	Cycle    *int               `json:"cycle,omitempty"`    // the steps from this one on repeat forever
	Scenario *scenario.Scenario `json:"scenario,omitempty"` // omitted if a scenario cannot express the topology
}

// Judgement is the JSON form of a verdict; Holds is null where not every state was visited and the property
// has not been violated.
type Judgement struct {
	Name     string           `json:"name"` // a sentence
	Holds    *bool            `json:"holds"`
	Kind     verdict.Kind     `json:"kind"`
	Property verdict.Property `json:"property"` // as a counterexample has it
}

// NewCheck returns the form of a check, except for the counterexample.
func NewCheck(c *check.Config, r *check.Result, network, stopped string) Check {
	form := Check{
		Algorithm: c.Algorithm.Name, Variant: c.Algorithm.Variant, N: len(c.IDs), Network: network,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth, Properties: []Judgement{},
		Seconds: r.Wall.Seconds(), StatesPerSecond: StatesPerSecond(r),
		BytesPerState: rounded(float64(r.Bytes) / max(float64(r.States), 1)),
		Exhausted:     r.Exhausted, Collision: r.Collision, Reduced: r.Reduced,
		Longest: countOrNull(r.Longest), Messages: countOrNull(r.Messages),
		Stopped: textOrNull(stopped), Outside: textOrNull(c.Outside()),
	}
	for i := range r.Properties {
		v := &r.Properties[i]
		j := Judgement{Name: v.Property.Text(), Kind: v.Kind, Property: v.Property}
		if v.Known {
			j.Holds = &v.Holds
		}
		form.Properties = append(form.Properties, j)
	}
	if c.Delay > 0 {
		form.Delay = new(Units(c.Delay))
	}
	if c.Until > 0 {
		form.Until = new(Units(c.Until))
	}
	return form
}

// StatesPerSecond returns how fast a check was.
func StatesPerSecond(r *check.Result) float64 { return perSecond(r.States, r.Wall) }

// countOrNull returns nil for what was not counted.
func countOrNull(count int) *int {
	if count < 0 {
		return nil
	}
	return &count
}

func textOrNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// Soak is the JSON form of what a soak of one algorithm has found.
type Soak struct {
	Algorithm     string   `json:"algorithm"`
	Variant       string   `json:"variant"`
	Seed          uint64   `json:"seed"`
	Runs          uint64   `json:"runs"`
	Time          Units    `json:"simulated_time"`
	Messages      uint64   `json:"messages"`
	Crashes       uint64   `json:"crashes"`
	Hash          Hash     `json:"hash"`
	Seconds       float64  `json:"seconds"`
	RunsPerSecond float64  `json:"runs_per_second"`
	Failure       *Failure `json:"failure"`
	Stopped       *string  `json:"stopped"`
}

// Failure is the JSON form of the first run that fails, and of what is left of it.
type Failure struct {
	Seed     uint64           `json:"seed"`
	Property verdict.Property `json:"property"`
	Reason   string           `json:"reason"`
	At       Units            `json:"at"`
	Replay   string           `json:"replay"` // the command that makes the run again
	Smallest json.RawMessage  `json:"smallest"`
}

// NewSoak returns the form of a soak, except for the Reason and the Replay of its failure.
func NewSoak(c *soak.Config, r *soak.Result, stopped string) (Soak, error) {
	form := Soak{
		Algorithm: c.Algorithm.Name, Variant: c.Algorithm.Variant, Seed: c.Seed, Runs: r.Runs,
		Time: Units(r.Simulated), Messages: r.Messages, Crashes: r.Crashes, Hash: Hash(r.Hash),
		Seconds: r.Wall.Seconds(), RunsPerSecond: RunsPerSecond(r), Stopped: textOrNull(stopped),
	}
	if r.Failure == nil {
		return form, nil
	}
	s, err := r.Failure.Smallest.Scenario()
	if err != nil {
		return form, err
	}
	text, err := s.MarshalJSON()
	v := r.Failure.Violation
	form.Failure = &Failure{Seed: r.Failure.Seed, Property: v.Property, At: Units(v.At), Smallest: text}
	return form, err
}

// RunsPerSecond returns how fast a soak was.
func RunsPerSecond(r *soak.Result) float64 { return perSecond(r.Runs, r.Wall) }
