package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	_ "modernc.org/sqlite" // the driver

	"github.com/go-election/election/elector/fence"
)

// schema: each row of fence holds the largest token that a group has written with; log is the data.
const schema = `
CREATE TABLE IF NOT EXISTS fence (name TEXT PRIMARY KEY, token BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS log (
	id INTEGER PRIMARY KEY AUTOINCREMENT, token BIGINT NOT NULL, text TEXT NOT NULL);`

// open opens an SQLite file. A writer waits for another one.
func open(ctx context.Context, file string) (*sql.DB, error) {
	location := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(),
		RawQuery: url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)"}}.Encode()}
	db, err := sql.Open("sqlite", location.String())
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Fenced calls work in a transaction, unless a leader with a larger token has committed one. Any number of
// rows and tables may be changed: the one row of the group guards them all.
func Fenced(ctx context.Context, db *sql.DB, group string, token uint64, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing once the transaction is committed
	// The token comes first. The row is locked until the transaction ends, so what work reads cannot be
	// changed by an earlier leader any more.
	err = fence.Exec(ctx, tx, `INSERT INTO fence (name, token) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET token = excluded.token WHERE fence.token <= excluded.token`,
		group, int64(token))
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}
