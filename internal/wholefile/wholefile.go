// Package wholefile replaces files so that a crash leaves either the old one or the new one.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces a file, which only its owner may read. It first writes a file with the suffix .new in the
// same folder, so calls for the same file must not run concurrently.
func Write(path string, data []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := fill(f, data); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	// The name in the directory has to reach the disk as well.
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = synced(dir)
	return errors.Join(err, dir.Close())
}

// Try returns the error that a Write of this many bytes would return now: the folder takes no file, or its
// disk is full. It leaves alone what another process may be writing, and nothing behind.
func Try(path string, size int) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".try")
	if err != nil {
		return err
	}
	// The bytes too: a full disk still takes an empty file.
	return errors.Join(fill(f, make([]byte, size)), os.Remove(f.Name()))
}

// fill writes all of a file to the disk, and closes it.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = synced(f)
	}
	return errors.Join(err, f.Close())
}
