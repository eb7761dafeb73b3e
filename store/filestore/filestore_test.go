//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filestore

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/internal/filelock"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

// asCounter is set for the processes of TestProcesses: this test binary then increments a value.
const asCounter = "RUN_AS_COUNTER"

func TestMain(m *testing.M) {
	if directory := os.Getenv(asCounter); directory != "" {
		count(directory)
		return
	}
	goleak.VerifyTestMain(m)
}

func TestConformance(t *testing.T) {
	directory := t.TempDir()
	storetest.Test(t, func(context.Context, string) (store.Store, func() error, error) {
		s, err := New(directory)
		return s, nil, err
	}, storetest.Options{Delete: func(_ context.Context, key string) error {
		err := os.Remove((&Store{directory}).file(key))
		if os.IsNotExist(err) { // a key that was tried but not written
			err = nil
		}
		return err
	}})
}

// TestLocked: a process that keeps the lock stops Put until its context ends, but neither New nor Get.
func TestLocked(t *testing.T) {
	directory := t.TempDir()
	unlock, err := filelock.Lock(filepath.Join(directory, ".lock"))
	require.NoError(t, err)
	s, err := New(directory)
	require.NoError(t, err)
	_, _, err = s.Get(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrAbsent)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = s.Put(ctx, "a", []byte("1"), "")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, unlock())
	_, err = s.Put(t.Context(), "a", []byte("1"), "")
	require.NoError(t, err)
}

type counter struct{ Process, Count int }

// count increments a value until it is killed, and prints each number that it has written.
func count(directory string) {
	s, err := New(directory)
	if err != nil {
		log.Fatal(err)
	}
	for {
		value, revision, err := s.Get(context.Background(), "count")
		if err != nil {
			log.Fatal(err)
		}
		var now counter
		if err := json.Unmarshal(value, &now); err != nil {
			log.Fatal(err)
		}
		next, _ := json.Marshal(counter{os.Getpid(), now.Count + 1})
		if _, err := s.Put(context.Background(), "count", next, revision); err == nil {
			fmt.Println(now.Count + 1)
		}
	}
}

// TestProcesses: processes that are killed while they write lose nothing that was acknowledged, and leave no lock.
func TestProcesses(t *testing.T) {
	directory := t.TempDir()
	s, err := New(directory)
	require.NoError(t, err)
	_, err = s.Put(t.Context(), "count", []byte(`{}`), "")
	require.NoError(t, err)
	seen := make(map[string]bool)
	for range 5 {
		var all []*exec.Cmd
		outputs := make([]bytes.Buffer, 3)
		for i := range outputs {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asCounter+"="+directory)
			cmd.Stdout, cmd.Stderr = &outputs[i], os.Stderr
			require.NoError(t, cmd.Start())
			all = append(all, cmd)
		}
		before := len(seen)
		require.NoError(t, wait(s, before+20))
		for _, cmd := range all {
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
		}
		for i := range outputs {
			for lines := bufio.NewScanner(&outputs[i]); lines.Scan(); {
				require.False(t, seen[lines.Text()], "two processes have written number %s", lines.Text())
				seen[lines.Text()] = true
			}
		}
		require.Greater(t, len(seen), before)
	}
	value, _, err := s.Get(t.Context(), "count")
	require.NoError(t, err)
	var last counter
	require.NoError(t, json.Unmarshal(value, &last))
	require.GreaterOrEqual(t, last.Count, len(seen))
	require.LessOrEqual(t, last.Count, len(seen)+15, "each process may have been killed before it printed a number")
}

// wait returns when the count is at least n.
func wait(s *Store, n int) error {
	for {
		value, _, err := s.Get(context.Background(), "count")
		if err != nil {
			return err
		}
		var now counter
		if err := json.Unmarshal(value, &now); err != nil || now.Count >= n {
			return err
		}
	}
}

// TestGone: a directory that has gone is no absent value.
func TestGone(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a", "b")
	s, err := New(directory)
	require.NoError(t, err)
	_, _, err = s.Get(t.Context(), "k")
	require.ErrorIs(t, err, store.ErrAbsent)
	require.NoError(t, os.RemoveAll(directory))
	_, _, err = s.Get(t.Context(), "k")
	require.ErrorContains(t, err, "no such file")
	require.NotErrorIs(t, err, store.ErrAbsent)
	_, err = s.Put(t.Context(), "k", nil, "")
	require.ErrorContains(t, err, "no such file")
	_, err = New("/dev/null/x")
	require.ErrorContains(t, err, "filestore: ")
}

func Example() {
	directory, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	s, err := New(directory)
	if err != nil {
		log.Fatal(err)
	}
	_, err = s.Put(context.Background(), "election/orders", []byte(`{"owner":"a"}`), "")
	fmt.Println(err)
	text, err := os.ReadFile(filepath.Join(directory, "election%2Forders.json"))
	fmt.Println(string(text), err)
	// Output:
	// <nil>
	// {"owner":"a"} <nil>
}
