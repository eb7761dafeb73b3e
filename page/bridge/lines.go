package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path"
	"reflect"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/counters"
	"github.com/go-election/election/observe"
)

// errPlain: no block of the algorithms counts that it runs.
var errPlain = errors.New("not an instrumented build: page/build makes one")

// ran are the blocks that ran in each step of a run.
type ran struct {
	blocks []int
	ends   []int // of each step
}

// of returns the blocks of a step.
func (r *ran) of(step int) []int {
	begin := 0
	if step > 1 {
		begin = r.ends[step-2]
	}
	return r.blocks[begin:r.ends[step-1]]
}

// lines gives the blocks of source that ran in each of some steps, by their numbers in doc.json.
func (b *Bridge) lines(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	in, err := readStretch(args)
	if err != nil {
		return Reply{}, err
	}
	if !counters.Instrumented() {
		return Reply{}, errPlain
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	if r.ran == nil {
		count := r.count
		if r.fixed {
			count = r.recount
		}
		if r.ran, err = count(ctx); err != nil {
			return Reply{}, err
		}
	}
	all := [][]int{}
	for step := in.From; step <= min(in.To, len(r.ran.ends)); step++ {
		all = append(all, append([]int{}, r.ran.of(step)...))
	}
	return written(all)
}

// count runs the scenario and takes the counters after each step.
func (r *run) count(ctx context.Context) (*ran, error) {
	steps, err := r.steps(ctx)
	if err != nil {
		return nil, err
	}
	s, err := r.sim(nil)
	if err != nil {
		return nil, err
	}
	set := counters.Of(packages(s.Machines(0))...)
	set.Take(nil) // what making the processes has run
	all := &ran{}
	events := func() int {
		if len(all.ends) < steps {
			return 0
		}
		return r.most
	}
	_, _, err = r.play(ctx, events, func(o *observe.Occurrence) {
		if o.What == observe.Step {
			all.blocks = set.Take(all.blocks)
		}
		all.ends = append(all.ends, len(all.blocks))
	})
	return all, err
}

// packages returns the names of the packages of the machines that a process consists of.
func packages(machines iter.Seq2[uint8, election.Node]) (names []string) {
	for _, n := range machines {
		if t := reflect.TypeOf(n); t.Kind() == reflect.Pointer {
			names = append(names, path.Base(t.Elem().PkgPath()))
		}
	}
	return names
}
