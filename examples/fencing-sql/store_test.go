package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
)

// postgres adds a server to what is tried. In its database the tables fence and log are dropped:
//
//	GOWORK=off go test . -args -postgres 'host=/var/run/postgresql dbname=fence'
var postgres = flag.String("postgres", "", "a PostgreSQL database without data that is tried as well")

// database is where one is.
type database struct{ driver, name string }

func (d database) open(ctx context.Context) (*sql.DB, error) {
	if d.driver == "sqlite" {
		return open(ctx, d.name)
	}
	return sql.Open(d.driver, d.name)
}

// connect returns connections of their own, as another process has.
func (d database) connect(t *testing.T) *sql.DB {
	db, err := d.open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// each runs a test with an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d database)) {
	t.Run("SQLite", func(t *testing.T) {
		d := database{"sqlite", filepath.Join(t.TempDir(), "a ?#%.db")}
		test(t, d)
		require.FileExists(t, d.name)
	})
	if *postgres == "" {
		return
	}
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run("PostgreSQL, "+level, func(t *testing.T) {
			d := database{"postgres", fmt.Sprintf("%s default_transaction_isolation='%s'", *postgres, level)}
			_, err := d.connect(t).Exec(`DROP TABLE IF EXISTS fence, log;
				CREATE TABLE fence (name TEXT PRIMARY KEY, token BIGINT NOT NULL);
				CREATE TABLE log (id BIGSERIAL PRIMARY KEY, token BIGINT NOT NULL, text TEXT NOT NULL)`)
			require.NoError(t, err)
			test(t, d)
		})
	}
}

// write inserts rows in one transaction. Between two of them it calls pause, if there is one.
func write(ctx context.Context, db *sql.DB, token uint64, pause func(), texts ...string) error {
	for {
		err := Fenced(ctx, db, "jobs", token, func(tx *sql.Tx) error {
			for i, text := range texts {
				if i > 0 && pause != nil {
					pause()
				}
				_, err := tx.ExecContext(ctx, `INSERT INTO log (token, text) VALUES ($1, $2)`, int64(token),
					text)
				if err != nil {
					return err
				}
			}
			return nil
		})
		// Under "repeatable read" a transaction that has waited for another one fails, and is to be repeated.
		if wrong := new(pq.Error); !errors.As(err, &wrong) || wrong.Code != "40001" {
			return err
		}
	}
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
	each(t, func(t *testing.T, d database) {
		older, newer := d.connect(t), d.connect(t)
		require.NoError(t, write(t.Context(), older, 7, nil, "a"))
		require.NoError(t, write(t.Context(), older, 7, nil, "b"))
		require.NoError(t, write(t.Context(), newer, 1<<53-1, nil, "c"))
		require.ErrorIs(t, write(t.Context(), older, 7, nil, "d"), fence.ErrStale)
		require.ErrorIs(t, write(t.Context(), older, 7, nil), fence.ErrStale)
		require.NoError(t, write(t.Context(), newer, 1<<53-1, nil, "e"))
		tokens, texts := rows(t, newer)
		require.Equal(t, []string{"a", "b", "c", "e"}, texts)
		require.True(t, slices.IsSorted(tokens))

		// The judge of TestRace finds what a writer does that is not fenced.
		_, err := older.Exec(`INSERT INTO log (token, text) VALUES (7, 'unfenced')`)
		require.NoError(t, err)
		tokens, _ = rows(t, newer)
		require.False(t, slices.IsSorted(tokens))
	})
}

