package sim

// touch fetches places into the cache, and does not wait for them: Go has no statement for that, and a load
// holds up what comes after it until its value is there. It returns zero.
//
//go:noescape
func touch(at *places) (sum uint32)
