package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Recorder records a run. Its method Observe is the observer of a driver. Drivers of several processes may
// share one Recorder.
type Recorder struct {
	mu      sync.Mutex
	trace   Trace
	w       *bufio.Writer             // if nil, the trace is kept
	film    *filming                  // if not nil, a film is kept instead
	nodes   func(p int) election.Node // see Look
	ballots *ballots
	names   *names
	lines   *json.Encoder // to w
	err     error
	places  map[election.ID]int
	seq     []uint64 // how many events each process has
	sent    []place  // where each message was sent, by number
	open    map[under][]Ref
	alone   bool // what is open is so for a step
}

// place is the name of an event, in half the space.
type place struct {
	process uint32
	seq     uint32
}

// under is a message on its way that has no number.
type under struct {
	from, to election.ID
	port     election.Port // of the receiver
	message  election.Message
}

// NewRecorder returns a Recorder for a run of an Input, which is completed as by
// [scenario.Input.Check]. It keeps the whole trace, see [Recorder.Trace].
func NewRecorder(in *scenario.Input, about About) (*Recorder, error) {
	h, err := newHeader(in, about)
	if err != nil {
		return nil, err
	}
	r := newRecorder(h)
	r.alone = about.Alone
	return r, nil
}

// NewWriter returns a Recorder that writes the trace to w as it comes and keeps none. [Recorder.Close]
// writes what is left.
func NewWriter(w io.Writer, in *scenario.Input, about About) (*Recorder, error) {
	r, err := NewRecorder(in, about)
	if err != nil {
		return nil, err
	}
	r.w = bufio.NewWriterSize(w, 1<<16)
	r.lines = encoder(r.w)
	return r, r.lines.Encode(r.trace.Header.line())
}

// NewFilming returns a Recorder that keeps no trace, but a film, see [Recorder.Film].
func NewFilming(in *scenario.Input, about About) (*Recorder, error) {
	r, err := NewRecorder(in, about)
	if err != nil {
		return nil, err
	}
	r.film, err = newFilming(&r.trace.Header, about.Positions)
	return r, err
}

func newRecorder(h Header) *Recorder {
	r := &Recorder{trace: Trace{Header: h}, names: newNames(h.Kinds), places: make(map[election.ID]int)}
	for p, id := range h.Scenario.IDs {
		r.places[id] = p
	}
	r.seq = make([]uint64, len(r.places))
	r.open = make(map[under][]Ref)
	return r
}

// Trace returns what was recorded so far, if it is kept. It is not a copy: call it when the run is over.
func (r *Recorder) Trace() *Trace { return &r.trace }

// Look records in the film which votes are lent. After each step it calls nodes, which returns the Node of a process, or
// nil if the process is down. Call Look before the run begins.
func (r *Recorder) Look(nodes func(p int) election.Node) {
	r.nodes, r.ballots = nodes, newBallots(&r.trace.Header, r.places)
}

func (r *Recorder) look(p int, o *observe.Occurrence) {
	if o.What == observe.Crash {
		r.ballots.look(p, nil, o.At)
		return
	}
	r.ballots.look(p, r.nodes(p), o.At)
}

// Loans returns the votes that were lent, or the records of a store, up to the end of the film. Without
// [Recorder.Look] there are no votes.
func (r *Recorder) Loans() []Loan {
	f := r.Film()
	switch {
	case f == nil:
		return nil
	case f.Store() != noProcess:
		return f.records()
	case r.ballots != nil:
		return r.ballots.close(f.end())
	}
	return nil
}

// Film returns the film of what was recorded so far, which is not a copy. It returns nil unless the Recorder is
// of NewFilming.
func (r *Recorder) Film() *Film {
	if r.film == nil {
		return nil
	}
	r.film.finish()
	return r.film.film
}

// Flush writes what is left. A process that may be killed calls it from its observer, behind
// [Recorder.Observe]: then its trace holds every message that other processes have received from it.
func (r *Recorder) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w != nil {
		if err := r.w.Flush(); err != nil {
			r.fail(err)
		}
	}
}

// Close writes what is left and returns the first thing that went wrong: an error of the writer, or an
// event that cannot be part of this run.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w != nil {
		r.err = errors.Join(r.err, r.w.Flush())
		// A driver may report events even after Close. They must not reach the caller's writer any more.
		r.lines = encoder(io.Discard)
	}
	return r.err
}

