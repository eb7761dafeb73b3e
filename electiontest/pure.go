package electiontest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/observe"
)

// moment is an event of a process.
type moment struct {
	p     int
	ev    election.Event
	fresh bool   // the process has recovered: the event is for a new Node
	state []byte // if not nil, the state of the new Node
}

// history contains all events of one run. It is replayed to other Nodes than the ones in the run, so that
// nothing depends on what those Nodes did to the events.
type history struct {
	in      scenario.Input
	moments []moment
	env     *election.Env
	drawn   int // by Env.Choose
}

// longest is the maximum length of a history.
const longest = 3000

// histories returns the histories of random runs, at most most and at most Options.Seeds. If fit is not nil, it
// selects the runs.
func (t *trial) histories(most int, fit func(plan *soak.Plan) bool) (all []*history, err error) {
	c, count := t.soaking(), min(most, int(min(t.Seeds, math.MaxInt)))
	// Some seeds do not fit. Give up after twenty times as many, or an algorithm that fits none would never
	// end.
	for seed := uint64(0); len(all) < count && seed < uint64(20*count); seed++ {
		plan, err := c.Plan(seed)
		if err != nil {
			return nil, err
		}
		if fit == nil || fit(plan) {
			all = append(all, record(plan))
		}
	}
	return all, nil
}

// lasting reports whether a run has several processes and none recovers, so that the Nodes are the same until
// the end.
func lasting(plan *soak.Plan) bool {
	return len(plan.IDs) > 1 && len(plan.RecoverAt) == 0 && len(plan.RestartAt) == 0
}

// record runs an election and records its history.
func record(plan *soak.Plan) *history {
	h := &history{in: plan.Input}
	where := plan.Positions()
	back := make(map[election.ID]*moment)
	short, bound := *plan, &limit{most: math.MaxInt}
	short.Algorithm = bound.over(plan.Algorithm)
	short.Run(func(o *observe.Occurrence) {
		switch o.What {
		case observe.Recover:
			back[o.Process] = &moment{fresh: true}
		case observe.Restart:
			back[o.Process] = &moment{fresh: true, state: append([]byte{}, o.State...)}
		case observe.Step:
			// Stop the Nodes instead of the run: soak cannot end a run early.
			if len(h.moments) == longest {
				bound.stop()
				return
			}
			m := moment{}
			if b := back[o.Process]; b != nil {
				m = *b
				delete(back, o.Process)
			}
			m.p, m.ev = where[o.Process], *o.Event
			h.moments = append(h.moments, m)
		}
	})
	h.prepare()
	return h
}

// prepare creates the Env for the steps of the history.
func (h *history) prepare() {
	h.env = election.NewEnv(&h.in, func(n int) int {
		h.drawn++
		// Deterministic, but different from draw to draw: a Node that always drew zero would hide mistakes.
		return h.drawn * 7 % n
	})
}

// hosts returns a new Node for each process.
func (h *history) hosts() []election.TermKeeper {
	all := make([]election.TermKeeper, len(h.in.IDs))
	for p := range all {
		all[p] = h.in.Node(p)
	}
	return all
}

// renew replaces the Node of a process that recovers.
func (h *history) renew(host *election.TermKeeper, m *moment) error {
	if !m.fresh {
		return nil
	}
	*host = h.in.Node(m.p)
	if m.state == nil {
		return nil
	}
	return new(election.State).Restore(host, m.state)
}

// stale is the content of an event that a Node reads after its Step.
const stale = 0xee

// step steps a Node and returns a copy of the effects.
func (h *history) step(i int, host *election.TermKeeper, p int, ev election.Event) (fx election.Effects,
	err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v panics: %v", &happens{h, p, &ev}, r)
		}
	}()
	h.drawn = i
	// Pass a copy, to detect whether the Node modifies it.
	given := ev
	got := h.env.Begin(p)
	host.Step(h.env, &given)
	if given != ev {
		return fx, fmt.Errorf("%v: the Node changes the event", &happens{h, p, &ev})
	}
	fx = *got
	fx.Sends, fx.Timers, fx.Signals = slices.Clone(got.Sends), slices.Clone(got.Timers),
		slices.Clone(got.Signals)
	// A Node that has retained the event reads these values later, and behaves differently.
	given = election.Event{Op: stale, Port: stale, Msg: election.Message{Term: stale, Kind: stale}}
	return fx, nil
}

