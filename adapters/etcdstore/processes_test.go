//go:build unix

package etcdstore_test

import (
	"os"
	"testing"

	"github.com/go-election/election/adapters/etcdstore"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
)

func TestMain(m *testing.M) {
	grouptest.Child(func(address string) (store.Store, error) {
		client, err := dial(address)
		if err != nil {
			return nil, err
		}
		return etcdstore.New(client), nil
	}, func(dir, address string) error {
		_, err := listen(dir, address)
		return err
	})
	os.Exit(m.Run())
}

// TestProcesses: processes have one leader at a time, while they and the server are killed, stopped and cut off.
func TestProcesses(t *testing.T) { grouptest.Processes(t, grouptest.Serve(t)) }
