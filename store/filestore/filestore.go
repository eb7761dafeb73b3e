// Package filestore keeps values in the files of a directory, for several processes on one machine.
//
//	s, err := filestore.New("/var/lib/orders/lease")
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: s})
//
// The members of a group then need no network and no server, and one of two may lead. Each value is a file that any tool
// can read. The suffix .new is of values that are being written.
//
// # Guarantees
//
// The file .lock is locked while a value is replaced, and the system releases the lock of a process that ends in any way.
// A value is replaced as a whole, and is on the disk before Put returns. A revision is a checksum of the value, so it
// serves callers that write no value twice, as package elector does.
//
// # Limitations
//
// All processes must run on one machine, on one file system: locks of NFS and other network file systems are not
// reliable. There is no Watch. Systems without flock, such as Windows, are not supported: New returns an error that wraps
// [errors.ErrUnsupported].
package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-election/election/internal/filelock"
	"github.com/go-election/election/internal/wholefile"
	"github.com/go-election/election/store"
)

// Store keeps values in a directory. It implements [store.Store].
type Store struct{ directory string }

var _ store.Store = (*Store)(nil)

// New returns a Store in a directory, which it creates if needed. Only the user of this process may read it. New does not
// wait for other processes that use the directory.
func New(directory string) (*Store, error) {
	s := &Store{directory}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("filestore: %w", err)
	}
	// Only to find out whether the system has such locks.
	unlock, err := filelock.Lock(s.lockFile())
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return s, nil
	case err == nil:
		err = unlock()
	}
	if err != nil {
		return nil, fmt.Errorf("filestore: %w", err)
	}
	return s, nil
}

func (s *Store) lockFile() string { return filepath.Join(s.directory, ".lock") }

// lock waits for the lock of the directory until ctx ends.
func (s *Store) lock(ctx context.Context) (unlock func() error, err error) {
	for {
		switch unlock, err = filelock.Lock(s.lockFile()); {
		case err == nil:
			return unlock, nil
		case !errors.Is(err, filelock.ErrLocked):
			return nil, fmt.Errorf("filestore: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("filestore: waiting for the lock of %s: %w", s.directory, ctx.Err())
		case <-time.After(time.Millisecond): // a Put holds it for one write to the disk
		}
	}
}

// file returns the file of a key. Bytes that a file system may not distinguish, such as letters of either case, and those
// that mean something to it are written as %41.
func (s *Store) file(key string) string {
	var name strings.Builder
	for i := range len(key) {
		c := key[i]
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02X", c)
		}
	}
	return filepath.Join(s.directory, name.String()+".json")
}

func checksum(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:16])
}

// Get implements [store.Store]. It does not wait for the lock.
func (s *Store) Get(ctx context.Context, key string) (value []byte, revision string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", fmt.Errorf("filestore: %w", err)
	}
	value, err = os.ReadFile(s.file(key))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(s.directory); err != nil {
			return nil, "", fmt.Errorf("filestore: %v", err) // an absent directory is no absent value
		}
		return nil, "", fmt.Errorf("filestore: %w: %.80q", store.ErrAbsent, key)
	case err != nil:
		return nil, "", fmt.Errorf("filestore: %w", err)
	}
	return value, checksum(value), nil
}

// Put implements [store.Store]. A key may be as long as a file name with the suffixes .json.new, once it is escaped.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (written string, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, now, err := s.Get(ctx, key)
	switch {
	case err != nil && !errors.Is(err, store.ErrAbsent):
		return "", err
	case now != revision:
		return "", fmt.Errorf("filestore: %w: %.80q", store.ErrConflict, key)
	}
	if err := wholefile.Write(s.file(key), value); err != nil {
		return "", fmt.Errorf("filestore: %w", err)
	}
	return checksum(value), nil
}
