package observe

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// ErrPort: a Node sent over a port that its process does not have.
var ErrPort = input.Sentinel("election", "no such port")

// ErrPanic: a Node panicked.
var ErrPanic = input.Sentinel("election", "a node panicked")

// ProcessError is an error of one process.
type ProcessError struct {
	ID  election.ID
	Err error
}

// Error returns the error and the ID of the process.
func (e *ProcessError) Error() string { return fmt.Sprintf("%v: process %d", e.Err, uint64(e.ID)) }

// Unwrap returns the wrapped error.
func (e *ProcessError) Unwrap() error { return e.Err }