// happens formats an event lazily, because it is seldom printed.
type happens struct {
	h  *history
	p  int
	ev *election.Event
}

// String returns the process and the event.
func (w *happens) String() string {
	text := fmt.Sprintf("process %d among %v, at %v", w.h.in.IDs[w.p], w.h.in.IDs, w.ev.Op)
	if w.ev.Op == election.Recv {
		text += fmt.Sprintf(" of %s by port %d (%+v)", w.h.in.Algorithm.KindName(w.ev.Msg.Kind), w.ev.Port,
			w.ev.Msg)
	}
	return text
}

// differ returns an error that describes how two effects differ, or nil if they are equal.
func differ(a, b *election.Effects) error {
	switch {
	case !slices.Equal(a.Sends, b.Sends):
		return fmt.Errorf("it sends %+v, and %+v", a.Sends, b.Sends)
	case a.String() != b.String():
		return fmt.Errorf("it does [%v], and [%v]", a, b)
	case a.Outcome != b.Outcome:
		return fmt.Errorf("it decides %+v, and %+v", a.Outcome, b.Outcome)
	case !errors.Is(a.Err, b.Err) && !reflect.DeepEqual(a.Err, b.Err):
		return fmt.Errorf("it refuses with %v, and with %v", a.Err, b.Err)
	case !slices.Equal(a.Timers, b.Timers):
		return fmt.Errorf("it sets the timers %+v, and %+v", a.Timers, b.Timers)
	case !slices.Equal(a.Signals, b.Signals):
		return fmt.Errorf("it raises %+v, and %+v", a.Signals, b.Signals)
	}
	return nil
}

// play replays a history to a Node of each process and calls show for each step.
func (h *history) play(hosts []election.TermKeeper,
	show func(i int, m *moment, fx *election.Effects) error) error {
	for i := range h.moments {
		m := &h.moments[i]
		if err := h.renew(&hosts[m.p], m); err != nil {
			return fmt.Errorf("what process %d has saved does not come back: %w", h.in.IDs[m.p], err)
		}
		fx, err := h.step(i, &hosts[m.p], m.p, m.ev)
		if err != nil {
			return err
		}
		if show != nil {
			if err := show(i, m, &fx); err != nil {
				return err
			}
		}
	}
	return nil
}

// purity replays histories three times: alone, alone again, and interleaved with other Nodes of the algorithm.
func purity(t *trial) error {
	before := runtime.NumGoroutine()
	all, err := t.histories(30, nil)
	if err != nil {
		return err
	}
	for _, h := range all {
		var did []election.Effects
		if err := h.play(h.hosts(), func(_ int, _ *moment, fx *election.Effects) error {
			did = append(did, *fx)
			return nil
		}); err != nil {
			return err
		}
		if err := h.plays(did, nil); err != nil {
			return err
		}
		// A variable that Nodes share is revealed if other Nodes take the same steps in between.
		if err := h.plays(did, h.hosts()); err != nil {
			return err
		}
	}
	if left := leftOf(runtime.NumGoroutine, before); left > 0 {
		return fmt.Errorf("a Node is a pure state machine, and has left %d goroutines behind", left)
	}
	return nil
}

