package election_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/treeelect"
)

func ExampleTermKeeper_Machines() {
	a, err := detect.Under(lcr.Max(), detect.Deadline{})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := a.NewNode(election.Setup{Self: election.Rank{ID: 1}, Ports: 3}, true)
	for layer, machine := range host.Machines() {
		fmt.Printf("%d %T\n", layer, machine)
	}
	// Output:
	// 0 *detect.machine
	// 1 *election.overlay
	// 1 *election.TermKeeper
	// 1 *lcr.maximum
}

// machinesOf returns layers and names of the machines of a process.
func machinesOf(t *testing.T, a *election.Algorithm, err error) (names []string) {
	require.NoError(t, err)
	host := a.NewNode(election.Setup{Self: election.Rank{ID: 2}, Ports: 3, Root: true}, true)
	for layer, machine := range host.Machines() {
		names = append(names, strings.Replace(fmt.Sprintf("%d %T", layer, machine), "*", "", 1))
		var first []string
		for layer, machine := range host.Machines() { // a caller may stop anywhere
			if first = append(first, fmt.Sprint(layer, machine)); len(first) == len(names) {
				break
			}
		}
		require.Equal(t, fmt.Sprint(layer, machine), first[len(first)-1])
	}
	return names
}

func TestMachines(t *testing.T) {
	plain := func(a *election.Algorithm) []string { return machinesOf(t, a, nil) }
	require.Equal(t, []string{"0 election.TermKeeper", "0 lcr.maximum"}, plain(lcr.Max()))

	smallest, err := lcr.Max().Smallest()
	require.Equal(t, plain(lcr.Max()), machinesOf(t, smallest, err))

	over, err := lcr.Max().OverComplete()
	require.Equal(t, []string{"0 election.overlay", "0 election.TermKeeper", "0 lcr.maximum"},
		machinesOf(t, over, err))

	// Graph makes a tree, and holds the election of another variant on it.
	require.Equal(t, []string{"0 election.TermKeeper", "0 treeelect.builder", "0 treeelect.process"},
		plain(treeelect.Graph()))

	a, err := bully.Rules(bully.Config{})
	require.Equal(t, []string{"0 bully.process"}, machinesOf(t, a, err), "it keeps Terms itself")
	arbiter, err := mutex.Arbiter(mutex.Config{Election: a})
	require.Equal(t, []string{"0 bully.process", "1 mutex.arbiter"}, machinesOf(t, arbiter, err))

	arbiter, err = mutex.Arbiter(mutex.Config{Election: lcr.Max()})
	require.Equal(t, []string{"0 election.overlay", "0 election.TermKeeper", "0 lcr.maximum",
		"1 mutex.arbiter"}, machinesOf(t, arbiter, err))
}

// TestMachinesOfAll: the last machine of each algorithm is the topmost, which is of its own package.
func TestMachinesOfAll(t *testing.T) {
	for _, a := range catalog.All() {
		names := machinesOf(t, a, nil)
		require.Regexp(t, `^\d `+a.Name+`\.\w+$`, names[len(names)-1])
	}
}
