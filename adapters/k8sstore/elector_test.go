package k8sstore_test

import (
	"testing"
	"time"

	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
)

// TestElector: the lead passes from member to member while members and the emulator of an API server fail.
func TestElector(t *testing.T) {
	grouptest.Test(t, time.Second, grouptest.Handle(t, fakeapi.New()),
		func(_ testing.TB, _, address string) (elector.Config, func()) {
			client, disconnect := grouptest.Client()
			return elector.Config{Group: "orders", Store: k8sstore.New(client, "http://"+address, "default")}, disconnect
		})
}
