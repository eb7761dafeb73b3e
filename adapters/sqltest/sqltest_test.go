//go:build unix

package sqltest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/sqlstore"
	"github.com/go-election/election/store/storetest"
)

func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		admin := d.connect(t)
		remove := "DELETE FROM election_store WHERE name = ?"
		if d.dialect == sqlstore.PostgreSQL {
			remove = "DELETE FROM election_store WHERE name = $1"
		}
		open := func(_ context.Context, address string) (store.Store, func() error, error) {
			db, err := d.open(address)
			if err != nil {
				return nil, nil, err
			}
			return sqlstore.New(db, d.dialect), db.Close, nil
		}
		o := storetest.Options{Address: d.address(), Delete: func(ctx context.Context, key string) error {
			_, err := admin.ExecContext(ctx, remove, key)
			return err
		}}
		if d.driver != "postgres" {
			storetest.Test(t, open, o)
			return
		}
		// This driver waits for the answer of the server even if the context has ended.
		var broken []string
		for f := range storetest.Check(t.Context(), open, o) {
			if f.Verdict == storetest.Broken {
				require.Contains(t, f.Text, "does not return when its context ends")
				broken = append(broken, f.Property)
			}
		}
		require.Equal(t, []string{"Deadline", "LateWrite"}, broken)
	})
}

// TestDisturbed: one member writes while connections are lost and the server is killed. What is acknowledged remains,
// and there is no conflict unless a Put before it may have been carried out.
func TestDisturbed(t *testing.T) {
	onServers(t, func(t *testing.T, d *database) {
		s, admin := d.store(t), d.connect(t)
		key := "disturbed " + t.Name()
		revision, err := s.Put(t.Context(), key, []byte("0"), "")
		require.NoError(t, err)
		possible := map[string]bool{"0": true} // values that may be stored
		opens, acknowledged := 0, 0
		for n := 1; acknowledged < 100 || opens == 0; n++ {
			require.Less(t, n, 1000, "%d Puts are acknowledged, and the outcome of %d is open", acknowledged, opens)
			disturbed := make(chan error, 1)
			switch {
			case n%100 == 50:
				go func() { disturbed <- errors.Join(d.server.Kill(), d.server.Start(t.Context())) }()
			case n%10 == 5:
				go func() {
					err := d.disconnect(admin)
					if err != nil { // the administrator's own connection ended with the server that was killed
						err = d.disconnect(admin)
					}
					disturbed <- err
				}()
			default:
				disturbed <- nil
			}
			value := fmt.Sprint(n)
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			written, err := s.Put(ctx, key, []byte(value), revision)
			stop()
			switch {
			case err == nil:
				possible, revision = map[string]bool{value: true}, written
				acknowledged++
			case errors.Is(err, store.ErrConflict):
				require.Greater(t, len(possible), 1, "nobody else writes: %v", err)
			default:
				possible[value] = true
				opens++
			}
			require.NoError(t, <-disturbed)
			if err == nil {
				continue
			}
			var got []byte
			require.Eventually(t, func() bool {
				got, revision, err = s.Get(t.Context(), key)
				return err == nil
			}, time.Minute, time.Millisecond, "%v", err)
			require.Contains(t, possible, string(got))
		}
		got, _, err := s.Get(t.Context(), key)
		require.NoError(t, err)
		require.Contains(t, possible, string(got))
	})
}

// TestTables: several members may create the tables simultaneously, and a member that may not create tables uses those
// that exist.
func TestTables(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		admin := d.connect(t)
		_, err := admin.Exec("DROP TABLE IF EXISTS election_store")
		require.NoError(t, err)
		_, err = admin.Exec("DROP TABLE IF EXISTS election_fence")
		require.NoError(t, err)
		errs := make(chan error, 8)
		for range cap(errs) {
			s := d.store(t)
			go func() {
				_, _, err := s.Get(t.Context(), "absent")
				errs <- err
			}()
		}
		for range cap(errs) {
			require.ErrorIs(t, <-errs, store.ErrAbsent)
		}
	})
}
