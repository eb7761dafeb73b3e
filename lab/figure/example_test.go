package figure_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lcr"
)

// Two algorithms side by side, over the number of processes.
func Example() {
	run := experiment.Comparison{
		Algorithms: []*election.Algorithm{lcr.Max(), hs.Probe()}, Sizes: []int{8, 16, 32}, Seeds: 5,
	}
	cells, err := run.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	drawn := figure.Comparison{Cells: cells, By: experiment.ByMessages, About: "on rings, in random order",
		Seeds: 5}
	svg := drawn.Draw()
	fmt.Println(strings.Contains(svg, "<title>hs/probe takes the fewest messages among 32 processes</title>"))
	// Output: true
}
