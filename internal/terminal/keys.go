package terminal

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Raw lets a terminal pass on each key at once, and returns what undoes that. stty is on every system that
// has terminals; the standard library has no function for it.
func Raw(terminal io.Reader) (restore func(), err error) {
	stty := func(args ...string) (string, error) {
		cmd := exec.Command("stty", args...)
		cmd.Stdin = terminal
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("stty: %w", err)
		}
		return strings.TrimSpace(string(out)), nil
	}
	before, err := stty("-g")
	if err != nil {
		return nil, err
	}
	if _, err := stty("-icanon", "-echo", "min", "1", "time", "0"); err != nil {
		return nil, err
	}
	return func() { _, _ = stty(before) }, nil
}

// Keys passes on what is typed, key by key, until ctx ends.
func Keys(ctx context.Context, in io.Reader) <-chan byte {
	pressed := make(chan byte)
	// Nothing waits for this goroutine: no context ends its read.
	go func() {
		for one := make([]byte, 1); ; {
			if n, err := in.Read(one); n == 0 || err != nil {
				return
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
