package bridge

import (
	"context"
	"slices"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// walker is a run without an observer, which can go back. It stands behind a turn of the simulator.
type walker struct {
	run   *run
	sim   *sim.Sim
	turn  int
	marks []*sim.Snapshot // marks[k] is behind turn k*stride
}

// stride is how many turns lie between two snapshots.
const stride = 1 << 8

// to walks to a turn.
func (w *walker) to(turn int) error {
	// Use a snapshot if it lies between the current turn and the wanted one, or if the wanted turn is in the
	// past.
	if k := min(turn/stride, len(w.marks)-1); turn < w.turn || k*stride > w.turn {
		if err := w.sim.Restore(w.marks[k]); err != nil {
			return err
		}
		w.turn = k * stride
	}
	for {
		if w.turn%stride == 0 && len(w.marks) == w.turn/stride {
			w.marks = append(w.marks, w.sim.Snapshot())
		}
		if w.turn == turn {
			return nil
		}
		w.run.turn(w.sim, w.turn)
		w.turn++
	}
}

// at returns the run in the state in which it waits after a step. Several steps may be one turn of the
// simulator, such as a return, its Init and its Rejoin: then exact is false, and the state is that after the
// last of these.
func (r *run) at(ctx context.Context, step int) (s *sim.Sim, exact bool, err error) {
	steps, err := r.steps(ctx)
	if err != nil {
		return nil, false, err
	}
	if step < 0 || step > steps {
		return nil, false, input.Errorf("step: %d, and the run has %d", step, steps)
	}
	if r.walk.sim == nil {
		r.walk.run = r
		if r.walk.sim, err = r.sim(nil); err != nil {
			return nil, false, err
		}
	}
	turn, exact := slices.BinarySearch(r.after, uint32(step))
	if err := r.walk.to(turn); err != nil {
		return nil, false, err
	}
	return r.walk.sim, exact, nil
}

// within calls see with the run in the middle of a turn, just after a step.
func (r *run) within(step int, see func(*sim.Sim)) error {
	n := 0
	var s *sim.Sim
	s, err := r.sim(func(*observe.Occurrence) {
		if n++; n == step {
			see(s)
		}
	})
	if err != nil {
		return err
	}
	for turn := 0; n < step && r.turn(s, turn); turn++ {
	}
	return nil
}
