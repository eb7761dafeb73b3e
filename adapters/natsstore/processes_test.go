//go:build unix

package natsstore_test

import (
	"context"
	"net/netip"
	"testing"

	"go.uber.org/goleak"

	"github.com/go-election/election/adapters/natsstore"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
)

func TestMain(m *testing.M) {
	grouptest.Child(func(address string) (store.Store, error) {
		_, bucket, err := open(context.Background(), address)
		if err != nil {
			return nil, err
		}
		return natsstore.New(bucket), nil
	}, func(dir, address string) error {
		a, err := netip.ParseAddrPort(address)
		if err == nil {
			_, err = listen(dir, int(a.Port()))
		}
		return err
	})
	goleak.VerifyTestMain(m)
}

// TestProcesses: processes have one leader at a time, while they and the server are killed, stopped and cut off.
func TestProcesses(t *testing.T) { grouptest.Processes(t, grouptest.Serve(t)) }
