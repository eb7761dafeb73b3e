package peers

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestNATSKeyTTL: a key that was created with KeyTTL loses its TTL when it is updated. A lock that is renewed once is
// never released if its holder crashes.
func TestNATSKeyTTL(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(),
		NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	nc, err := nats.Connect("", nats.InProcessServer(s), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	kv, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "locks", LimitMarkerTTL: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	const ttl = time.Second
	for renewed := false; !renewed; {
		revision, err := kv.Create(ctx, "renewed", []byte("a"), jetstream.KeyTTL(ttl))
		if err != nil {
			t.Fatal(err)
		}
		_, err = kv.Update(ctx, "renewed", []byte("a again"), revision)
		if renewed = err == nil; !renewed && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) { // which is: too late
			t.Fatal(err)
		}
	}
	if _, err := kv.Create(ctx, "untouched", []byte("a"), jetstream.KeyTTL(ttl)); err != nil {
		t.Fatal(err)
	}
	for gone := error(nil); !errors.Is(gone, jetstream.ErrKeyNotFound); time.Sleep(ttl / 10) {
		_, gone = kv.Get(ctx, "untouched")
	}
	time.Sleep(2 * ttl)
	if _, err := kv.Get(ctx, "renewed"); err != nil {
		t.Fatalf("the key that was updated is gone too: %v", err)
	}
}
