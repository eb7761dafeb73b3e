package election

import (
	"github.com/go-election/election/input"
)

// Errors of this package wrap one of these and contain the process and the value.
var (
	// ErrLateStart: an initiators-only algorithm cannot start on a process that has already relayed messages.
	ErrLateStart = input.Sentinel("election", "start after the process has already relayed")
	// ErrNotInitiator: this process may not start the algorithm; for example, only the root may.
	ErrNotInitiator = input.Sentinel("election", "this process may not start the election")
	// ErrTermExhausted: no larger Term is left, because some process has sent an impossible Term.
	ErrTermExhausted = input.Sentinel("election", "no larger term is left")
	// ErrNeedsFIFO: the algorithm is incorrect on links that do not deliver in order.
	ErrNeedsFIFO = input.Sentinel("election", "the algorithm needs links that keep messages in order")
	// ErrInput: the input is invalid.
	ErrInput = input.Err
	// ErrState: the bytes are not a saved state of this Node.
	ErrState = input.Sentinel("election", "not a saved state")
	// ErrClosed: the transport is closed, or the process has ended.
	ErrClosed = input.Sentinel("election", "closed")
)
