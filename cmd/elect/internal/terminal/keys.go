package terminal

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// Raw makes a terminal deliver each key as it is pressed, and returns a function that undoes that.
func Raw(in io.Reader) (restore func(), err error) {
	fd := descriptor(in)
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(fd, before) }, nil
}

// interruptKey is Ctrl-C, which a raw terminal delivers as a key.
const interruptKey = 3

// Keys delivers what is typed, key by key, until ctx ends. Ctrl-C interrupts this process.
func Keys(ctx context.Context, in io.Reader) <-chan byte {
	pressed := make(chan byte)
	// Nothing waits for this goroutine: no context ends its read.
	go func() {
		for one := make([]byte, 1); ; {
			if n, err := in.Read(one); n == 0 || err != nil {
				return
			}
			if one[0] == interruptKey {
				_ = interrupt()
				continue
			}
			select {
			case pressed <- one[0]:
			case <-ctx.Done():
				return
			}
		}
	}()
	return pressed
}

// interrupt sends this process the signal that Ctrl-C sends unless a terminal is raw.
func interrupt() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(os.Interrupt)
}
