package fence

import (
	"context"
	"database/sql"
	"fmt"
)

// Execer is implemented by *sql.DB, *sql.Conn and *sql.Tx.
type Execer interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
}

// Exec executes a statement that changes a row only if the token in the row is not larger than the token of the
// leader. If no row is changed, the error wraps [ErrStale]. A row that does not exist is not changed either, so
// prefer an INSERT that becomes an UPDATE on conflict.
//
// The statement is safe at every isolation level of PostgreSQL and SQLite. If another transaction has changed the
// row, it waits until that commits and compares with the committed token, or it fails with an error of the driver
// that does not wrap ErrStale: then retry. In a transaction, execute it first: earlier reads of the transaction may
// predate the last write of another leader.
//
// MySQL and MariaDB count only rows that get other values, so a statement that repeats the last one looks stale: connect
// with clientFoundRows=true, or count the writes in a column of the row. Store.Fenced of package store/sqlstore guards
// whole transactions in all three.
func Exec(ctx context.Context, db Execer, statement string, args ...any) error {
	result, err := db.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	switch changed, err := result.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("fence: counting the changed rows: %w", err)
	case changed == 0:
		return fmt.Errorf("%w: no row was changed", ErrStale)
	}
	return nil
}
