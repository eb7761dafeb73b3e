package sim

import "github.com/go-election/election/input"

// ErrDelay: messages may take longer than the time-outs of the algorithm allow for.
var ErrDelay = input.Sentinel("election", "messages may take too long for the algorithm")
