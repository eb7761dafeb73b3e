package process

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/mailbox"
)

// pump moves packets from a transport to a mailbox of the process's own.
type pump struct {
	transport election.Transport
	dropped   *atomic.Uint64
	office    mailbox.Office[election.Packet]
	box       mailbox.Mailbox[election.Packet]
	err       error // why it has ended, once box is closed
}

func newPump(t election.Transport, dropped *atomic.Uint64) *pump {
	u := &pump{transport: t, dropped: dropped}
	u.office.Open(&u.box)
	return u
}

// start lets the pump run until release is called, which returns when it has ended.
func (u *pump) start(ctx context.Context) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { u.run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (u *pump) run(ctx context.Context) {
	for {
		packet, err := u.transport.Recv(ctx)
		if err != nil {
			u.err = err
			u.box.Close()
			return
		}
		if packet.From == 0 { // only the process itself may call itself
			u.dropped.Add(1)
			continue
		}
		u.box.Send(&packet)
	}
}
