// Package sqlstore keeps values in a table of an SQL database that a service already has.
//
//	db, err := sql.Open("pgx", "postgres://service@db/orders") // with the driver of your choice
//	s := sqlstore.New(db, sqlstore.PostgreSQL)
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: s})
//
// The tables election_store and election_fence are created when they are first needed, unless both exist. A user that may
// not create them needs SELECT, INSERT and UPDATE. Read the leases with any tool:
//
//	SELECT name, value FROM election_store
//
// [Store.Fenced] refuses transactions of former leaders, in the same database.
//
// # Guarantees
//
// A Put is one INSERT or UPDATE that commits by itself; the database decides which of several is first. A revision is
// drawn at random, so it never repeats, not even after a row was deleted. Every error other than store.ErrConflict leaves
// the outcome open: serialization failures, deadlocks, lost connections and the end of the context alike. A Put is never
// sent twice, unless a proxy or a driver does so without being told.
//
// Poolers, recycled connections and restarts of the server do no harm, since nothing belongs to a connection.
//
// # Limitations
//
// All members must write to the same primary. If a standby that has not received the last commits is promoted, two
// members may lead, and tokens may repeat: use synchronous replication (synchronous_commit = on or remote_apply with
// synchronous_standby_names, semi-synchronous replication with AFTER_SYNC), or Group Replication. MariaDB Galera Cluster
// may return one of two conflicting writes as a deadlock, which is an open outcome here. A commit that the server
// acknowledges before it is on disk (synchronous_commit = off, innodb_flush_log_at_trx_commit = 0 or 2) may be lost in
// a crash, with the same consequences.
//
// There is no Watch: members ask about four times a lease. In SQLite, set busy_timeout, as another process may be writing.
//
// If Get or Put ends before the driver has opened a connection, one is opened for the next calls, within ten seconds.
//
// Get and Put return when their context ends if the driver does. pgx and go-sql-driver/mysql do; lib/pq waits for a server
// that does not answer.
package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/store"
)

// Dialect is the kind of an SQL database.
type Dialect int

// Dialects.
const (
	PostgreSQL Dialect = iota + 1
	MySQL              // and MariaDB
	SQLite             // 3.24 or later
)

const (
	maxKey   = 512
	maxValue = 1 << 20 // bytes; MySQL cuts what is too long for a column if it is told to be lax
)

// Store keeps values in the table election_store. It implements [store.Store].
type Store struct {
	db      *sql.DB
	dialect Dialect
	created atomic.Bool
	opening atomic.Bool // in open
}

var _ store.Store = (*Store)(nil)

// New returns a Store in a database. It does not connect, and does not close db.
func New(db *sql.DB, dialect Dialect) *Store { return &Store{db: db, dialect: dialect} }

var tables = map[Dialect][]string{
	PostgreSQL: {
		`CREATE TABLE IF NOT EXISTS election_store (
			name TEXT PRIMARY KEY, value TEXT NOT NULL, revision TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS election_fence (
			name TEXT PRIMARY KEY, token BIGINT NOT NULL, writes BIGINT NOT NULL)`,
	},
	// Text columns of MySQL ignore case or spaces at the end, and convert characters.
	MySQL: {
		`CREATE TABLE IF NOT EXISTS election_store (
			name VARBINARY(512) PRIMARY KEY, value MEDIUMBLOB NOT NULL, revision VARBINARY(64) NOT NULL) ENGINE = InnoDB`,
		`CREATE TABLE IF NOT EXISTS election_fence (
			name VARBINARY(512) PRIMARY KEY, token BIGINT NOT NULL, writes BIGINT NOT NULL) ENGINE = InnoDB`,
	},
	SQLite: {
		`CREATE TABLE IF NOT EXISTS election_store (name TEXT PRIMARY KEY, value BLOB NOT NULL, revision TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS election_fence (
			name TEXT PRIMARY KEY, token BIGINT NOT NULL, writes BIGINT NOT NULL)`,
	},
}

// create creates the tables unless they exist. It looks for them first, since the user of the database may have no right
// to create tables.
func (s *Store) create(ctx context.Context) error {
	if s.created.Load() {
		return nil
	}
	if tables[s.dialect] == nil {
		return fmt.Errorf("sqlstore: %d is not a Dialect", s.dialect)
	}
	// In PostgreSQL, IF NOT EXISTS may fail while another member creates the same table: then try again.
	for try := 1; s.exist(ctx) != nil; try++ {
		for _, statement := range tables[s.dialect] {
			if _, err := s.db.ExecContext(ctx, statement); err != nil && try == 3 && s.exist(ctx) != nil {
				return fmt.Errorf("sqlstore: creating a table: %w", err)
			}
		}
		if try == 3 {
			break
		}
	}
	s.created.Store(true)
	return nil
}

func (s *Store) exist(ctx context.Context) error {
	for _, table := range []string{"election_store", "election_fence"} {
		var n int
		if err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table+" WHERE name = ''").Scan(&n); err != nil {
			return err
		}
	}
	return nil
}

// longest is how long a connection may take that is opened for later requests.
const longest = 10 * time.Second

// open opens a connection for later requests if a request has ended without one. The driver stops connecting when the
// request ends, so connections that take longer than requests may would never be opened.
func (s *Store) open(ctx context.Context) {
	if ctx.Err() == nil || s.opening.Swap(true) {
		return
	}
	go func() {
		defer s.opening.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		_ = s.db.PingContext(ctx) // leaves the connection in the pool
	}()
}

