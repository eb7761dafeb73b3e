package election

import (
	"errors"
	"fmt"
	"github.com/go-election/election/params"
)

// What can go wrong. Errors of this package wrap one of these and name the process and the value.
var (
	// ErrLateStart: an initiators-only algorithm was asked to start where it has already relayed.
	ErrLateStart = errors.New("election: start after the process has already relayed")
	// ErrNotInitiator: this process may not start the algorithm (only the root may, say).
	ErrNotInitiator = errors.New("election: this process may not start the election")
	// ErrTermExhausted: no larger Term is left. Some process has sent an impossible Term.
	ErrTermExhausted = errors.New("election: no larger term is left")
	// ErrNeedsFIFO: the algorithm is wrong on links that do not keep the order.
	ErrNeedsFIFO = errors.New("election: the algorithm needs links that keep the order")
	// ErrDelay: messages may take longer than the time-outs of the algorithm allow for.
	ErrDelay = errors.New("election: messages may take too long for the algorithm")
	// ErrInput: the input does not describe a possible run.
	ErrInput = params.ErrParam
	// ErrState: bytes that are not a saved state of this Node.
	ErrState = errors.New("election: not a saved state")
	// ErrPort: a Node sent over a port that its process does not have.
	ErrPort = errors.New("election: no such port")
	// ErrPanic: a Node panicked.
	ErrPanic = errors.New("election: a node panicked")
	// ErrClosed: the transport is closed, or the process has ended.
	ErrClosed = errors.New("election: closed")
)

// ProcessError is an error of one process.
type ProcessError struct {
	ID  ID
	Err error
}

// Error names the process.
func (e *ProcessError) Error() string { return fmt.Sprintf("%v: process %d", e.Err, uint64(e.ID)) }

// Unwrap returns what went wrong.
func (e *ProcessError) Unwrap() error { return e.Err }
