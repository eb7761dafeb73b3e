package main

import (
	"fmt"
	"io"
	"os"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// scenarioJobs returns the elections of a file. All are checked before the first is run.
func (f *flags) scenarioJobs(a *app, args []string) ([]*job, error) {
	if len(args) > 0 {
		return nil, usage("--scenario says the algorithm itself: unexpected argument %q", args[0])
	}
	for _, name := range inFile {
		if f.given(name) {
			return nil, usage("--scenario and %s exclude each other", dashed(name))
		}
	}
	if f.file == "" {
		return nil, usage("--scenario: no file is given")
	}
	all, err := f.read(a.stdin)
	if err != nil {
		return nil, fmt.Errorf("--scenario %s: %w", f.file, err)
	}
	jobs := make([]*job, len(all))
	var bad failures
	for i, s := range all {
		j, err := f.scenarioJob(s)
		label := f.label(s.Name, i, len(all))
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", label, err))
			continue
		}
		if j.name = s.Name; s.Name == "" && len(all) > 1 {
			j.name = label
		}
		j.label = label
		jobs[i] = j
	}
	return jobs, bad.err()
}

// dashed returns a flag as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// label says which scenario something is about.
func (f *flags) label(name string, i, of int) string {
	switch {
	case of > 1 && name != "":
		return fmt.Sprintf("scenario[%d] (%s)", i, name)
	case of > 1:
		return fmt.Sprintf("scenario[%d]", i)
	case name != "":
		return name
	}
	return "--scenario " + f.file
}

func (f *flags) read(stdin io.Reader) ([]*scenario.Scenario, error) {
	if f.file == "-" {
		return scenario.Read(stdin)
	}
	if isFolder(f.file) {
		return nil, usage("it is a folder, not a file")
	}
	file, err := os.Open(f.file)
	if err != nil {
		return nil, err.(*os.PathError).Err // the path is said already
	}
	defer file.Close()
	return scenario.Read(file)
}

func (f *flags) scenarioJob(s *scenario.Scenario) (*job, error) {
	c, err := sim.FromScenario(s, find)
	if err != nil {
		return nil, err
	}
	in := &c.Input
	if n := len(in.IDs); n > f.most {
		return nil, usage("ids: %d processes, at most %d can be %s", n, f.most, f.driven)
	}
	if f.goroutines() && s.Steps != nil {
		return nil, usage("steps need virtual time, which elect sim has")
	}
	if f.goroutines() && (len(in.RestartAt)+len(in.PauseAt) > 0 || in.Faults.Any()) {
		return nil, usage("restarts, pauses and links that fail need virtual time, which elect sim has")
	}
	unit, err := f.realUnit()
	if err != nil {
		return nil, err
	}
	j := &job{unit: unit, params: s.Params, Config: c}
	if s.Delay != nil && j.Delay.Mean == 0 { // as the completed Config has it, with which it is compared
		j.Delay.Min = max(j.Delay.Min, 1)
	}
	planned := j.Config
	if err := f.how(&j.Config); err != nil {
		return nil, err
	}
	if f.goroutines() {
		j.Unordered, j.Delay = false, sim.Delay{} // channels keep the order, whatever is allowed
	}
	if err := j.complete(); err != nil {
		return nil, err
	}
	asPlanned := !f.goroutines() && j.Schedule == planned.Schedule && j.Unordered == planned.Unordered &&
		j.Delay == planned.Delay && (j.Seed == planned.Seed || j.Schedule == sim.UnitDelay && !j.Faults.Chance())
	j.expect = s.Expected(&j.Input, asPlanned, j.Unordered)
	return j, nil
}
