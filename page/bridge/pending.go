package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// next is something that may happen after a step.
type next struct {
	Act     act      `json:"act"` // the act that makes it happen now
	Due     float64  `json:"due"`
	From    int      `json:"from"` // places; -1 for none
	To      int      `json:"to"`
	Words   string   `json:"words"`
	Message *message `json:"message,omitempty"`
	Outside string   `json:"outside,omitempty"` // why the model excludes that it happens now
	Refused string   `json:"refused,omitempty"` // why it cannot happen now
}

// act is a step that a hand takes, as a scenario has it.
type act struct {
	Do      string `json:"do"`
	Process number `json:"process,omitzero"`
	Port    uint32 `json:"port,omitempty"`
	Nth     int    `json:"nth,omitempty"`
	Timer   uint8  `json:"timer,omitempty"`
	Layer   uint8  `json:"layer,omitempty"`

	Command string   `json:"command,omitempty"`
	Voters  []number `json:"voters,omitempty"`
}

// number is written as a string if JavaScript would round it.
type number uint64

// MarshalJSON writes the number.
func (n number) MarshalJSON() ([]byte, error) {
	if n <= 1<<53 {
		return strconv.AppendUint(nil, uint64(n), 10), nil
	}
	return strconv.AppendQuote(nil, strconv.FormatUint(uint64(n), 10)), nil
}

// message is the content of a message.
type message struct {
	Kind     string `json:"kind"`
	Term     number `json:"term"`
	ID       number `json:"id"`
	Priority number `json:"priority"`
	Value    number `json:"value"`
	Round    uint32 `json:"round"`
	Flags    uint8  `json:"flags"`
	Layer    uint8  `json:"layer"`
}

// pending lists what may happen after a step, in order of time.
func (b *Bridge) pending(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
		Step     int             `json:"step"`
	}
	if err := read(args, &in); err != nil {
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
	var waits []sim.Pending
	for p := range s.Pending() {
		waits = append(waits, p)
	}
	words, err := r.sayAll(s, waits)
	if err != nil {
		return Reply{}, err
	}
	all := make([]next, len(waits))
	for i := range waits {
		all[i] = r.next(&waits[i], words[i])
		if waits[i].Do == observe.Start && r.config.Schedule != sim.Hand {
			all[i].Refused = "it starts in its turn, and an act would start it once more"
		}
		switch s.Status(waits[i].To) {
		case sim.Paused: // brought to it now, it would only wait there
			if all[i].Refused == "" {
				all[i].Refused = fmt.Sprintf("it waits until %d resumes", waits[i].Process)
			}
		case sim.Down:
			if waits[i].Do == observe.Deliver {
				all[i].Words += ", which is lost: it is down"
			}
		}
	}
	return written(all)
}

// sayAll describes the pending events in words. It makes one trace of all of them, since making a trace takes
// time in proportion to the number of processes. The events do not form a run, but each has the same words as
// alone.
func (r *run) sayAll(s *sim.Sim, waits []sim.Pending) ([]string, error) {
	in := r.config.Input
	recorder, err := trace.NewRecorder(&in, r.about())
	if err != nil {
		return nil, err
	}
	t := &trace.Trace{Header: recorder.Trace().Header}
	for i := range waits {
		p := &waits[i]
		e := trace.Event{Process: p.Process, Do: p.Do, Port: p.Port, Timer: p.Timer, Layer: p.Layer,
			Message: p.Message}
		switch p.Do {
		case observe.Deliver:
			e.Peer = r.config.IDs[p.From]
		case observe.Timeout:
			e.Timer = r.named(&t.Header, s, p)
		}
		t.Events = append(t.Events, e)
	}
	words := trace.NewSentences(t).Wire(1, len(waits)) // what comes of an event is not known yet
	for i := range waits {
		if waits[i].Do == observe.Command {
			words[i] = r.sayCommand(t.Header, &waits[i])
		}
	}
	return words, nil
}

// named returns the timer of a header that has the purpose of a pending one for its name. It adds the name if there is
// none.
func (r *run) named(h *trace.Header, s *sim.Sim, p *sim.Pending) uint8 {
	all, name := r.machines(s.Machines(p.To), p.To), ""
	if of := slices.IndexFunc(all, func(m machine) bool { return m.layer == int(p.Layer) }); of >= 0 {
		name = all[of].purpose(p.Timer)
	}
	if name == "" {
		return p.Timer
	}
	names := h.Timers[p.Layer]
	i := slices.Index(names, name)
	if i < 0 {
		i = len(names)
		h.Timers = slices.Clone(h.Timers)
		h.Timers[p.Layer] = append(slices.Clip(names), name)
	}
	return uint8(i)
}

// sayCommand describes a command that is planned. A list takes several events; the last one contains the whole list.
func (r *run) sayCommand(h trace.Header, p *sim.Pending) string {
	t := &trace.Trace{Header: h}
	for _, m := range r.config.Algorithm.CommandsOf(p.Command, p.Voters) {
		t.Events = append(t.Events, trace.Event{Process: r.config.IDs[p.To], Do: observe.Command, Message: m})
	}
	return trace.NewSentences(t).Of(len(t.Events), len(t.Events))[0]
}

// next describes something that is pending.
func (r *run) next(p *sim.Pending, words string) next {
	n := next{
		Act: act{Do: p.Do.String(), Process: number(p.Process), Port: uint32(p.Port), Nth: p.Nth,
			Timer: p.Timer, Layer: p.Layer, Command: p.Command},
		Due: units(p.Due), From: p.From, To: p.To, Words: words,
	}
	for _, id := range p.Voters {
		n.Act.Voters = append(n.Act.Voters, number(id))
	}
	if p.Do == observe.Deliver {
		n.Message = r.message(&p.Message)
	}
	if n.Outside = p.Outside; p.Refused != nil {
		n.Refused = input.Reason(p.Refused)
	}
	return n
}

// message returns the content of a message.
func (r *run) message(m *election.Message) *message {
	return &message{Kind: r.config.Algorithm.KindName(m.Kind), Term: number(m.Term), ID: number(m.Rank.ID),
		Priority: number(m.Rank.Priority), Value: number(m.Value), Round: m.Round, Flags: m.Flags,
		Layer: m.Layer}
}
