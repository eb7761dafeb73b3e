package simcmd

import (
	"errors"
	"os"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
)

// recording is the trace of one election, while it runs.
type recording struct {
	files    *files.Trace
	recorder *trace.Recorder
	file     *os.File // not nil if the trace is written as it comes and not kept
}

// record attaches a recorder to a job. It returns nil if no flag wants a recording.
func record(a *console.Console, o *job.Options, j *job.Job) (*recording, error) {
	t := &o.Files
	if !t.Any() {
		return nil, nil
	}
	about := trace.About{Params: trace.Configured(j.Params), Seed: j.Seed, Until: j.Until}
	if o.RealTime() {
		about.Driver = "local"
	} else if j.Steps == nil {
		about.Schedule = j.Schedule
	}
	if d := j.Delay; d != (sim.Delay{}) {
		about.Delay = &d
	}
	if j.Unordered {
		about.FIFO = new(bool)
	}
	r := &recording{files: t}
	var err error
	switch {
	// Pictures and the log need the whole trace in memory. A trace alone is written as it comes.
	case !t.OnlyTrace():
		r.recorder, err = trace.NewRecorder(&j.Input, about)
	case t.Trace == files.Standard:
		r.recorder, err = trace.NewWriter(a.Stdout, &j.Input, about)
	default:
		if r.file, err = os.Create(t.Trace); err != nil {
			return nil, files.Unwritable("trace", t.Trace, err)
		}
		r.recorder, err = trace.NewWriter(r.file, &j.Input, about)
	}
	if err != nil {
		return nil, err
	}
	j.Observe = r.recorder.Observe
	return r, nil
}

// finish writes the files that are not written yet.
func (r *recording) finish(a *console.Console) error {
	if r == nil {
		return nil
	}
	written := r.files.OnlyTrace()
	err := r.recorder.Close()
	if r.file != nil {
		// Some file systems report a failed write only on Close.
		err = errors.Join(err, r.file.Close())
	}
	if err != nil {
		return files.Unwritable("trace", r.files.Trace, err)
	}
	return r.files.Write(a, r.recorder.Trace(), written)
}

// checkFiles checks the files of the flags that record.
func checkFiles(o *job.Options, jobs []*job.Job) error {
	some, standard, err := o.Files.Check(o.Reads()...)
	switch {
	case err != nil || !some:
		return err
	case len(jobs) > 1:
		return input.Errorf("--scenario %s: it holds %d scenarios, one can be recorded", o.Scenario,
			len(jobs))
	case standard && o.JSON:
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	o.Silent = standard
	return o.Files.CheckPictures(len(jobs[0].IDs))
}
