package bridge

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// looker describes the fields of a process to a reader. It replaces ports by the processes behind them.
type looker struct {
	run     *run
	process int
}

// add adds a field to a machine; for a struct of the algorithm, it adds the fields of the struct. It omits
// what is not state: a pointer to a configuration, a function, another machine.
func (l looker) add(m *machine, about reflect.StructField, f reflect.Value, prefix string) {
	t := f.Type()
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Pointer, reflect.UnsafePointer, reflect.Interface:
		return
	case reflect.Struct:
		switch {
		case t == keeperType, t.PkgPath() == contract && t.Name() == "termOptions",
			t.Name() == "scratch": // by agreement, of one Step: the past or the future of what is shown
			return
		}
		if _, known := l.known(f); !known && t.PkgPath() != contract {
			if !about.Anonymous {
				prefix += about.Name + "."
			}
			for i := range f.NumField() {
				l.add(m, t.Field(i), open(f.Field(i)), prefix)
			}
			return
		}
	}
	m.Fields = append(m.Fields, field{prefix + about.Name, l.value(f)})
}

// mostElements is how many elements of a list are shown.
const mostElements = 32

// known returns in words a value of a type that needs others than its parts.
func (l looker) known(v reflect.Value) (string, bool) {
	if !v.CanAddr() {
		return "", false
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Duration:
		return scenario.InUnits(*x), true
	case *election.Rank:
		if *x == (election.Rank{}) {
			return "none", true
		}
		return x.String(), true
	case *election.ID:
		if *x == 0 {
			return "none", true
		}
	case *election.Port:
		return l.port(*x), true
	case *portset.Set:
		return l.ports(x), true
	case fmt.Stringer:
		return x.String(), true
	}
	return "", false
}

// port returns a port, and which process is behind it.
func (l looker) port(port election.Port) string {
	if port == election.NoPort {
		return "none"
	}
	if t := l.run.config.Topology; uint64(port) < uint64(t.Ports(l.process)) {
		if q, ok := topology.Behind(t, l.process, port); ok {
			return fmt.Sprintf("%d (to %d)", port, l.run.config.IDs[q])
		}
	}
	return strconv.FormatUint(uint64(port), 10)
}

// ports returns the ports of a set, and which processes are behind them.
func (l looker) ports(s *portset.Set) string {
	var parts []string
	for port := s.From(0); port != election.NoPort && len(parts) < mostElements; port = s.From(port + 1) {
		parts = append(parts, l.port(port))
	}
	if more := s.Len() - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// value returns a value in words.
func (l looker) value(v reflect.Value) string {
	if text, ok := l.known(v); ok {
		return text
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return constant(v.Type(), strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return constant(v.Type(), strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', 6, 64)
	case reflect.String:
		return v.String()
	case reflect.Slice, reflect.Array:
		return l.list(v)
	case reflect.Map:
		return l.table(v)
	case reflect.Struct:
		return l.structure(v)
	}
	return v.Type().String()
}

// constant returns a number with its type, such as "echo.state(1)", if the type has a name. The page has the
// source, in which constants have names.
func constant(t reflect.Type, number string) string {
	if t.PkgPath() == "" {
		return number
	}
	return t.String() + "(" + number + ")"
}

func (l looker) list(v reflect.Value) string {
	var parts []string
	for i := range min(v.Len(), mostElements) {
		parts = append(parts, l.value(v.Index(i)))
	}
	if more := v.Len() - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (l looker) table(v reflect.Value) string {
	var parts []string
	for _, key := range v.MapKeys() {
		parts = append(parts, l.value(key)+": "+l.value(v.MapIndex(key)))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts[:min(len(parts), mostElements)], ", ") + "}"
}

// structure names the fields that are not zero. An empty list that has room counts as one without: what a
// process has come to by other steps is the same.
func (l looker) structure(v reflect.Value) string {
	var parts []string
	for i := range v.NumField() {
		f := v.Field(i)
		if empty := f.Kind() == reflect.Slice && f.Len() == 0; !empty && !f.IsZero() {
			if f.CanAddr() {
				f = open(f)
			}
			parts = append(parts, strings.ToLower(v.Type().Field(i).Name)+" "+l.value(f))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
