package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// film runs a scenario and returns its film; its head is the reply's JSON.
func (b *Bridge) film(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
		Most     int             `json:"most"` // events
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, in.Most)
	if err != nil {
		return Reply{}, err
	}
	if r.positions == nil {
		r.positions = b.placed(r.scenario)
	}
	f, err := r.film(ctx)
	if err != nil {
		return Reply{}, err
	}
	b.network, b.positions = networkOf(r.scenario), f.Head.Positions
	// Later calls refer to the run by the scenario of its film, which may differ from the scenario in this
	// call.
	if key, err := f.Head.Scenario.MarshalJSON(); err == nil {
		r.key = string(key)
	}
	return r.filmed(f)
}

// networkOf names the network of a scenario.
func networkOf(s *scenario.Scenario) string {
	text, err := json.Marshal([]any{s.Algorithm, s.Variant, s.Topology, s.IDs})
	if err != nil {
		return "" // like no other, which is slower
	}
	return string(text)
}

// placed returns the places of the processes in the last film, if it has the same network.
func (b *Bridge) placed(s *scenario.Scenario) [][2]float64 {
	if name := networkOf(s); name != "" && name == b.network {
		return b.positions
	}
	return nil
}

// filmed returns the reply that has a film.
func (r *run) filmed(f *trace.Film) (Reply, error) {
	if r.config.Algorithm.Sections == 0 {
		f.Head.Sections = nil
	}
	f.Head.Wrong = wrong(f, r.config.Algorithm)
	f.Head.About, f.Head.Summary = about(&f.Head, r.config.Algorithm), r.config.Algorithm.Summary
	data, err := f.Encode()
	if err != nil {
		return Reply{}, err
	}
	reply, err := written(&f.Head)
	reply.Data = data
	return reply, err
}

// networks are how processes are linked.
var networks = map[string]string{"ring": " in a ring", "tree": " in a tree", "graph": " in a network",
	"complete": " each linked to all others", "cube": " in a hypercube", "grid": " in a grid",
	"torus": " in a torus"}

// about returns a description of the film for its viewer.
func about(h *trace.FilmHead, a *election.Algorithm) string {
	where, aim := networks[h.Shape], "elect one leader"
	if h.Shape == "ring" && h.OneWay {
		where = " in a one-way ring"
	}
	switch {
	case a.Wins() == "none":
		aim = "enter a critical section one at a time"
	case a.Elects == election.GroupLeaders:
		aim = "elect one leader a group"
	}
	return fmt.Sprintf("%s%s %s.", prose.Plural(len(h.IDs), "process"), where, aim)
}

