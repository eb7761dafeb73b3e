package transporttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-election/election"
)

// goroutines returns the stacks of all goroutines by the runtime's name of the goroutine.
func goroutines() map[string]string {
	b := make([]byte, 1<<16)
	for {
		size := runtime.Stack(b, true)
		if size < len(b) {
			b = b[:size]
			break
		}
		// If the buffer is full, the last stack may be truncated: try again with a larger one.
		b = make([]byte, 2*len(b))
	}
	all := make(map[string]string)
	for one := range strings.SplitSeq(string(b), "\n\n") {
		head, stack, _ := strings.Cut(one, "\n")
		name, _, _ := strings.Cut(head, " [") // the state in brackets changes
		all[name] = stack
	}
	return all
}

// calls returns the names of the functions in a stack.
func calls(stack string) string {
	var names []string
	for line := range strings.Lines(stack) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "\t") {
			continue
		}
		if by, created := strings.CutPrefix(line, "created by "); created {
			by, _, _ = strings.Cut(by, " in goroutine")
			line = "created by " + by
		} else if arguments := strings.LastIndex(line, "("); arguments > 0 {
			line = line[:arguments]
		}
		names = append(names, line)
	}
	return strings.Join(names, ", ")
}

// checkGoroutines reports goroutines that were started after before and have not ended.
func checkGoroutines(tb testing.TB, before map[string]string, patience time.Duration) {
	const pause = 10 * time.Millisecond
	end := time.NewTimer(patience)
	defer end.Stop()
	for late := false; ; {
		left := make(map[string]int)
		for name, stack := range goroutines() {
			if _, old := before[name]; !old {
				left[calls(stack)]++
			}
		}
		switch {
		case len(left) == 0:
			return
		case late:
			for _, stack := range slices.Sorted(maps.Keys(left)) {
				tb.Errorf("goroutines are left after Close: %d in %s", left[stack], stack)
			}
			return
		}
		select {
		case <-end.C:
			late = true
		case <-time.After(pause):
		}
	}
}

// everything uses all operations and leaves the transports to be closed in the middle of them. checkGoroutines
// then reports what is left.
func everything(n *network) error {
	n.readers = 2
	if err := n.exchange(n.pairs(20)...); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	for at, end := range n.ends {
		n.begin(func() error {
			_, err := end.Recv(ctx)
			return err
		})
		p := n.packet(at, at, election.Message{Kind: 1})
		p.To = absent
		if err := n.send(ctx, at, p); errors.Is(err, errStuck) {
			return err
		}
	}
	settle()
	for from := range n.ends {
		to := (from + 1) % len(n.ends)
		p := n.packet(from, to, election.Message{Kind: 1})
		if err := n.send(n.ctx, from, p); errors.Is(err, errStuck) {
			return fmt.Errorf("before Close: %w", err)
		}
	}
	return nil
}