// plays replays a history and compares the effects with the earlier ones. If there are others, each of them
// takes every step after its twin.
func (h *history) plays(did []election.Effects, others []election.TermKeeper) error {
	return h.play(h.hosts(), func(i int, m *moment, fx *election.Effects) error {
		if err := differ(&did[i], fx); err != nil {
			return fmt.Errorf("the same is not the same again: %v: %w; does it depend on a clock, on "+
				"chance, on the order of a map, or on another Node?", &happens{h, m.p, &m.ev}, err)
		}
		if others == nil {
			return nil
		}
		if err := h.renew(&others[m.p], m); err != nil {
			return err
		}
		_, err := h.step(i, &others[m.p], m.p, m.ev)
		return err
	})
}

// Maximum number and length of disorderly runs.
const (
	disorders     = 40
	disorderSteps = 100
)

// state saves and restores a Node before each of its steps.
func state(t *trial) error {
	all, err := t.histories(10, nil)
	if err != nil {
		return err
	}
	for i, h := range all {
		if err := h.keeps(i); err != nil {
			return err
		}
	}
	for number := range min(4*t.Seeds, disorders) {
		h, err := t.disorderly(number, disorderSteps)
		if err != nil {
			return err
		}
		if err := h.keeps(int(number)); err != nil {
			return err
		}
	}
	return nil
}

// keeps tries State on one history, the number of which is given.
func (h *history) keeps(number int) error {
	if err := zeroAtFirst(h); err != nil {
		return err
	}
	r, err := restored(h)
	if err != nil {
		return err
	}
	if err := resets(h, r); err != nil {
		return err
	}
	if number%4 > 0 {
		return nil // corrupting every byte of a state takes longer than everything else
	}
	return damaged(h, r.p, r.middle)
}

// zeroAtFirst compares new Nodes with reset ones.
func zeroAtFirst(h *history) error {
	for p, host := range h.hosts() {
		made := new(election.State).Append(nil, &host)
		new(election.State).Reset(&host)
		if reset := new(election.State).Append(nil, &host); !bytes.Equal(made, reset) {
			return fmt.Errorf("process %d among %v: in the state that New makes %s as in one that is reset; "+
				"the constructor must leave what State visits zero: set it on Init", h.in.IDs[p], h.in.IDs,
				apart(made, reset))
		}
	}
	return nil
}

// apart describes the place at which a state differs from the expected one.
func apart(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d is %02x, not %02x", i, len(got), got[i], want[i])
		}
	}
	return fmt.Sprintf("there are %d bytes, not %d", len(got), len(want))
}

// played is the result of replaying a history.
type played struct {
	hosts  []election.TermKeeper
	did    []election.Effects
	p      int    // process of the middle step
	middle []byte // its state after that step
}

// restored compares Nodes that continue with Nodes that are restored, into used Nodes, before each step.
func restored(h *history) (*played, error) {
	r := &played{hosts: h.hosts(), did: make([]election.Effects, 0, len(h.moments))}
	hosts, twins, saved := r.hosts, h.hosts(), make([][]byte, len(h.in.IDs))
	var st election.State
	var again, after, twinAfter []byte // reused, because every step of every history needs them
	for p := range saved {
		saved[p] = new(election.State).Append(nil, &hosts[p])
	}
	return r, h.play(hosts, func(i int, m *moment, fx *election.Effects) error {
		r.did = append(r.did, *fx)
		if m.fresh {
			back := h.in.Node(m.p)
			if err := h.renew(&back, m); err != nil {
				return err
			}
			saved[m.p] = new(election.State).Append(nil, &back)
		}
		what, twin := &happens{h, m.p, &m.ev}, &twins[m.p]
		if i%2 == 0 { // in a used twin, a field that State omits has a value from the twin's own steps
			fresh := h.in.Node(m.p)
			twin = &fresh
		}
		if err := st.Restore(twin, saved[m.p]); err != nil {
			return fmt.Errorf("before %v: what was saved does not come back: %w", what, err)
		}
		// The checker compares states by their bytes, so a state must have only one encoding.
		if again = st.Append(again[:0], twin); !bytes.Equal(again, saved[m.p]) {
			return fmt.Errorf("before %v: the same state has other bytes once it is restored: %x, then %x",
				what, saved[m.p], again)
		}
		got, err := h.step(i, twin, m.p, m.ev)
		if err != nil {
			return fmt.Errorf("restored from its state, %w", err)
		}
		if err := differ(fx, &got); err != nil {
			return fmt.Errorf("restored from its state a Node does something else: %v: %w; does State "+
				"visit every field that a Step changes?", what, err)
		}
		if hosts[m.p].Ended() != twin.Ended() {
			return fmt.Errorf("restored from its state a Node differs in whether the election has ended, "+
				"after %v; does State visit every field?", what)
		}
		after, twinAfter = st.Append(after[:0], &hosts[m.p]), st.Append(twinAfter[:0], twin)
		if !bytes.Equal(after, twinAfter) {
			return fmt.Errorf("restored from its state a Node comes to another: after %v it is %x, and "+
				"%x; does State visit every field?", what, after, twinAfter)
		}
		saved[m.p] = append(saved[m.p][:0], after...)
		if i == len(h.moments)/2 {
			r.p, r.middle = m.p, slices.Clone(after)
		}
		return nil
	})
}

