package job

import (
	"fmt"
	"io"
	"os"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// scenarioJobs returns the elections of a file. All are checked before the first is run.
func (o *Options) scenarioJobs(a *console.Console, args []string) ([]*Job, error) {
	if len(args) > 0 {
		return nil, input.Errorf("--scenario includes the algorithm: unexpected argument %.60q", args[0])
	}
	all, err := o.ReadFile(a.Stdin, o.Scenario)
	if err != nil {
		return nil, fmt.Errorf("--scenario %s: %w", o.Scenario, err)
	}
	jobs := make([]*Job, len(all))
	var bad exit.Failures
	for i, s := range all {
		j, err := o.ScenarioJob(s)
		label := o.label(s.Name, i, len(all))
		if err != nil {
			// Collect the errors of all scenarios, so that a file can be corrected in one pass.
			bad = append(bad, fmt.Errorf("%s: %w", label, err))
			continue
		}
		if j.Name, j.Label = s.Name, label; s.Name == "" && len(all) > 1 {
			j.Name = label
		}
		jobs[i] = j
	}
	return jobs, bad.Err()
}

// label names a scenario in errors.
func (o *Options) label(name string, i, of int) string {
	switch {
	case of > 1 && name != "":
		return fmt.Sprintf("scenario[%d] (%s)", i, name)
	case of > 1:
		return fmt.Sprintf("scenario[%d]", i)
	case name != "":
		return name
	}
	return "--scenario " + o.Scenario
}

// ReadFile reads the scenarios of a file.
func (o *Options) ReadFile(stdin io.Reader, name string) ([]*scenario.Scenario, error) {
	if name == "-" {
		return scenario.Read(stdin)
	}
	if files.IsFolder(name) {
		return nil, input.Errorf("it is a folder, not a file")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err.(*os.PathError).Err // the line names the path already
	}
	defer file.Close()
	return scenario.Read(file)
}

// ScenarioJob returns the election of a scenario, as far as flags do not change it.
func (o *Options) ScenarioJob(s *scenario.Scenario) (*Job, error) {
	c, err := sim.FromScenario(s, o.Find)
	if err != nil {
		return nil, err
	}
	in := &c.Input
	if n := len(in.IDs); n > o.Most {
		return nil, input.Errorf("ids: %d processes, at most %d can be %s", n, o.Most, o.Driven)
	}
	if o.RealTime() && (s.Steps != nil || s.Acts != nil || s.Schedule == scenario.Hand) {
		return nil, input.Errorf("steps and acts need virtual time, which elect sim has")
	}
	j := &Job{Unit: o.Unit, Params: s.ParamsOf(c.Algorithm), Config: c}
	// Complete does so below; planned, to which the result is compared, must have it too.
	if s.Delay != nil && j.Delay.Mean == 0 {
		j.Delay.Min = max(j.Delay.Min, 1)
	}
	planned := j.Config
	if err := o.schedule(&j.Config); err != nil {
		return nil, err
	}
	if o.RealTime() {
		j.Unordered, j.Delay = false, sim.Delay{} // channels keep the order and have no delays to set
	}
	if err := j.complete(); err != nil {
		return nil, err
	}
	asPlanned := !o.RealTime() && j.SameLinks(&planned)
	j.expect = s.Expected(&j.Input, asPlanned, j.Unordered)
	return j, nil
}
