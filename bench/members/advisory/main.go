// Command advisory is a member over an advisory lock of PostgreSQL, which its connection holds. It asks once a second
// whether the connection is still alive.
package main

import (
	"context"
	"database/sql"
	"time"

	_ "github.com/lib/pq"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	db, err := sql.Open("postgres", c.Server)
	if err != nil {
		return err
	}
	defer db.Close()
	for ctx.Err() == nil {
		if err := term(ctx, db, requests); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// term waits for the lock, and leads until the connection ends or this member is asked to give up.
func term(ctx context.Context, db *sql.DB, requests <-chan member.Request) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(1)"); err != nil {
		return err
	}
	member.Leads(true)
	defer member.Leads(false)
	for alive := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			return nil // the connection is closed, and the lock is free
		case <-requests:
			_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(1)")
			return err
		case <-alive.C:
			member.Read()
			if err := conn.PingContext(ctx); err != nil {
				return nil
			}
		}
	}
}