// Observe records what a driver reports.
func (r *Recorder) Observe(o *observe.Occurrence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.places[o.Process]
	if !ok {
		r.fail(input.Errorf("%d is not a process of this run", o.Process))
		return
	}
	if r.ballots != nil {
		defer r.look(p, o)
	}
	e := Event{Process: o.Process, At: o.At, Do: o.What, State: string(o.State)}
	switch o.What {
	case observe.Step:
		r.step(p, e, o)
		return
	case observe.Cut, observe.Heal:
		e.Port = o.Event.Port
	case observe.Lose, observe.Duplicate, observe.Delay:
		e.From = r.sending(o.Message)
		// Drivers without numbers report the message itself instead.
		if o.Message == 0 && o.Event != nil {
			e.From = r.unsent(p, o.Event)
		}
	}
	r.add(p, e)
}

func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// sending returns which event has sent the message of a number.
func (r *Recorder) sending(number uint64) Ref {
	if number == 0 || number > uint64(len(r.sent)) {
		return Ref{}
	}
	at := r.sent[number-1]
	return Ref{r.trace.Header.Scenario.IDs[at.process], uint64(at.seq)}
}

// step records a step: what happened, and what the process did then.
func (r *Recorder) step(p int, e Event, o *observe.Occurrence) {
	ev := o.Event
	e.Do, e.Port, e.Message, e.Timer, e.Layer = observe.What(ev.Op), ev.Port, ev.Msg, ev.Timer, ev.Layer
	if e.Do.Op() == 0 {
		r.fail(input.Errorf("%v cannot happen to a process", ev.Op))
		return
	}
	if e.Do == observe.Deliver {
		links := r.trace.Header.Links
		if ev.Port < election.Port(links.Ports(p)) {
			if q, ok := topology.Behind(links, p, ev.Port); ok {
				e.Peer = r.trace.Header.Scenario.IDs[q]
			}
		}
		if e.From = r.sending(o.Message); o.Message == 0 {
			e.From = r.match(under{from: e.Peer, to: e.Process, port: ev.Port, message: ev.Msg})
		}
	}
	r.add(p, e.stimulus())
	// The receipts of what it sent before are in other traces. Keep only the sendings of this step, which may
	// still fail.
	if r.alone {
		clear(r.open)
	}
	effects(&r.trace.Header, p, o, func(e Event) {
		r.add(p, e)
		if e.Do != observe.Send {
			return
		}
		// Numbered messages are found by their number, so no table of open ones is kept.
		if o.First != 0 {
			r.sent = append(r.sent, place{uint32(p), uint32(r.seq[p])})
			return
		}
		if q, back, ok := r.trace.Header.Links.Link(p, e.Port); ok {
			u := under{from: e.Process, to: r.trace.Header.Scenario.IDs[q], port: back, message: e.Message}
			r.open[u] = append(r.open[u], Ref{e.Process, r.seq[p]})
		}
	})
}

// match returns which sending a message without a number came from: the first of those alike.
func (r *Recorder) match(u under) Ref {
	all := r.open[u]
	if len(all) == 0 {
		return Ref{}
	}
	if r.open[u] = all[1:]; len(all) == 1 {
		delete(r.open, u)
	}
	return all[0]
}

// unsent returns which sending has failed: the last of those alike.
func (r *Recorder) unsent(p int, ev *election.Event) Ref {
	h := &r.trace.Header
	q, back, ok := h.Links.Link(p, ev.Port)
	if !ok {
		return Ref{}
	}
	u := under{from: h.Scenario.IDs[p], to: h.Scenario.IDs[q], port: back, message: ev.Msg}
	all := r.open[u]
	if len(all) == 0 {
		return Ref{}
	}
	// A sending that fails is the latest of those alike. A receipt takes the oldest instead, see match.
	r.open[u] = all[:len(all)-1]
	return all[len(all)-1]
}

// add numbers an event and records it.
func (r *Recorder) add(p int, e Event) {
	r.seq[p]++
	e.Seq = r.seq[p]
	if r.film != nil {
		r.film.add(p, &e)
		return
	}
	if r.w == nil {
		r.trace.Events = append(r.trace.Events, e)
		return
	}
	written := e // which escapes; e of a film must not
	if err := r.lines.Encode(written.line(r.names)); err != nil {
		r.fail(err)
	}
}
