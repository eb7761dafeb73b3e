package leadcmd

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/go-election/election/elector"
)

// notifier tells systemd how this member is, if systemd has started it as a service of Type=notify, see sd_notify(3).
type notifier struct{ socket string }

// newNotifier returns a notifier. COMMAND does not get the socket: what it sent would count as sent by this member.
func newNotifier() notifier {
	n := notifier{os.Getenv("NOTIFY_SOCKET")}
	_ = os.Unsetenv("NOTIFY_SOCKET") // the name is valid
	return n
}

// tell sends a message.
func (n notifier) tell(state string) error {
	c, err := net.Dial("unixgram", n.socket)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}

// follow tells that the member is ready, who leads, and at the end of ctx that it stops. It returns when stop is called.
// A member is ready when it takes part, whether there is a leader or not: the first member of a group that starts must
// not wait for the others.
func (n notifier) follow(ctx context.Context, e *elector.Elector, failed func(error)) (stop func()) {
	if n.socket == "" {
		return func() {}
	}
	tell := func(state string) {
		if err := n.tell(state); err != nil {
			failed(err)
		}
	}
	tell("READY=1")
	ctx, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		for v := range e.Watch(ctx) {
			tell(fmt.Sprintf("STATUS=%s: leader %s, term %d", v.Why, cmp.Or(v.Leader, "none"), v.Term))
		}
		tell("STOPPING=1")
	})
	return func() {
		end()
		following.Wait()
	}
}
