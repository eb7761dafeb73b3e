package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	_ "modernc.org/sqlite" // the driver

	"github.com/go-election/election/store/sqlstore"
)

const schema = `CREATE TABLE IF NOT EXISTS log (
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

// write inserts rows in one transaction, unless a leader with a larger token has committed one.
func write(ctx context.Context, db *sql.DB, token uint64, texts ...string) error {
	s := sqlstore.New(db, sqlstore.SQLite)
	return s.Fenced(ctx, "jobs", token, func(tx *sql.Tx) error {
		for _, text := range texts {
			_, err := tx.ExecContext(ctx, `INSERT INTO log (token, text) VALUES ($1, $2)`, int64(token), text)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
