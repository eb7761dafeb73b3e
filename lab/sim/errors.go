package sim

import "github.com/go-election/election/input"

// ErrDelay: messages may take longer than the time-outs of the algorithm allow for.
var ErrDelay = input.Sentinel("election", "messages may take too long for the algorithm")

// ErrCopies: links deliver some messages twice, and the algorithm is wrong where they do.
var ErrCopies = input.Sentinel("election", "the algorithm needs links that deliver each message once")
