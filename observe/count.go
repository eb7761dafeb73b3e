package observe

// KindCount is how many messages of one kind were sent.
type KindCount struct {
	Kind  string
	Count uint64
}
