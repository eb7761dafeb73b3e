package sim

import "github.com/go-election/election/input"

// ErrDelay: messages may take longer than the time-outs of the algorithm allow for.
var ErrDelay = input.Sentinel("election", "messages may take too long for the algorithm")

// ErrSynchronous: processes start at different times, messages take different times, or clocks are wrong. The
// algorithm may elect several leaders then.
var ErrSynchronous = input.Sentinel("election", "the algorithm needs the synchronous model")

// ErrCopies: links duplicate messages, and the algorithm is incorrect under duplication.
var ErrCopies = input.Sentinel("election", "the algorithm needs links that deliver each message once")
