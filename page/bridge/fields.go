package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/sim"
)

// processState is what a process has in it at one moment.
type processState struct {
	Process  string    `json:"process"`
	Machines []machine `json:"machines"`
}

// machine is one of the machines of a process.
type machine struct {
	Type   string  `json:"type"` // its package and its type
	Fields []field `json:"fields"`
	Timers []timer `json:"timers"`
	layer  int
}

type field struct {
	Name  string `json:"name"` // with the names of enclosing structs, such as "seat.number"
	Value string `json:"value"`
}

type timer struct {
	Timer uint8   `json:"timer"`
	Name  string  `json:"name"`
	Due   float64 `json:"due"`
}

// fields gives the state of processes after a step, field by field.
func (b *Bridge) fields(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
		Step     int             `json:"step"`
		Process  json.RawMessage `json:"process"` // if not given, all
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	wanted, err := r.places(in.Process)
	if err != nil {
		return Reply{}, err
	}
	if r.fixed {
		states, err := r.replayed(in.Step, wanted)
		if err != nil {
			return Reply{}, err
		}
		return written(states)
	}
	s, exact, err := r.at(ctx, in.Step)
	if err != nil {
		return Reply{}, err
	}
	states := r.states(s, wanted)
	if exact {
		return written(states)
	}
	// The timers are as at the end of the turn: a driver sets them when the step is over.
	err = r.within(in.Step, func(s *sim.Sim) {
		for i, p := range wanted {
			of := r.machines(s.Machines(p), p)
			for k := range of {
				if k < len(states[i].Machines) {
					of[k].Timers = states[i].Machines[k].Timers
				}
			}
			states[i].Machines = of
		}
	})
	if err != nil {
		return Reply{}, err
	}
	return written(states)
}

// places returns the index of a process, or all of them.
func (r *run) places(id json.RawMessage) ([]int, error) {
	ids := r.config.IDs
	text := strings.Trim(string(id), `"`)
	if text == "" || text == "null" {
		all := make([]int, len(ids))
		for p := range all {
			all[p] = p
		}
		return all, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if p := slices.Index(ids, election.ID(n)); err == nil && p >= 0 {
		return []int{p}, nil
	}
	return nil, input.Errorf("process: %.40s is not one of this run", text)
}

// states looks into some processes.
func (r *run) states(s *sim.Sim, wanted []int) []processState {
	running := make(map[int][]due)
	for next := range s.Timers() {
		running[next.To] = append(running[next.To], due{next.Layer, next.Timer, units(next.Due)})
	}
	states := make([]processState, 0, len(wanted))
	for _, p := range wanted {
		state := processState{Process: strconv.FormatUint(uint64(r.config.IDs[p]), 10),
			Machines: r.machines(s.Machines(p), p)}
		r.addTimers(&state, running[p])
		states = append(states, state)
	}
	return states
}

// addTimers adds timers to the first machine of their layer.
func (r *run) addTimers(state *processState, running []due) {
	for _, d := range running {
		of := slices.IndexFunc(state.Machines, func(m machine) bool { return m.layer == int(d.layer) })
		if of >= 0 {
			m := &state.Machines[of]
			name := cmp.Or(m.purpose(d.timer), r.config.Algorithm.TimerName(d.layer, d.timer),
				fmt.Sprintf("timer %d", d.timer))
			m.Timers = append(m.Timers, timer{d.timer, name, d.at})
		}
	}
}

// machines returns the machines of a process, with the machines of a stack from the lowest up. A machine that
// runs another one comes after it. The timers of a layer belong to its first machine.
func (r *run) machines(nodes iter.Seq2[uint8, election.Node], p int) []machine {
	all, of := []machine{}, looker{r, p}
	first := 0
	for layer, n := range nodes {
		if len(all) > 0 && all[len(all)-1].layer != int(layer) {
			first = len(all)
		}
		m := machine{Fields: []field{}, Timers: []timer{}, layer: int(layer)}
		if v := reflect.ValueOf(n); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
			v = v.Elem()
			m.Type = v.Type().String()
			for i := range v.NumField() {
				of.add(&m, v.Type().Field(i), open(v.Field(i)), "")
			}
		}
		all = append(all, m)
		copy(all[first+1:], all[first:])
		all[first] = m
	}
	return all
}

var (
	contract   = reflect.TypeFor[election.Node]().PkgPath()
	keeperType = reflect.TypeFor[election.TermKeeper]()
)

// open returns a field so that its value can be taken, exported or not. Nothing is changed through it.
func open(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
