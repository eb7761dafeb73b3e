package check

import "runtime"

// liveHeap returns how much memory was in use after the last collection of garbage. The next one comes at
// twice that much, at which a browser leaves it. What runtime/metrics needs is 30 kB of WebAssembly.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.NextGC / 2)
}
