package electiontest

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/params"
)

// forgetting returns the algorithm with Nodes whose State leaves out one of their fields: it is saved as
// zero, and keeps its value when the Node is restored or reset.
func forgetting(a *election.Algorithm, name string) *election.Algorithm {
	b := spoil(a, spoiling{state: func(n *spoilt, s *election.State) {
		f := reflect.ValueOf(n.Node).Elem().FieldByName(name)
		// The field is unexported: reflection sets it by its address alone.
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		kept := reflect.New(f.Type()).Elem()
		kept.Set(f)
		f.SetZero()
		n.Node.State(s)
		f.Set(kept)
	}})
	if b.Params = a.Params; a.Configure != nil {
		b.Configure = func(p *params.Given) (*election.Algorithm, error) {
			configured, err := a.Configure(p)
			if err != nil {
				return nil, err
			}
			return forgetting(configured, name), nil
		}
	}
	return b
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
		{"modbully/grant", "armed"}, {"mutex/ricartagrawala", "highest"},
	} {
		name, variant, _ := strings.Cut(c.algorithm, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		require.Contains(t, says(t, "State", forgetting(a, c.field), Options{}),
			"does State visit every field",
			"%s: %s", c.algorithm, c.field)
	}
}
