package election

import (
	"github.com/go-election/election/input"
)

// What can go wrong. Errors of this package wrap one of these and name the process and the value.
var (
	// ErrLateStart: an initiators-only algorithm was asked to start where it has already relayed.
	ErrLateStart = input.Sentinel("election", "start after the process has already relayed")
	// ErrNotInitiator: this process may not start the algorithm (only the root may, say).
	ErrNotInitiator = input.Sentinel("election", "this process may not start the election")
	// ErrTermExhausted: no larger Term is left. Some process has sent an impossible Term.
	ErrTermExhausted = input.Sentinel("election", "no larger term is left")
	// ErrNeedsFIFO: the algorithm is wrong on links that do not keep the order.
	ErrNeedsFIFO = input.Sentinel("election", "the algorithm needs links that keep the order")
	// ErrInput: the input does not describe a possible run.
	ErrInput = input.Err
	// ErrState: bytes that are not a saved state of this Node.
	ErrState = input.Sentinel("election", "not a saved state")
	// ErrClosed: the transport is closed, or the process has ended.
	ErrClosed = input.Sentinel("election", "closed")
)
