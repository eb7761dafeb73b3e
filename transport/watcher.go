package transport

import "github.com/go-election/election"

// Watcher is a transport that notices when a connection to a peer opens or breaks, as package transport/tcp
// does. Its reports are hints: a connection may break while both processes are alive, and may stay open while
// the peer is paused. A report of "down" is a reason for suspicion and proves nothing.
//
// One thing is certain if the transport is also a [Greeter]: after a report of "down", no further packet of the peer is
// delivered before its hello was accepted again or f has reported that it is up. Package elector relies on that.
type Watcher interface {
	election.Transport
	// WatchPeers calls f for each peer that is up, and then at each change, until stop is called or the
	// transport is closed. If several changes follow each other quickly, f may receive only the last one. Calls
	// do not overlap. f must not wait or call methods of the transport. stop waits until no call of f is in
	// progress.
	WatchPeers(f func(id election.ID, up bool)) (stop func())
}
