package job

import (
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// Flags are those of sim and run, as they were typed.
type Flags struct {
	flags.Set
	Most   int    // how many processes there may be
	Driven string // what the driver does with them, for messages

	Files  files.Trace
	Silent bool                    // standard output is for a trace
	Values map[string]params.Value // of --param
}

// The values of the flags that have a few.
var (
	Orders    = []string{"sorted", "random", "best", "worst"}
	Schedules = []string{string(sim.UnitDelay), string(sim.RandomDelay)}
)

// InFile are the flags that say what a scenario says itself.
var InFile = []string{
	"n", "ids", "priorities", "variant", "param", "initiators", "order", "topology", "start-times",
	"crashed", "crash-at", "recover-at", "restart-at", "suspect-after", "pause-at", "loss", "duplicate", "reorder",
	"partition",
}

// Complete lets a shell complete the algorithm, unless a scenario says it.
func (f *Flags) Complete() {
	f.Algorithms(func(args []string) bool { return len(args) == 0 && !f.Given("scenario") })
}
