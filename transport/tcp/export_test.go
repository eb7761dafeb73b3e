package tcp

// Speaking returns a configuration with other versions of the protocol.
func (c Config) Speaking(oldest, newest uint64) Config {
	c.speaks = versions{oldest, newest}
	return c
}
