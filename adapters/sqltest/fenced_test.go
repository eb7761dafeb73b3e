//go:build unix

package sqltest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/store/sqlstore"
)

// writer is a leader, or was one.
type writer struct {
	s     *sqlstore.Store
	group string
}

func (d *database) writer(t *testing.T) *writer {
	w := &writer{d.store(t), t.Name()}
	db := d.connect(t)
	id := map[sqlstore.Dialect]string{
		sqlstore.PostgreSQL: "BIGSERIAL PRIMARY KEY",
		sqlstore.MySQL:      "BIGINT AUTO_INCREMENT PRIMARY KEY",
		sqlstore.SQLite:     "INTEGER PRIMARY KEY AUTOINCREMENT",
	}
	_, err := db.Exec("CREATE TABLE IF NOT EXISTS log (id " + id[d.dialect] + ", token BIGINT NOT NULL, text VARCHAR(99))")
	require.NoError(t, err)
	_, err = db.Exec("DELETE FROM log")
	require.NoError(t, err)
	return w
}

// write inserts rows in one transaction. Between two of them it calls pause, if there is one.
func (w *writer) write(ctx context.Context, token uint64, pause func(), texts ...string) error {
	for {
		err := w.s.Fenced(ctx, w.group, token, func(tx *sql.Tx) error {
			for i, text := range texts {
				if i > 0 && pause != nil {
					pause()
				}
				_, err := tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO log (token, text) VALUES (%d, '%s')", token, text))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if !again(err) {
			return err
		}
	}
}

// again reports whether a transaction has failed because of another one, and is to be repeated.
func again(err error) bool {
	if wrong, ok := errors.AsType[*pgconn.PgError](err); ok {
		return wrong.Code == "40001" || wrong.Code == "40P01"
	}
	if wrong, ok := errors.AsType[*pq.Error](err); ok {
		return wrong.Code == "40001" || wrong.Code == "40P01"
	}
	wrong, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (wrong.Number == 1213 || wrong.Number == 1205)
}

// rows returns what was written, in order.
func rows(t *testing.T, db *sql.DB) (tokens []uint64, texts []string) {
	all, err := db.Query(`SELECT token, text FROM log ORDER BY id`)
	require.NoError(t, err)
	defer all.Close()
	for all.Next() {
		var token uint64
		var text string
		require.NoError(t, all.Scan(&token, &text))
		tokens, texts = append(tokens, token), append(texts, text)
	}
	require.NoError(t, all.Err())
	return tokens, texts
}

// TestStale: of two writers the one with the smaller token is refused, whatever else it writes.
func TestStale(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		older, newer, db := d.writer(t), d.writer(t), d.connect(t)
		require.NoError(t, older.write(t.Context(), 7, nil, "a"))
		require.NoError(t, older.write(t.Context(), 7, nil, "b"))
		require.NoError(t, newer.write(t.Context(), 1<<53-1, nil, "c"))
		require.ErrorIs(t, older.write(t.Context(), 7, nil, "d"), fence.ErrStale)
		require.ErrorIs(t, older.write(t.Context(), 7, nil), fence.ErrStale)
		require.NoError(t, newer.write(t.Context(), 1<<53-1, nil, "e"))
		tokens, texts := rows(t, db)
		require.Equal(t, []string{"a", "b", "c", "e"}, texts)
		require.True(t, slices.IsSorted(tokens))

		// The judge of TestRace finds what a writer does that is not fenced.
		_, err := db.Exec(`INSERT INTO log (token, text) VALUES (7, 'unfenced')`)
		require.NoError(t, err)
		tokens, _ = rows(t, db)
		require.False(t, slices.IsSorted(tokens))

		// Each group counts for itself.
		other := &writer{newer.s, "another " + newer.group}
		require.NoError(t, other.write(t.Context(), 1, nil))
	})
}

// TestFailure: what fails leaves neither a row nor a token behind.
func TestFailure(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		w, broken := d.writer(t), errors.New("broken")
		err := w.s.Fenced(t.Context(), w.group, 9, func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO log (token, text) VALUES (9, 'half')`)
			return errors.Join(err, broken)
		})
		require.ErrorIs(t, err, broken)
		require.NoError(t, w.write(t.Context(), 8, nil, "whole"))
		_, texts := rows(t, d.connect(t))
		require.Equal(t, []string{"whole"}, texts)
	})
}

// TestSpan: a transaction that an earlier leader has begun in time ends before the next leader's begins, which sees all
// of it.
func TestSpan(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		older, newer := d.writer(t), d.writer(t)
		require.NoError(t, older.write(t.Context(), 1, nil))
		inside, ended := make(chan struct{}), make(chan error, 2)
		resume := make(chan struct{})
		go func() {
			ended <- older.write(t.Context(), 7, func() { close(inside); <-resume }, "a", "b")
		}()
		<-inside
		impatient, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer stop()
		err := newer.write(impatient, 8, nil, "too soon")
		require.Error(t, err, "it does not wait for the transaction of the older leader")
		require.NotErrorIs(t, err, fence.ErrStale)
		close(resume)
		require.NoError(t, <-ended)
		require.NoError(t, newer.write(t.Context(), 8, nil, "c"))
		_, texts := rows(t, d.connect(t))
		require.Equal(t, []string{"a", "b", "c"}, texts)
	})
}

// TestRace: eight writers, each a leader again and again, and each late now and then. In the order of what is written,
// tokens never become smaller, and no transaction is between the two rows of another.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		var term, accepted atomic.Uint64
		var all sync.WaitGroup
		var writers []*writer
		for range 8 {
			writers = append(writers, d.writer(t))
		}
		for i, w := range writers {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(1, uint64(i)))
				token := term.Add(1)
				for n := range 30 {
					if dice.IntN(3) == 0 {
						token = term.Add(1)
					}
					text := fmt.Sprint(i, " ", token, " ", n)
					switch err := w.write(t.Context(), token, nil, text, text); {
					case err == nil:
						accepted.Add(1)
					case errors.Is(err, fence.ErrStale):
						token = term.Add(1)
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		tokens, texts := rows(t, d.connect(t))
		require.True(t, slices.IsSorted(tokens), tokens)
		require.NotZero(t, accepted.Load())
		require.Len(t, texts, 2*int(accepted.Load()))
		for i := 0; i < len(texts); i += 2 {
			require.Equal(t, texts[i], texts[i+1])
		}
	})
}
