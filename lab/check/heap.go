//go:build !js

package check

import "runtime/metrics"

// liveHeap returns how much memory was in use after the last collection of garbage.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
