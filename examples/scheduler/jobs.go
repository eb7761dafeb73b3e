package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/store/sqlstore"
)

// schema: a run is written in the transaction that marks its job as done.
const schema = `
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, token BIGINT NOT NULL, done BOOLEAN NOT NULL);
CREATE TABLE IF NOT EXISTS runs (job TEXT NOT NULL, token BIGINT NOT NULL);`

// scheduler is the service: a table of jobs. Each write carries the token of its leader, and the database refuses
// the tokens of earlier leaders.
type scheduler struct {
	db     *sql.DB
	fenced func(ctx context.Context, group string, token uint64, work func(*sql.Tx) error) error
	group  string
}

// open opens the database, an SQLite file that all replicas share.
func open(ctx context.Context, file, group string) (*scheduler, error) {
	location := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(),
		RawQuery: url.Values{"_pragma": {"busy_timeout(200)", "journal_mode(WAL)"}}.Encode()}
	db, err := sql.Open("sqlite", location.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // transactions of one process wait for each other, until their contexts end
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &scheduler{db, sqlstore.New(db, sqlstore.SQLite).Fenced, group}, nil
}

// ServeHTTP accepts a job, on the leader: PUT /jobs/ID. A job that is sent twice is one job.
func (s *scheduler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		http.Error(w, "PUT /jobs/ID accepts a job", http.StatusMethodNotAllowed)
		return
	}
	token := elector.TermOf(r.Context()).Token()
	err := s.fenced(r.Context(), s.group, token, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(r.Context(), `INSERT INTO jobs (id, token, done) VALUES (?, ?, FALSE) ON CONFLICT DO NOTHING`,
			path.Base(r.URL.Path), int64(token))
		return err
	})
	switch {
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // the Term has ended: another replica, or the client, sends the request again
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "accepted with token", token)
}

// lead runs the jobs while this replica leads.
func (s *scheduler) lead(ctx context.Context, term elector.Term) error {
	for every := time.Tick(50 * time.Millisecond); ; {
		err := s.fenced(ctx, s.group, term.Token(), func(tx *sql.Tx) error { return runAll(ctx, tx, term) })
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, fence.ErrStale): // another replica leads by now
			return elector.Pause(time.Second)
		case err != nil:
			slog.Warn("jobs wait", "err", err)
		}
		select {
		case <-every:
		case <-ctx.Done():
			return nil
		}
	}
}

// runAll runs the jobs that wait. What a real job does belongs to the transaction, or must be able to happen twice.
func runAll(ctx context.Context, tx *sql.Tx, term elector.Term) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO runs (job, token) SELECT id, ? FROM jobs WHERE NOT done`, int64(term.Token()))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET done = TRUE WHERE NOT done`)
	return err
}
