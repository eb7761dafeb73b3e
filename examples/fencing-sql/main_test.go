package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
	"github.com/go-election/election/store/sqlstore"
)

const most = time.Minute // that a leader gets for its first write

func connect(t *testing.T, file string) *sql.DB {
	db, err := open(t.Context(), file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// texts returns what was written, in order.
func texts(t *testing.T, db *sql.DB) (texts []string) {
	all, err := db.Query(`SELECT text FROM log ORDER BY id`)
	require.NoError(t, err)
	defer all.Close()
	for all.Next() {
		var text string
		require.NoError(t, all.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, all.Err())
	return texts
}

// TestLead: a leader writes immediately. One whose token is refused learns which one the database knows.
func TestLead(t *testing.T) {
	db := connect(t, filepath.Join(t.TempDir(), "a ?#%.db"))
	none := func(token uint64) error {
		t.Errorf("advances to %d", token)
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, lead(ctx, db, "a", 7, none), "it has ended before it began")
	require.Empty(t, texts(t, db))

	ctx, stop = context.WithTimeout(t.Context(), most)
	ended := make(chan error, 1)
	go func() { ended <- lead(ctx, db, "a", 7, none) }()
	for len(texts(t, db)) == 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	stop()
	require.NoError(t, <-ended)

	require.NoError(t, write(t.Context(), db, 9, "by another leader"))
	ctx, stop = context.WithTimeout(t.Context(), most)
	var known uint64
	require.NoError(t, lead(ctx, db, "a", 7, func(token uint64) error {
		known = token
		stop()
		return nil
	}))
	require.Equal(t, uint64(9), known)
	require.Contains(t, texts(t, db), "a")
	require.Contains(t, texts(t, db), "by another leader")
}

// TestCrash: a leader is killed within a transaction. It holds up the next one until then, and leaves nothing behind.
func TestCrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs.db")
	db := connect(t, file)
	require.NoError(t, write(t.Context(), db, 3, "a"))
	leader := exec.CommandContext(t.Context(), os.Args[0])
	leader.Env = append(os.Environ(), asWriter+"="+file)
	leader.Stderr = os.Stderr
	_, err := leader.StdinPipe() // it ends with this process
	require.NoError(t, err)
	prints, err := leader.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, leader.Start())
	line, err := bufio.NewReader(prints).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "half\n", line)

	impatient := connect(t, file)
	impatient.SetMaxOpenConns(1)
	_, err = impatient.Exec("PRAGMA busy_timeout = 0")
	require.NoError(t, err)
	err = write(t.Context(), impatient, 6, "too soon")
	require.ErrorContains(t, err, "SQLITE_BUSY")
	require.NotErrorIs(t, err, fence.ErrStale)

	require.NoError(t, leader.Process.Kill())
	require.Error(t, leader.Wait())
	require.NoError(t, write(t.Context(), db, 4, "b"), "token 5 was not committed")
	require.NoError(t, write(t.Context(), db, 6, "c"))
	require.ErrorIs(t, write(t.Context(), db, 5, "d"), fence.ErrStale)
	require.Equal(t, []string{"a", "b", "c"}, texts(t, db))
}

// asWriter is set for the leader that is killed: this test binary then is that program.
const asWriter = "RUN_AS_WRITER"

func TestMain(m *testing.M) {
	file := os.Getenv(asWriter)
	if file == "" {
		os.Exit(m.Run())
	}
	db, err := open(context.Background(), file)
	if err != nil {
		panic(err)
	}
	err = sqlstore.New(db, sqlstore.SQLite).Fenced(context.Background(), "jobs", 5, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO log (token, text) VALUES (5, 'half')`); err != nil {
			return err
		}
		fmt.Println("half")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(1)
		return nil
	})
	panic(err)
}
