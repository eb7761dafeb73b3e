package transport

import "github.com/go-election/election"

// Greeter is a transport whose processes tell each other a text, the hello, when they connect and when it
// changes.
type Greeter interface {
	election.Transport
	// Greet sets the hello of this process, and the function that judges the hellos of its peers. If accept is
	// nil, the function stays. Until the first Greet the hello is empty, and only equal hellos are accepted.
	//
	// A peer receives the hello before the packets that are sent after Greet returns. If accept returns an
	// error, the two processes exchange no packets until one of them changes its hello; packets sent meanwhile
	// may be lost. A new accept judges the hello of each peer before the next packet of the peer arrives.
	//
	// accept must return soon, must not keep hello, and must not call the transport, nor wait for a call of it.
	// It may be called by several goroutines, but not simultaneously with hellos of the same peer.
	//
	// Greet returns an error if the hello is too long or the transport is closed.
	Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error
}

// Addressed is a transport that connects to addresses.
type Addressed interface {
	election.Transport
	// SetAddress sets the name and the address of a process, which becomes a peer if it is none. An empty
	// address ends attempts to connect to the process; it may connect itself.
	SetAddress(id election.ID, name, address string) error
}
