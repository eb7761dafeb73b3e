package observe

// KindCount is the number of messages of one kind that were sent.
type KindCount struct {
	Kind  string
	Count uint64
}