// damaged restores bytes that are not a state.
func damaged(h *history, p int, b []byte) (err error) {
	host := h.in.Node(p)
	fresh := new(election.State).Append(nil, &host)
	var st election.State
	var now []byte
	var kind string // kind of damage, formatted only when printed
	var at int
	damage := func() string { return fmt.Sprintf(kind, at, len(b)) }
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("restoring a state %s panics: %v", damage(), r)
		}
	}()
	refused := func(b []byte) error {
		if err := st.Restore(&host, b); !errors.Is(err, election.ErrState) {
			return fmt.Errorf("a state %s is restored with the error %v, which does not wrap "+
				"election.ErrState", damage(), err)
		}
		if now = st.Append(now[:0], &host); !bytes.Equal(now, fresh) {
			return fmt.Errorf("after a state %s was refused the Node is not as its constructor made it: %s",
				damage(), apart(now, fresh))
		}
		return nil
	}
	kind, at = "with %d byte more than its %d", 1
	if err := refused(append(slices.Clone(b), 0)); err != nil {
		return err
	}
	kind = "cut off after %d of %d bytes"
	for at = range b {
		if err := refused(b[:at]); err != nil {
			return err
		}
	}
	kind = "with byte %d of %d changed"
	bad := slices.Clone(b)
	for at = range b {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad[at] = b[at] ^ flip
			if err := st.Restore(&host, bad); err != nil && !errors.Is(err, election.ErrState) {
				return fmt.Errorf("a state %s is restored with the error %w, which does not wrap "+
					"election.ErrState", damage(), err)
			}
			now = st.Append(now[:0], &host)
		}
		bad[at] = b[at]
	}
	return nil
}

// resets replays a history to Nodes that have been through it and were reset.
func resets(h *history, r *played) error {
	used, fresh := r.hosts, h.hosts()
	for p := range used {
		new(election.State).Reset(&used[p])
		if got, want := new(election.State).Append(nil, &used[p]),
			new(election.State).Append(nil, &fresh[p]); !bytes.Equal(got, want) {
			return fmt.Errorf("process %d among %v: once reset, the state is %x, not %x as the "+
				"constructor has left it; is a field zero there, or is it set again on Init?",
				h.in.IDs[p], h.in.IDs, got, want)
		}
	}
	return h.play(used, func(i int, m *moment, fx *election.Effects) error {
		if err := differ(&r.did[i], fx); err != nil {
			return fmt.Errorf("once reset, a Node does something else than a fresh one: %v: %w; does "+
				"State visit every field that a Step changes?", &happens{h, m.p, &m.ev}, err)
		}
		return nil
	})
}

// leftOf returns the increase in the number of goroutines since before. It waits a moment for goroutines that
// are about to end.
func leftOf(count func() int, before int) (left int) {
	for range 100 {
		if left = count() - before; left <= 0 {
			return 0
		}
		time.Sleep(time.Millisecond)
	}
	return left
}
