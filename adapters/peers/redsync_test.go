package peers

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// TestRedsyncLostData: Redis loses its data, as a server without persistence does that restarts, or a replica that
// takes over before it has everything. A second client gets the lock, while the first one still believes in it.
func TestRedsyncLostData(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer client.Close()
	locks := redsync.New(goredis.NewPool(client))
	a := locks.NewMutex("orders", redsync.WithExpiry(time.Hour))
	if err := a.LockContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	server.FlushAll()
	b := locks.NewMutex("orders", redsync.WithExpiry(time.Hour))
	if err := b.LockContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !time.Now().Before(a.Until()) || !time.Now().Before(b.Until()) {
		t.Fatal("only one of them believes to hold the lock")
	}
}
