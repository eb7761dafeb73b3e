package electiontest

import (
	"errors"
	"fmt"

	"github.com/go-election/election"
)

// lateStart starts processes that have joined an election by relaying, in every such state of some runs.
func lateStart(t *trial) error {
	all, err := t.histories(30, lasting)
	if err != nil {
		return err
	}
	for _, h := range all {
		is := make([]joining, len(h.in.IDs))
		hosts := h.hosts()
		if err := h.play(hosts, func(i int, m *moment, fx *election.Effects) error {
			host := &hosts[m.p]
			if !is[m.p].step(host, m, fx, t.LongLived()) || host.Ended() {
				return nil
			}
			return h.startsLate(i, m, host)
		}); err != nil {
			return err
		}
	}
	return nil
}

// joining records how a process has come to take part in the election of a Term.
type joining struct {
	term    uint64
	relayed bool
	started bool
}

// step records the effects of a Step, and reports whether the process has relayed and not started.
func (is *joining) step(host *election.TermKeeper, m *moment, fx *election.Effects, longLived bool) bool {
	if term := host.Term(); is.term != term {
		*is = joining{term: term}
	}
	switch m.ev.Op {
	case election.Init:
	case election.Recv:
		// A message sent in reply to a message of another Term does not count as relaying in this election.
		of := longLived || m.ev.Msg.Term == is.term
		is.relayed = is.relayed || of && len(fx.Sends) > 0
		// A Start may have followed it.
		is.started = is.started || m.ev.Msg.Kind == election.CatchUp
	case election.Start, election.Reelect:
		is.started = is.started || !fx.Refused()
	default:
		is.started = is.started || longLived // it may have started on a time-out
	}
	return is.relayed && !is.started
}

// startsLate starts a copy of a Node.
func (h *history) startsLate(i int, m *moment, host *election.TermKeeper) error {
	// Start a copy, so that the history continues as it was recorded.
	twin := h.in.Node(m.p)
	if err := new(election.State).Restore(&twin, new(election.State).Append(nil, host)); err != nil {
		return err
	}
	fx, err := h.step(i, &twin, m.p, election.Event{Op: election.Start, At: m.ev.At})
	if err != nil {
		return fmt.Errorf("started after it has relayed, %w", err)
	}
	a := h.in.Algorithm
	after := &happens{h, m.p, &m.ev}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("its LateStart is %q, and a Start of a process that has relayed %s: after %v",
			a.LateStart, fmt.Sprintf(format, args...), after)
	}
	refused := fx.Refused()
	switch {
	case refused && a.SingleInitiator && errors.Is(fx.Err, election.ErrNotInitiator): // late or not
	case a.LateStart == election.LateRefused && !refused:
		return wrong("is not refused (Env.Refuse) with election.ErrLateStart")
	case a.LateStart == election.LateRefused && !errors.Is(fx.Err, election.ErrLateStart):
		return wrong("is refused with %v, which does not wrap election.ErrLateStart", fx.Err)
	case a.LateStart != election.LateRefused && refused:
		return wrong("is refused with %v", fx.Err)
	case a.LateStart == election.LateIgnored && (len(fx.Sends) > 0 || fx.Decided()):
		return wrong("sends %+v and does [%v]", fx.Sends, fx)
	}
	return nil
}
