package transport

import "github.com/go-election/election"

// Owned is a transport that belongs to one process. Drivers refuse to run another process on it, because all
// packets would have the wrong sender.
type Owned interface {
	election.Transport
	Self() election.ID
}
