package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// processState is what a process has in it at one moment.
type processState struct {
	Process  string    `json:"process"`
	Term     uint64    `json:"term"`
	Machines []machine `json:"machines"`
}

// machine is one of the machines of a process; all but those of a stack have one, and what wraps it.
type machine struct {
	Type   string  `json:"type"` // its package and its type
	Fields []field `json:"fields"`
	Timers []timer `json:"timers"`
	layer  int
}

type field struct {
	Name  string `json:"name"` // with those of the structs that it is in: "seat.number"
	Type  string `json:"type"`
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
	s, exact, err := r.at(ctx, in.Step)
	if err != nil {
		return Reply{}, err
	}
	states := r.states(s, wanted)
	if exact {
		return written(states)
	}
	// The timers are those at the end of the turn: a driver sets them when the step is over.
	err = r.within(in.Step, func(s *sim.Sim) {
		for i, p := range wanted {
			of := machines(s.Node(p))
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

// places returns where a process is among all, or all of them.
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
	return nil, input.Errorf("process: %.40s is none of this run", text)
}

// states looks into some processes.
func (r *run) states(s *sim.Sim, wanted []int) []processState {
	timers := make(map[int][]sim.Pending)
	for next := range s.Pending() {
		if next.Do == observe.Timeout {
			timers[next.To] = append(timers[next.To], next)
		}
	}
	states := make([]processState, 0, len(wanted))
	for _, p := range wanted {
		state := processState{Process: strconv.FormatUint(uint64(r.config.IDs[p]), 10), Term: s.Term(p),
			Machines: machines(s.Node(p))}
		for i := range state.Machines {
			m := &state.Machines[i]
			for _, next := range timers[p] {
				if int(next.Layer) == m.layer {
					name := r.config.Algorithm.TimerName(next.Layer, next.Timer)
					m.Timers = append(m.Timers, timer{next.Timer, name, units(next.Due)})
				}
			}
		}
		states = append(states, state)
	}
	return states
}

// machines returns the machines of a process: of a stack each, and what wraps a machine before it.
func machines(n election.Node) []machine {
	var all []machine
	dissect(n, 0, &all)
	return all
}

var (
	nodeType = reflect.TypeFor[election.Node]()
	listType = reflect.TypeFor[[]election.Node]()
)

// dissect adds a machine, and those that it holds. Timers are those of the innermost one of a layer.
func dissect(n election.Node, layer int, all *[]machine) {
	v := reflect.ValueOf(n)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	v = v.Elem()
	var inner []election.Node
	m := machine{Type: v.Type().String(), Fields: []field{}, Timers: []timer{}, layer: layer}
	stack := false
	for i := range v.NumField() {
		f := open(v.Field(i))
		switch t := f.Type(); {
		case t == listType:
			stack = true
			inner = f.Interface().([]election.Node)
		case t == nodeType && !f.IsNil():
			inner = append(inner, f.Interface().(election.Node))
		case t == reflect.TypeFor[election.TermKeeper]():
			inner = append(inner, f.Addr().Interface().(election.Node))
		case stack: // the rest of a stack is of one step
		default:
			m.add(v.Type().Field(i), f, "")
		}
	}
	if len(inner) > 0 {
		m.layer = -1 // its timers are those of what it holds
	}
	if len(m.Fields) > 0 {
		*all = append(*all, m)
	}
	for i, n := range inner {
		if stack {
			layer = i
		}
		dissect(n, layer, all)
	}
}

// open returns a field so that its value can be taken, exported or not. Nothing is changed through it.
func open(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// add adds a field, or those of a struct of the same package. What points to a configuration, or is a
// function, is no state.
func (m *machine) add(about reflect.StructField, f reflect.Value, prefix string) {
	t := f.Type()
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Pointer, reflect.UnsafePointer, reflect.Interface:
		return
	case reflect.Struct:
		if _, speaks := f.Addr().Interface().(fmt.Stringer); !speaks && !common(t) {
			if !about.Anonymous {
				prefix += about.Name + "."
			}
			for i := range f.NumField() {
				m.add(t.Field(i), open(f.Field(i)), prefix)
			}
			return
		}
	}
	m.Fields = append(m.Fields, field{prefix + about.Name, t.String(), value(f)})
}

// common reports whether a type is one of the contract's, which page and reader know whole.
func common(t reflect.Type) bool { return t.PkgPath() == nodeType.PkgPath() }

// mostElements is how many elements of a list are shown.
const mostElements = 32

// value returns a value in words.
func value(v reflect.Value) string {
	if v.CanAddr() {
		switch x := v.Addr().Interface().(type) {
		case *time.Duration:
			return scenario.InUnits(*x)
		case *election.Rank:
			return rank(*x)
		case fmt.Stringer:
			return x.String()
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', 6, 64)
	case reflect.String:
		return v.String()
	case reflect.Slice, reflect.Array:
		return listOf(v)
	case reflect.Map:
		return mapOf(v)
	case reflect.Struct:
		return structOf(v)
	}
	return v.Type().String()
}

func rank(r election.Rank) string {
	if r == (election.Rank{}) {
		return "none"
	}
	return r.String()
}

func listOf(v reflect.Value) string {
	var parts []string
	for i := range min(v.Len(), mostElements) {
		parts = append(parts, value(v.Index(i)))
	}
	if more := v.Len() - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func mapOf(v reflect.Value) string {
	var parts []string
	for _, key := range v.MapKeys() {
		parts = append(parts, value(key)+": "+value(v.MapIndex(key)))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts[:min(len(parts), mostElements)], ", ") + "}"
}

// structOf names the fields that are not zero.
func structOf(v reflect.Value) string {
	var parts []string
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			if f.CanAddr() {
				f = open(f)
			}
			parts = append(parts, strings.ToLower(v.Type().Field(i).Name)+" "+value(f))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
