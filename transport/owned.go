package transport

import "github.com/go-election/election"

// Owned is a transport that knows which process it belongs to. A driver that runs another process on it
// refuses that: all packets would come from the wrong sender.
type Owned interface {
	election.Transport
	Self() election.ID
}
