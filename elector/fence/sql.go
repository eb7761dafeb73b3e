package fence

import (
	"context"
	"database/sql"
	"fmt"
)

// Execer is an *sql.DB, an *sql.Conn or an *sql.Tx.
type Execer interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
}

// Exec executes a statement that changes a row only if the token of the row is not larger than that of the
// leader. An error wraps [ErrStale] if no row is changed. A row that does not exist is not changed
// either, so the statement is best an INSERT that becomes an UPDATE on conflict.
//
// The statement is safe at every isolation level of PostgreSQL and SQLite. It waits for a transaction
// that has changed the same row, and then compares with the token that this one has committed, or fails:
// the error of the driver does not wrap ErrStale, and the caller tries again. In a transaction it must
// come first: what the transaction reads earlier may be older than the last write of another leader.
func Exec(ctx context.Context, db Execer, statement string, args ...any) error {
	result, err := db.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	switch changed, err := result.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("fence: rows that were changed: %w", err)
	case changed == 0:
		return fmt.Errorf("%w: no row was changed", ErrStale)
	}
	return nil
}
