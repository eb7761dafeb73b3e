package etcdstore_test

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/go-election/election/adapters/etcdstore"
)

// The leader writes only if no other member has taken the lease meanwhile.
func ExampleGuard() {
	write := func(ctx context.Context, client *clientv3.Client, token uint64) error {
		answer, err := client.Txn(ctx).If(etcdstore.Guard("orders", token)).
			Then(clientv3.OpPut("invoices/last", "17")).Commit()
		if err == nil && !answer.Succeeded {
			err = fmt.Errorf("another member leads after term %d", token)
		}
		return err
	}
	_ = write // call it in the work of the leader, with term.Token()
}