// bind returns a statement with the placeholders of the dialect. In place of each ? of the statement PostgreSQL expects $1,
// $2 and so on.
func (s *Store) bind(statement string) string {
	if s.dialect != PostgreSQL {
		return statement
	}
	var b strings.Builder
	for i, part := range strings.Split(statement, "?") {
		if i > 0 {
			fmt.Fprintf(&b, "$%d", i)
		}
		b.WriteString(part)
	}
	return b.String()
}

// unlessExists returns an INSERT that inserts nothing if the key exists.
func (s *Store) unlessExists(insert string) string {
	if s.dialect == MySQL {
		return strings.Replace(insert, "INSERT", "INSERT IGNORE", 1)
	}
	return s.bind(insert + " ON CONFLICT (name) DO NOTHING")
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	defer s.open(ctx)
	if err := s.create(ctx); err != nil {
		return nil, "", err
	}
	row := s.db.QueryRowContext(ctx, s.bind(`SELECT value, revision FROM election_store WHERE name = ?`), key)
	switch err := row.Scan(&value, &revision); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, "", fmt.Errorf("sqlstore: %w: %.80q", store.ErrAbsent, key)
	case err != nil:
		return nil, "", fmt.Errorf("sqlstore: %w", err)
	}
	return value, revision, nil
}

// Put implements [store.Store]. Keys have up to 512 bytes, and values up to 1 MiB; in PostgreSQL both are valid UTF-8.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	if len(key) > maxKey || len(value) > maxValue {
		return "", fmt.Errorf("sqlstore: a key of %d bytes and a value of %d: there may be %d and %d", len(key), len(value),
			maxKey, maxValue)
	}
	defer s.open(ctx)
	if err := s.create(ctx); err != nil {
		return "", err
	}
	// Of a connection, Exec sends a statement once. Of the database, it sends it again if the driver takes a lost
	// connection for one that was lost before: that would conflict with itself.
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return "", fmt.Errorf("sqlstore: %w", err)
	}
	defer func() { _ = conn.Close() }() // returns it to the pool
	var stored any = value
	if s.dialect == PostgreSQL {
		stored = string(value) // drivers send []byte as bytea
	} else if value == nil {
		stored = []byte{} // not NULL
	}
	written = rand.Text()
	var result sql.Result
	if revision == "" {
		result, err = conn.ExecContext(ctx,
			s.unlessExists(`INSERT INTO election_store (name, value, revision) VALUES (?, ?, ?)`), key, stored, written)
	} else {
		result, err = conn.ExecContext(ctx,
			s.bind(`UPDATE election_store SET value = ?, revision = ? WHERE name = ? AND revision = ?`),
			stored, written, key, revision)
	}
	var changed int64
	if err == nil {
		changed, err = result.RowsAffected()
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("sqlstore: %w", err)
	case changed == 0:
		return "", fmt.Errorf("sqlstore: %w: %.80q", store.ErrConflict, key)
	}
	return written, nil
}

// Fenced calls work in a transaction, and commits it unless work fails. If a leader of the group with a larger token has
// committed such a transaction, work is not called and the error wraps [fence.ErrStale]. Pass the token of
// elector.Term.Token. The transaction first writes to the row of the group in election_fence, which remains locked until
// it ends: so of two leaders, all transactions of the first are before all of the second. A new leader that reads in other
// transactions begins its work with an empty one, after which earlier leaders commit nothing.
//
// Other errors are of the driver. If it reports a serialization failure or a deadlock, call Fenced again; if the commit
// failed, the outcome is open.
func (s *Store) Fenced(ctx context.Context, group string, token uint64, work func(*sql.Tx) error) error {
	if err := s.create(ctx); err != nil {
		return err
	}
	err := s.fenced(ctx, group, token, work)
	if !errors.Is(err, errFenced) {
		return err
	}
	// Perhaps there is no row. It is inserted outside of the transaction, as two transactions that found none would lock
	// each other out in MySQL.
	_, err = s.db.ExecContext(ctx, s.unlessExists(`INSERT INTO election_fence (name, token, writes) VALUES (?, 0, 0)`), group)
	if err != nil {
		return fmt.Errorf("sqlstore: %w", err)
	}
	err = s.fenced(ctx, group, token, work)
	if errors.Is(err, errFenced) {
		return fmt.Errorf("sqlstore: group %.80q, token %d: %w", group, token, fence.ErrStale)
	}
	return err
}

// errFenced is returned if the row of a group is absent or has a larger token, rather than an error of work.
var errFenced = errors.New("sqlstore: no row of this token")

func (s *Store) fenced(ctx context.Context, group string, token uint64, work func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlstore: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing once the transaction is committed
	// The row changes even if the token does not: MySQL counts only rows that change.
	err = fence.Exec(ctx, tx, s.bind(`UPDATE election_fence SET token = ?, writes = writes + 1 WHERE name = ? AND token <= ?`),
		int64(token), group, int64(token))
	switch {
	case errors.Is(err, fence.ErrStale):
		return errFenced
	case err != nil:
		return fmt.Errorf("sqlstore: %w", err)
	}
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}
