package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/store"
)

// away is a database that cannot be reached.
type away struct{}

var errAway = errors.New("connection refused")

func (away) Connect(context.Context) (driver.Conn, error) { return nil, errAway }
func (away) Driver() driver.Driver                        { return nil }

// TestAway: if there is no database, nothing is absent and nothing conflicts. What real ones answer is tried in module
// adapters/sqltest.
func TestAway(t *testing.T) {
	for _, dialect := range []Dialect{PostgreSQL, MySQL, SQLite} {
		s := New(sql.OpenDB(away{}), dialect)
		_, _, err := s.Get(t.Context(), "a")
		require.ErrorIs(t, err, errAway)
		require.NotErrorIs(t, err, store.ErrAbsent)
		for _, revision := range []string{"", "r"} {
			_, err = s.Put(t.Context(), "a", nil, revision)
			require.ErrorIs(t, err, errAway)
			require.NotErrorIs(t, err, store.ErrConflict)
		}
		err = s.Fenced(t.Context(), "a", 1, func(*sql.Tx) error {
			t.Error("work runs without a transaction")
			return nil
		})
		require.ErrorIs(t, err, errAway)
	}
}

// far is a database whose connections take a second.
type far struct{ opened atomic.Int32 }

func (f *far) Connect(ctx context.Context) (driver.Conn, error) {
	select {
	case <-time.After(time.Second):
		f.opened.Add(1)
		return line{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (*far) Driver() driver.Driver { return nil }

// line is a connection on which nothing is stored.
type line struct{}

func (line) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (line) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (line) Close() error                        { return nil }
func (line) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &count{}, nil
}

// count is a row with the number 0.
type count struct{ read bool }

func (c *count) Columns() []string { return []string{"count"} }
func (c *count) Close() error      { return nil }
func (c *count) Next(row []driver.Value) error {
	if c.read {
		return io.EOF
	}
	c.read, row[0] = true, int64(0)
	return nil
}

// TestSlowConnections: requests that end before a connection is open do not prevent that one is opened, and only one.
func TestSlowConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{}
		db := sql.OpenDB(f)
		defer db.Close()
		s := New(db, SQLite)
		request := func(do func(ctx context.Context) error) error {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			return do(ctx)
		}
		get := func(ctx context.Context) error {
			_, _, err := s.Get(ctx, "a")
			return err
		}
		put := func(ctx context.Context) error {
			_, err := s.Put(ctx, "a", nil, "")
			return err
		}
		for range 2 {
			require.ErrorIs(t, request(put), context.DeadlineExceeded)
			require.ErrorIs(t, request(get), context.DeadlineExceeded)
		}
		time.Sleep(time.Second)
		require.EqualValues(t, 1, f.opened.Load())
		require.NotErrorIs(t, request(get), context.DeadlineExceeded)
		require.EqualValues(t, 1, f.opened.Load())
	})
}

// TestRefused: what does not fit into the columns is refused, rather than cut by a database.
func TestRefused(t *testing.T) {
	s := New(sql.OpenDB(away{}), MySQL)
	_, err := s.Put(t.Context(), strings.Repeat("k", 513), nil, "")
	require.ErrorContains(t, err, "sqlstore: a key of 513 bytes and a value of 0: there may be 512 and 1048576")
	_, err = s.Put(t.Context(), "k", make([]byte, 1<<20+1), "")
	require.ErrorContains(t, err, "a value of 1048577")
	_, _, err = New(sql.OpenDB(away{}), 7).Get(t.Context(), "k")
	require.EqualError(t, err, "sqlstore: 7 is not a Dialect")
}

func TestBind(t *testing.T) {
	const statement = "UPDATE t SET a = ? WHERE b = ? AND c = ?"
	require.Equal(t, statement, New(nil, SQLite).bind(statement))
	require.Equal(t, "UPDATE t SET a = $1 WHERE b = $2 AND c = $3", New(nil, PostgreSQL).bind(statement))
	require.Equal(t, "INSERT IGNORE INTO t VALUES (?)", New(nil, MySQL).unlessExists("INSERT INTO t VALUES (?)"))
	require.Equal(t, "INSERT INTO t VALUES ($1) ON CONFLICT (name) DO NOTHING",
		New(nil, PostgreSQL).unlessExists("INSERT INTO t VALUES (?)"))
}

// A leader writes with its token. Once another leader has written with a larger one, the database refuses it.
func ExampleStore_Fenced() {
	ctx, token := context.Background(), uint64(7) // of elector.Term.Token
	db, err := sql.Open("pgx", "postgres://service@db/orders")
	if err != nil {
		fmt.Println(err) // this example imports no driver
		return
	}
	s := New(db, PostgreSQL)
	err = s.Fenced(ctx, "orders", token, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE jobs SET state = 'done' WHERE id = 12")
		return err
	})
	if err != nil {
		log.Print(err)
	}
	// Output:
	// sql: unknown driver "pgx" (forgotten import?)
}
