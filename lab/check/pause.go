package check

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
)

// A process that is paused takes nothing: no message, no timer, no start. What comes for it waits, and other
// processes and time go on. So only where time is modelled a pause differs from a slow link.
//
// A cut divides the processes into two groups. What is sent from one group to the other while it lasts is
// lost; what was in flight before arrives.

// pause lets a process pause, or ends its pause.
func (w *worker) pause(state []uint32, p int, begins bool) {
	is := *w.locals[p].at(state[p])
	if !begins {
		is.flags &^= isPaused
	} else {
		is.flags |= isPaused
		w.setApart(&is)
		w.spend(state, func(b *budgets) *int16 { return &b.pauses })
	}
	w.put(p, w.local(p, is))
}

// setApart notes the pause of a process that waits for a section. An algorithm that survives pauses
// promises larger tokens to what is asked for afterwards: a grant that was on its way is taken late,
// when another process has been inside.
func (w *worker) setApart(is *local) {
	if a := w.config.Algorithm; a.Sections > 0 && a.Faults.Pause && is.flags&(isToStart|wasInside) == 0 {
		is.flags |= wasApart
	}
}

// cut cuts the links between two groups, or ends the cut.
func (w *worker) cut(state []uint32, a action) {
	f := w.frames.at(state[w.slots-1]).clone()
	f.group = uint16(a.index()) // of doHeal, none
	if a.kind() == doCut {
		f.left.cuts--
	}
	w.put(w.slots-1, w.frame(f))
	if a := w.config.Algorithm; a.Sections == 0 || !a.Faults.Cut {
		return
	}
	// Two may lead in the meantime, and grant what is asked for before the end of the cut.
	for p := range w.n {
		is := *w.locals[p].at(state[p])
		if is.flags &^= wasApart; is.flags&wasInside == 0 && (a.kind() == doCut || is.flags&isToStart == 0) {
			is.flags |= wasApart
		}
		w.put(p, w.local(p, is))
	}
}

// group returns the group that is cut off from the others, zero if there is no cut.
func (w *worker) group(state []uint32) uint16 {
	if w.config.Cuts == 0 {
		return 0
	}
	return w.frames.at(state[w.slots-1]).group
}

// crosses reports whether a link leads from one group to the other.
func (w *worker) crosses(group uint16, link int) bool {
	l := &w.links[link]
	return isIn(group, l.from) != isIn(group, l.to)
}

// idsIn returns the processes of a group.
func (w *worker) idsIn(group uint16) (ids []election.ID) {
	for p, id := range w.config.IDs {
		if isIn(group, p) {
			ids = append(ids, id)
		}
	}
	return ids
}

// groupOf returns the group that a step cuts off from the others. It must be one of two groups that do not reach each
// other.
func (w *worker) groupOf(s *scenario.Step) (group uint16, err error) {
	cuts := fault.Cuts{}.With(fault.Partition{Groups: s.Groups, OneWay: s.OneWay})
	ids := w.config.IDs
	for p, id := range ids {
		if cuts.Loses(ids[0], id, 0) {
			group |= 1 << (p - 1)
		}
	}
	for _, a := range ids {
		for _, b := range ids {
			apart := isIn(group, slices.Index(ids, a)) != isIn(group, slices.Index(ids, b))
			if cuts.Loses(a, b, 0) != apart {
				return 0, input.Errorf("groups: only cuts into two groups, both ways, can be checked")
			}
		}
	}
	return group, nil
}

// isIn reports whether a process is in a group, in which process 0 never is.
func isIn(group uint16, p int) bool { return p > 0 && group>>(p-1)&1 == 1 }

// isResting reports whether a process is paused.
func (w *worker) isResting(state []uint32, p int) bool {
	return w.config.Pauses > 0 && w.locals[p].at(state[p]).flags&isPaused != 0
}

// isExpired reports whether a timer can wait no longer.
func (w *worker) isExpired(state []uint32, f *frame) bool {
	if !f.expired {
		return false
	}
	for i := range f.timers {
		if t := &f.timers[i]; t.max <= 0 && !w.isResting(state, t.owner.process()) {
			return true
		}
	}
	return false
}

// offerEnds offers the ends of pauses and of a cut, which come in the end.
func (w *worker) offerEnds(state []uint32, hash uint64, f *frame) {
	for p := range w.n {
		if w.isResting(state, p) {
			w.offer(state, hash, newAction(doResume, p, 0))
		}
	}
	if f.group != 0 {
		w.offer(state, hash, newAction(doHeal, 0, 0))
	}
}

// offerPauses offers pauses and cuts. There is one cut at a time.
func (w *worker) offerPauses(state []uint32, hash uint64, f *frame) {
	for p := 0; p < w.n && f.left.pauses > 0; p++ {
		if w.locals[p].at(state[p]).flags&(isDown|isPaused) == 0 {
			w.offer(state, hash, newAction(doPause, p, 0))
		}
	}
	if f.left.cuts == 0 || f.group != 0 {
		return
	}
	// Process 0 is in no group: with it, each cut would come twice.
	for group := 1; group < 1<<(w.n-1); group++ {
		w.offer(state, hash, newAction(doCut, group, 0))
	}
}
