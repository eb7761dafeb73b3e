package checkcmd

import (
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/lab/sim"
)

// checkFlags are those of elect check, as they were typed.
type checkFlags struct {
	job.Flags
	network string // what links do
	mayTake int64  // bytes, of --memory
}

// mostChecked is how many processes there may be.
const mostChecked = 1 << 10

// The kinds of links.
const (
	networkFIFO        = "fifo"
	networkUnordered   = "unordered"
	networkLossy       = "lossy"
	networkDuplicating = "duplicating"
)

var networks = []string{networkFIFO, networkUnordered, networkLossy, networkDuplicating}

// unitDelay is how long a message takes where nobody says it.
const unitDelay = sim.Unit

// unlimited is the budget that is never used up.
const unlimited = "unlimited"
