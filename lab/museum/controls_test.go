package museum

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
)

// TestControls: a control shows something only if nothing but the mistake differs from it. That is the Node,
// or a parameter of it, or the rule for the winner, in the same setting; of a limit it is the setting,
// with the same Node.
func TestControls(t *testing.T) {
	for _, x := range exhibits() {
		t.Run(x.Name, func(t *testing.T) {
			wrong, right := x.Config, x.Control.Config
			if wrong.Algorithm.Winner.String() != right.Algorithm.Winner.String() { // that is the mistake
				require.Equal(t, setting(right), setting(wrong))
				require.Equal(t, node(right), node(wrong))
				return
			}
			require.Equal(t, described(right.Algorithm), described(wrong.Algorithm))
			if x.Limit {
				require.NotEqual(t, setting(right), setting(wrong))
				require.Equal(t, node(right), node(wrong))
				require.Zero(t, bends(node(wrong)), "the algorithm is bent")
				return
			}
			require.Equal(t, setting(right), setting(wrong))
			if bends(node(wrong)) == bends(node(right)) {
				require.NotEqual(t, node(right), node(wrong), "nothing differs")
				require.Zero(t, bends(node(wrong)), "a parameter differs, or the Node is bent")
				return
			}
			require.Equal(t, bends(node(right))+1, bends(node(wrong)), "more than one mistake")
		})
	}
}

// TestHeld: the tests exist that the document names, and each mistake of a driver names one.
func TestHeld(t *testing.T) {
	tests := regexp.MustCompile("`[a-z/]+\\.Test[A-Za-z]+`").FindAllString(intro, -1)
	require.NotEmpty(t, tests)
	requireTests(t, strings.Fields(strings.ReplaceAll(strings.Join(tests, " "), "`", "")))
	for _, x := range exhibits() {
		require.Equal(t, strings.HasPrefix(x.Name, driver), len(held[x.Name]) > 0, x.Name)
		requireTests(t, held[x.Name])
	}
}

// requireTests requires that tests with these names exist, each written as directory.Test.
func requireTests(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		directory, test, ok := strings.Cut(name, ".")
		require.True(t, ok, name)
		files, err := filepath.Glob(filepath.Join("..", "..", strings.TrimPrefix(directory, "election"),
			"*_test.go"))
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(files, func(file string) bool {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			return strings.Contains(string(code), "\nfunc "+test+"(")
		}), name)
	}
}

// setting returns all of a Config but the algorithm. Functions cannot be compared, so that properties are
// taken by their names.
func setting(c check.Config) check.Config {
	c.Algorithm = nil
	c.Properties = slices.Clone(c.Properties)
	for i := range c.Properties {
		c.Properties[i].Holds = nil
	}
	return c
}

// described returns all of a description that can be compared. The parameters are in the Nodes.
func described(a *election.Algorithm) election.Algorithm {
	d := *a
	d.New, d.Configure, d.Params, d.Names = nil, nil, nil, nil
	d.Kinds = slices.Clone(d.Kinds)
	for i := range d.Kinds {
		d.Kinds[i].Bits = nil
	}
	for _, b := range []*cost.Bound{&d.Best, &d.Mean, &d.Worst} {
		b.Count, b.CountPorts, b.Arrange = nil, nil, nil
	}
	d.Faults.Down = nil
	return d
}

// node returns a fresh Node of an algorithm.
func node(c check.Config) election.Node {
	return c.Algorithm.New(election.Setup{Self: election.Rank{ID: c.IDs[0]}, Ports: 1})
}

// bends returns how often a Node is bent: by a mistake, by an audit.
func bends(n election.Node) int {
	if b, ok := n.(*bent); ok {
		return 1 + bends(b.Node)
	}
	if around, ok := n.(interface{ Inside() election.Node }); ok {
		return bends(around.Inside())
	}
	return 0
}
