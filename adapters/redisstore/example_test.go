package redisstore_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/go-election/election/adapters/redisstore"
	"github.com/go-election/election/elector/fence"
)

// The leader writes only if no other member has taken the lease meanwhile.
func ExampleFenced() {
	write := func(ctx context.Context, client *redis.Client, token uint64) error {
		_, err := redisstore.Fenced(ctx, client, "orders", token, "return redis.call('SET', KEYS[1], ARGV[1])",
			[]string{"invoices/last"}, 17)
		if errors.Is(err, fence.ErrStale) {
			err = fmt.Errorf("another member leads: %w", err)
		}
		return err
	}
	_ = write // call it in the work of the leader, with term.Token()
}
