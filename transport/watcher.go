package transport

import "github.com/go-election/election"

// Watcher is a transport that notices when the way to a peer opens and breaks, as the one in package
// transport/tcp does by its connections. What it says is a hint: a connection may break while both processes
// live, and may stay while the peer is paused. So "down" is a reason for suspicion, and proves nothing.
type Watcher interface {
	election.Transport
	// WatchPeers calls f for each peer that is up, and then at each change, until stop is called or the
	// transport is closed. Where changes follow each other fast, f may get the last one only. Calls do not
	// overlap. f does not wait, and calls no method of the transport. stop returns when no call of f is
	// under way.
	WatchPeers(f func(id election.ID, up bool)) (stop func())
}
