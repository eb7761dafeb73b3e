package main

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/transport/tcp"
)

// hook is the transport of a member. It sees each step of a change before anything is sent about it, since a member
// stores a step before it sends, and it can end or stop the process between any two messages.
type hook struct {
	*tcp.Group
	member  *member
	elector atomic.Pointer[elector.Elector]

	mu     sync.Mutex
	last   report         // the last step
	signal syscall.Signal // zero: the process is not struck
	after  int            // it is struck that many messages after the first one of a change that it leads
	begun  bool           // it has led a change
}

// openHook puts a hook into the Config of a member. Call end when the member has ended.
func openHook(m *member, c *elector.Config) (h *hook, end func(), err error) {
	own := c.TCP()
	if c.Listen != "" {
		if own.Listener, err = net.Listen("tcp", c.Listen); err != nil {
			return nil, nil, err
		}
	}
	n, err := tcp.New(own)
	if err != nil {
		return nil, nil, err
	}
	g, err := n.Group(c.Group, tcp.GroupConfig{})
	if err != nil {
		return nil, nil, errors.Join(err, n.Close())
	}
	h = &hook{Group: g, member: m}
	c.Transport = h
	return h, func() { _ = n.Close() }, nil
}

// Send implements [election.Transport].
func (h *hook) Send(ctx context.Context, p election.Packet) error {
	if e := h.elector.Load(); e != nil {
		h.look(e)
	}
	return h.Group.Send(ctx, p)
}

// look reports a step, and strikes if it is time.
func (h *hook) look(e *elector.Elector) {
	h.mu.Lock()
	defer h.mu.Unlock()
	agreed := e.Members()
	now := report{Kind: kindStep, Term: agreed.Term, Members: strings.Join(agreed.Agreed, " "),
		Next: strings.Join(agreed.Next, " ")}
	changed := now != h.last
	h.last = now
	now.From = suspend.Now()
	if changed {
		h.member.say(now)
	}
	if h.signal == 0 || !e.Leader().Self {
		return
	}
	if h.begun = h.begun || agreed.Next != nil; !h.begun {
		return
	}
	if h.after--; h.after >= 0 {
		return
	}
	now.Struck = true
	h.member.say(now)
	_ = syscall.Kill(os.Getpid(), h.signal)
	h.signal = 0
}

// obey carries out a command, and returns whether it was for the hook: "strike", a number of a signal, and a number of
// messages.
func (h *hook) obey(words []string) bool {
	if h == nil || len(words) != 3 || words[0] != "strike" {
		return false
	}
	signal, err := strconv.Atoi(words[1])
	after, odd := strconv.Atoi(words[2])
	if errors.Join(err, odd) != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.signal, h.after, h.begun = syscall.Signal(signal), after, false
	return true
}
