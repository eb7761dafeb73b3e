package sim

import "errors"

// ErrDelay: messages may take longer than the time-outs of the algorithm allow for.
var ErrDelay = errors.New("election: messages may take too long for the algorithm")