// film runs the scenario and takes it down.
func (r *run) film(ctx context.Context) (*trace.Film, error) {
	if r.fixed {
		f, _, err := r.refilm()
		return f, err
	}
	if err := r.doubt(ctx); err != nil {
		return nil, err
	}
	c := r.config
	about := r.about()
	about.Positions = r.positions
	filming, err := trace.NewFilming(&c.Input, about)
	if err != nil {
		return nil, err
	}
	f := filming.Film()
	observer := filming.Observe
	judge := &scenario.Judge{Input: &c.Input, Steps: c.Steps, Acts: c.Acts,
		Hand: c.Schedule == sim.Hand, Expect: r.scenario.Expected(&c.Input, true, c.Unordered)}
	if c.Steps != nil || judge.Hand || c.Algorithm.Sections > 0 {
		observer = observe.Both(judge.Observe, observer)
	}
	r.look(filming, func() *sim.Sim { return r.playing })
	s, stopped, err := r.play(ctx, func() int { return len(f.Events.Do) }, observer)
	if err != nil {
		return nil, err
	}
	if err := filming.Close(); err != nil {
		return nil, err
	}
	f = filming.Film()
	f.Head.End = units(s.Now())
	f.Head.Loans = trace.Held(filming.Loans())
	r.fill(&f.Head, s)
	if f.Head.Stopped = stopped; stopped != "" {
		// The command runs to the end, so it prints the hash of the whole run.
		f.Head.Hash, f.Head.Result = "unknown", "the film ends "+stopped+": "+f.Head.Result
		r.refused(&f.Head, s.Err())
		return f, nil
	}
	_, refused := errors.AsType[*observe.ProcessError](s.Err())
	if errors.Is(s.Err(), observe.ErrPanic) || refused && len(c.Acts)+len(c.Steps) == 0 {
		f.Head.Hash = "unknown" // the command prints only that a Node has panicked, or that a planned start was refused
	}
	err = s.Run(ctx) // the run has ended; Run returns an error about acts that had no turn
	// What cannot be done is refused, as by the command; a process that refuses a start is a part of the run.
	if _, ok := errors.AsType[*observe.ProcessError](err); errors.Is(err, election.ErrInput) && !ok {
		return nil, err
	}
	h := &f.Head
	r.refused(h, err)
	result, known, reason := s.Result(), 0, "" // errors that the result has in other words, and better ones
	if err := judge.Err(&result.Result, &result.Time); err != nil {
		switch {
		case !errors.Is(err, verdict.ErrNoLeader):
		case strings.HasPrefix(h.Result, "no process leads"):
			if known = 1; errors.Is(err, scenario.ErrUntold) {
				known, reason = 0, scenario.ErrUntold.Error()
			}
		case len(h.Errors) > 0 || result.Claimants != 1:
		case result.Broken(verdict.Rightful{}) == verdict.Agreement:
			reason = "not all follow it"
		}
		h.OK = false
		h.Errors = append(h.Errors, input.Reason(err))
	}
	// A run by hand is not over, and a counterexample has its violation in its Property.
	if len(h.Errors) > known && !judge.Hand && r.scenario.Property == "" {
		h.Result += ": " + cmp.Or(reason, h.Errors[0])
	}
	return f, nil
}

// doubt removes Property and Note from the scenario if its run does not violate that property: a file or an
// address may claim anything.
func (r *run) doubt(ctx context.Context) error {
	claims := r.scenario.Property
	if claims == "" || r.doubted {
		return nil
	}
	a, err := r.happened(ctx)
	if errors.Is(err, election.ErrInput) {
		return nil // the film contains the error
	}
	if err != nil {
		return err
	}
	v, err := a.judge(ctx, claims)
	if err != nil && !errors.Is(err, election.ErrInput) {
		return err
	}
	if r.doubted = true; v == nil {
		plain := *r.scenario
		plain.Property, plain.Note = "", ""
		r.scenario = &plain
	}
	return nil
}

// fill fills in what only the run knows.
func (r *run) fill(h *trace.FilmHead, s *sim.Sim) {
	res, a := s.Result(), r.config.Algorithm
	h.Scenario, h.Command = r.scenario, command(r.scenario, r.config.Force)
	h.Hash = fmt.Sprintf("%016x", res.TraceHash)
	h.Messages, h.Bits = res.Messages, res.Bits
	for _, k := range res.ByKind {
		h.Counts[k.Kind] = k.Count
	}
	h.Time = units(res.Time)
	h.OK = true
	if a.Sections > 0 && r.scenario.Property == "" {
		entries := "1 entry"
		if n := len(res.Entries); n != 1 {
			entries = prose.Grouped(uint64(n)) + " entries"
		}
		h.Result = fmt.Sprintf("%s, %s", entries, prose.Plural(int(res.Messages), "message"))
	}
	for k := range a.Kinds {
		h.Announce[k] = a.Kinds[k].Announces
	}
	h.Outside = append(h.Outside, r.outside...)
	for _, o := range res.Outside {
		h.Outside = append(h.Outside, trace.FilmOutside{Step: int(o.After) + 1, Why: o.Why})
	}
}

// refused notes what ended the run, and the starts that were refused.
func (r *run) refused(h *trace.FilmHead, err error) {
	if err != nil {
		h.OK = false
		h.Errors = append(h.Errors, errorLines(err)...)
	}
}

// errorLines returns the texts of the errors that [errors.Join] has made one. Other errors wrap several too:
// an input error its sentinel and its reason, which are one text.
func errorLines(err error) (lines []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		if all := joined.Unwrap(); errors.Join(all...).Error() == err.Error() {
			for _, one := range all {
				lines = append(lines, errorLines(one)...)
			}
			return lines
		}
	}
	return []string{oneLine(errors.New(input.Reason(err))).Error()}
}
