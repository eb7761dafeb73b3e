package bridge

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// do adds an act to a scenario after a step of its run, and removes later acts. If the act leaves the model
// of the algorithm, the reply contains the reason.
func (b *Bridge) do(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
		Step     int             `json:"step"`
		Act      json.RawMessage `json:"act"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	act, err := readAct(in.Act)
	if err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	s, _, err := r.at(ctx, in.Step)
	if err != nil {
		return Reply{}, err
	}
	acted := *r.scenario
	if acted.Steps != nil {
		if err := handed(&acted, r, in.Step); err != nil {
			return Reply{}, err
		}
		r, err = newRun(&acted, r.most)
		if err != nil {
			return Reply{}, err
		}
		if s, _, err = r.at(ctx, in.Step); err != nil {
			return Reply{}, err
		}
	}
	// If several steps are one turn of the simulator, such as the first events of all processes, the act
	// comes after them.
	before := s.Snapshot()
	s.Begin()
	act.After = s.Occurred()
	done := s.Acted()
	outside, failed := s.Do(act.Step)
	if err := s.Restore(before); err != nil {
		return Reply{}, err
	}
	// An act at which a Node fails is one: the film shows how the run ends there.
	if failed != nil && panicked(failed) == nil {
		return Reply{}, failed
	}
	acted.Acts = append(slices.Clone(acted.Acts[:done]), act)
	// What had to come out, or is wrong in it, is said of the run without the act.
	acted.Expect, acted.Property, acted.Note, acted.AnySchedule = nil, "", "", false
	return written(struct {
		Scenario *scenario.Scenario `json:"scenario"`
		Outside  string             `json:"outside"`
	}{&acted, outside})
}

// readAct reads an act as a scenario has it.
func readAct(text json.RawMessage) (scenario.Act, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil || fields == nil {
		return scenario.Act{}, input.Errorf("act: %.60s is not an object", text)
	}
	delete(fields, "after")
	whole, err := json.Marshal(map[string]any{"acts": []any{fields}})
	if err != nil {
		return scenario.Act{}, err
	}
	var s scenario.Scenario
	if err := s.UnmarshalJSON(whole); err != nil {
		return scenario.Act{}, err
	}
	return s.Acts[0], nil
}

// handed makes a scenario that gives its steps one in which a hand does the first of them as acts, so that it
// can do something else after that.
func handed(s *scenario.Scenario, r *run, until int) error {
	run, err := r.sim(nil)
	if err != nil {
		return err
	}
	run.Begin()
	var acts []scenario.Act
	for i := range s.Steps {
		step := s.Steps[i]
		if run.Occurred() >= uint64(until) {
			break
		}
		if len(step.Choices) > 0 || step.Do == observe.Pause || step.Do == observe.Resume {
			return input.Errorf("steps[%d]: a hand cannot repeat choices and pauses, so it cannot act later",
				i)
		}
		step.At = nil
		acts = append(acts, scenario.Act{After: run.Occurred(), Step: step})
		run.Step()
	}
	s.Steps, s.Acts, s.Schedule = nil, acts, sim.Hand
	return nil
}