// TestFailure: what fails leaves neither a row nor a token behind.
func TestFailure(t *testing.T) {
	each(t, func(t *testing.T, d database) {
		db := d.connect(t)
		broken := errors.New("broken")
		err := Fenced(t.Context(), db, "jobs", 9, func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO log (token, text) VALUES (9, 'half')`)
			return errors.Join(err, broken)
		})
		require.ErrorIs(t, err, broken)
		require.NoError(t, write(t.Context(), db, 8, nil, "whole"))
		_, texts := rows(t, db)
		require.Equal(t, []string{"whole"}, texts)
	})
}

// waits checks that a write has to wait for another one, by a connection that does not: it is an error there,
// and no refusal.
func waits(t *testing.T, d database, token uint64) {
	db := d.connect(t)
	db.SetMaxOpenConns(1)
	impatient, code := "PRAGMA busy_timeout = 0", "SQLITE_BUSY"
	if d.driver == "postgres" {
		impatient, code = "SET lock_timeout = 1", "lock timeout" // ms; 0 would be for ever
	}
	_, err := db.Exec(impatient)
	require.NoError(t, err)
	err = write(t.Context(), db, token, nil, "too soon")
	require.ErrorContains(t, err, code)
	require.NotErrorIs(t, err, fence.ErrStale)
}

// TestSpan: a transaction that an earlier leader has begun in time ends before the next leader's begins,
// which sees all of it.
func TestSpan(t *testing.T) {
	each(t, func(t *testing.T, d database) {
		older, newer := d.connect(t), d.connect(t)
		inside, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- write(t.Context(), older, 7, func() { close(inside); <-goOn }, "a", "b")
		}()
		<-inside
		waits(t, d, 8)
		close(goOn)
		require.NoError(t, <-ended)
		require.NoError(t, write(t.Context(), newer, 8, nil, "c"))
		_, texts := rows(t, newer)
		require.Equal(t, []string{"a", "b", "c"}, texts)
	})
}

// TestCrash: a leader is killed within a transaction. It holds up the next one until then, and leaves nothing
// behind.
func TestCrash(t *testing.T) {
	each(t, func(t *testing.T, d database) {
		db := d.connect(t)
		require.NoError(t, write(t.Context(), db, 3, nil, "a"))
		leader := exec.CommandContext(t.Context(), os.Args[0])
		leader.Env = append(os.Environ(), asWriter+"=1", "DRIVER="+d.driver, "NAME="+d.name)
		leader.Stderr = os.Stderr
		_, err := leader.StdinPipe() // it ends with this process
		require.NoError(t, err)
		says, err := leader.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, leader.Start())
		line, err := bufio.NewReader(says).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "half\n", line)
		waits(t, d, 6)
		require.NoError(t, leader.Process.Kill())
		require.Error(t, leader.Wait())
		require.NoError(t, write(t.Context(), db, 4, nil, "b"), "token 5 was not committed")
		require.NoError(t, write(t.Context(), db, 6, nil, "c"))
		require.ErrorIs(t, write(t.Context(), db, 5, nil, "d"), fence.ErrStale)
		_, texts := rows(t, db)
		require.Equal(t, []string{"a", "b", "c"}, texts)
	})
}

// asWriter is set for the leader that is killed: this test binary then is that program.
const asWriter = "RUN_AS_WRITER"

func TestMain(m *testing.M) {
	if os.Getenv(asWriter) == "" {
		os.Exit(m.Run())
	}
	db, err := database{os.Getenv("DRIVER"), os.Getenv("NAME")}.open(context.Background())
	if err != nil {
		panic(err)
	}
	err = write(context.Background(), db, 5, func() {
		fmt.Println("half")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(1)
	}, "half", "never")
	panic(err)
}

// TestRace: eight writers, each a leader again and again, and each late now and then. In the order of what is
// written, tokens never become smaller, and no transaction is between the two rows of another.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, d database) {
		var term, accepted atomic.Uint64
		var all sync.WaitGroup
		for writer := range uint64(8) {
			db := d.connect(t)
			all.Go(func() {
				dice := rand.New(rand.NewPCG(1, writer))
				for token := uint64(0); token < 60; {
					if token == 0 || dice.IntN(3) == 0 {
						token = term.Add(1)
					}
					text := fmt.Sprint(writer, " ", token, " ", dice.Uint64())
					switch err := write(t.Context(), db, token, nil, text, text); {
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
		require.Len(t, texts, 2*int(accepted.Load()))
		for i := 0; i < len(texts); i += 2 {
			require.Equal(t, texts[i], texts[i+1])
		}
	})
}
