// Package experiment repeats the measurements of a paper with the Nodes of this project in the simulator.
// [Redundancy] measures how many processes start an election when a coordinator crashes. [Complexity]
// measures how many messages elections take and compares them with the formulas of the paper.
//
// The paper, by R. Nourmandipour, develops the modified bully algorithm to remove election redundancy. It
// does not state how processes notice a crash, how long messages take, or which quantities are random. This
// package therefore has two models of them; see [Model].
package experiment

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/go-election/election/input"
)

// Model determines which processes notice the crash, when, and how long messages take.
type Model string

// The models.
const (
	// Instant: from 1 to 6 processes, each number as likely, notice at the same instant. A message
	// takes a unit. Waits differ by at least ten units, or not at all, so that an election is over
	// before a process with a longer wait begins.
	Instant Model = "a"
	// Skewed: all notice, each at a time of its own within 40 units. A message takes from 1 to 10
	// units, and so do waits.
	Skewed Model = "b"
)

// About returns a one-line description of the model.
func (m Model) About() string {
	if m == Skewed {
		return "all notice within 40 units, a message takes 1 to 10 units"
	}
	return "1 to 6 processes notice at the same instant, elections are instant"
}

// Ties determines which pending-convenience time the tied processes have in common. One process in ten is
// tied.
type Ties string

// The readings of the paper.
const (
	TiedAtMaximum Ties = "maximum"  // the longest of all
	TiedAnywhere  Ties = "anywhere" // any
)

// Method is an algorithm that is tried.
type Method struct {
	Variant string // of modbully
	Wait    string // the policy of waiting; empty if there is none
	Ties    Ties   // empty if waits do not depend on it
}

// String returns a short name.
func (m Method) String() string {
	switch {
	case m.Wait == "":
		return m.Variant
	case m.Ties == "":
		return m.Variant + ", " + m.Wait
	}
	return m.Variant + ", " + m.Wait + ", tied " + map[Ties]string{TiedAtMaximum: "at maximum",
		TiedAnywhere: "anywhere"}[m.Ties]
}

// Methods returns all of them, in the order in which [Redundancy.Run] returns their series.
func Methods() []Method {
	return []Method{
		{Variant: "base"},
		{Variant: "convenience", Wait: "paper"},
		{Variant: "convenience", Wait: "own", Ties: TiedAtMaximum},
		{Variant: "convenience", Wait: "own", Ties: TiedAnywhere},
		{Variant: "convenience", Wait: "rank"},
		{Variant: "number"},
	}
}

// Trial is what came of one crash.
type Trial struct {
	Noticed  int    // processes that notice the crash, unless they hear of its successor first
	Started  int    // processes that start an election of their own
	Served   int    // announcements of the successor, each to all processes
	ByTop    bool   // whether the successor is one of the processes that start
	Messages uint64 // from the crash on
}

// Series are the trials of one method under one model. Trials of the same number have the same
// crash, the same processes that notice and the same times, whatever the method. Latencies are the same
// too from the crash to the successor's first announcement, unless a wait changes the order of messages.
type Series struct {
	Model  Model
	Method Method
	Trials []Trial
}

// Redundancy is figures 15 and 16 of the paper: n processes, the largest of which leads and
// crashes, again and again.
type Redundancy struct {
	N          int     // If zero, 50.
	Iterations int     // If zero, 10.
	Seed       uint64  // decides everything that is left to chance
	Models     []Model // If nil, both.

	// Progress, if not nil, is called after each iteration, by one goroutine at a time.
	Progress func(done, total int)
}

// The bounds of a [Redundancy].
const (
	FewestProcesses = 3 // one that crashes, its successor, and one more
	MostProcesses   = 1000
	MostIterations  = 1_000_000
)

// Complete fills in what is not given. The error wraps [election.ErrInput].
func (r *Redundancy) Complete() error {
	if r.N == 0 {
		r.N = 50
	}
	if r.Iterations == 0 {
		r.Iterations = 10
	}
	if r.Models == nil {
		r.Models = []Model{Instant, Skewed}
	}
	switch {
	case r.N < FewestProcesses || r.N > MostProcesses:
		return input.Errorf("%d processes, it must be from %d to %d", r.N, FewestProcesses, MostProcesses)
	case r.Iterations < 1 || r.Iterations > MostIterations:
		return input.Errorf("%d iterations, it must be from 1 to %d", r.Iterations, MostIterations)
	}
	for _, m := range r.Models {
		if m != Instant && m != Skewed {
			return input.Errorf("model %.60q is neither %s nor %s", m, Instant, Skewed)
		}
	}
	return nil
}

// Tied returns how many of n processes have the same pending-convenience time: one in ten. Fewer
// than two are none.
func Tied(n int) int {
	if n < 20 {
		return 0
	}
	return n / 10
}

// Run carries out all trials and returns a series for each model and method. The error is from ctx, or
// describes the first trial that did not elect the successor, which would be a bug.
func (r Redundancy) Run(ctx context.Context) ([]Series, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	methods := Methods()
	var all []Series
	for _, model := range r.Models {
		for _, m := range methods {
			all = append(all, Series{Model: model, Method: m, Trials: make([]Trial, r.Iterations)})
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	next, done := 0, 0
	begin := func() (i int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		i = next
		next++
		return i, i < r.Iterations && ctx.Err() == nil
	}
	end := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; r.Progress != nil {
			r.Progress(done, r.Iterations)
		}
	}
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), r.Iterations) {
		working.Go(func() {
			for i, more := begin(); more; i, more = begin() {
				if err := r.iterate(ctx, i, all); err != nil {
					stop(fmt.Errorf("iteration %d: %w", i+1, err))
					return
				}
				end()
			}
		})
	}
	working.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return all, nil
}

// iterate fills in trial i of all series.
func (r *Redundancy) iterate(ctx context.Context, i int, all []Series) error {
	var c *crash
	for k := range all {
		s := &all[k]
		// All methods of a model face the same crash, so that their numbers can be compared.
		if c == nil || c.model != s.Model {
			c = r.draw(s.Model, i)
		}
		t, err := c.try(ctx, s.Method)
		if err != nil {
			return fmt.Errorf("model %s, %v: %w", s.Model, s.Method, err)
		}
		s.Trials[i] = t
	}
	return nil
}

// MeanStarted returns how many processes start an election on average.
func (s *Series) MeanStarted() float64 {
	return s.mean(func(t *Trial) float64 { return float64(t.Started) })
}

// MeanServed returns how many elections are served on average.
func (s *Series) MeanServed() float64 {
	return s.mean(func(t *Trial) float64 { return float64(t.Served) })
}

// MeanMessages returns how many messages there are on average.
func (s *Series) MeanMessages() float64 {
	return s.mean(func(t *Trial) float64 { return float64(t.Messages) })
}

// ShareStarted returns in which share of the trials more than one process starts.
func (s *Series) ShareStarted() float64 {
	return s.mean(func(t *Trial) float64 { return above1(t.Started) })
}

// ShareServed returns in which share of the trials more than one election is served.
func (s *Series) ShareServed() float64 {
	return s.mean(func(t *Trial) float64 { return above1(t.Served) })
}

func above1(n int) float64 {
	if n > 1 {
		return 1
	}
	return 0
}

func (s *Series) mean(of func(*Trial) float64) float64 {
	sum := 0.0
	for i := range s.Trials {
		sum += of(&s.Trials[i])
	}
	return sum / float64(len(s.Trials))
}
