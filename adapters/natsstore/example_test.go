package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/go-election/election/adapters/natsstore"
	"github.com/go-election/election/store"
)

// Of two writes that follow the same revision, one succeeds. Here the server runs in the same process.
func Example() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	s, err := server.NewServer(&server.Options{Port: -1, JetStream: true, StoreDir: dir})
	check(err)
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	conn, err := nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
	check(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	check(err)
	ctx := context.Background()
	bucket, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "elections"})
	check(err)

	kept := natsstore.New(bucket)
	created, err := kept.Put(ctx, "election/orders", []byte("first"), "")
	check(err)
	_, err = kept.Put(ctx, "election/orders", []byte("second"), created)
	fmt.Println(err)
	_, err = kept.Put(ctx, "election/orders", []byte("third"), created)
	fmt.Println(errors.Is(err, store.ErrConflict))
	value, _, err := kept.Get(ctx, "election/orders")
	fmt.Println(string(value), err)
	// Output:
	// <nil>
	// true
	// second <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
