//go:build unix

package sqltest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store/sqlstore"
)

// TestRest: members renew with one write. Followers read once in Renew, since the store reports no changes.
func TestRest(t *testing.T) {
	d := onPostgres("PostgreSQL", "pgx", "")
	grouptest.Rest(t, time.Second, d.address(), func(tb testing.TB, _, address string) (elector.Config, func()) {
		db, err := d.open(address)
		require.NoError(tb, err)
		db.SetMaxOpenConns(2)
		return elector.Config{Group: "rest", Store: sqlstore.New(db, d.dialect)}, func() { _ = db.Close() }
	})
}

// TestProcesses: processes have one leader at a time, while they and the server are killed, stopped and cut off.
func TestProcesses(t *testing.T) {
	grouptest.Processes(t, grouptest.Server{Address: postgres.Address, Stop: func() { require.NoError(t, postgres.Kill()) },
		Start: func() { require.NoError(t, postgres.Start(t.Context())) }})
}
