package electiontest

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
)

// forgetting returns the algorithm with Nodes whose State leaves out one of their fields: it is saved as
// zero, and keeps its value when the Node is restored or reset.
func forgetting(a *election.Algorithm, name string) *election.Algorithm {
	forgets := spoiling{state: func(n *spoilt, s *election.State) {
		fields := fieldsOf(reflect.ValueOf(n.Node), name)
		var kept []reflect.Value
		for _, f := range fields {
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			kept = append(kept, was)
			f.SetZero()
		}
		n.Node.State(s)
		for i, f := range fields {
			f.Set(kept[i])
		}
	}}
	return throughout(a, func(a *election.Algorithm) *election.Algorithm { return spoil(a, forgets) })
}

// fieldsOf returns the fields of a name of a Node, of the elements of its slices, and of the Nodes inside it.
func fieldsOf(v reflect.Value, name string) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.Type().Implements(reflect.TypeFor[election.Node]()) {
			return fieldsOf(v.Elem(), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, fieldsOf(v.Index(i), name)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if v.Type().Field(i).Name == name {
				// The field is unexported: reflection sets it by its address alone.
				all = append(all, reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem())
			} else {
				all = append(all, fieldsOf(f, name)...)
			}
		}
	}
	return all
}

// TestForgotten: a field that State leaves out is found, also one that a Step reads seldom.
func TestForgotten(t *testing.T) {
	for _, c := range []struct{ algorithm, field string }{
		{"lcr/participant", "won"}, {"lcr/initiators", "relayed"}, {"hs/respond", "replies"},
		{"dkr", "nearer"},
		{"franklin", "active"}, {"treeelect/saturation", "silent"}, {"echo/extinction", "parent"},
		{"hypercube", "delayed"}, {"hypercube", "path"}, {"mesh", "waiting"}, {"mesh", "heard"},
		{"bully/rules", "announced"}, {"bully/rules", "began"}, {"bully/halting", "attempt"},
		{"modbully/base", "uncertain"}, {"modbully/convenience", "candidate"}, {"modbully/number", "serving"},
		{"modbully/grant", "armed"}, {"modbully/base", "suspect"}, {"modbully/convenience", "longest"},
		{"modbully/convenience", "mpc"}, {"modbully/convenience", "sent"},
		{"modbully/convenience", "measured"}, {"modbully/convenience", "away"},
		{"mutex/ricartagrawala", "highest"}, {"mutex/ricartagrawala", "gone"},
		{"mutex/arbiter", "chief"}, {"mutex/arbiter", "releasePending"}, {"mutex/arbiter", "amnesic"},
		{"mutex/arbiter", "confirmed"}, {"mutex/tokenring", "tries"}, {"mutex/tokenring", "best"},
		{"mutex/tokenring", "holdsToken"}, {"treeelect/saturation", "more"},
	} {
		name, variant, _ := strings.Cut(c.algorithm, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		require.Contains(t, says(t, "State", forgetting(a, c.field), Options{Seeds: 10}),
			"does State visit every field",
			"%s: %s", c.algorithm, c.field)
	}
}
